// SPDX-License-Identifier: Apache-2.0
#include "receive/chunk_writer.hpp"

#include <algorithm>  // copy, min
#include <atomic>     // atomic_ref
#include <chrono>
#include <cstring>  // memcpy
#include <utility>  // exchange

namespace wingbeat::receive {

using spead::digitiser_packet;
using spead::digitiser_verdict;

chunk_writer::chunk_writer(chunk_assembly& assembly)
    : assembly_(assembly),
      geometry_(assembly.pool_->geometry()),
      chunk_samples_(static_cast<std::int64_t>(geometry_.chunk_samples)),
      packet_samples_(static_cast<std::int64_t>(geometry_.packet_samples)),
      held_(jump_packets) {
  for (held_packet& next : held_) next.samples.resize(geometry_.packet_bytes());
  pins_.reserve(assembly.spec_.open_chunks);
}

chunk_writer::~chunk_writer() {
  discard_held();
  end();
}

std::size_t chunk_writer::memory_bytes(const chunk_geometry& geometry) {
  return jump_packets * (geometry.packet_bytes() + sizeof(held_packet)) + sizeof(chunk_writer);
}

void chunk_writer::begin() {
  const std::scoped_lock lock(assembly_.mutex_);
  pin();
}

void chunk_writer::end() {
  const std::scoped_lock lock(assembly_.mutex_);
  unpin();
}

/// Requires the assembly's mutex, like the next function.
void chunk_writer::pin() {
  assembly_.pin_all(pins_);
  has_reference_ = assembly_.has_window_;
  reference_ = assembly_.newest_ * chunk_samples_;
}

void chunk_writer::unpin() {
  assembly_.counts_.add(counts_);
  counts_ = {};
  assembly_.unpin_all(pins_);
}

void chunk_writer::add(std::span<const std::byte> datagram, bool is_truncated) {
  ++counts_.datagrams;
  if (is_truncated) {
    ++counts_.truncated;
    return;
  }
  digitiser_packet packet;
  spead::packet_fault fault{};
  switch (decode(datagram, geometry_.packet_bytes(), packet, fault)) {
    case digitiser_verdict::good:
      if (packet.polarisation < geometry_.polarisations) {
        place(packet);
      } else {
        ++counts_.foreign;
      }
      break;
    case digitiser_verdict::undecodable:
      ++counts_.undecodable[static_cast<std::size_t>(fault)];
      if (fault == spead::packet_fault::wrong_flavour) {
        counts_.other_address_bytes = spead::other_address_bytes(datagram);
      }
      break;
    case digitiser_verdict::stop: ++counts_.stops; break;
    case digitiser_verdict::descriptors: ++counts_.descriptors; break;
    case digitiser_verdict::foreign: ++counts_.foreign; break;
    case digitiser_verdict::wrong_size: ++counts_.wrong_size; break;
  }
}

void chunk_writer::place(const digitiser_packet& packet) {
  std::uint64_t timestamp = packet.timestamp;
  if (assembly_.spec_.masks_timestamps) timestamp &= ~std::uint64_t{geometry_.packet_samples - 1};
  if (!has_reference_) {
    const std::scoped_lock lock(assembly_.mutex_);
    reference_ = assembly_.unwrap(timestamp);
  }
  const std::int64_t time = unwrapped(timestamp, reference_);
  if (time % packet_samples_ != 0) {
    ++counts_.polarisations[packet.polarisation].misaligned;
  } else {
    place_at(time, packet, false);
  }
}

void chunk_writer::place_at(std::int64_t timestamp, const digitiser_packet& packet, bool may_jump) {
  if (!write(timestamp, packet)) place_slowly(timestamp, packet, may_jump);
}

/// Writes the packet if its chunk is pinned.
bool chunk_writer::write(std::int64_t timestamp, const digitiser_packet& packet) {
  const std::int64_t index = timestamp / chunk_samples_;
  for (chunk_assembly::pin& candidate : pins_) {
    if (candidate.index != index) continue;
    chunk& content = *candidate.target->content;
    const auto slot =
        static_cast<std::size_t>((timestamp - index * chunk_samples_) / packet_samples_);
    const unsigned p = packet.polarisation;
    // Another thread may have the same packet.
    if (std::atomic_ref(content.present[p][slot]).exchange(1, std::memory_order_relaxed) != 0) {
      ++counts_.polarisations[p].duplicates;
      return true;
    }
    std::memcpy(&content.samples[p][slot * geometry_.packet_bytes()], packet.samples.data(),
                packet.samples.size());
    content.saturated[p][slot] = packet.saturated;
    ++candidate.n_placed;
    ++n_placed_;
    polarisation_counts& counts = counts_.polarisations[p];
    ++counts.packets;
    counts.bytes += packet.samples.size();
    counts.samples += geometry_.packet_samples;
    counts.saturated_samples += packet.saturated;
    return true;
  }
  return false;
}

/// Places a packet whose chunk is not pinned: the window may have to move.
void chunk_writer::place_slowly(std::int64_t timestamp, const digitiser_packet& packet,
                                bool may_jump) {
  using place = chunk_assembly::place;
  place verdict{};
  while (true) {
    {
      const std::scoped_lock lock(assembly_.mutex_);
      // Releases its own pins, because this may free the chunk that the writer waits for.
      unpin();
      verdict = assembly_.place_of(timestamp, may_jump);
      pin();
      if (verdict != place::starved || !assembly_.spec_.waits || assembly_.is_stopped_) break;
      unpin();
    }
    assembly_.pool_->wait_until_free(std::chrono::milliseconds(100));
  }
  polarisation_counts& counts = counts_.polarisations[packet.polarisation];
  switch (verdict) {
    case place::open: (void)write(timestamp, packet); break;
    case place::known: ++counts.duplicates; break;
    case place::late: ++counts.late; break;
    case place::starved: ++counts.starved; break;
    case place::far_ahead: hold(timestamp, packet, true); break;
    case place::far_behind: hold(timestamp, packet, false); break;
  }
}

/// Holds a packet whose time is far from all others, until enough packets agree with it.
void chunk_writer::hold(std::int64_t timestamp, const digitiser_packet& packet, bool is_ahead) {
  std::uint64_t n_all_placed = 0;
  {
    const std::scoped_lock lock(assembly_.mutex_);
    n_all_placed = assembly_.counts_.placed();
  }
  // Time goes back only if no writer receives anything else.
  const bool is_doubtful = is_ahead ? n_placed_ - n_placed_before_ > max_packets_between
                                    : n_all_placed != n_all_placed_before_;
  if (n_held_ > 0 &&
      (is_ahead != is_ahead_ || is_doubtful || timestamp > held_[0].timestamp + chunk_samples_ ||
       timestamp < held_[0].timestamp - chunk_samples_)) {
    discard_held();
  }
  if (n_held_ == 0) {
    is_ahead_ = is_ahead;
    n_placed_before_ = n_placed_;
    n_all_placed_before_ = n_all_placed;
  }
  held_packet& held = held_[n_held_++];
  held.timestamp = timestamp;
  held.polarisation = packet.polarisation;
  held.saturated = packet.saturated;
  std::copy(packet.samples.begin(), packet.samples.end(), held.samples.begin());
  if (n_held_ == held_.size()) believe_held();
}

void chunk_writer::discard_held() {
  const std::size_t count = std::exchange(n_held_, 0);
  for (std::size_t i = 0; i < count; ++i)
    ++counts_.polarisations[held_[i].polarisation].implausible;
}

void chunk_writer::believe_held() {
  const std::size_t count = std::exchange(n_held_, 0);
  if (!is_ahead_) {
    std::int64_t first = held_[0].timestamp;
    for (const held_packet& next : held_) first = std::min(first, next.timestamp);
    const std::scoped_lock lock(assembly_.mutex_);
    unpin();
    assembly_.restart(first / chunk_samples_);
    assembly_.publish_retired();
    pin();
  }
  for (std::size_t i = 0; i < count; ++i) {
    digitiser_packet packet;
    packet.polarisation = held_[i].polarisation;
    packet.saturated = held_[i].saturated;
    packet.samples = held_[i].samples;
    place_at(held_[i].timestamp, packet, true);
  }
}

}  // namespace wingbeat::receive
