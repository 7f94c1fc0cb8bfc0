// SPDX-License-Identifier: Apache-2.0
// What convolutions and searches store between their launches, as Python states it.
#pragma once

#include <optional>
#include <string>

#include "array.hpp"          // element_type_named
#include "bindings.hpp"       // nb
#include "wingbeat/plan.hpp"  // precision

namespace wingbeat::python {

struct stored_between {
  /// Of (name of a dtype or None, peak of the image, peak of kernels).
  explicit stored_between(nb::tuple given)
      : image_peak(nb::cast<double>(given[1])), kernel_peak(nb::cast<double>(given[2])) {
    if (given[0].is_none()) return;
    if (const auto type = element_type_named(nb::cast<std::string>(given[0]))) stored = type->real;
  }

  std::optional<precision> stored;  ///< Empty: as what is computed with.
  double image_peak, kernel_peak;
};

}  // namespace wingbeat::python
