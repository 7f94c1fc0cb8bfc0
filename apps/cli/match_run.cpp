// SPDX-License-Identifier: Apache-2.0
#include "cli/match_run.hpp"

#include <algorithm>  // max, min
#include <cmath>      // abs
#include <utility>    // move

#include "cli/image_files.hpp"   // count_absent
#include "cli/progress.hpp"      // rate_bar
#include "searching/search.hpp"  // search
#include "text/reject.hpp"       // reject

namespace wingbeat::cli {
namespace {

/// Returns the largest magnitude of an image. Refuses images that the library's power of two cannot
/// scale into the range of fp16.
double fp16_peak_of(const formats::image_samples& image) {
  double peak = 0;
  for (std::size_t i = 0; i < formats::size_of(image); ++i) {
    peak = std::max(peak, std::abs(formats::sample_at(image, i)));
  }
  if (peak == 0) return 1;  // any power of two scales zeros
  constexpr double largest = 1e8;
  if (peak >= 1 / largest && peak <= largest) return peak;
  reject(
      "--storage fp16 takes images whose largest magnitude is from {:g} to {:g}, and here "
      "it is {:g}; scale the image, or use --storage bf16",
      1 / largest, largest, peak);
}

}  // namespace

void complete(const match_request& request, std::size_t shorter, match_result& target) {
  if (request.wants_scores || request.wants_peaks) {
    target.scores = target.kept.map(score_map::largest);
    target.numbers = target.kept.numbers();
  }
  for (const score_map map : request.maps) target.maps.push_back(target.kept.map(map));
  if (!request.wants_peaks) return;
  target.peaks = searching::located_peaks(
      target.scores, target.numbers, target.width,
      {request.max_peaks, request.min_score, request.distance_of(shorter)});
}

match_result match(const std::vector<device_info>& devices, const formats::image_stack& image,
                   template_files& templates, match_request request) {
  search_spec& spec = request.search;
  reject_if(spec.mode == extent::valid &&
                (templates.height() > image.height || templates.width() > image.width),
            "templates of {} x {} do not lie within an image of {} x {}; use --mode full or same",
            templates.height(), templates.width(), image.height, image.width);
  request.is_masked = count_absent(image) > 0;
  request.keeps_state =
      request.wants_state || request.wants_scores || !request.maps.empty() || request.wants_peaks;
  if (spec.between == precision::fp16) spec.image_peak = fp16_peak_of(image.samples);
  searching::search search{std::vector<queue>(devices.begin(), devices.end()), request};
  search.begin(formats::to_doubles(image.samples));
  match_result result{.height = search.result()[0], .width = search.result()[1]};
  rate_bar bar{"match", "template"};
  bar.show(0, 0);
  result.n_templates =
      search.add([&](std::size_t max_count) { return templates.next(max_count); },
                 [&](std::size_t n_done) { bar.show(n_done, templates.fraction()); });
  result.kept = search.state();
  complete(request, std::min(templates.height(), templates.width()), result);
  return result;
}

}  // namespace wingbeat::cli
