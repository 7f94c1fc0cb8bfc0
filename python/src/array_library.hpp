// SPDX-License-Identifier: Apache-2.0
// Arrays of other libraries that the extension reads and makes itself, without Python's frames.
#pragma once

#include <nanobind/ndarray.h>  // dlpack

#include <cstdint>  // uintptr_t
#include <optional>
#include <utility>  // move

#include "array.hpp"
#include "bindings.hpp"  // nb

namespace wingbeat::python {

/// A library whose arrays have one type. All calls hold the GIL.
class array_library {
 public:
  /// `workspace_near(x)` returns None, or a function of a number of bytes that returns (owner,
  /// pointer): memory of the library's allocator.
  array_library(bool has_narrow, nb::object workspace_near)
      : has_narrow_(has_narrow), workspace_near_(std::move(workspace_near)) {}
  array_library(const array_library&) = delete;
  array_library& operator=(const array_library&) = delete;
  virtual ~array_library() = default;

  /// Returns the view of an array; nothing where Python has to convert it, or to refuse it.
  [[nodiscard]] virtual std::optional<array> view(nb::handle x) const = 0;

  /// Returns the stream that the library works on now, on the device of an array; 0 on the host.
  [[nodiscard]] virtual std::uintptr_t stream_of(const array& x) const = 0;

  /// Returns a packed array beside `x`, whose view is `source`, not initialised; None where Python
  /// has to make it, or to refuse its type. `view` has all but memory and strides, and gets them.
  [[nodiscard]] virtual nb::object empty(nb::handle x, const array& source, array& view) const = 0;

  /// Tells the library that an array of the caller's is written.
  virtual void note_written(nb::handle) const {}

  /// Returns whether it has complex numbers of two times 16 bits.
  [[nodiscard]] bool has_narrow() const noexcept { return has_narrow_; }
  [[nodiscard]] nb::object workspace_near(nb::handle x) const { return workspace_near_(x); }

 private:
  bool has_narrow_;
  nb::object workspace_near_;
};

/// Returns the library of an array of just that type; null where none was registered.
[[nodiscard]] const array_library* array_library_of(nb::handle x) noexcept;

/// Returns the type of elements that DLPack describes; nothing for others.
[[nodiscard]] std::optional<element_type> element_type_of(nb::dlpack::dtype dtype) noexcept;

}  // namespace wingbeat::python
