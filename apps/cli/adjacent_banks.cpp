// SPDX-License-Identifier: Apache-2.0
#include "cli/adjacent_banks.hpp"

#include <span>
#include <utility>  // move

namespace wingbeat::cli {

adjacent_banks::adjacent_banks(std::vector<channeliser> banks, channeliser::taker take)
    : banks_(std::move(banks)), take_(std::move(take)) {}

void adjacent_banks::push(queue& on, std::size_t channel, const channeliser::samples& next) {
  channeliser& bank = banks_[channel];
  const channeliser::taker take = taker(channel);
  bank.push(on, next, take);
  // All heaps of these samples, so that those of all banks are the same.
  if (banks_.size() > 1) bank.finish(take);
  if (channel + 1 == banks_.size()) pass_on();
}

void adjacent_banks::flush(queue& on) {
  for (std::size_t c = 0; c < banks_.size(); ++c) banks_[c].flush(on, taker(c));
  pass_on();
}

std::vector<input_level> adjacent_banks::levels() const {
  std::vector<input_level> sums = banks_[0].levels();
  for (const channeliser& other : std::span(banks_).subspan(1)) {
    for (std::size_t p = 0; p < sums.size(); ++p) {
      const input_level& level = other.levels()[p];
      sums[p].n_samples += level.n_samples;
      sums[p].sum_of_squares += level.sum_of_squares;
      for (std::size_t i = 0; i < level.histogram.size(); ++i) {
        sums[p].histogram[i] += level.histogram[i];
      }
    }
  }
  return sums;
}

channeliser::taker adjacent_banks::taker(std::size_t channel) {
  if (banks_.size() == 1) return take_;
  n_taken_ = 0;
  return [this, channel](const channelised_heap& heap) {
    if (channel == 0) kept_.push_back({heap, {}});
    kept_heap& kept = kept_[n_taken_++];
    kept.bytes.insert(kept.bytes.end(), heap.bytes.begin(), heap.bytes.end());
    for (std::size_t p = 0; p < heap.saturated.size() && channel > 0; ++p) {
      kept.heap.saturated[p] += heap.saturated[p];
    }
  };
}

void adjacent_banks::pass_on() {
  for (kept_heap& kept : kept_) {
    kept.heap.bytes = kept.bytes;
    take_(kept.heap);
  }
  kept_.clear();
}

}  // namespace wingbeat::cli
