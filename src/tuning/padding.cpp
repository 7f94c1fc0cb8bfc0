// SPDX-License-Identifier: Apache-2.0
#include "tuning/padding.hpp"

#include <algorithm>  // max
#include <bit>        // bit_ceil, has_single_bit
#include <cmath>      // log2

#include "wingbeat/good_length.hpp"  // good_length, max_length

namespace wingbeat::tuning {
namespace {

/// Shortest length that is padded to other lengths than powers of two; shorter rows take no time
/// compared to their launch, or are made in registers.
constexpr std::size_t shortest_mixed = 64;
constexpr std::size_t mixed_multiple = 8;

/// The cost of a point of a transform; a factor of 2 costs 1.
struct point_costs {
  double memory;  ///< Reading, multiplying and writing it.
  double mixed;   ///< Lengths other than powers of two take this many times their factors' cost,
  double mixed_beyond_4096;  ///< and longer ones take this many.
};

/// Costs on a processor. With one kernel and one image, two cores of an EPYC (avx512, fp32) took
/// these fractions of the time of the next power of two: 80 x 80: 0.74; 144 x 144: 0.53; 576 x 576:
/// 0.59; 1,536 x 1,536: 0.69; 2,160 x 2,160: 0.45; 3,072 x 3,072: 0.65.
constexpr point_costs of_processor{.memory = 3, .mixed = 1.12, .mixed_beyond_4096 = 1.12};

/// OpenCL on the same processor (PoCL): 0.24, 0.25 and 0.29 for the first three, but 1.09 for 1,536
/// x 1,536, 0.92 and 0.99 for the last two.
constexpr point_costs of_opencl_cpu{.memory = 3, .mixed = 1.4, .mixed_beyond_4096 = 1.4};

/// Costs on a GPU, where bytes count most. 1,344 x 2,304 (a bloom) took 1.22 times as long as 2,048
/// x 2,304 on an H100 (1.11 in fp16), because fused multiply-adds make columns of powers of two;
/// 5,760 x 4,096 took 1.27 times as long as 8,192 x 4,096 on an H200.
constexpr point_costs of_gpu{.memory = 24, .mixed = 1.5, .mixed_beyond_4096 = 1.65};

const point_costs& costs_of(const device_info& device) {
  if (device.is_gpu || device.runs_on == engine::cuda) return of_gpu;
  return device.runs_on == engine::opencl ? of_opencl_cpu : of_processor;
}

/// Returns the cost of a good length's factors per point. A DFT of p points takes more operations
/// than its share of the bits, because p is a prime; 8 and 16 have few multiplications.
double cost_of_factors(std::size_t n) {
  struct factor {
    std::size_t prime;
    double cost;
  };
  constexpr factor factors[] = {{2, 1}, {3, 2}, {5, 3.2}, {7, 5}, {11, 8}, {13, 9}};
  double cost = 0;
  for (const factor& each : factors) {
    for (; n % each.prime == 0; n /= each.prime) cost += each.cost;
  }
  return cost;
}

double point_cost(std::size_t n, const point_costs& per_point) {
  const double cost = per_point.memory + cost_of_factors(n);
  if (std::has_single_bit(n)) return cost;
  return cost * (n > 4096 ? per_point.mixed_beyond_4096 : per_point.mixed);
}

/// Returns the next length from n on that is considered beside powers of two.
std::size_t next_mixed(std::size_t n) {
  return mixed_multiple * good_length((n + mixed_multiple - 1) / mixed_multiple);
}

}  // namespace

std::size_t padded_length(std::size_t least, const device_info& device) {
  std::size_t best = std::max<std::size_t>(std::bit_ceil(least), 2);
  if (least <= shortest_mixed || best > max_length) return best;
  const point_costs& costs = costs_of(device);
  double min_cost = static_cast<double>(best) * point_cost(best, costs);
  const std::size_t power = best;
  for (std::size_t n = next_mixed(least); n < power; n = next_mixed(n + 1)) {
    const double cost = static_cast<double>(n) * point_cost(n, costs);
    if (cost >= min_cost) continue;
    best = n;
    min_cost = cost;
  }
  return best;
}

double relative_point_time(std::size_t length, const device_info& device) {
  const point_costs& costs = costs_of(device);
  return point_cost(length, costs) / (costs.memory + std::log2(static_cast<double>(length)));
}

}  // namespace wingbeat::tuning
