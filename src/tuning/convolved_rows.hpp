// SPDX-License-Identifier: Apache-2.0
// The cost of convolved rows, in a unit of each engine's own; it decides into which blocks a long
// signal is cut.
#pragma once

#include <cstddef>  // size_t

#include "wingbeat/devices.hpp"  // engine
#include "wingbeat/plan.hpp"     // precision

namespace wingbeat::tuning {

/// Returns the cost of a row that reads and writes `n_numbers` numbers, besides the overlap.
[[nodiscard]] double cost_of_row(std::size_t length, std::size_t n_numbers, precision real,
                                 engine runs_on);

[[nodiscard]] double cost_of_launch(engine runs_on);

/// Returns how many launches transform rows of a length forward and back.
[[nodiscard]] double launches_of_row(std::size_t length, precision real, engine runs_on);

}  // namespace wingbeat::tuning
