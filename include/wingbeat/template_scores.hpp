// SPDX-License-Identifier: Apache-2.0
// Scores one template with each part of an image, on this machine's processor.
#pragma once

#include <cstddef>  // size_t
#include <cstdint>  // uint8_t
#include <memory>   // unique_ptr
#include <vector>

#include "wingbeat/cpp20.hpp"  // stops older C++

namespace wingbeat {

/// For a template T and a part I of an image, of n pixels each, summed over pixels and channels:
enum class score_kind {
  sqdiff,  ///< sum of (T - I)^2
  ccorr,   ///< sum of T I
  ccoeff   ///< sum of (T - its mean) (I - its mean), with the means of each channel
};

/// The description of scores.
struct scores_spec {
  std::vector<std::size_t> image = {};      ///< {height, width}
  std::vector<std::size_t> templates = {};  ///< {height, width}, not larger
  std::size_t channels = 1;
  score_kind kind = score_kind::ccoeff;
  /// Divides scores by sqrt(sum T^2 sum I^2), for ccoeff without means. Where one of these sums is
  /// 0, or for ccoeff and ccorr no more than rounding in fp64, scores are 0, those of sqdiff 1.
  bool is_normalised = false;

  friend bool operator==(const scores_spec&, const scores_spec&) = default;
};

/// Scores an image in tiles that stay in the cache. A score is computed in fp32 where a bound of
/// its rounding is within 2^-16 (normalised scores) or 2^-16 of its value (squared differences);
/// otherwise, and always for doubles, in fp64. The error of sums that are not normalised is within
/// 2^-18 of sqrt(sum T^2 sum I^2), with I^2 summed over as many pixels around the part. One value
/// that is NaN or infinite makes all scores NaN. Several threads may run it at once.
class template_scores {
 public:
  /// Throws `plan_error`, naming the field at fault.
  explicit template_scores(scores_spec spec);
  template_scores(template_scores&&) noexcept;
  template_scores& operator=(template_scores&&) noexcept;
  ~template_scores();

  [[nodiscard]] const scores_spec& spec() const;

  /// image, part: [y][x][channel].  out: [H - h + 1][W - w + 1]
  void run(const float* image, const float* part, float* out) const;
  void run(const double* image, const double* part, double* out) const;
  void run(const std::uint8_t* image, const float* part, float* out) const;

 private:
  struct impl;
  std::unique_ptr<const impl> impl_;
};

}  // namespace wingbeat
