// SPDX-License-Identifier: Apache-2.0
#include "cli/match_run.hpp"

#include <algorithm>  // clamp, max, min
#include <cmath>      // abs, isfinite, sqrt
#include <deque>
#include <exception>  // current_exception, rethrow_exception
#include <limits>     // numeric_limits
#include <mutex>
#include <span>
#include <thread>  // jthread

#include "arrays/view_part.hpp"   // part_of
#include "cli/convolver.hpp"      // convolver
#include "cli/image_files.hpp"    // count_absent
#include "cli/masked_search.hpp"  // masked_search
#include "cli/rate.hpp"           // rate_bar
#include "cli/samples.hpp"        // pack
#include "convolving/scores.hpp"  // score_memory, score_store
#include "text/formatted.hpp"     // formatted
#include "wingbeat/buffer.hpp"    // buffer
#include "wingbeat/error.hpp"     // plan_error
#include "wingbeat/queue.hpp"     // queue

namespace wingbeat::cli {
namespace {

/// Returns how many templates are scored at once at most: as many as fill 64 MiB with their maps
/// and 16 MiB themselves, in fp32.
std::size_t batch_of(std::size_t map_points, std::size_t template_points) {
  constexpr std::size_t batch_map_points = std::size_t{1} << 24;
  constexpr std::size_t batch_template_points = std::size_t{1} << 22;
  return std::clamp<std::size_t>(
      std::min(batch_map_points / map_points, batch_template_points / template_points), 1, 64);
}

struct norms {
  double sum = 0;      ///< Of magnitudes.
  double squares = 0;  ///< Of squares.
};

norms norms_of(std::span<const double> values) {
  norms sums;
  for (const double value : values) {
    sums.sum += std::abs(value);
    sums.squares += value * value;
  }
  return sums;
}

/// Refuses templates whose scores could be infinite on the way: a spectrum is at most the sum of
/// magnitudes, and the unscaled inverse of a product at most `points` times both norms.
void require_range(const norms& image, const norms& templates, std::size_t points, precision real) {
  const double most = real == precision::fp32 ? double{std::numeric_limits<float>::max()}
                                              : std::numeric_limits<double>::max();
  const double product = image.sum * templates.sum;
  const double inverse =
      static_cast<double>(points) * std::sqrt(image.squares) * std::sqrt(templates.squares);
  if (std::max(product, inverse) <= most) return;
  throw plan_error(formatted(
      "scores could exceed the range of {}; {}", name_of(real),
      real == precision::fp32 ? "use --precision fp64 or smaller values" : "use smaller values"));
}

/// Refuses images that no power of two brings into the range of fp16 as the library stores it.
void require_fp16_range(double image_peak) {
  constexpr double largest = 1e8;
  if (image_peak >= 1 / largest && image_peak <= largest) return;
  throw plan_error(formatted(
      "--storage fp16 takes images whose largest magnitude is from {:g} to {:g}, and here "
      "it is {:g}; scale the image, or use --storage bf16",
      1 / largest, largest, image_peak));
}

/// Plain maps have templates of any range; those of normalised scores come from a search.
std::optional<precision> maps_between(const match_request& request) {
  return request.search.is_normalised ? std::nullopt : request.search.between;
}

/// A queue with memory for a batch of templates.
struct template_feed {
  template_feed(queue queue_of_runs, std::size_t size_bytes)
      : on(std::move(queue_of_runs)), templates(on, size_bytes) {}

  queue on;
  buffer templates;
};

/// The image on a device, with whatever scores templates there.
class matcher {
 public:
  matcher(const queue& on, const formats::image_stack& image, const template_files& templates,
          const match_request& request);

  /// Scores some templates.
  void add(const template_batch& batch);

  /// Returns what was kept; no arrays where nothing is.
  [[nodiscard]] search_state state();

  [[nodiscard]] std::size_t at_once() const { return at_once_; }
  [[nodiscard]] const std::vector<std::size_t>& result() const { return lengths_; }

 private:
  void plan_search();
  void add_feed();
  void take_normalised_maps(const template_batch& batch, const buffer& templates);
  [[nodiscard]] template_search searching(std::size_t templates_at_once);

  queue on_;
  match_request request_;
  search_spec spec_;
  std::vector<std::size_t> lengths_;
  std::size_t at_once_;
  norms image_norms_;
  buffer image_;
  std::vector<template_feed> feeds_;  ///< Batches take turns.
  std::size_t n_batches_ = 0;
  std::optional<template_search> search_, map_search_;
  std::optional<convolver> maps_;
};

/// Returns what is searched for: a request with the lengths of its files.
search_spec spec_of(const match_request& request, const formats::image_stack& image,
                    const template_files& templates) {
  search_spec spec = request.search;
  spec.image = {image.height, image.width};
  spec.templates = {templates.height(), templates.width()};
  return spec;
}

matcher::matcher(const queue& on, const formats::image_stack& image,
                 const template_files& templates, const match_request& request)
    : on_(on), request_(request), spec_(spec_of(request, image, templates)) {
  const convolution_spec plain{.image = spec_.image,
                               .kernel = spec_.templates,
                               .kind = operation::correlate,
                               .mode = request.search.mode,
                               .real = request.search.real,
                               .between = maps_between(request)};
  lengths_ = result_lengths(plain);
  at_once_ = templates_at_once(request, image, templates);
  const std::vector<double> samples = formats::to_doubles(image.samples);
  image_norms_ = norms_of(samples);
  if (request.search.between == precision::fp16) {
    double& peak = spec_.image_peak;
    for (const double value : samples) peak = std::max(peak, std::abs(value));
    if (peak == 0) peak = 1;  // any power of two scales zeros
    require_fp16_range(peak);
  }
  const std::vector<std::byte> bytes = pack(samples, request.search.real);
  image_ = buffer{on, bytes.size()};
  image_.write(bytes.data(), bytes.size());
  const std::size_t template_points = spec_.templates[0] * spec_.templates[1];
  const std::size_t number_bytes = bytes.size() / samples.size();
  feeds_.emplace_back(on, at_once_ * template_points * number_bytes);
  if (request.wants_maps() && request.search.is_normalised) {
    map_search_ = searching(1);
  }
  if (request.wants_maps() && !request.search.is_normalised) maps_.emplace(on, plain, samples);
  if (!request.keeps_state()) return;
  plan_search();
  if (on.device().is_gpu) add_feed();  // others copy with the processor that computes
}

template_search matcher::searching(std::size_t templates_at_once) {
  spec_.templates_at_once = templates_at_once;
  template_search search{on_, spec_};
  search.begin(on_, image_.view());
  return search;
}

void matcher::plan_search() {
  const bool is_opencl = on_.device().runs_on == engine::opencl;
  if (!is_opencl || at_once_ == 1) {
    search_ = searching(at_once_);
    return;
  }
  try {
    search_ = searching(at_once_);
  } catch (const error&) {  // the device has no atomic operations on 64 bits, or too little memory
    search_ = searching(1);
  }
}

/// Adds a second queue, on which a batch is uploaded and transformed while the one before is
/// scored, where the device has memory for it.
void matcher::add_feed() {
  try {
    template_feed second{queue{on_.device()}, feeds_.front().templates.size_bytes()};
    search_->restart(second.on);  // allocates what runs need there
    feeds_.push_back(std::move(second));
  } catch (const memory_error&) {  // then one queue does all
  }
}

void matcher::take_normalised_maps(const template_batch& batch, const buffer& templates) {
  const std::size_t template_bytes = templates.size_bytes() / at_once_;
  for (std::size_t n = 0; n < batch.count; ++n) {
    map_search_->restart(on_);
    map_search_->add(on_, part_of(templates.view(), n * template_bytes, template_bytes), 1);
    request_.take_map(lengths_[0], lengths_[1], map_search_->scores(on_));
  }
}

void matcher::add(const template_batch& batch) {
  const std::size_t points = spec_.templates[0] * spec_.templates[1];
  for (std::size_t n = 0; n < batch.count; ++n) {
    const std::span<const double> values{&batch.samples[n * points], points};
    const std::size_t padded =
        (spec_.image[0] + spec_.templates[0]) * (spec_.image[1] + spec_.templates[1]);
    require_range(image_norms_, norms_of(values), padded, request_.search.real);
    if (!maps_) continue;
    request_.take_map(lengths_[0], lengths_[1], (*maps_)(values));
  }
  if (!search_ && !map_search_) return;
  const std::vector<std::byte> bytes = pack(batch.samples, request_.search.real);
  template_feed& feed = feeds_[n_batches_++ % feeds_.size()];
  feed.templates.write(bytes.data(), bytes.size());
  if (map_search_) take_normalised_maps(batch, feed.templates);
  if (search_) search_->add(feed.on, feed.templates.view(), batch.count, batch.first);
}

search_state matcher::state() {
  return search_ ? search_->state(on_) : search_state{};
}

/// Returns what is kept of scores that are made elsewhere, in fp64.
convolving::kept_scores kept_of(search_spec spec) {
  spec.real = precision::fp64;
  const bool has_unit_sums = spec.keeps_sums && spec.is_normalised;
  spec.is_normalised = false;
  auto kept = convolving::kept_of(spec, /*templates=*/1, /*has_fp64=*/true);
  kept.has_unit_sums = has_unit_sums;
  return kept;
}

/// Scores templates in an image with pixels that are not there, one after another.
class masked_matcher {
 public:
  masked_matcher(const queue& on, const formats::image_stack& image,
                 const template_files& templates, const match_request& request)
      : request_(request),
        search_(on,
                {.image = {image.height, image.width},
                 .templates = {templates.height(), templates.width()},
                 .mode = request.search.mode,
                 .is_normalised = request.search.is_normalised,
                 .min_valid = request.min_valid},
                formats::to_doubles(image.samples)),
        kept_(kept_of(spec_of(request, image, templates))),
        memory_(queue{devices(engine::reference).front()}, kept_) {}

  [[nodiscard]] static std::size_t at_once() { return 1; }
  [[nodiscard]] const std::vector<std::size_t>& result() const { return search_.result(); }

  void add(const template_batch& batch) {
    const std::vector<double> map = search_.scores(batch.samples);
    const auto number = static_cast<std::uint32_t>(batch.first);
    ++n_templates_;
    const auto given = convolving::score_arguments(kept_, number, memory_.others(), {});
    std::get<operand_writer<double>>(store_.callable)(
        memory_.keys().handle, host_arguments{store_.operands, given}, 0, 0, map);
    if (!request_.wants_maps()) return;
    if (request_.search.real == precision::fp64)
      return request_.take_map(result()[0], result()[1], map);
    request_.take_map(result()[0], result()[1], std::vector<float>(map.begin(), map.end()));
  }

  [[nodiscard]] search_state state() const {
    search_state kept = memory_.read_all(n_templates_);
    kept.is_normalised = request_.search.is_normalised;
    return kept;
  }

 private:
  const match_request& request_;
  masked_search search_;
  convolving::kept_scores kept_;
  fused_store store_ = convolving::score_store(kept_);
  convolving::score_memory memory_;  ///< Of this process.
  std::size_t n_templates_ = 0;
};

/// Finds the peaks of the largest scores.
void locate_peaks(const match_request& request, std::size_t shorter, match_result& target) {
  const auto peaks = peaks_of(target.scores, target.numbers, target.width,
                              std::min(request.max_peaks, target.height * target.width),
                              request.min_score.value_or(-std::numeric_limits<double>::infinity()),
                              request.distance.value_or(std::max<std::size_t>(shorter / 2, 1)));
  target.peaks.reserve(peaks.size());
  for (const peak& found : peaks) {
    const std::size_t place = found.y * target.width + found.x;
    const auto shift = [&](std::size_t index, std::size_t length, std::size_t stride) {
      if (index == 0 || index + 1 == length) return 0.0;
      return vertex_of(target.scores[place - stride], target.scores[place],
                       target.scores[place + stride]);
    };
    target.peaks.push_back(
        {found, static_cast<double>(found.y) + shift(found.y, target.height, target.width),
         static_cast<double>(found.x) + shift(found.x, target.width, 1)});
  }
}

/// Deals templates to the searches of several threads.
class dealt_templates {
 public:
  dealt_templates(template_files& templates, std::size_t at_once)
      : templates_(templates), at_once_(at_once) {
    bar_.show(0, 0);
  }

  /// Takes batches until there are no more, or until one of the threads failed.
  template <class Matcher>
  void search(Matcher& matcher) noexcept {
    try {
      for (template_batch batch = next(); batch.count > 0; batch = next()) {
        matcher.add(batch);
        const std::lock_guard lock{mutex_};
        n_done_ += batch.count;
        bar_.show(n_done_, templates_.fraction());
      }
    } catch (...) {
      const std::lock_guard lock{mutex_};
      if (!failure_) failure_ = std::current_exception();
    }
  }

  /// Returns how many were searched for, after all threads. Throws what one of them threw.
  [[nodiscard]] std::size_t count() const {
    if (failure_) std::rethrow_exception(failure_);
    return n_done_;
  }

 private:
  [[nodiscard]] template_batch next() {
    const std::lock_guard lock{mutex_};
    return failure_ ? template_batch{} : templates_.next(at_once_);
  }

  std::mutex mutex_;
  template_files& templates_;
  std::size_t at_once_;
  rate_bar bar_{"match", "template"};
  std::size_t n_done_ = 0;
  std::exception_ptr failure_;
};

template <class Matcher>
match_result searched(const std::vector<device_info>& devices, const formats::image_stack& image,
                      template_files& templates, const match_request& request) {
  std::deque<Matcher> matchers;
  for (const device_info& device : devices) {
    matchers.emplace_back(queue{device}, image, templates, request);
  }
  match_result result;
  result.height = matchers.front().result()[0];
  result.width = matchers.front().result()[1];
  dealt_templates dealt{templates, matchers.front().at_once()};
  {
    std::vector<std::jthread> threads;
    for (std::size_t i = 1; i < matchers.size(); ++i) {
      threads.emplace_back([&dealt, &matcher = matchers[i]] { dealt.search(matcher); });
    }
    dealt.search(matchers.front());
  }
  result.n_templates = dealt.count();
  result.kept = matchers.front().state();
  for (std::size_t i = 1; i < matchers.size(); ++i) result.kept.merge(matchers[i].state());
  complete(request, std::min(templates.height(), templates.width()), result);
  return result;
}

}  // namespace

std::size_t templates_at_once(const match_request& request, const formats::image_stack& image,
                              const template_files& templates) {
  const auto length = [&](std::size_t n, std::size_t of_template) {
    switch (request.search.mode) {
      case extent::full: return n + of_template - 1;
      case extent::same: return n;
      case extent::valid: return n >= of_template ? n - of_template + 1 : 1;
    }
    return n;
  };
  const std::size_t points =
      length(image.height, templates.height()) * length(image.width, templates.width());
  // Parts of a search are whole batches of it: few templates are scored fewer at once, so that a
  // part of 16 has within 6 % as many as another one, and one of 256 has some.
  constexpr std::size_t least_batches = 256;
  return std::clamp<std::size_t>(templates.expected() / least_batches, 1,
                                 batch_of(points, templates.height() * templates.width()));
}

double vertex_of(double before, double score, double after) {
  const double curvature = before - 2 * score + after;
  if (!(score >= before && score >= after && curvature < 0) || !std::isfinite(curvature)) return 0;
  return (before - after) / (2 * curvature);
}

void complete(const match_request& request, std::size_t shorter, match_result& target) {
  if (request.wants_scores || request.wants_peaks) {
    target.scores = target.kept.map(score_map::largest);
    target.numbers = target.kept.numbers();
  }
  for (const score_map map : request.maps) target.maps.push_back(target.kept.map(map));
  if (request.wants_peaks) locate_peaks(request, shorter, target);
}

match_result match(const std::vector<device_info>& devices, const formats::image_stack& image,
                   template_files& templates, const match_request& request) {
  if (request.search.mode == extent::valid &&
      (templates.height() > image.height || templates.width() > image.width)) {
    throw plan_error(formatted(
        "templates of {} x {} do not lie within an image of {} x {}; use --mode full or same",
        templates.height(), templates.width(), image.height, image.width));
  }
  if (count_absent(image) > 0) {
    return searched<masked_matcher>(devices, image, templates, request);
  }
  return searched<matcher>(devices, image, templates, request);
}

}  // namespace wingbeat::cli
