// SPDX-License-Identifier: Apache-2.0
// Runs of `wingbeat transform` in a folder, and noise for it to read.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>  // uint64_t
#include <filesystem>
#include <string>
#include <vector>

#include "cli/program.hpp"             // finished, workplace
#include "formats/signals/signal.hpp"  // signal
#include "support/signal.hpp"          // fill_noise

namespace wingbeat::test {

/// Returns rows of numbers in [-1, 1) around `mean`.
inline formats::signal noise_rows(std::size_t n_rows, std::size_t row_length, bool is_real,
                                  std::uint64_t seed, double mean = 0) {
  formats::signal s{.n_rows = n_rows, .row_length = row_length, .is_real = is_real};
  std::vector<double> numbers(2 * n_rows * row_length);
  fill_noise(numbers.data(), numbers.size(), seed);
  for (std::size_t i = 0; i < n_rows * row_length; ++i) {
    s.samples.emplace_back(mean + numbers[2 * i], is_real ? 0 : numbers[2 * i + 1]);
  }
  return s;
}

class transform_runs : public ::testing::Test {
 protected:
  /// Runs `wingbeat transform arguments...`, which ends with `code`.
  finished run(std::vector<std::string> arguments, int code = 0) const {
    arguments.insert(arguments.begin(), "transform");
    finished result = at_.run(arguments);
    EXPECT_EQ(result.code, code) << result.err;
    return result;
  }
  [[nodiscard]] std::filesystem::path path(const std::string& name) const {
    return at_.folder().path() / name;
  }

  workplace at_;
};

}  // namespace wingbeat::test
