// SPDX-License-Identifier: Apache-2.0
// What one process of a long test runs, and what it says of that at its end. Variables of the
// environment deal the cases to processes, and end each after a time, whose sentence says how far
// it came:
//
//     WINGBEAT_TEST_PARTS=12 WINGBEAT_TEST_PART=3    a twelfth of the cases, the fourth of them
//     WINGBEAT_TEST_SECONDS=400                      no case begins later than this
//     WINGBEAT_TEST_FIRST=1 WINGBEAT_TEST_LAST=4096  lengths of these bounds alone
//     WINGBEAT_TEST_TURN=5                           of kinds in turns that of five cases later
#pragma once

#include <fmt/format.h>

#include <algorithm>  // max, min
#include <chrono>
#include <cstddef>  // size_t
#include <cstdint>  // uint64_t
#include <map>
#include <string>

#include "support/environment.hpp"  // from_environment

namespace wingbeat::test {

/// When the process began, nearly.
inline const auto process_start = std::chrono::steady_clock::now();

/// Returns whether a case may begin.
inline bool has_time() {
  static const std::uint64_t seconds = from_environment("WINGBEAT_TEST_SECONDS", 1U << 30);
  return std::chrono::steady_clock::now() - process_start < std::chrono::seconds{seconds};
}

/// Returns whether this process runs case `number`. Remainders of numbers that are lengths would
/// give all primes to few processes.
inline bool is_dealt(std::uint64_t number) {
  static const std::uint64_t parts = from_environment("WINGBEAT_TEST_PARTS", 1);
  static const std::uint64_t part = from_environment("WINGBEAT_TEST_PART", 0);
  return (number * 0x9e3779b97f4a7c15U >> 32) % parts == part;
}

/// The largest of some numbers, and what it is of.
struct largest_share {
  long double share = 0;
  std::string owner = "nothing";

  template <class Describe>
  void add(long double other, const Describe& describe) {
    if (other <= share) return;  // NaN is not
    share = other;
    owner = describe();
  }
};

/// Counts cases, and keeps the largest of each kind of error as a share of its bound.
class coverage {
 public:
  void add_length(std::size_t n) {
    first_ = n_lengths_ == 0 ? n : std::min(first_, n);
    last_ = std::max(last_, n);
    ++n_lengths_;
  }
  void add_row() { ++n_rows_; }
  [[nodiscard]] std::size_t n_rows() const noexcept { return n_rows_; }
  largest_share& largest(const std::string& error) { return shares_[error]; }

  /// Returns "341 lengths of 1 to 4096, 17732 rows; largest errors .. noise 0.83 (..)".
  [[nodiscard]] std::string sentence() const {
    std::string text =
        fmt::format("{} lengths of {} to {}, {} rows; largest errors as shares of bounds",
                    n_lengths_, first_, last_, n_rows_);
    for (const auto& [error, largest] : shares_) {
      text += fmt::format(", {} {:.3Lf} ({})", error, largest.share, largest.owner);
    }
    return text + (has_time() ? "" : "; the time was over");
  }

 private:
  std::size_t n_lengths_ = 0, first_ = 0, last_ = 0, n_rows_ = 0;
  std::map<std::string, largest_share> shares_;
};

}  // namespace wingbeat::test
