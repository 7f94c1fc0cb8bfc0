// SPDX-License-Identifier: Apache-2.0
// The rows of a file as the input of a plan, and the output of a plan as rows of a file.
#pragma once

#include <cstddef>  // size_t
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "formats/signals/signal.hpp"  // signal
#include "wingbeat/plan.hpp"           // plan_spec

namespace wingbeat::cli {

/// What becomes of rows where no length is given: they are transformed at their own; or padded with
/// zeros to the next good length, or to the next power of two.
enum class padding { none, good, power_of_two };

/// The options of a transform of a file.
struct transform_request {
  bool is_inverse = false;
  bool is_half = false;               ///< The spectrum of a real signal as bins 0..N/2 alone.
  std::vector<transform> kinds = {};  ///< From reals to reals, forward; one, or one per axis.
  bool orthogonalizes = false;
  std::optional<std::size_t> length;
  padding pad = padding::none;
  std::optional<scaling> scale;  ///< Unset: none forward, by_length inverse.
  precision real = precision::fp32;
};

/// A transform as every engine is given it.
struct problem {
  plan_spec spec;
  std::vector<double> input;  // [row][number]: as `spec` reads it, rounded to its precision
  bool is_half = false;
  bool is_table = false;         ///< The arrays of the file and of the output are 2D.
  std::size_t row_length = 0;    ///< Samples of a row in the file.
  std::size_t kept_samples = 0;  ///< Samples taken of each; the rest of the row is zero.
  std::size_t n_vanished = 0;    ///< Nonzero numbers that were rounded to 0.

  [[nodiscard]] std::size_t length() const { return spec.lengths.back(); }
};

/// Returns the problem of transforming `from` as requested; `name` is the file's name in messages.
/// Throws `plan_error` for a length, a layout or a range that cannot be transformed, `file_error`
/// for rows of no sample.
[[nodiscard]] problem make_problem(const formats::signal& signal, const std::string& name,
                                   const transform_request& request);

/// Returns what transforms the rows, whose samples are not read, as one image. Throws as below.
[[nodiscard]] plan_spec image_spec(const formats::signal& signal, const std::string& name,
                                   const transform_request& request);

/// Returns the problem of transforming the rows as one image, over both axes. Throws as above, and
/// `file_error` for a row that is no table.
[[nodiscard]] problem make_image_problem(const formats::signal& signal, const std::string& name,
                                         const transform_request& request);

/// Returns the numbers of an output. A half-spectrum is completed by X[N-k] = conj X[k], of an
/// image X[H-a][W-k] = conj X[a][k], unless the request was for the half alone.
[[nodiscard]] std::vector<double> complete(const problem& solved, std::vector<double> output);

/// Returns the completed output as a signal that can be written to a file.
[[nodiscard]] formats::signal signal_of(const problem& solved, std::span<const double> completed);

/// Prints a message where a text's real parts may be times.
void report_times(const std::string& name, const formats::signal& signal);

}  // namespace wingbeat::cli
