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

/// The length of rows if none is given: their own, the next good length, or the next power of two;
/// zeros pad them.
enum class padding { none, good, power_of_two };

/// The options of a transform of a file.
struct transform_request {
  bool is_inverse = false;
  bool is_half = false;               ///< Only bins 0..N/2 of a real signal's spectrum.
  std::vector<transform> kinds = {};  ///< Forward kinds from reals to reals; one, or one per axis.
  bool orthogonalizes = false;
  std::optional<std::size_t> length;
  padding pad = padding::none;
  std::optional<scaling> scale;  ///< Unset: none forward, by_length inverse.
  precision real = precision::fp32;
};

/// A transform with its input, for every engine.
struct problem {
  plan_spec spec;
  std::vector<double> input;  // [row][number]: as `spec` reads it, rounded to its precision
  bool is_half = false;
  bool is_table = false;         ///< The arrays of the file and of the output are 2D.
  std::size_t row_length = 0;    ///< Samples of a row in the file.
  std::size_t kept_samples = 0;  ///< Samples taken from each row; the rest is 0.
  std::size_t n_vanished = 0;    ///< Nonzero numbers that were rounded to 0.

  [[nodiscard]] std::size_t length() const { return spec.lengths.back(); }
};

/// Returns the transform of the rows as requested, without reading samples; `name` is the file's
/// name in messages. Throws `plan_error` for a length or a layout that cannot be transformed,
/// `file_error` for rows of no sample.
[[nodiscard]] plan_spec row_spec(const formats::signal& signal, const std::string& name,
                                 const transform_request& request);

/// Returns the problem of transforming the rows. Throws as above, and `plan_error` for a range that
/// cannot be transformed.
[[nodiscard]] problem make_problem(const formats::signal& signal, const std::string& name,
                                   const transform_request& request);

/// Returns the transform of the rows as one image, without reading samples. Throws as below.
[[nodiscard]] plan_spec image_spec(const formats::signal& signal, const std::string& name,
                                   const transform_request& request);

/// Returns the problem of transforming the rows as one image over both axes. Throws as above, and
/// `file_error` if the file is no table.
[[nodiscard]] problem make_image_problem(const formats::signal& signal, const std::string& name,
                                         const transform_request& request);

/// Returns the numbers of an output. Completes a half spectrum by X[N-k] = conj X[k], for images
/// X[H-a][W-k] = conj X[a][k], unless the request is for the half.
[[nodiscard]] std::vector<double> complete(const problem& solved, std::vector<double> output);

/// Returns the completed output as a signal that can be written to a file.
[[nodiscard]] formats::signal signal_of(const problem& solved, std::span<const double> completed);

/// Prints a message if the real parts in a text could be times.
void report_times(const std::string& name, const formats::signal& signal);

}  // namespace wingbeat::cli
