// SPDX-License-Identifier: Apache-2.0
// The same correlations in other orders of memory, on any engine: templates reversed in the load in
// place of conjugated in the product, templates and maps transposed, and rows in place of columns
// between the launches.
#pragma once

#include <cstddef>  // size_t
#include <nlohmann/json.hpp>
#include <vector>

#include "wingbeat/wingbeat.hpp"

namespace wingbeat::bench {

/// Templates of `small` in an image, mode valid; of one axis or two.
struct pattern_problem {
  std::vector<std::size_t> image, small;
  std::size_t templates;
};

/// Times each order of memory, prints it and returns it as JSON.
[[nodiscard]] nlohmann::ordered_json patterns_of(const queue& on, const pattern_problem& problem);

}  // namespace wingbeat::bench
