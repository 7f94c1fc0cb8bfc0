// SPDX-License-Identifier: Apache-2.0
// numpy's arrays, through numpy's own C interface: an order of magnitude less per call than a
// protocol.
#pragma once

#include <cstddef>  // ptrdiff_t, size_t
#include <optional>
#include <vector>

#include "array_library.hpp"
#include "bindings.hpp"              // nb
#include "wingbeat/direct_sums.hpp"  // summed_number

namespace wingbeat::python {

/// Imports numpy. Throws the exception of the import.
void load_numpy();

[[nodiscard]] bool is_numpy(nb::handle object) noexcept;

/// Returns the library of numpy's arrays, whose elements have a type with a name if they are in
/// native byte order. An array of which values are masked is not plain.
[[nodiscard]] const array_library& numpy_library();

/// A packed array, of whatever numbers.
struct packed_numbers {
  void* data = nullptr;
  int rank = 0;
  const std::ptrdiff_t* shape = nullptr;
};

/// Two arrays of one type of numbers, as they are summed: integers as such of 64 bits.
class common_arrays {
 public:
  /// Returns nothing for other objects than numpy's arrays, and for types that are not summed or
  /// not the same; but one of two may be wider, or complex, where both are of floating point.
  [[nodiscard]] static std::optional<common_arrays> of(nb::handle first, nb::handle second);

  packed_numbers first, second;
  summed_number numbers = summed_number::fp64;
  std::size_t number_bytes = 8;

  /// Returns a packed array for the sums, not initialised.
  [[nodiscard]] nb::object empty(const std::vector<std::ptrdiff_t>& shape, void*& memory) const;
  /// Returns it in the type of the given arrays.
  [[nodiscard]] nb::object narrowed(const nb::object& sums) const;

 private:
  nb::object owners_[2];
  int summed_type_ = 0;
  int result_type_ = 0;
};

/// Returns whether an object is this text.
[[nodiscard]] bool is_text(nb::handle object, const char* text) noexcept;

}  // namespace wingbeat::python
