// SPDX-License-Identifier: Apache-2.0
#include "convolving/search_request.hpp"

#include <cmath>  // frexp, isfinite, isnan
#include <string>
#include <string_view>
#include <vector>

#include "convolving/scores.hpp"        // no_template
#include "convolving/stored_scale.hpp"  // require_peak
#include "request/names.hpp"            // require_known
#include "text/formatted.hpp"           // formatted, joined
#include "text/reject.hpp"              // reject

namespace wingbeat::convolving {
namespace {

void require_axes(std::string_view name, const std::vector<std::size_t>& lengths) {
  if (lengths.size() == 2 && lengths[0] > 0 && lengths[1] > 0) return;
  reject("{} has the lengths {{{}}}; give {{height, width}}, each at least 1", name,
         joined(lengths, ", "));
}

void require_peaks(const search_spec& spec) {
  constexpr double largest = 1e8;
  const bool is_fp16 = spec.between == precision::fp16;
  const std::string reason = formatted("between is {}", name_of(spec.between.value_or(spec.real)));
  require_peak("image_peak", spec.image_peak, largest, is_fp16, reason);
  require_peak("template_peak", spec.template_peak, largest, is_fp16 && !spec.is_normalised,
               is_fp16 ? "is_normalised is true" : reason);
}

void require_sums(const search_spec& spec) {
  if (spec.sum_unit == 0) return;
  int exponent = 0;
  reject_if(!(spec.sum_unit > 0) || std::frexp(spec.sum_unit, &exponent) != 0.5,
            "sum_unit is {}; give a power of two, or 0", spec.sum_unit);
  reject_if(!spec.keeps_sums || spec.is_normalised,
            "sum_unit is {}, for sums of plain scores, which {}; leave it 0", spec.sum_unit,
            spec.keeps_sums ? "a normalised search has not" : "keeps_sums asks for");
}

void require_table(const search_spec& spec) {
  if (!spec.table_threshold) return;
  reject_if(std::isnan(*spec.table_threshold),
            "table_threshold is no number, so that no score is above it; give a number, or none");
  constexpr std::size_t most = std::size_t{1} << 31;
  reject_if(spec.table_capacity == 0 || spec.table_capacity > most,
            "table_capacity is {}; choose from 1 to {} scores", spec.table_capacity, most);
}

void require_histogram(const score_bins& bins) {
  constexpr std::size_t most = 65536;
  if (bins.count == 0) return;
  reject_if(bins.count > most || !std::isfinite(bins.end - bins.begin) || !(bins.begin < bins.end),
            "histogram has {} bins from {} to {}; give at most {}, and finite scores in ascending "
            "order",
            bins.count, bins.begin, bins.end, most);
}

}  // namespace

void require_valid(const search_spec& spec) {
  require_axes("image", spec.image);
  require_axes("templates", spec.templates);
  reject_if(spec.templates_at_once == 0 || spec.templates_at_once >= no_template,
            "templates_at_once is {}; choose from 1 to {}", spec.templates_at_once,
            no_template - 1);
  reject_if(spec.keeps_counts && std::isnan(spec.threshold),
            "threshold is no number, so that no score is above it; give a number, or "
            "leave keeps_counts false");
  reject_if(!spec.keeps_counts && spec.threshold != 0,
            "threshold is {} and keeps_counts is false, so that no scores are counted; set "
            "keeps_counts, or leave threshold 0",
            spec.threshold);
  require_sums(spec);
  require_table(spec);
  require_histogram(spec.histogram);
  request::require_known(spec.form == operand_form::values || spec.form == operand_form::spectrum,
                         "form", spec.form, "values or spectrum");
  require_peaks(spec);
  const bool fits = spec.templates[0] <= spec.image[0] && spec.templates[1] <= spec.image[1];
  if (spec.mode != extent::valid || fits) return;
  reject(
      "templates are {} and the image {}, so that a template lies within the image "
      "nowhere; choose mode full or same, or smaller templates",
      joined(spec.templates, "x"), joined(spec.image, "x"));
}

}  // namespace wingbeat::convolving
