// SPDX-License-Identifier: Apache-2.0
// Several devices in reports.
#pragma once

#include <cstddef>  // size_t
#include <string>

#include "text/formatted.hpp"  // formatted

namespace wingbeat::cli {

/// Returns the name of one device, or of the first of several ranks: "2 ranks from host".
[[nodiscard]] inline std::string ranks_text(std::size_t n_ranks, const std::string& first) {
  return n_ranks == 1 ? first : formatted("{} ranks from {}", n_ranks, first);
}

}  // namespace wingbeat::cli
