// SPDX-License-Identifier: Apache-2.0
// A file's rows as the input of a plan, and a plan's output as the rows of a file.
#pragma once

#include <cstddef>  // size_t
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "formats/signal.hpp"  // signal
#include "wingbeat/plan.hpp"   // plan_spec

namespace wingbeat::cli {

/// What the user asked to do with the file.
struct wish {
  bool is_inverse = false;
  bool is_half = false;  ///< The spectrum of a real signal as bins 0..N/2 alone.
  std::optional<std::size_t> length;
  std::optional<scaling> scale;  ///< Unset: none forward, by_length inverse.
  precision real = precision::fp32;
};

/// What every engine is given.
struct problem {
  plan_spec what;
  std::vector<double> input;  // [row][number]: as `what` reads it, rounded to its precision
  bool is_half = false;
  bool is_table = false;         ///< The file's array has two dimensions, and so has the output's.
  std::size_t row_length = 0;    ///< Samples of a row in the file.
  std::size_t kept_samples = 0;  ///< Of those, how many were taken; the rest of the row is zero.
  std::size_t n_vanished = 0;    ///< Numbers of the input that rounding made 0.

  [[nodiscard]] std::size_t length() const { return what.lengths.front(); }
};

/// Returns the problem that `asked` makes of `from`; `name` is the file in messages.
/// Throws `plan_error` for a length, a layout or a range that cannot be transformed,
/// and `file_error` for rows of one sample.
[[nodiscard]] problem state(const formats::signal& from, const std::string& name,
                            const wish& asked);

/// Returns the numbers of an output, completed by the mirror image X[N-k] = conj X[k] where the
/// plan leaves it out and the user wants all N bins.
[[nodiscard]] std::vector<double> complete(const problem& solved, std::vector<double> output);

/// Returns the completed output as a signal that can be written to a file.
[[nodiscard]] formats::signal signal_of(const problem& solved, std::span<const double> completed);

}  // namespace wingbeat::cli
