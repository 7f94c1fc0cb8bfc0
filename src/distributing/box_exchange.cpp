// SPDX-License-Identifier: Apache-2.0
#include "distributing/box_exchange.hpp"

#include <memory>   // unique_ptr
#include <utility>  // move

#include "arrays/array.hpp"        // bytes_of_real
#include "backend/backend.hpp"     // mark, queue
#include "distributing/boxes.hpp"  // distances_of, place_of
#include "processes/group.hpp"     // group

namespace wingbeat::distributing {
namespace {

buffer_view from_byte(buffer_view view, std::size_t offset_bytes) {
  view.origin.reset();  // it may be another device's
  view.offset_bytes += offset_bytes;
  view.size_bytes -= offset_bytes;
  return view;
}

}  // namespace

void wait_for_each_other(const domain& ranks) {
  std::vector<std::unique_ptr<backend::mark>> marks(ranks.size());
  for (std::size_t rank = 0; rank < ranks.size(); ++rank) {
    if (ranks.has(rank)) marks[rank] = ranks.at(rank).impl()->record();
  }
  for (std::size_t rank = 0; rank < ranks.size(); ++rank) {
    for (std::size_t other = 0; other < ranks.size(); ++other) {
      const bool is_other = other != rank && ranks.has(rank) && ranks.has(other);
      if (is_other) ranks.at(rank).impl()->after(*marks[other]);
    }
  }
}

box_exchange::box_exchange(const domain& ranks, redistribution change, request::domain side,
                           precision real)
    : ranks_(ranks),
      change_(std::move(change)),
      element_bytes_(request::reals_of(side) * bytes_of_real(real)) {
  for (const transfer& each : change_.transfers()) {
    const bool is_sent = !ranks_.has(each.receiver), is_received = !ranks_.has(each.sender);
    if (is_sent && is_received) continue;
    if (is_sent || is_received) {
      add_packed(each, side, real);
      continue;
    }
    const box &from = change_.before()[each.sender], &to = change_.after()[each.receiver];
    copies_.push_back({each.sender, each.receiver,
                       plan_of(each.sender, each.elements, from, to, side, real),
                       place_of(from, each.elements.lower) * element_bytes_,
                       place_of(to, each.elements.lower) * element_bytes_});
  }
  const auto allocate = [&](messages& parts) {
    std::size_t bytes = 0;
    for (const backend::message& each : parts) bytes += each.bytes.size_bytes;
    if (bytes == 0) return buffer{};
    buffer memory{ranks_.at(ranks_.first()), bytes};
    for (backend::message& each : parts) {
      each.bytes.handle = memory.view().handle;
      each.bytes.origin = memory.view().origin;
    }
    return memory;
  };
  packed_out_ = allocate(sent_);
  packed_in_ = allocate(received_);
}

plan box_exchange::plan_of(std::size_t rank, const box& elements, const box& from, const box& to,
                           request::domain side, precision real) const {
  // Transforms of one point, which leave it as it is.
  plan_spec spec{.lengths = {1}, .real = real};
  spec.kind = side == request::domain::real ? transform::dht : transform::forward;
  std::vector<std::size_t> counts;
  for (std::size_t axis = 0; axis < elements.lower.size(); ++axis) {
    counts.push_back(elements.length(axis));
  }
  spec.batch = batch_shape{counts};
  spec.in = {.strides = {1}, .distances = distances_of(from)};
  spec.out = {.strides = {1}, .distances = distances_of(to)};
  return {ranks_.at(rank), spec};
}

void box_exchange::add_packed(const transfer& moved, request::domain side, precision real) {
  const bool is_sent = ranks_.has(moved.sender);
  messages& parts = is_sent ? sent_ : received_;
  const std::size_t first =
      parts.empty() ? 0 : parts.back().bytes.offset_bytes + parts.back().bytes.size_bytes;
  parts.push_back({is_sent ? moved.receiver : moved.sender,
                   {nullptr, first, moved.elements.count() * element_bytes_}});
  const box& own = is_sent ? change_.before()[moved.sender] : change_.after()[moved.receiver];
  const std::size_t own_bytes = place_of(own, moved.elements.lower) * element_bytes_;
  if (is_sent) {
    packs_.push_back({moved.sender, moved.receiver,
                      plan_of(moved.sender, moved.elements, own, moved.elements, side, real),
                      own_bytes, first});
  } else {
    unpacks_.push_back({moved.sender, moved.receiver,
                        plan_of(moved.receiver, moved.elements, moved.elements, own, side, real),
                        first, own_bytes});
  }
}

void box_exchange::run(views from, views to) {
  if (!ranks_.group()) wait_for_each_other(ranks_);
  for (const copy& each : copies_) {
    each.copies.enqueue(ranks_.at(each.sender), from_byte(from[each.sender], each.from_bytes),
                        from_byte(to[each.receiver], each.to_bytes));
  }
  if (!ranks_.group()) return wait_for_each_other(ranks_);
  queue& own = ranks_.at(ranks_.first());
  for (const copy& each : packs_) {
    each.copies.enqueue(own, from_byte(from[each.sender], each.from_bytes),
                        from_byte(packed_out_.view(), each.to_bytes));
  }
  ranks_.transport().of(ranks_).exchange(sent_, received_);
  for (const copy& each : unpacks_) {
    each.copies.enqueue(own, from_byte(packed_in_.view(), each.from_bytes),
                        from_byte(to[each.receiver], each.to_bytes));
  }
}

}  // namespace wingbeat::distributing
