// SPDX-License-Identifier: Apache-2.0
// The outputs of engines against the definition in long double: all values, or a sample of them and
// the energy of each transform. By Parseval's law an output y that keeps the bound of relative L2
//   ||y - X|| <= c ||X||   has   | ||y|| - ||X|| | <= c ||X||,   and ||X|| follows from the input:
//   sum of v[k] |X[k]|^2 = L sum of v[j] |x[j]|^2,   L the logical length. v is 1, but 1/2 where an
// element of a cosine or sine transform that is not orthogonalized is its own mirror image.
#pragma once

#include <complex>
#include <cstddef>  // size_t
#include <map>
#include <span>
#include <string>
#include <utility>  // pair
#include <vector>

#include "cli/accuracy.hpp"   // output_sample
#include "cli/agreement.hpp"  // agreement, element
#include "cli/elements.hpp"   // byte_reader

namespace wingbeat::cli {

/// How much of an output is compared.
enum class check_extent { full, sample, none };

/// An output of up to as many values is compared whole where a sample is asked for.
inline constexpr std::size_t max_values_unsampled = std::size_t{1} << 16;

/// What is checked.
struct checked_problem {
  plan_spec spec;               ///< With packed layouts, without functors.
  byte_reader input;            ///< Of its input, whose numbers are in `spec.real`.
  precision computed;           ///< Whose bounds outputs are judged by.
  bool has_magnitudes = false;  ///< Outputs hold (|X|, 0) in place of X.
};

/// Checks the outputs of one problem, each from another engine.
class output_check {
 public:
  /// A full check computes all values by the engine `reference`, before this returns.
  output_check(checked_problem problem, check_extent extent);

  /// Returns the agreement of an output, whose numbers are as the plan writes them; not of extent
  /// `none`. A sample is, of
  /// the first, the last, the loudest and some other transforms, the classes k = r mod s of bins
  /// for a few r: those of bin 0, of N/2 and of the strongest bin of this output are among them.
  [[nodiscard]] agreement judge(std::span<const double> output);

  /// Returns what is compared: "4,096 of 65,536 values and the energy of all ..".
  [[nodiscard]] std::string description() const;

  [[nodiscard]] check_extent extent() const noexcept { return extent_; }
  [[nodiscard]] std::size_t n_checked() const noexcept { return n_checked_; }

 private:
  struct loudness;
  /// Of a transform: the sampled numbers of its output, and those expected.
  using value_pairs = std::map<std::size_t, std::pair<std::vector<double>, std::vector<double>>>;

  void compute_reference();
  [[nodiscard]] std::vector<loudness> loudness_of(std::span<const double> output) const;
  [[nodiscard]] std::vector<output_sample> samples_of(const std::vector<loudness>& found) const;
  [[nodiscard]] value_pairs pairs_of(std::span<const double> output,
                                     const std::vector<loudness>& found);
  [[nodiscard]] const std::vector<double>& expected_of(const output_sample& sample);
  [[nodiscard]] double norm_of_input(std::size_t transform) const;
  /// Returns N, whose logarithm allowed errors grow with.
  [[nodiscard]] std::size_t logical_points() const;
  [[nodiscard]] bool has_norms() const;
  [[nodiscard]] agreement judge_sample(std::span<const double> output);
  [[nodiscard]] element kind() const;
  [[nodiscard]] std::vector<double> comparable(
      const std::vector<std::complex<double>>& values) const;

  checked_problem problem_;
  check_extent extent_;
  std::size_t n_values_ = 0, n_checked_ = 0;
  std::vector<double> reference_;  ///< All values, of a full check.
  std::map<std::vector<std::size_t>, std::vector<double>> expected_;  ///< By transform and classes.
};

}  // namespace wingbeat::cli
