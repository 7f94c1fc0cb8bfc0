// SPDX-License-Identifier: Apache-2.0
// What `explain` says of lengths that are convolved: by which algorithm, and why.
#pragma once

#include <cstddef>  // size_t
#include <string>
#include <string_view>

namespace wingbeat {

/// Why a prime that `rader` takes is convolved with a chirp, where that is a choice.
inline constexpr std::string_view quicker_than_rader =
    "expected to take less time than Rader's algorithm";

/// Returns the text of a prime that `rader` takes, as a convolution of complex numbers or within so
/// many `reals`.
[[nodiscard]] std::string rader_text(std::size_t points, std::size_t reals = 0);

/// Returns the text of a length that is convolved with a chirp within `total`: why not by radices,
/// nor by Rader's algorithm; `without_rader` where that takes so many points.
[[nodiscard]] std::string chirp_text(std::size_t points, std::size_t total,
                                     std::string_view without_rader);

}  // namespace wingbeat
