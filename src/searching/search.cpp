// SPDX-License-Identifier: Apache-2.0
#include "searching/search.hpp"

#include <algorithm>  // max
#include <cmath>      // abs, ilogb, isfinite, isnan, ldexp, sqrt
#include <cstdlib>    // abs
#include <limits>     // numeric_limits
#include <optional>
#include <utility>  // move

#include "convolving/scores.hpp"  // require_numbers
#include "searching/deal.hpp"     // deal
#include "text/reject.hpp"        // reject

namespace wingbeat::searching {
namespace {

void require_valid(const search_request& request, std::size_t n_queues) {
  const search_spec& spec = request.search;
  if (n_queues == 0) reject("a search has no queue; give at least one");
  reject_if(
      spec.form != operand_form::values && (request.is_masked || request.take_map),
      "templates are spectra, and searches with pixels that are not there, or of whose templates "
      "maps are taken, take values");
  reject_if(request.is_masked && spec.between,
            "an image with pixels that are not there is searched in fp64; leave out what is stored "
            "between launches");
  reject_if(
      n_queues > 1 && spec.keeps_sums && !spec.is_normalised,
      "sums of plain scores depend on the order in which they are added; search on one device, "
      "or for normalised scores");
}

/// Returns the exponent of the largest magnitude that is not NaN; 0 if it is within `limit` of 0,
/// or if the largest is 0 or infinite.
int exponent_beyond(int limit, std::span<const double> values) {
  double largest = 0;
  for (const double value : values) largest = std::max(largest, std::abs(value));  // ignores NaN
  const int exponent = largest == 0 || !std::isfinite(largest) ? 0 : std::ilogb(largest);
  return std::abs(exponent) <= limit ? 0 : exponent;
}

/// Returns the largest exponent of numbers whose squares and products are normal numbers.
constexpr int max_exponent(precision real) {
  return real == precision::fp32 ? 30 : 400;
}

/// Scales values of extreme magnitude by a power of two; that does not change coefficients.
void bring_into_range(std::span<double> values, precision real) {
  const int exponent = exponent_beyond(max_exponent(real), values);
  if (exponent == 0) return;
  for (double& value : values) value = std::ldexp(value, -exponent);
}

/// Returns the root of the sum of squares of the present pixels.
double norm_of(std::span<const double> values) {
  const int exponent = exponent_beyond(max_exponent(precision::fp64), values);
  double squares = 0;
  for (const double value : values) {
    const double scaled = exponent == 0 ? value : std::ldexp(value, -exponent);
    squares += std::isnan(scaled) ? 0 : scaled * scaled;
  }
  return std::ldexp(std::sqrt(squares), exponent);
}

}  // namespace

search::search(const std::vector<queue>& queues, search_request request)
    : request_(std::move(request)) {
  require_valid(request_, queues.size());
  for (const queue& each : queues) {
    scorers_.push_back(request_.is_masked ? masked_scorer(each, request_)
                                          : plain_scorer(each, request_));
  }
  result_ = result_lengths({.image = request_.search.image,
                            .kernel = request_.search.templates,
                            .kind = operation::correlate,
                            .mode = request_.search.mode,
                            .real = request_.search.real});
}

void search::begin(std::span<const double> image) {
  is_whole_ = false;
  std::vector<double> in_range;
  const search_spec& spec = request_.search;
  if (spec.is_normalised && spec.between != precision::fp16) {  // fp16's peak is that of the
                                                                // original pixels
    in_range.assign(image.begin(), image.end());
    bring_into_range(in_range, spec.real);
    image = in_range;
  }
  image_norm_ = spec.is_normalised ? 0 : norm_of(image);
  for (const auto& each : scorers_) each->begin(image);
  added_ = 0;
  is_whole_ = true;
}

void search::begin(queue& on, buffer_view image) {
  is_whole_ = false;
  on_device().begin(on, image);
  image_norm_ = 0;
  added_ = 0;
  is_whole_ = true;
}

template_batch search::checked(template_batch batch) const {
  convolving::require_numbers(batch.count, batch.first);
  require_kept(batch);
  const std::size_t reals = reals_of_template(request_.search);
  for (std::size_t n = 0; n < batch.count && request_.search.is_normalised; ++n) {
    bring_into_range({&batch.samples[n * reals], reals}, request_.search.real);
  }
  return batch;
}

void search::require_kept(const template_batch& batch) const {
  if (!judges_templates()) return;
  using kept = std::numeric_limits<float>;
  const search_spec& spec = request_.search;
  const auto product = [](std::size_t a, std::size_t b) { return double(a) * double(b); };
  const std::size_t height = spec.templates[0], width = spec.templates[1];
  const double points = product(spec.image[0] + height, spec.image[1] + width);
  const double max_score = kept::max() / (spec.real == precision::fp32 ? points : 1);
  // A half spectrum stands for each bin twice, except at its edges.
  const double scale =
      spec.form == operand_form::values ? 1 : std::sqrt(2 / product(height, width));
  const std::size_t reals = reals_of_template(spec);
  for (std::size_t n = 0; n < batch.count; ++n) {
    const double norm = scale * norm_of({&batch.samples[n * reals], reals});
    const double score = image_norm_ * norm;
    if (norm == 0 || !std::isfinite(norm) || (score >= kept::min() && score <= max_score)) continue;
    reject(
        "scores of template {} could reach {:.3g}, and a search in {} keeps scores as fp32 "
        "from {:.3g} to {:.3g}; scale the image or the templates",
        batch.first + n, score, name_of(spec.real), kept::min(), max_score);
  }
}

void search::restart() {
  for (const auto& each : scorers_) each->restart();
  added_ = 0;
  is_whole_ = true;
}

template_search& search::on_device() const {
  template_search* const target = scorers_.size() == 1 ? scorers_.front()->on_device() : nullptr;
  if (target != nullptr) return *target;
  reject(
      "an array on a device is searched there alone, and as it is; give one of this process for "
      "several devices, for pixels that are not there and for maps of templates");
}

void search::require_whole() const {
  if (is_whole_) return;
  reject(
      "this search failed while it took templates, of which it has scored some; begin or restart "
      "it");
}

std::size_t search::add(const template_source& source,
                        const std::function<void(std::size_t n_done)>& report) {
  require_whole();
  is_whole_ = false;
  // A masked scorer takes one template at a time.
  const std::size_t at_once = request_.is_masked ? 1 : request_.search.templates_at_once;
  std::size_t n_done = 0;
  const auto next = [&]() -> std::optional<template_batch> {
    template_batch batch = source(at_once);
    if (batch.count == 0) return std::nullopt;
    return batch;
  };
  deal(
      std::span{scorers_}, next,
      [&](const auto& target, template_batch& batch) {
        batch = checked(std::move(batch));
        target->add(batch);
      },
      [&](const template_batch& batch) {
        n_done += batch.count;
        if (report) report(n_done);
      });
  added_ += n_done;
  is_whole_ = true;
  return n_done;
}

void search::add(queue& on, buffer_view templates, std::size_t count, std::size_t first) {
  require_whole();
  on_device().add(on, templates, count, first);
  added_ += count;
}

search_state search::state() const {
  require_whole();
  search_state kept = scorers_.front()->state();
  for (std::size_t i = 1; i < scorers_.size(); ++i) kept.merge(scorers_[i]->state());
  return kept;
}

std::string search::explain() const {
  std::string text;
  for (const auto& each : scorers_) text += each->explain();
  return text;
}

}  // namespace wingbeat::searching
