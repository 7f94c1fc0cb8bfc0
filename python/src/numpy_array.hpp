// SPDX-License-Identifier: Apache-2.0
// numpy's arrays through its C interface, whose calls take a tenth of a protocol's time.
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

/// Returns the library of numpy's arrays. Elements are opaque unless their byte order is native. An
/// array with masked values is not plain.
[[nodiscard]] const array_library& numpy_library();

/// A packed array of any numbers.
struct packed_numbers {
  void* data = nullptr;
  int rank = 0;
  const std::ptrdiff_t* shape = nullptr;
};

/// Two arrays of the type that is summed; integers are summed in 64 bits.
class common_arrays {
 public:
  /// Returns nothing for objects other than numpy's arrays, for types that are not summed, and for
  /// different types; but if both are floating point, one may be wider, or complex.
  [[nodiscard]] static std::optional<common_arrays> of(nb::handle first, nb::handle second);

  packed_numbers first, second;
  summed_number numbers = summed_number::fp64;
  std::size_t number_bytes = 8;

  /// Returns an uninitialised packed array for the sums.
  [[nodiscard]] nb::object empty(const std::vector<std::ptrdiff_t>& shape, void*& memory) const;
  /// Returns the sums in the type of the given arrays.
  [[nodiscard]] nb::object narrowed(const nb::object& sums) const;

 private:
  nb::object owners_[2];
  int summed_type_ = 0;
  int result_type_ = 0;
};

/// Returns whether an object is this text.
[[nodiscard]] bool is_text(nb::handle object, const char* text) noexcept;

}  // namespace wingbeat::python
