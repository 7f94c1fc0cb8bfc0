// SPDX-License-Identifier: Apache-2.0
// One transform on two devices: there and back, without an order being restored between. Without
// two GPUs, two ranks of the best device show the same.
#include <algorithm>  // max
#include <cmath>      // abs
#include <complex>
#include <cstdio>
#include <vector>

#include "wingbeat/wingbeat.hpp"

namespace {

using namespace wingbeat;

/// Returns memory of every rank, of so many bytes each.
std::vector<buffer> memory_of(domain& ranks,
                              std::size_t (distributed_plan::*bytes)(std::size_t) const,
                              const distributed_plan& transforms) {
  std::vector<buffer> memory;
  for (std::size_t rank = 0; rank < ranks.size(); ++rank) {
    memory.emplace_back(ranks.at(rank), (transforms.*bytes)(rank));
  }
  return memory;
}

std::vector<buffer_view> views_of(const std::vector<buffer>& memory) {
  std::vector<buffer_view> views;
  for (const buffer& each : memory) views.push_back(each.view());
  return views;
}

}  // namespace

int main() {
  const std::vector<device_info> gpus = devices(engine::cuda);
  const std::vector<device_info> two =
      gpus.size() > 1 ? std::vector{gpus[0], gpus[1]} : std::vector{best_device(), best_device()};

  domain both = domain::of_devices(two);
  // All devices are to be used here; without this, the quicker way is.
  distributed_plan forward{both,
                           {.transform = {.lengths = {32, 24, 20}}, .may_use_one_device = false}};
  distributed_plan back{both,
                        {.transform = {.lengths = {32, 24, 20},
                                       .kind = transform::inverse,
                                       .scale = scaling::by_length},
                         .may_use_one_device = false}};
  std::vector<buffer> values = memory_of(both, &distributed_plan::in_bytes, forward);
  std::vector<buffer> bins = memory_of(both, &distributed_plan::out_bytes, forward);
  std::vector<buffer> again = memory_of(both, &distributed_plan::out_bytes, back);

  std::vector<std::vector<std::complex<float>>> given;
  for (std::size_t rank = 0; rank < both.size(); ++rank) {
    const box& part = forward.in_boxes()[rank];  // [batch][x][y][z]
    std::vector<std::complex<float>>& numbers = given.emplace_back(part.count());
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      numbers[i] = {static_cast<float>((rank * 7919 + i * 31) % 100) / 50 - 1, 0.25F};
    }
    values[rank].write(numbers.data(), values[rank].size_bytes());
  }
  forward.enqueue(views_of(values), views_of(bins));
  back.enqueue(views_of(bins), views_of(again));
  both.wait();

  double most = 0;
  for (std::size_t rank = 0; rank < both.size(); ++rank) {
    std::vector<std::complex<float>> numbers(given[rank].size());
    again[rank].read(numbers.data(), again[rank].size_bytes());
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      most = std::max(most, double{std::abs(numbers[i] - given[rank][i])});
    }
  }
  std::printf("%s\n%zu bytes over links each way; there and back differ by %.1e\n",
              forward.explain().c_str(), forward.sent_bytes(), most);
  return most < 1e-5 && forward.sent_bytes() > 0 ? 0 : 1;
}
