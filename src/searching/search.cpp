// SPDX-License-Identifier: Apache-2.0
#include "searching/search.hpp"

#include <algorithm>  // max
#include <cmath>      // abs, ilogb, isfinite, isnan, ldexp, sqrt
#include <cstdlib>    // abs
#include <exception>  // current_exception, exception_ptr, rethrow_exception
#include <limits>     // numeric_limits
#include <mutex>
#include <thread>   // jthread
#include <utility>  // move

#include "text/formatted.hpp"  // formatted
#include "wingbeat/error.hpp"  // plan_error

namespace wingbeat::searching {
namespace {

void require_valid(const search_request& request, std::size_t n_queues) {
  const search_spec& spec = request.search;
  if (n_queues == 0) throw plan_error("a search has no queue; give at least one");
  if (spec.form != operand_form::values) {
    throw plan_error(
        "templates are spectra, and searches on several devices or with pixels that are not there "
        "take values");
  }
  if (request.is_masked && spec.between) {
    throw plan_error(
        "an image with pixels that are not there is searched in fp64; leave out what is stored "
        "between launches");
  }
  if (n_queues > 1 && spec.keeps_sums && !spec.is_normalised) {
    throw plan_error(
        "sums of plain scores depend on the order in which they are added; search on one device, "
        "or for normalised scores");
  }
}

/// Returns the exponent of the largest magnitude, among the pixels that are there; 0 of zeros and
/// infinities.
int exponent_of(std::span<const double> values) {
  double largest = 0;
  for (const double value : values) {
    if (!std::isnan(value)) largest = std::max(largest, std::abs(value));
  }
  return largest == 0 || !std::isfinite(largest) ? 0 : std::ilogb(largest);
}

/// Values of very large and very small magnitudes take a power of two, by which coefficients do not
/// change, so that their squares are normal numbers.
void bring_into_range(std::span<double> values) {
  constexpr int most = 100;
  const int exponent = exponent_of(values);
  if (std::abs(exponent) <= most) return;
  for (double& value : values) value = std::ldexp(value, -exponent);
}

/// Returns the root of the sum of squares of the pixels that are there.
double norm_of(std::span<const double> values) {
  const int exponent = exponent_of(values);
  double squares = 0;
  for (const double value : values) {
    const double scaled = std::isnan(value) ? 0 : std::ldexp(value, -exponent);
    squares += scaled * scaled;
  }
  return std::ldexp(std::sqrt(squares), exponent);
}

/// Refuses a template whose scores, at most the product of both norms, fp32 does not keep.
void require_kept(double image_norm, double template_norm) {
  using kept = std::numeric_limits<float>;
  const double most = image_norm * template_norm;
  if (image_norm == 0 || template_norm == 0 || (most >= kept::min() && most <= kept::max())) return;
  throw plan_error(
      formatted("scores of up to {:.3g} are outside the range of fp32, {:.3g} to {:.3g}, in which "
                "those of a place are kept; scale the image or the templates",
                most, kept::min(), kept::max()));
}

}  // namespace

search::search(const std::vector<queue>& queues, search_request request)
    : request_(std::move(request)),
      result_(result_lengths({.image = request_.search.image,
                              .kernel = request_.search.templates,
                              .kind = operation::correlate,
                              .mode = request_.search.mode,
                              .real = request_.search.real})) {
  require_valid(request_, queues.size());
  for (const queue& each : queues) {
    scorers_.push_back(request_.is_masked ? masked_scorer(each, request_)
                                          : plain_scorer(each, request_));
  }
}

void search::begin(std::span<const double> image) {
  is_whole_ = false;
  std::vector<double> in_range;
  if (request_.search.is_normalised) {
    in_range.assign(image.begin(), image.end());
    bring_into_range(in_range);
    image = in_range;
  } else {
    image_norm_ = norm_of(image);
  }
  for (const auto& each : scorers_) each->begin(image);
  added_ = 0;
  is_whole_ = true;
}

template_batch search::checked(template_batch batch) const {
  const search_spec& spec = request_.search;
  const std::size_t points = spec.templates[0] * spec.templates[1];
  for (std::size_t n = 0; n < batch.count; ++n) {
    const std::span<double> values{&batch.samples[n * points], points};
    if (spec.is_normalised) {
      bring_into_range(values);
    } else if (request_.keeps_state) {
      require_kept(image_norm_, norm_of(values));
    }
  }
  return batch;
}

void search::restart() {
  for (const auto& each : scorers_) each->restart();
  added_ = 0;
  is_whole_ = true;
}

void search::require_whole() const {
  if (is_whole_) return;
  throw plan_error(
      "this search failed while it took templates, of which it has scored some; begin or restart "
      "it");
}

std::size_t search::add(const template_source& source,
                        const std::function<void(std::size_t n_done)>& report) {
  require_whole();
  is_whole_ = false;
  // Masked ones are scored one after another.
  const std::size_t at_once = request_.is_masked ? 1 : request_.search.templates_at_once;
  std::mutex mutex;  // of all below
  std::size_t n_done = 0;
  std::exception_ptr failure;
  const auto next = [&] {
    const std::lock_guard lock{mutex};
    return failure ? template_batch{} : source(at_once);
  };
  // Takes batches until there are no more, or until one of the threads failed.
  const auto deal_to = [&](scorer& target) {
    try {
      for (template_batch batch = next(); batch.count > 0; batch = next()) {
        const std::size_t count = batch.count;
        target.add(checked(std::move(batch)));
        const std::lock_guard lock{mutex};
        n_done += count;
        if (report) report(n_done);
      }
    } catch (...) {
      const std::lock_guard lock{mutex};
      if (!failure) failure = std::current_exception();
    }
  };
  {
    std::vector<std::jthread> threads;
    for (std::size_t i = 1; i < scorers_.size(); ++i) {
      threads.emplace_back([&deal_to, &target = *scorers_[i]] { deal_to(target); });
    }
    deal_to(*scorers_.front());
  }
  if (failure) std::rethrow_exception(failure);
  added_ += n_done;
  is_whole_ = true;
  return n_done;
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
