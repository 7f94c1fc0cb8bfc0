// SPDX-License-Identifier: Apache-2.0
#include "receive/batch_assembly.hpp"

#include <algorithm>  // all_of, clamp, copy, find
#include <iterator>   // prev
#include <numeric>    // gcd

#include "receive/chunk_assembly.hpp"  // unwrapped
#include "spead/channel_heap.hpp"      // channel_item
#include "spead/descriptor.hpp"        // decode_descriptor

namespace wingbeat::receive {
namespace {

namespace item = spead::channel_item;

}  // namespace

bool channel_batch::is_complete() const {
  return std::all_of(complete.begin(), complete.end(), [](bool whole) { return whole; });
}

std::uint64_t heap_receive_counts::lost_heaps() const {
  std::uint64_t sum = (absent_batches + starved_batches) * substreams.size();
  for (const substream_counts& each : substreams) sum += each.incomplete + each.absent;
  return sum;
}

batch_assembly::batch_assembly(const batch_assembly_spec& spec,
                               std::function<void(channel_batch&&)> take)
    : spec_(spec),
      take_(std::move(take)),
      descriptions_({.max_heaps = max_descriptions, .max_heap_bytes = std::size_t{1} << 16}) {
  description_ids_.fill(std::uint64_t{1} << 63);  // no id of a heap
  if (const auto known = resolve(spec.layout, {})) set_layout(*known);
}

void batch_assembly::set_layout(const channel_layout& layout) {
  layout_ = layout;
  counts_.substreams.resize(layout.n_substreams());
  max_open_ = std::clamp<std::size_t>(max_open_bytes / layout.batch_bytes(), 2, max_open);
}

void batch_assembly::add(std::span<const std::byte> datagram, bool is_truncated) {
  ++counts_.datagrams;
  if (is_truncated) {
    ++counts_.truncated;
    return;
  }
  spead::packet packet;
  placement position;
  const auto fault = decode(datagram, packet, [&](spead::item_pointer next) {
    if (!next.is_immediate()) {
      if (next.id() == item::voltages) position.voltages = next.value();
      return;
    }
    if (next.id() == item::timestamp) position.timestamp = next.value();
    if (next.id() == item::engine) position.engine = next.value();
    if (next.id() == item::first_channel) position.first_channel = next.value();
    if (next.id() == item::missing) position.missing = next.value();
  });
  if (fault != spead::packet_fault::none) {
    ++counts_.undecodable[static_cast<std::size_t>(fault)];
    if (fault == spead::packet_fault::wrong_flavour) {
      counts_.other_address_bytes = spead::other_address_bytes(datagram);
    }
    return;
  }
  // Voltages may accompany both.
  if (packet.is_stop) ++counts_.stops;
  const bool is_described = is_description(packet);
  if (is_described) describe(datagram);
  if (position.is_whole()) {
    place(packet, position);
  } else if (is_described) {
    ++counts_.descriptors;
  } else if (!packet.is_stop) {
    ++counts_.foreign;
  }
}

/// Returns whether the packet belongs to a heap of descriptors; its later packets may lack
/// pointers.
bool batch_assembly::is_description(const spead::packet& packet) {
  const auto known = std::find(description_ids_.begin(), description_ids_.end(), packet.heap_id);
  if (!packet.has_descriptor) return known != description_ids_.end();
  if (known == description_ids_.end()) {
    description_ids_[n_descriptions_++ % description_ids_.size()] = packet.heap_id;
  }
  return true;
}

void batch_assembly::describe(std::span<const std::byte> datagram) {
  const auto heap = descriptions_.add(datagram);
  if (!heap) return;
  for (const spead::heap_item& next : heap->items()) {
    if (next.id != spead::item::descriptor || next.is_immediate) continue;
    const auto described = spead::decode_descriptor(next.bytes);
    if (!described) continue;
    const auto of_substream = described_layout(*described);
    if (!of_substream) continue;
    const auto known = resolve(spec_.layout, of_substream);
    if (!layout_ && known) set_layout(*known);
  }
}

void batch_assembly::place(const spead::packet& packet, const placement& position) {
  if (!layout_) {
    ++counts_.undescribed;
    return;
  }
  if (!counts_.engine) counts_.engine = spec_.engine.value_or(*position.engine);
  if (*position.engine != *counts_.engine) {
    ++counts_.other_engine;
    return;
  }
  const std::size_t heap_bytes = layout_->heap_bytes(), width = layout_->channels_per_substream;
  const std::uint64_t first = *position.voltages, last = packet.end_of_item(first);
  if (last < first || last - first != heap_bytes) {
    ++counts_.wrong_size;
    return;
  }
  if (*position.first_channel % width != 0 || *position.first_channel >= layout_->channels) {
    ++counts_.beyond_band;
    return;
  }
  if (!reference_) reference_ = static_cast<std::int64_t>(*position.timestamp);
  const std::int64_t timestamp = unwrapped(*position.timestamp, *reference_);
  open_batch* const batch = find(timestamp);
  if (batch == nullptr) {
    ++counts_.late;
    return;
  }
  reference_ = timestamp;
  const std::size_t s = *position.first_channel / width;
  spead::received_parts& parts = batch->parts[s];
  // the packet's part of the voltages
  const std::uint64_t begin = std::clamp(packet.payload_offset, first, last),
                      end = std::clamp(packet.payload_offset + packet.payload.size(), first, last);
  const auto part =
      packet.payload.subspan(begin == end ? 0 : begin - packet.payload_offset, end - begin);
  if (part.empty() ? !packet.payload.empty() : !parts.add(begin - first, part.size())) {
    ++(part.empty() ? counts_.descriptors : counts_.duplicates);
    return;
  }
  ++counts_.packets;
  counts_.bytes += part.size();
  std::copy(part.begin(), part.end(),
            batch->content.voltages.begin() +
                static_cast<std::ptrdiff_t>(s * heap_bytes + begin - first));
  batch->content.missing |= position.missing;
  if (parts.n_bytes() < heap_bytes) return;
  batch->content.complete[s] = true;
  ++batch->n_complete;
  while (!open_.empty() && open_.begin()->second.n_complete == layout_->n_substreams()) {
    close_first();
  }
}

/// Returns the batch, opened if necessary; nullptr if it is closed.
batch_assembly::open_batch* batch_assembly::find(std::int64_t timestamp) {
  if (last_closed_ && timestamp <= *last_closed_) return nullptr;
  const auto found = open_.find(timestamp);
  if (found != open_.end()) return &found->second;
  if (open_.size() == max_open_) {
    if (timestamp < open_.begin()->first) return nullptr;
    close_first();
  }
  open_batch& opened = open_[timestamp];
  opened.content.timestamp = timestamp;
  opened.content.voltages.resize(layout_->batch_bytes());
  opened.content.complete.resize(layout_->n_substreams());
  opened.parts.resize(layout_->n_substreams());
  return &opened;
}

void batch_assembly::close_first() {
  auto first = open_.extract(open_.begin());
  const std::int64_t timestamp = first.key();
  open_batch& closed = first.mapped();
  for (std::size_t s = 0; s < closed.parts.size(); ++s) {
    substream_counts& substream = counts_.substreams[s];
    if (closed.content.complete[s]) {
      ++substream.heaps;
    } else {
      ++(closed.parts[s].n_bytes() > 0 ? substream.incomplete : substream.absent);
    }
  }
  if (last_closed_)
    counts_.batch_samples = std::gcd(counts_.batch_samples, timestamp - *last_closed_);
  last_closed_ = timestamp;
  if (!counts_.first_timestamp) counts_.first_timestamp = timestamp;
  counts_.last_timestamp = timestamp;
  ++counts_.batches;
  counts_.incomplete_batches += closed.n_complete < closed.parts.size();
  counts_.flagged_batches += closed.content.missing != 0;
  if (counts_.batch_samples > 0) {
    const auto n_due = static_cast<std::uint64_t>(
        (timestamp - *counts_.first_timestamp) / counts_.batch_samples + 1);
    counts_.absent_batches = n_due - counts_.batches;
  }
  take_(std::move(closed.content));
}

void batch_assembly::flush(bool is_cut) {
  while (is_cut && !open_.empty() && open_.rbegin()->second.n_complete < layout_->n_substreams()) {
    ++counts_.unfinished_batches;
    open_.erase(std::prev(open_.end()));
  }
  while (!open_.empty()) close_first();
}

}  // namespace wingbeat::receive
