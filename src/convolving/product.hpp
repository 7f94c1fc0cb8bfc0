// SPDX-License-Identifier: Apache-2.0
// The product of spectra as the load of an inverse transform: for engines and lengths whose rows
// are not convolved in one crossing.
#pragma once

#include <cstddef>  // size_t

#include "spectra.hpp"          // product
#include "wingbeat/fusion.hpp"  // fused_load
#include "wingbeat/plan.hpp"    // precision

namespace wingbeat::convolving {

/// Which spectrum meets which. Rows of the inverse are numbered [run][prepared][column].
struct spectrum_pairs {
  std::size_t run = 1;
  std::size_t prepared = 1;  ///< With each of the run's; 1 where they go in pairs.
  bool is_pairwise = false;
  std::size_t columns = 1;      ///< Of one spectrum.
  std::size_t bins = 1;         ///< Of one column.
  bool has_one_column = false;  ///< Prepared spectra have one, which meets all of the run's.
};

/// Returns a load that reads spectra [run][column][bin] and takes one operand, the view of the
/// prepared spectra, laid out alike and both stored as `stored`.
[[nodiscard]] fused_load product_load(const spectrum_pairs& pairs, product times, precision stored,
                                      precision real);

}  // namespace wingbeat::convolving
