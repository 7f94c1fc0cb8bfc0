// SPDX-License-Identifier: Apache-2.0
// Scores of templates in an image with missing pixels, as if sums were taken over present pixels
// alone. With v = 1 where a pixel is present and 0 elsewhere, f the image with 0 where v = 0, t a
// template, and (a * b)[y, x] = sum over j, i of b[j, i] a[y + j, x + i]:
//
//     plain:       f * t
//     normalised:  (f * t - (f * 1) (v * t) / n) /
//                  sqrt((f^2 * 1 - (f * 1)^2 / n) (v * t^2 - (v * t)^2 / n)),   n = v * 1
//
// which is the correlation coefficient of the present pixels and the template's values at them
// (D. Padfield, Masked object registration in the Fourier domain, 2012). Pixels outside the image
// are missing, too. All arithmetic is fp64.
#include <algorithm>  // clamp, max
#include <cmath>      // isnan, round, sqrt
#include <cstdint>    // uint32_t
#include <limits>     // numeric_limits
#include <numeric>    // accumulate
#include <optional>

#include "convolving/convolver.hpp"  // convolver
#include "convolving/scores.hpp"     // score_memory, score_store
#include "searching/scorer.hpp"      // scorer
#include "text/formatted.hpp"        // formatted, joined

namespace wingbeat::searching {
namespace {

using convolving::convolver;

constexpr double absent = std::numeric_limits<double>::quiet_NaN();

constexpr std::string_view no_choice;  // the scorer already uses fp64

/// Rounding error of a sum of squares, relative to the largest sum.
constexpr double rounding = 64 * std::numeric_limits<double>::epsilon();

double mean_of(std::span<const double> values) {
  double sum = 0;
  std::size_t count = 0;
  for (const double value : values) {
    if (std::isnan(value)) continue;
    sum += value;
    ++count;
  }
  return count == 0 ? 0 : sum / static_cast<double>(count);
}

std::vector<double> squares_of(std::vector<double> values) {
  for (double& value : values) value *= value;
  return values;
}

double sum_of(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0);
}

/// Returns what to keep of fp64 scores that the scorer has already normalised.
convolving::kept_scores kept_of(search_spec spec) {
  spec.real = precision::fp64;
  const bool has_unit_sums = spec.keeps_sums && spec.is_normalised;
  spec.is_normalised = false;
  auto kept = convolving::kept_of(spec, /*templates=*/1, /*has_fp64=*/true);
  kept.has_unit_sums = has_unit_sums;
  return kept;
}

/// Scores templates one at a time.
class absent_pixel_scorer final : public scorer {
 public:
  absent_pixel_scorer(const queue& on, const search_request& request)
      : on_(on),
        request_(request),
        plain_{.image = request.search.image,
               .kernel = request.search.templates,
               .kind = operation::correlate,
               .mode = request.search.mode,
               .real = precision::fp64},
        lengths_(result_lengths(plain_)),
        kept_(kept_of(request.search)),
        memory_(of_arrays_, kept_) {}

  void begin(std::span<const double> image) override {
    restart();
    // An offset does not change a coefficient, and small numbers lose fewer digits.
    const double offset = is_normalised() ? mean_of(image) : 0;
    std::vector<double> present(image.size()), valid(image.size());
    for (std::size_t i = 0; i < image.size(); ++i) {
      valid[i] = std::isnan(image[i]) ? 0 : 1;
      present[i] = std::isnan(image[i]) ? 0 : image[i] - offset;
    }
    image_.emplace(on_, plain_, present, no_choice);
    valid_.emplace(on_, plain_, valid, no_choice);
    sum_windows(squares_of(std::move(present)));
  }

  void restart() override {
    memory_.clear(of_arrays_);
    n_templates_ = 0;
  }

  void add(const template_batch& batch) override {
    const std::vector<double> map = scores_of(batch.samples);
    const auto given = convolving::score_arguments(
        kept_, static_cast<std::uint32_t>(batch.first), memory_.others(),
        {.inverse_norms = {}, .rim = {}, .threshold = request_.search.threshold});
    ++n_templates_;
    std::get<operand_writer<double>>(store_.callable)(
        memory_.keys().handle, host_arguments{store_.operands, given}, 0, 0, map);
    if (!request_.take_map) return;
    if (request_.search.real == precision::fp64)
      return request_.take_map(lengths_[0], lengths_[1], map);
    request_.take_map(lengths_[0], lengths_[1], std::vector<float>(map.begin(), map.end()));
  }

  [[nodiscard]] search_state state() override {
    search_state kept = memory_.read_all(n_templates_);
    kept.is_normalised = is_normalised();
    return kept;
  }

  [[nodiscard]] std::string explain() const override {
    return formatted(
        "search of {}, without pixels that are not there, for templates of {}, one at a time in "
        "fp64{}\n{}",
        joined(plain_.image, "x"), joined(plain_.kernel, "x"),
        is_normalised() ? ", normalised" : "", memory_.explain());
  }

 private:
  [[nodiscard]] bool is_normalised() const { return request_.search.is_normalised; }

  /// Computes n of each place and, for normalised scores, the sums over windows. squares: f^2
  void sum_windows(const std::vector<double>& squares) {
    const std::size_t points = plain_.kernel[0] * plain_.kernel[1];
    const std::vector<double> ones(points, 1);
    n_valid_ = (*valid_)(ones);
    const double least = std::max(1.0, request_.min_valid * static_cast<double>(points));
    for (double& count : n_valid_) {
      count = std::round(count);
      if (count < least) count = absent;
    }
    if (!is_normalised()) return;
    sums_ = (*image_)(ones);
    variances_ = convolver{on_, plain_, squares, no_choice}(ones);
    for (std::size_t i = 0; i < sums_.size(); ++i) {
      variances_[i] -= sums_[i] * sums_[i] / n_valid_[i];
    }
    min_variance_ = rounding * sum_of(squares);
  }

  /// Returns the map of a template, [y][x]; NaN for places without a score.
  [[nodiscard]] std::vector<double> scores_of(std::vector<double> values) {
    const double offset = is_normalised() ? mean_of(values) : 0;
    for (double& value : values) value -= offset;
    std::vector<double> map = (*image_)(values);
    if (!is_normalised()) {
      for (std::size_t i = 0; i < map.size(); ++i)
        map[i] = std::isnan(n_valid_[i]) ? absent : map[i];
      return map;
    }
    const std::vector<double> sums = (*valid_)(values);
    const std::vector<double> template_squares = squares_of(std::move(values));
    const std::vector<double> squares = (*valid_)(template_squares);
    const double min_template = rounding * sum_of(template_squares);
    for (std::size_t i = 0; i < map.size(); ++i) {
      if (std::isnan(n_valid_[i])) {
        map[i] = absent;
        continue;
      }
      const double template_variance = squares[i] - sums[i] * sums[i] / n_valid_[i];
      const bool is_constant = variances_[i] <= min_variance_ || template_variance <= min_template;
      const double product = map[i] - sums_[i] * sums[i] / n_valid_[i];
      map[i] = is_constant
                   ? 0
                   : std::clamp(product / std::sqrt(variances_[i] * template_variance), -1.0, 1.0);
    }
    return map;
  }

  queue on_, of_arrays_{first_device(engine::reference)};
  search_request request_;
  convolution_spec plain_;
  std::vector<std::size_t> lengths_;        ///< Height and width of a map.
  std::optional<convolver> image_, valid_;  ///< f and v, prepared.
  std::vector<double> n_valid_;             ///< n of each place; NaN if it is too small.
  std::vector<double> sums_, variances_;    ///< f * 1 and f^2 * 1 - (f * 1)^2 / n
  double min_variance_ = 0;
  convolving::kept_scores kept_;
  fused_store store_ = convolving::score_store(kept_);
  convolving::score_memory memory_;  ///< In this process.
  std::size_t n_templates_ = 0;
};

}  // namespace

std::unique_ptr<scorer> masked_scorer(const queue& on, const search_request& request) {
  return std::make_unique<absent_pixel_scorer>(on, request);
}

}  // namespace wingbeat::searching
