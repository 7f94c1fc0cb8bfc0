// SPDX-License-Identifier: Apache-2.0
#include "receive/chunk_assembly.hpp"

#include <algorithm>  // all_of, fill, find_if, min
#include <utility>    // move

#include "text/reject.hpp"  // reject

namespace wingbeat::receive {

std::int64_t unwrapped(std::uint64_t timestamp, std::int64_t reference) {
  constexpr unsigned spare_bits = 16;
  // the difference modulo 2^48, from -2^47 to 2^47 - 1
  const std::uint64_t shifted = (timestamp - static_cast<std::uint64_t>(reference)) << spare_bits;
  const std::int64_t time = reference + (static_cast<std::int64_t>(shifted) >> spare_bits);
  return time < 0 ? time + (std::int64_t{1} << 48) : time;
}

chunk_assembly::chunk_assembly(std::shared_ptr<chunk_pool> pool, std::size_t n_chunks,
                               const assembly_spec& spec)
    : pool_(std::move(pool)),
      spec_(spec),
      chunk_samples_(static_cast<std::int64_t>(pool_->geometry().chunk_samples)) {
  reject_if(spec.open_chunks == 0 || n_chunks <= spec.open_chunks,
            "{} chunks were given for a window of {}; give one more than the window, or more",
            n_chunks, spec.open_chunks);
  const std::size_t packet = pool_->geometry().packet_samples;
  reject_if(spec.masks_timestamps && (packet & (packet - 1)) != 0,
            "timestamps cannot be masked for packets of {} samples; that takes a power of two",
            packet);
  if (spec_.jump_samples == 0) spec_.jump_samples = 2 * chunk_samples_;
}

receive_counts chunk_assembly::counts() const {
  const std::scoped_lock lock(mutex_);
  return counts_;
}

void chunk_assembly::stop() {
  const std::scoped_lock lock(mutex_);
  is_stopped_ = true;
}

void chunk_assembly::flush() {
  const std::scoped_lock lock(mutex_);
  if (!window_.empty()) window_.back().is_last = true;
  while (!window_.empty()) retire(window_.begin());
  publish_retired();
}

void chunk_assembly::pin_all(std::vector<pin>& pins) {
  for (open_chunk& next : window_) {
    ++next.n_writers;
    pins.push_back({&next, next.index, 0});
  }
}

void chunk_assembly::unpin_all(std::vector<pin>& pins) {
  for (const pin& held : pins) {
    held.target->n_placed += held.n_placed;
    --held.target->n_writers;
  }
  pins.clear();
  retire_complete();
  publish_retired();
}

std::int64_t chunk_assembly::unwrap(std::uint64_t timestamp) const {
  if (has_window_) return unwrapped(timestamp, newest_ * chunk_samples_);
  if (spec_.start_near) return unwrapped(timestamp, *spec_.start_near);
  return static_cast<std::int64_t>(timestamp);
}

/// Finds or opens the chunk of a time. `may_jump`: however far it is.
chunk_assembly::place chunk_assembly::place_of(std::int64_t timestamp, bool may_jump) {
  const std::int64_t index = index_of(timestamp);
  if (!has_window_) restart(index);
  if (index > newest_) {
    const std::int64_t limit = (newest_ + 1) * chunk_samples_ + spec_.jump_samples;
    if (timestamp >= limit && !may_jump) return place::far_ahead;
    advance(index);
  }
  if (index < floor()) {
    const bool is_far = timestamp < floor() * chunk_samples_ - spec_.jump_samples;
    return is_far && !may_jump ? place::far_behind : place::late;
  }
  if (has_retired_ && index < next_) return place::known;
  const auto found = std::find_if(window_.begin(), window_.end(),
                                  [&](const open_chunk& c) { return c.index == index; });
  return found != window_.end() || open(index) ? place::open : place::starved;
}

/// Starts a new window at this index.
void chunk_assembly::restart(std::int64_t index) {
  if (has_window_) {
    if (!window_.empty()) window_.back().is_last = true;
    while (!window_.empty()) retire(window_.begin());
    ++epoch_;
    ++counts_.restarts;
  }
  has_window_ = true;
  has_retired_ = false;
  newest_ = index;
  next_ = index;
}

void chunk_assembly::advance(std::int64_t index) {
  newest_ = index;
  retire_below(floor());
  publish_retired();
}

void chunk_assembly::retire_below(std::int64_t limit) {
  while (!window_.empty() && window_.front().index < limit) retire(window_.begin());
  if (!has_retired_ || next_ >= limit) return;
  const auto n_gone = static_cast<std::uint64_t>(limit - next_);
  for (std::size_t p = 0; p < pool_->geometry().polarisations; ++p) {
    counts_.polarisations[p].missing_packets += n_gone * pool_->geometry().packets();
  }
  next_ = limit;
}

/// Takes the first chunk out of the window; unopened chunks before it are missing.
void chunk_assembly::retire(std::list<open_chunk>::iterator chunk) {
  if (has_retired_) retire_below(chunk->index);
  chunk->is_first = !has_retired_;
  has_retired_ = true;
  next_ = chunk->index + 1;
  retired_.splice(retired_.end(), window_, chunk);
}

/// Retires complete chunks, if nothing before them can still arrive.
void chunk_assembly::retire_complete() {
  const chunk_geometry& geometry = pool_->geometry();
  const std::size_t n_all = geometry.packets() * geometry.polarisations;
  while (has_retired_ && !window_.empty() && window_.front().index == next_ &&
         window_.front().n_placed == n_all) {
    retire(window_.begin());
  }
}

void chunk_assembly::publish_retired() {
  const chunk_geometry& geometry = pool_->geometry();
  while (!retired_.empty() && retired_.front().n_writers == 0) {
    const open_chunk& done = retired_.front();
    chunk& content = *done.content;
    content.n_present = done.n_placed;
    content.is_complete = done.n_placed == geometry.packets() * geometry.polarisations;
    if (!content.is_complete) {
      count_missing(done);
      ++counts_.incomplete_chunks;
    }
    ++counts_.chunks;
    pool_->publish(&content);
    retired_.pop_front();
  }
}

void chunk_assembly::count_missing(const open_chunk& retired) {
  const auto& present = retired.content->present;
  const std::size_t n_packets = pool_->geometry().packets();
  std::size_t begin = 0, end = n_packets;
  const auto is_empty = [&](std::size_t packet) {
    return std::all_of(present.begin(), present.end(),
                       [&](const auto& flags) { return flags[packet] == 0; });
  };
  while (retired.is_first && begin < end && is_empty(begin)) ++begin;
  while (retired.is_last && begin < end && is_empty(end - 1)) --end;
  for (std::size_t p = 0; p < present.size(); ++p) {
    for (std::size_t i = begin; i < end; ++i) {
      counts_.polarisations[p].missing_packets += present[p][i] == 0;
    }
  }
}

/// Opens the chunk with this index; returns false if none is free.
bool chunk_assembly::open(std::int64_t index) {
  chunk* content = pool_->take();
  if (content == nullptr) return false;
  content->timestamp = index * chunk_samples_;
  content->epoch = epoch_;
  for (auto& flags : content->present) std::fill(flags.begin(), flags.end(), 0);
  for (auto& counts : content->saturated) std::fill(counts.begin(), counts.end(), 0);
  if (!has_retired_) next_ = std::min(next_, index);
  const auto above = std::find_if(window_.begin(), window_.end(),
                                  [&](const open_chunk& c) { return c.index > index; });
  window_.insert(above, {.index = index, .content = content});
  return true;
}

}  // namespace wingbeat::receive
