// SPDX-License-Identifier: Apache-2.0
// Sentences of `explain` about convolved lengths: the algorithm, and why.
#pragma once

#include <cstddef>  // size_t
#include <string>
#include <string_view>

namespace wingbeat {

/// Why a prime that `rader` takes is convolved with a chirp instead.
inline constexpr std::string_view quicker_than_rader =
    "expected to take less time than Rader's algorithm";

/// Returns the text of a prime that `rader` takes, as a convolution of complex numbers or of
/// `reals` reals.
[[nodiscard]] std::string rader_text(std::size_t points, std::size_t reals = 0);

/// Returns the text of a length that is convolved with a chirp within `total` points: why neither
/// by radices nor by Rader's algorithm; for a length that Rader's takes, `without_rader`.
[[nodiscard]] std::string chirp_text(std::size_t points, std::size_t total,
                                     std::string_view without_rader);

}  // namespace wingbeat
