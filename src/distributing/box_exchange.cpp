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
    if (!ranks_.has(each.sender) || !ranks_.has(each.receiver)) continue;
    copies_.push_back(
        {each.sender, each.receiver, plan_of(each, side, real),
         place_of(change_.before()[each.sender], each.elements.lower) * element_bytes_,
         place_of(change_.after()[each.receiver], each.elements.lower) * element_bytes_});
  }
}

plan box_exchange::plan_of(const transfer& moved, request::domain side, precision real) const {
  // Transforms of one point, which leave it as it is.
  plan_spec spec{.lengths = {1}, .real = real};
  spec.kind = side == request::domain::real ? transform::dht : transform::forward;
  std::vector<std::size_t> counts;
  for (std::size_t axis = 0; axis < moved.elements.lower.size(); ++axis) {
    counts.push_back(moved.elements.length(axis));
  }
  spec.batch = batch_shape{counts};
  spec.in = {.strides = {1}, .distances = distances_of(change_.before()[moved.sender])};
  spec.out = {.strides = {1}, .distances = distances_of(change_.after()[moved.receiver])};
  return {ranks_.at(moved.sender), spec};
}

void box_exchange::run(views from, views to) {
  if (!ranks_.group()) wait_for_each_other(ranks_);
  for (const copy& each : copies_) {
    each.copies.enqueue(ranks_.at(each.sender), from_byte(from[each.sender], each.from_bytes),
                        from_byte(to[each.receiver], each.to_bytes));
  }
  if (ranks_.group()) return send(from, to);
  wait_for_each_other(ranks_);
}

void box_exchange::send(views from, views to) {
  const std::size_t own = ranks_.first(), n_ranks = ranks_.size();
  backend::queue& on = *ranks_.at(own).impl();
  const box &before = change_.before()[own], &after = change_.after()[own];
  std::vector<std::byte> had(before.count() * element_bytes_), has(after.count() * element_bytes_);
  std::vector<std::vector<std::byte>> sent(n_ranks), received(n_ranks);
  const auto view_of = [](buffer_view view, std::size_t size_bytes) {
    view.size_bytes = size_bytes;
    return view;
  };
  on.wait();
  if (!had.empty()) on.read(had.data(), view_of(from[own], had.size()));
  if (!has.empty()) on.read(has.data(), view_of(to[own], has.size()));  // what was copied here
  for (const transfer& each : change_.transfers()) {
    const std::size_t bytes = each.elements.count() * element_bytes_;
    if (each.sender == own && each.receiver != own) {
      sent[each.receiver].resize(bytes);
      copy_part(each.elements, before, had.data(), each.elements, sent[each.receiver].data(),
                element_bytes_);
    }
    if (each.receiver == own && each.sender != own) received[each.sender].resize(bytes);
  }
  ranks_.group()->exchange({sent.begin(), sent.end()}, {received.begin(), received.end()});
  for (const transfer& each : change_.transfers()) {
    if (each.receiver != own || each.sender == own) continue;
    copy_part(each.elements, each.elements, received[each.sender].data(), after, has.data(),
              element_bytes_);
  }
  if (!has.empty()) on.write(view_of(to[own], has.size()), has.data());
}

}  // namespace wingbeat::distributing
