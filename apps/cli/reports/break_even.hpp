// SPDX-License-Identifier: Apache-2.0
// Break-even lengths: the smallest length from which one engine stays faster than another.
#pragma once

#include <cstddef>  // size_t
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace wingbeat::cli {

/// The total time, execution and transfer, at one length.
struct timed_length {
  std::size_t length;
  double total_s;
};

/// One engine's times, the lengths ascending.
struct timed_engine {
  std::string name;
  std::vector<timed_length> times;
};

/// The comparison of two engines over the lengths at which both were timed.
struct break_even {
  std::string faster, slower;         ///< At the largest common length; `faster` wins a tie.
  std::size_t largest = 0;            ///< That length.
  std::optional<std::size_t> length;  ///< `faster` is ahead from here on; unset: always.
};

/// Returns the break-even of every pair that has a length in common.
[[nodiscard]] std::vector<break_even> break_evens(std::span<const timed_engine> engines);

/// Returns the break-even as a sentence.
[[nodiscard]] std::string sentence_of(const break_even& pair);

}  // namespace wingbeat::cli
