// SPDX-License-Identifier: Apache-2.0
#include "distributing/whole_run.hpp"

#include <algorithm>  // max, min
#include <cstring>    // memcpy
#include <utility>    // move

#include "arrays/address_space.hpp"  // product_of
#include "distributing/boxes.hpp"    // undivided
#include "request/traits.hpp"        // traits_of
#include "text/reject.hpp"           // reject

namespace wingbeat::distributing {
namespace {

using parts = std::vector<std::vector<std::byte>>;

/// Returns boxes of the same array that give all to rank 0.
std::vector<box> undivided_of(const std::vector<box>& boxes) {
  return undivided(whole_box(boxes), boxes.size());
}

std::size_t element_bytes(const std::vector<box>& boxes, std::size_t size_bytes) {
  std::size_t count = 0;
  for (const box& each : boxes) count += each.count();
  return size_bytes / count;
}

/// Copies element [b][i][j] of an array [b][n1][n2] to [b][j][i] of another.
std::vector<std::byte> transposed(std::span<const std::byte> source, std::size_t n1, std::size_t n2,
                                  std::size_t count) {
  const std::size_t bytes = source.size() / count;
  std::vector<std::byte> result(source.size());
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t b = i / (n1 * n2), row = i / n2 % n1, column = i % n2;
    std::memcpy(&result[(b * n1 * n2 + column * n1 + row) * bytes], &source[i * bytes], bytes);
  }
  return result;
}

/// Refuses functors, because they read arrays as one device has them.
distributed_spec without_functors(distributed_spec spec) {
  reject_if(spec.transform.load.is_given() || spec.transform.store.is_given(),
            "a functor was given, such as a window, of an array that is dealt to several devices; "
            "leave it out, or choose one device");
  return spec;
}

/// Returns whether ranks hold the bins of one axis as two axes.
bool has_two_axes(const distributed_plan& transforms, bool are_in) {
  const plan_spec& spec = transforms.spec().transform;
  return transforms.in_boxes().front().lower.size() > 1 + spec.lengths.size() &&
         request::traits_of(spec.kind).is_forward != are_in;
}

}  // namespace

box whole_box(const std::vector<box>& boxes) {
  box whole;
  for (const box& each : boxes) {
    if (each.count() == 0) continue;
    if (whole.lower.empty()) whole = {each.lower, each.upper};
    for (std::size_t i = 0; i < whole.lower.size(); ++i) {
      whole.lower[i] = std::min(whole.lower[i], each.lower[i]);
      whole.upper[i] = std::max(whole.upper[i], each.upper[i]);
    }
  }
  return whole;
}

std::vector<std::size_t> whole_lengths(const std::vector<box>& boxes) {
  const box whole = whole_box(boxes);
  std::vector<std::size_t> lengths;
  for (std::size_t i = 0; i < whole.lower.size(); ++i) lengths.push_back(whole.length(i));
  return lengths;
}

parts parts_of(const std::vector<box>& boxes, std::span<const std::byte> whole) {
  const std::size_t bytes = element_bytes(boxes, whole.size());
  parts result;
  for (const box& each : boxes) result.emplace_back(each.count() * bytes);
  const redistribution change{undivided_of(boxes), boxes};
  for (const transfer& each : change.transfers()) {
    change.copy(each, whole.data(), result[each.receiver].data(), bytes);
  }
  return result;
}

std::vector<std::byte> whole_of(const std::vector<box>& boxes, const parts& given) {
  std::size_t size_bytes = 0;
  for (const auto& each : given) size_bytes += each.size();
  std::vector<std::byte> result(size_bytes);
  const redistribution change{boxes, undivided_of(boxes)};
  for (const transfer& each : change.transfers()) {
    change.copy(each, given[each.sender].data(), result.data(), element_bytes(boxes, size_bytes));
  }
  return result;
}

std::vector<std::byte> as_two_axes(std::span<const std::byte> bins,
                                   const std::vector<std::size_t>& lengths) {
  return transposed(bins, lengths[2], lengths[1], product_of(lengths));
}

std::vector<std::byte> as_one_axis(std::span<const std::byte> bins,
                                   const std::vector<std::size_t>& lengths) {
  return transposed(bins, lengths[1], lengths[2], product_of(lengths));
}

whole_run::whole_run(const domain& ranks, distributed_spec spec)
    : ranks_(ranks), transforms_(ranks, without_functors(std::move(spec))) {
  constexpr std::size_t least = 16;  // for ranks that have nothing
  for (std::size_t rank = 0; rank < ranks_.size(); ++rank) {
    in_.emplace_back(ranks_.at(rank), std::max(transforms_.in_bytes(rank), least));
    out_.emplace_back(ranks_.at(rank), std::max(transforms_.out_bytes(rank), least));
    in_views_.push_back(in_.back().view());
    out_views_.push_back(out_.back().view());
  }
}

void whole_run::write(std::span<const std::byte> input) {
  std::vector<std::byte> bins;
  const std::vector<box>& boxes = transforms_.in_boxes();
  if (has_two_axes(transforms_, /*are_in=*/true)) {
    bins = as_two_axes(input, whole_lengths(boxes));
    input = bins;
  }
  const parts given = parts_of(boxes, input);
  for (std::size_t rank = 0; rank < given.size(); ++rank) {
    if (!given[rank].empty()) in_[rank].write(given[rank].data(), given[rank].size());
  }
}

std::vector<std::byte> whole_run::read() const {
  const std::vector<box>& boxes = transforms_.out_boxes();
  parts given;
  for (std::size_t rank = 0; rank < boxes.size(); ++rank) {
    auto& bytes = given.emplace_back(transforms_.out_bytes(rank));
    if (!bytes.empty()) out_[rank].read(bytes.data(), bytes.size());
  }
  std::vector<std::byte> result = whole_of(boxes, given);
  if (!has_two_axes(transforms_, /*are_in=*/false)) return result;
  return as_one_axis(result, whole_lengths(boxes));
}

}  // namespace wingbeat::distributing
