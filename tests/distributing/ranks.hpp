// SPDX-License-Identifier: Apache-2.0
// A run on ranks, of one process or of several, beside one on one device.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>    // max, shuffle
#include <cmath>        // abs
#include <cstring>      // memcpy
#include <iterator>     // size
#include <random>       // mt19937
#include <type_traits>  // conditional_t
#include <vector>

#include "distributing/boxes.hpp"      // distances_of
#include "distributing/weighed.hpp"    // operands_of
#include "distributing/whole_run.hpp"  // whole_box, whole_lengths, as_two_axes
#include "request/traits.hpp"          // traits_of
#include "support/signal.hpp"          // fill_noise
#include "wingbeat/device/bfloat.hpp"  // bfloat
#include "wingbeat/device/half.hpp"    // half_float

namespace wingbeat::test {

/// Cuts a box in two along a random axis until there is one for each rank; some may be empty.
inline std::vector<box> drawn_boxes(const box& whole, std::size_t n_ranks, std::mt19937& dice) {
  std::vector<box> boxes{whole};
  while (boxes.size() < n_ranks) {
    box& first = boxes[dice() % boxes.size()];
    box second = first;
    const std::size_t axis = dice() % whole.lower.size();
    const std::size_t border = first.lower[axis] + dice() % (first.length(axis) + 1);
    first.upper[axis] = second.lower[axis] = border;
    boxes.push_back(second);
  }
  std::shuffle(boxes.begin(), boxes.end(), dice);
  return boxes;
}

/// Has a box's axes lie in memory in any order, with gaps.
inline void draw_strides(box& part, std::mt19937& dice) {
  std::vector<std::size_t> axes(part.lower.size());
  for (std::size_t i = 0; i < axes.size(); ++i) axes[i] = i;
  std::shuffle(axes.begin(), axes.end(), dice);
  part.strides.resize(axes.size());
  std::size_t stride = 1 + dice() % 2;
  for (const std::size_t axis : axes) {
    part.strides[axis] = stride;
    stride = stride * std::max<std::size_t>(part.length(axis), 1) + dice() % 3;
  }
}

inline void fill_numbers(std::vector<std::byte>& bytes, precision real) {
  if (real == precision::fp16 || real == precision::bf16) {
    // Any bits of small numbers.
    constexpr unsigned bits[] = {0x3800, 0x3a40, 0xb900, 0x3bc0, 0xbaa0, 0x3100, 0xb4c0};
    std::size_t next = 0;
    for (std::size_t i = 0; i + 1 < bytes.size(); i += 2) {
      next = (next * 5 + i + 3) % std::size(bits);
      bytes[i] = static_cast<std::byte>(bits[next] & 0xff);
      bytes[i + 1] = static_cast<std::byte>(bits[next] >> 8);
    }
  } else if (real == precision::fp64) {
    fill_noise(reinterpret_cast<double*>(bytes.data()), bytes.size() / sizeof(double), 1);
  } else {
    fill_noise(reinterpret_cast<float*>(bytes.data()), bytes.size() / sizeof(float), 1);
  }
}

/// The largest difference of two arrays of numbers, and the largest number.
struct deviation {
  double most = 0, largest = 1e-30;

  [[nodiscard]] double relative() const { return most / largest; }

  template <class Stored>
  void add(const std::vector<std::byte>& a, const std::vector<std::byte>& b) {
    std::vector<Stored> x(a.size() / sizeof(Stored)), y(x.size());
    std::memcpy(x.data(), a.data(), x.size() * sizeof(Stored));
    std::memcpy(y.data(), b.data(), x.size() * sizeof(Stored));
    using real = std::conditional_t<sizeof(Stored) == 2, float, Stored>;
    for (std::size_t i = 0; i < x.size(); ++i) {
      const double found = static_cast<real>(x[i]), wanted = static_cast<real>(y[i]);
      most = std::max(most, std::abs(found - wanted));
      largest = std::max(largest, std::abs(wanted));
    }
  }
  void add(const std::vector<std::byte>& a, const std::vector<std::byte>& b, precision stored) {
    switch (stored) {
      case precision::fp64: return add<double>(a, b);
      case precision::fp16: return add<device::half_float>(a, b);
      case precision::bf16: return add<device::bfloat>(a, b);
      default: return add<float>(a, b);
    }
  }
};

/// Returns the largest difference of two arrays of numbers, relative to the largest number.
template <class Stored>
double difference(const std::vector<std::byte>& a, const std::vector<std::byte>& b) {
  deviation sum;
  sum.add<Stored>(a, b);
  return sum.relative();
}

/// Returns the request whose input and output are packed elements within the ranges.
inline plan_spec packed_ranges(plan_spec spec, const distributed_plan& cut) {
  const auto pack = [](memory_layout& layout, const box& whole) {
    const std::vector<std::size_t> distances = distributing::distances_of(whole);
    layout.strides = {distances.begin() + 1, distances.end()};
    layout.origin = {whole.lower.begin() + 1, whole.lower.end()};
    layout.distances = {distances.front()};
  };
  if (!spec.valid_in.empty() && !spec.load.is_given()) {
    pack(spec.in, distributing::whole_box(cut.in_boxes()));
  }
  if (!spec.valid_out.empty() && !spec.store.is_given()) {
    pack(spec.out, distributing::whole_box(cut.out_boxes()));
  }
  return spec;
}

/// Returns a rank's memory of its box of a packed array, with zeros between elements.
inline std::vector<std::byte> part_of(const std::vector<box>& boxes, std::size_t rank,
                                      const std::vector<std::byte>& array) {
  const box whole = distributing::whole_box(boxes);
  const std::size_t bytes = array.size() / whole.count();
  std::vector<std::byte> part(boxes[rank].span() * bytes);
  const box elements{boxes[rank].lower, boxes[rank].upper};
  if (!part.empty()) {
    copy_part(elements, whole, array.data(), boxes[rank], part.data(), bytes);
  }
  return part;
}

/// Runs a transform of noise on one device of its own, and on ranks twice; returns how far the
/// parts of this process's ranks differ. Functors are those of `weighed`.
class ranks_beside_one {
 public:
  ranks_beside_one(const domain& ranks, distributed_spec spec, bool may_use_one_device)
      : ranks_(ranks),
        cut_(ranks, planned(std::move(spec), may_use_one_device)),
        on_(ranks.at(ranks.first())) {}

  double difference() {
    run_alone();
    std::vector<buffer> memory;
    std::vector<buffer_view> in(ranks_.size()), out(ranks_.size());
    std::vector<run_operands> given;
    for (std::size_t rank = 0; rank < ranks_.size(); ++rank) {
      if (has_functors()) given.push_back(operands_of(rank));
      if (!ranks_.has(rank)) continue;
      EXPECT_EQ(cut_.in_bytes(rank), part_of(cut_.in_boxes(), rank, input_).size());
      EXPECT_EQ(cut_.out_bytes(rank), part_of(cut_.out_boxes(), rank, wanted_).size());
      in[rank] = filled(memory, rank, part_of(cut_.in_boxes(), rank, input_));
      // What lies between elements of an output stays as it is.
      out[rank] = filled(memory, rank,
                         std::vector<std::byte>(part_of(cut_.out_boxes(), rank, wanted_).size()));
    }
    for (int repeat = 0; repeat < 2; ++repeat) cut_.enqueue(in, out, given);
    ranks_.wait();
    const precision stored = spec().out.stored.value_or(spec().real);
    deviation sum;
    sum.add(wanted_, wanted_, stored);  // the largest of all ranks
    for (std::size_t i = 0, rank = ranks_.first(); i < memory.size(); i += 2, ++rank) {
      const std::vector<std::byte> part = part_of(cut_.out_boxes(), rank, wanted_);
      std::vector<std::byte> found(part.size());
      if (!found.empty()) memory[i + 1].read(found.data(), found.size());
      sum.add(found, part, stored);
    }
    return sum.relative();
  }

 private:
  static distributed_spec planned(distributed_spec spec, bool may_use_one_device) {
    spec.may_use_one_device = may_use_one_device;
    return spec;
  }
  [[nodiscard]] const plan_spec& spec() const { return cut_.spec().transform; }
  [[nodiscard]] bool has_functors() const {
    return spec().load.is_given() || spec().store.is_given();
  }
  /// Whether bins of one axis are two in the boxes of ranks.
  [[nodiscard]] bool is_one_axis() const {
    return cut_.in_boxes()[0].lower.size() > 1 + spec().lengths.size();
  }

  void run_alone() {
    const plan alone{on_, packed_ranges(spec(), cut_)};
    const bool is_forward = request::traits_of(spec().kind).is_forward;
    input_.resize(spec().load.is_given() ? spec().load.in_bytes : input_bytes(alone.spec()));
    wanted_.resize(spec().store.is_given() ? spec().store.out_bytes : output_bytes(alone.spec()));
    fill_numbers(input_, spec().in.stored.value_or(spec().real));
    buffer in{on_, input_.size()};
    const buffer out{on_, wanted_.size()};
    in.write(input_.data(), input_.size());
    if (has_functors()) {
      const box source = distributing::whole_box(cut_.in_boxes());
      const box target = distributing::whole_box(cut_.out_boxes());
      alone.enqueue(on_, in.view(), out.view(),
                    functor_operands(source, target, /*is_alone=*/true));
    } else {
      alone.enqueue(on_, in.view(), out.view());
    }
    out.read(wanted_.data(), wanted_.size());
    if (!is_one_axis()) return;
    const auto lengths = distributing::whole_lengths(cut_.in_boxes());
    std::vector<std::byte>& bins = is_forward ? wanted_ : input_;
    bins = distributing::as_two_axes(bins, lengths);
  }

  [[nodiscard]] run_operands operands_of(std::size_t rank) const {
    return functor_operands(cut_.in_boxes()[rank], cut_.out_boxes()[rank], /*is_alone=*/false);
  }
  [[nodiscard]] run_operands functor_operands(const box& from, const box& to, bool is_alone) const {
    const bool is_forward = request::traits_of(spec().kind).is_forward;
    const auto place = [&](const std::vector<box>& boxes, const box& part, bool are_bins) {
      return place_in(part, distributing::whole_box(boxes), is_one_axis() && are_bins, is_alone);
    };
    run_operands given;
    if (spec().load.is_given()) given.load = place(cut_.in_boxes(), from, !is_forward);
    if (spec().store.is_given()) given.store = place(cut_.out_boxes(), to, is_forward);
    return given;
  }

  [[nodiscard]] buffer_view filled(std::vector<buffer>& memory, std::size_t rank,
                                   const std::vector<std::byte>& bytes) {
    constexpr std::size_t spare = 16;  // of ranks that have nothing
    memory.emplace_back(ranks_.at(rank), bytes.size() + spare);
    if (!bytes.empty()) memory.back().write(bytes.data(), bytes.size());
    return memory.back().view();
  }

  domain ranks_;
  distributed_plan cut_;
  queue on_;
  std::vector<std::byte> input_, wanted_;
};

inline double difference_on(const domain& ranks, const distributed_spec& spec,
                            bool may_use_one_device = false) {
  return ranks_beside_one{ranks, spec, may_use_one_device}.difference();
}

}  // namespace wingbeat::test
