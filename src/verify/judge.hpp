// SPDX-License-Identifier: Apache-2.0
// Judges outputs of any engine and any layout: compares all values with the engine `reference`, or
// some of them with the definition, with one comparison and one tolerance. By Parseval's law an
// output y that keeps the bound of relative L2
//   ||y - X|| <= c ||X||   has   | ||y|| - ||X|| | <= c ||X||,   and ||X|| follows from the input,
// so a sample's check also judges the energy of every transform.
#pragma once

#include <cstddef>  // size_t
#include <map>
#include <span>
#include <string>
#include <utility>  // pair
#include <vector>

#include "verify/agreement.hpp"  // agreement, computation
#include "verify/elements.hpp"   // byte_reader
#include "verify/sample.hpp"     // output_sample, bin_map

namespace wingbeat::verify {

/// How much of an output is compared: all; some elements of some transforms, and the energy of all;
/// nothing; or some elements of the first, the middle and the last transform, the only parts that
/// are read.
enum class check_extent { full, sample, none, few };

/// Outputs of up to this many values are compared whole even if a sample is requested.
inline constexpr std::size_t max_values_unsampled = std::size_t{1} << 16;

/// The problem whose outputs are checked.
struct checked_problem {
  plan_spec spec;               ///< Without functors.
  byte_reader input;            ///< Reads its input, whose numbers are in `spec.real`.
  precision computed;           ///< The precision whose bounds apply.
  bool has_magnitudes = false;  ///< Outputs hold (|X|, 0) instead of X.
  double n_roundings = 0;       ///< Roundings of each element by functors, see computation.
  double floor = 0;             ///< What functors may lose of each value, see computation.
};

/// Returns how many points a sampled output of one transform depends on: all of a prime axis.
[[nodiscard]] std::size_t sampled_points_of(const plan_spec& spec);

/// Returns the output of the engine `reference` for a packed input, in fp64.
[[nodiscard]] std::vector<double> reference_output(plan_spec spec, std::span<const double> input);

/// Judges the outputs of one problem, each from another engine or library.
class judge {
 public:
  /// Before this returns, a `full` check computes all values with the engine `reference`, and a
  /// check of `few` computes its sample.
  judge(checked_problem problem, check_extent extent);

  /// Judges another part of a large problem from now on; `description` counts all parts.
  void follow(checked_problem part);

  /// Returns the agreement of an output, packed in fp64, for extent `full` or `sample`. A sample
  /// takes, from the first, the last, the loudest and some other transforms, the classes k = r mod
  /// s of bins for a few r; among them are those of bin 0, of N/2 and of the strongest bin of this
  /// output.
  [[nodiscard]] agreement operator()(std::span<const double> output);

  /// Returns the agreement of an output in the layout and precision of the spec, for extent
  /// `sample` or `few`: the errors of the worst transform and the counts of all. Without a map,
  /// bins are in natural order.
  [[nodiscard]] agreement operator()(const byte_reader& output, const bin_map& bin_at = {});

  /// Returns what is compared: "4,096 of 65,536 values and the energy of all ..".
  [[nodiscard]] std::string description() const;

  [[nodiscard]] check_extent extent() const noexcept { return extent_; }

  /// Returns how many samples of transforms a check of `few` compares; or their elements.
  [[nodiscard]] std::size_t n_samples() const noexcept { return few_.size(); }
  [[nodiscard]] std::size_t n_elements() const noexcept { return n_checked_; }

 private:
  using value_pairs = std::pair<std::vector<double>, std::vector<double>>;  // got, and expected

  void prepare();
  void choose_few();
  [[nodiscard]] std::vector<output_sample> samples_of(
      const std::vector<output_extremes>& found) const;
  [[nodiscard]] agreement judged(const arrays::array& out, const byte_reader& read,
                                 const bin_map& bin_at);
  [[nodiscard]] agreement judged_transform(std::size_t transform, const value_pairs& pair,
                                           const output_extremes* found);
  [[nodiscard]] const std::vector<double>& expected_of(const output_sample& sample);
  [[nodiscard]] double norm_of(std::size_t transform);
  [[nodiscard]] computation how() const;
  [[nodiscard]] bool has_norms() const;

  checked_problem problem_;
  check_extent extent_;
  arrays::array out_;  ///< In the spec's layout.
  std::size_t n_transform_values_ = 0, n_checked_ = 0;
  std::size_t n_values_before_ = 0, n_checked_before_ = 0;  ///< Of earlier parts.
  std::vector<double> reference_;                           ///< All values, for a full check.
  std::vector<output_sample> few_;
  std::map<output_sample, std::vector<double>> expected_;
  std::map<std::size_t, double> norms_;  ///< By number of the transform.
};

}  // namespace wingbeat::verify
