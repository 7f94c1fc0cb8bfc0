// SPDX-License-Identifier: Apache-2.0
// The arrays of any library, as calls read and make them: one description of each, with the stream
// that its library works on and the allocator that it has.
#pragma once

#include <nanobind/ndarray.h>  // dlpack

#include <cstddef>  // ptrdiff_t, size_t
#include <cstdint>  // uintptr_t
#include <optional>
#include <string>

#include "array.hpp"
#include "bindings.hpp"  // nb

namespace wingbeat::python {

/// A library whose arrays have one type, or types derived of it. All calls hold the GIL.
class array_library {
 public:
  array_library() = default;
  array_library(const array_library&) = delete;
  array_library& operator=(const array_library&) = delete;
  virtual ~array_library() = default;

  /// Returns the view of an array, of whatever numbers; nothing for those without such memory.
  [[nodiscard]] virtual std::optional<array> view(nb::handle x) const = 0;

  /// Returns the stream that the library works on now, on the device of an array; 0 on the host.
  [[nodiscard]] virtual std::uintptr_t stream_of(nb::handle, const array&) const { return 0; }

  /// Returns a packed array beside `x`, whose view is `source`, not initialised; None where Python
  /// has to make it, or to refuse its type. `view` has all but memory and strides, and gets them.
  [[nodiscard]] virtual nb::object empty(nb::handle x, const array& source, array& view) const = 0;

  /// Returns whether an array's memory holds its values, which no flag or gradient concerns.
  [[nodiscard]] virtual bool is_plain(nb::handle, const array&) const { return true; }

  /// Returns whether an array may be written.
  [[nodiscard]] virtual bool is_writeable(nb::handle) const { return true; }

  /// Returns the view of an array that may be written, of this library and on `x`'s device; nothing
  /// for others.
  [[nodiscard]] std::optional<array> view_beside(const array& x, nb::handle out) const;

  /// Tells the library that an array of the caller's is written.
  virtual void note_written(nb::handle) const {}

  /// Returns whether it has complex numbers of two times 16 bits.
  [[nodiscard]] virtual bool has_narrow() const noexcept { return false; }
};

/// Returns the library of an array whose type is known, numpy's of all its types; null where there
/// is none, or where Python has to look at its arrays first.
[[nodiscard]] const array_library* array_library_of(nb::handle x) noexcept;

/// An array as a caller gave it.
struct given_array {
  /// Returns any array that memory describes: of a known library, of types derived of its own too,
  /// an `Array` of Python, or one that DLPack or `__cuda_array_interface__` lends. Throws TypeError
  /// for others.
  [[nodiscard]] static given_array of_any(nb::handle x);

  /// Returns such an array of floating point. Throws TypeError for others.
  [[nodiscard]] static given_array of(nb::handle x);

  array view;
  nb::object lender;  ///< Keeps the memory; whose library knows stream and allocator.
  const array_library* library = nullptr;  ///< Null: of what is known by a protocol alone.
  std::uintptr_t fixed_stream = 0;         ///< Then the stream.

  [[nodiscard]] std::uintptr_t stream() const {
    return library == nullptr ? fixed_stream : library->stream_of(lender, view);
  }
};

/// Returns the view of an array of floating point. Throws TypeError for others.
[[nodiscard]] array described(nb::handle x);

/// Returns the memory of an array of any elements; none of None.
[[nodiscard]] buffer_view memory_of(nb::handle x);

/// Returns the type of elements that DLPack describes, opaque where it has no name here.
[[nodiscard]] element_type element_type_of(nb::dlpack::dtype dtype) noexcept;

/// Returns the type of elements by its name, or by numpy's text for it, "<c8"; opaque, too.
[[nodiscard]] element_type element_type_stated(const std::string& text);

/// Returns a number for each dimension of an array, in units.
[[nodiscard]] nb::object tuple_of(const array& view, const std::ptrdiff_t* numbers,
                                  std::size_t unit);

/// Sets shape and strides, which count `stride_bytes`; of None they are packed. Throws ValueError
/// where they do not fit.
void lay_out(array& view, nb::tuple shape, nb::handle strides, std::ptrdiff_t stride_bytes);

/// Returns what a protocol alone describes, on processors and CUDA devices; nothing for others.
[[nodiscard]] std::optional<given_array> lent_array(nb::handle x);

}  // namespace wingbeat::python
