// SPDX-License-Identifier: Apache-2.0
#include "roots/algorithm_text.hpp"

#include "roots/rader.hpp"              // is_rader_length
#include "text/formatted.hpp"           // formatted
#include "wingbeat/device/factors.hpp"  // greatest_factor

namespace wingbeat {
namespace {

std::size_t greatest(std::size_t number) {
  return device::greatest_factor(static_cast<unsigned>(number));
}

}  // namespace

std::string rader_text(std::size_t points, std::size_t reals) {
  const std::string within =
      reals == 0 ? formatted("{}", points - 1) : formatted("{} reals", reals);
  std::string reason = formatted("{} is prime, {} has small factors", points, points - 1);
  if (!is_rader_length(points)) {
    reason =
        formatted("{} is prime, {} has the factor {}", points, points - 1, greatest(points - 1));
  } else if (reals >= points) {
    reason = formatted("expected to take less time than within {}", points - 1);
  }
  return formatted("by Rader's algorithm within {} ({})", within, reason);
}

std::string chirp_text(std::size_t points, std::size_t total, std::string_view without_rader) {
  std::string reason = formatted("{} has the factor {}", points, greatest(points));
  if (is_rader_length(points)) {
    reason = without_rader;
  } else if (greatest(points) == points) {
    reason =
        formatted("{} is prime, {} has the factor {}", points, points - 1, greatest(points - 1));
  }
  return formatted("by Bluestein's chirp within {} ({})", total, reason);
}

}  // namespace wingbeat
