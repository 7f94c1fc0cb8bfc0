// SPDX-License-Identifier: Apache-2.0
// An array in memory of this process, of which ranks have boxes; and a run on ranks.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>  // max
#include <cmath>      // abs
#include <cstring>    // memcpy
#include <utility>    // move
#include <vector>

#include "support/signal.hpp"  // fill_noise
#include "wingbeat/distributed_plan.hpp"

namespace wingbeat::test {

using rank_bytes = std::vector<std::vector<std::byte>>;

class divided_array {
 public:
  divided_array(const std::vector<box>& boxes, std::size_t size_bytes)
      : bytes(size_bytes), boxes_(boxes) {
    box whole = boxes.front();
    std::size_t count = 0;
    for (const box& each : boxes) {
      count += each.count();
      for (std::size_t i = 0; i < whole.upper.size() && each.count() > 0; ++i) {
        whole.upper[i] = std::max(whole.upper[i], each.upper[i]);
      }
    }
    undivided_.assign(boxes.size(), {whole.lower, whole.lower});
    undivided_.front() = whole;
    element_bytes_ = size_bytes / count;
  }

  /// Returns the bytes of each rank.
  [[nodiscard]] rank_bytes parts() const {
    const redistribution change{undivided_, boxes_};
    rank_bytes parts;
    for (const box& each : boxes_) parts.emplace_back(each.count() * element_bytes_);
    for (const transfer& each : change.transfers()) {
      change.copy(each, bytes.data(), parts[each.receiver].data(), element_bytes_);
    }
    return parts;
  }
  void take(const rank_bytes& parts) {
    const redistribution change{boxes_, undivided_};
    for (const transfer& each : change.transfers()) {
      change.copy(each, parts[each.sender].data(), bytes.data(), element_bytes_);
    }
  }

  [[nodiscard]] const box& whole() const { return undivided_.front(); }

  std::vector<std::byte> bytes;

 private:
  std::vector<box> boxes_, undivided_;
  std::size_t element_bytes_ = 0;
};

inline void fill_numbers(std::vector<std::byte>& bytes, precision real) {
  if (real == precision::fp64) {
    fill_noise(reinterpret_cast<double*>(bytes.data()), bytes.size() / sizeof(double), 1);
  } else {
    fill_noise(reinterpret_cast<float*>(bytes.data()), bytes.size() / sizeof(float), 1);
  }
}

/// Runs a plan twice with these inputs; returns the outputs of the ranks.
inline rank_bytes run_on_ranks(domain& ranks, distributed_plan& transforms,
                               const rank_bytes& inputs) {
  std::vector<buffer> memory;
  std::vector<buffer_view> in, out;
  for (std::size_t rank = 0; rank < ranks.size(); ++rank) {
    EXPECT_EQ(inputs[rank].size(), transforms.in_bytes(rank));
    memory.emplace_back(ranks.at(rank), std::max<std::size_t>(inputs[rank].size(), 1));
    if (!inputs[rank].empty()) memory.back().write(inputs[rank].data(), inputs[rank].size());
    in.push_back(memory.back().view());
    memory.emplace_back(ranks.at(rank), std::max<std::size_t>(transforms.out_bytes(rank), 1));
    out.push_back(memory.back().view());
  }
  for (int repeat = 0; repeat < 2; ++repeat) transforms.enqueue(in, out);
  ranks.wait();
  rank_bytes results;
  for (std::size_t rank = 0; rank < ranks.size(); ++rank) {
    std::vector<std::byte>& bytes = results.emplace_back(transforms.out_bytes(rank));
    if (!bytes.empty()) memory[2 * rank + 1].read(bytes.data(), bytes.size());
  }
  return results;
}

/// Returns the largest difference of two arrays of numbers, relative to the largest number.
template <class Real>
double difference(const std::vector<std::byte>& a, const std::vector<std::byte>& b) {
  std::vector<Real> x(a.size() / sizeof(Real)), y(x.size());
  std::memcpy(x.data(), a.data(), a.size());
  std::memcpy(y.data(), b.data(), a.size());
  double most = 0, largest = 1e-30;
  for (std::size_t i = 0; i < x.size(); ++i) {
    most = std::max(most, std::abs(static_cast<double>(x[i]) - static_cast<double>(y[i])));
    largest = std::max(largest, std::abs(static_cast<double>(y[i])));
  }
  return most / largest;
}

/// Returns bins k1 + N1 k2 as ranks have them, [batch][k1][k2].
inline std::vector<std::byte> as_two_axes(const std::vector<std::byte>& bins, const box& whole) {
  const std::size_t n1 = whole.upper[1], n2 = whole.upper[2];
  const std::size_t bytes = bins.size() / whole.count();
  std::vector<std::byte> result(bins.size());
  for (std::size_t i = 0; i < whole.count(); ++i) {
    const std::size_t b = i / (n1 * n2), k1 = i / n2 % n1, k2 = i % n2;
    std::memcpy(&result[i * bytes], &bins[(b * n1 * n2 + k1 + n1 * k2) * bytes], bytes);
  }
  return result;
}

/// Runs a transform on ranks, and on the device of rank 0; returns how far they differ.
inline double difference_on(domain ranks, distributed_spec spec) {
  spec.may_use_one_device = false;
  distributed_plan cut{ranks, spec};
  queue& on = ranks.at(0);
  plan alone{on, spec.transform};
  divided_array in{cut.in_boxes(), input_bytes(spec.transform)};
  divided_array out{cut.out_boxes(), output_bytes(spec.transform)};
  fill_numbers(in.bytes, spec.transform.real);
  buffer alone_in{on, in.bytes.size()}, alone_out{on, out.bytes.size()};
  alone_in.write(in.bytes.data(), in.bytes.size());
  alone.enqueue(on, alone_in.view(), alone_out.view());
  std::vector<std::byte> expected(out.bytes.size());
  alone_out.read(expected.data(), expected.size());
  const bool is_one_axis = spec.transform.lengths.size() < cut.in_boxes()[0].lower.size() - 1;
  if (is_one_axis && spec.transform.kind == transform::inverse) {
    in.bytes = as_two_axes(in.bytes, in.whole());
  }
  out.take(run_on_ranks(ranks, cut, in.parts()));
  if (is_one_axis && spec.transform.kind == transform::forward) {
    expected = as_two_axes(expected, out.whole());
  }
  return spec.transform.real == precision::fp64 ? difference<double>(out.bytes, expected)
                                                : difference<float>(out.bytes, expected);
}

}  // namespace wingbeat::test
