// SPDX-License-Identifier: Apache-2.0
// The interface to the arrays of any library: their descriptions, the stream that the library works
// on, and its allocator.
#pragma once

#include <nanobind/ndarray.h>  // dlpack

#include <cstddef>  // ptrdiff_t, size_t
#include <cstdint>  // uintptr_t
#include <optional>
#include <string>

#include "array.hpp"
#include "bindings.hpp"  // nb

namespace wingbeat::python {

/// A library whose arrays have one type or its subclasses. All calls hold the GIL.
class array_library {
 public:
  array_library() = default;
  array_library(const array_library&) = delete;
  array_library& operator=(const array_library&) = delete;
  virtual ~array_library() = default;

  /// Returns the view of an array with any type of element; nothing for arrays without such memory.
  [[nodiscard]] virtual std::optional<array> view(nb::handle x) const = 0;

  /// Returns the library's current stream on the device of an array; 0 on the host.
  [[nodiscard]] virtual std::uintptr_t stream_of(nb::handle, const array&) const { return 0; }

  /// Returns an uninitialised packed array on the device of `x`, whose view is `source`; None if
  /// Python must make it or refuse its type. Fills in the memory and strides of `view`, whose other
  /// fields describe the array.
  [[nodiscard]] virtual nb::object empty(nb::handle x, const array& source, array& view) const = 0;

  /// Returns whether memory holds an array's values: no flag changes them, no gradient is recorded.
  [[nodiscard]] virtual bool is_plain(nb::handle, const array&) const { return true; }

  /// Returns whether an array may be written.
  [[nodiscard]] virtual bool is_writeable(nb::handle) const { return true; }

  /// Returns the view of a writable array of this library on `x`'s device; nothing for others.
  [[nodiscard]] std::optional<array> view_beside(const array& x, nb::handle out) const;

  /// Tells the library that a caller's array is written.
  virtual void note_written(nb::handle) const {}

  /// Returns whether it has complex numbers of two 16-bit parts.
  [[nodiscard]] virtual bool has_narrow() const noexcept { return false; }
};

/// Returns the library of an array whose exact type is known, or numpy's; null if there is none, or
/// if Python must look at the array first.
[[nodiscard]] const array_library* array_library_of(nb::handle x) noexcept;

/// An array as a caller gave it.
struct given_array {
  /// Returns the description of any array in memory: of a known library or a subclass of its type,
  /// an `Array` of Python, or one that DLPack or `__cuda_array_interface__` lends. Throws TypeError
  /// for others.
  [[nodiscard]] static given_array of_any(nb::handle x);

  /// Returns the description of a floating-point array. Throws TypeError for others.
  [[nodiscard]] static given_array of(nb::handle x);

  array view;
  nb::object lender;  ///< Keeps the memory; its library knows stream and allocator.
  const array_library* library = nullptr;  ///< Null if a protocol alone describes the array;
  std::uintptr_t fixed_stream = 0;         ///< then this is its stream.

  [[nodiscard]] std::uintptr_t stream() const {
    return library == nullptr ? fixed_stream : library->stream_of(lender, view);
  }
};

/// Returns the view of a floating-point array. Throws TypeError for others.
[[nodiscard]] array described(nb::handle x);

/// Returns the memory of an array of any elements; an empty view for None.
[[nodiscard]] buffer_view memory_of(nb::handle x);

/// Returns the type of elements that DLPack describes; opaque if it has no name here.
[[nodiscard]] element_type element_type_of(nb::dlpack::dtype dtype) noexcept;

/// Returns the type of elements with a name, or with numpy's text such as "<c8"; or opaque.
[[nodiscard]] element_type element_type_stated(const std::string& text);

/// Returns `numbers`, one per dimension of an array, divided by `unit`.
[[nodiscard]] nb::object tuple_of(const array& view, const std::ptrdiff_t* numbers,
                                  std::size_t unit);

/// Sets shape and strides. `strides` count `stride_bytes`; None means packed. Throws ValueError if
/// their lengths differ.
void lay_out(array& view, nb::tuple shape, nb::handle strides, std::ptrdiff_t stride_bytes);

/// Returns an array that only a protocol describes, on processors and CUDA devices; nothing for
/// others.
[[nodiscard]] std::optional<given_array> lent_array(nb::handle x);

}  // namespace wingbeat::python
