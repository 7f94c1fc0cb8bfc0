// SPDX-License-Identifier: Apache-2.0
#include "channelising/arithmetic/heap_windows.hpp"

#include <algorithm>  // any_of, min
#include <limits>
#include <utility>  // move

#include "text/reject.hpp"  // reject

namespace wingbeat::channelising {

heap_windows::heap_windows(const channeliser_spec& spec)
    : sizes_(sizes_of(spec)),
      subsampling_(static_cast<std::int64_t>(sizes_.subsampling)),
      delays_(spec.polarisations) {
  for (std::size_t p = 0; p < spec.delays.size(); ++p) {
    for (const delay_model& model : spec.delays[p]) delays_[p].add(model);
  }
}

void heap_windows::add(std::span<const delay_model> models) {
  reject_if(models.size() != delays_.size(),
            "{} delays are given; give one for each of {} polarisations", models.size(),
            delays_.size());
  std::vector<delay_schedule> changed = delays_;
  for (std::size_t p = 0; p < models.size(); ++p) changed[p].add(models[p]);
  delays_ = std::move(changed);
}

void heap_windows::add(std::size_t polarisation, const delay_model& model) {
  reject_if(polarisation >= delays_.size(),
            "polarisation {} gets a delay; there are {}, numbered from 0", polarisation,
            delays_.size());
  delays_[polarisation].add(model);
}

void heap_windows::forget_before(std::int64_t t) {
  for (delay_schedule& schedule : delays_) schedule.forget_before(t, sizes_.evaluation_offset);
}

std::optional<std::int64_t> heap_windows::next_heap(std::int64_t earliest,
                                                    std::int64_t first) const {
  return first_start(delays_, {earliest, static_cast<std::int64_t>(sizes_.heap_samples), first,
                               subsampling_, sizes_.evaluation_offset});
}

delay_value heap_windows::value_at(const delay_schedule& schedule, std::int64_t t) const {
  return aligned(schedule.at(t, sizes_.evaluation_offset), subsampling_);
}

std::int64_t heap_windows::first_sample(std::int64_t t) const {
  std::int64_t first = std::numeric_limits<std::int64_t>::max();
  for (const delay_schedule& schedule : delays_)
    first = std::min(first, value_at(schedule, t).input_start);
  return first;
}

bool heap_windows::is_to_come(std::int64_t t, std::int64_t last) const {
  const std::size_t before = (sizes_.spectra_per_heap - 1) * sizes_.spectrum_samples;
  return std::any_of(delays_.begin(), delays_.end(), [&](const delay_schedule& schedule) {
    return value_at(schedule, t + static_cast<std::int64_t>(before)).input_start > last;
  });
}

fitted_heap heap_windows::fit_at(std::int64_t t, const window_range& range) const {
  const auto hop = static_cast<std::int64_t>(sizes_.spectrum_samples);
  fitted_heap found{.windows = {delays_.size(), std::vector<delay_value>(sizes_.spectra_per_heap)}};
  std::size_t n_fit = sizes_.spectra_per_heap;
  for (std::size_t p = 0; p < delays_.size(); ++p) {
    std::vector<delay_value>& values = found.windows[p];
    delays_[p].fill(t, hop, sizes_.evaluation_offset, subsampling_, values);
    for (std::size_t s = 0; s < values.size() && s <= n_fit; ++s) {
      const bool is_early = values[s].input_start < range.first;
      if (!is_early && values[s].input_start <= range.last) continue;
      if (s < n_fit || is_early) found.fit = is_early ? heap_fit::early : heap_fit::ends;
      n_fit = s;
      break;
    }
  }
  found.early = t + static_cast<std::int64_t>(n_fit) * hop;
  for (auto& values : found.windows) values.resize(n_fit);
  return found;
}

}  // namespace wingbeat::channelising
