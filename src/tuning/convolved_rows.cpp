// SPDX-License-Identifier: Apache-2.0
#include "tuning/convolved_rows.hpp"

#include <algorithm>  // min
#include <array>
#include <bit>  // bit_width

#include "tuning/compiled_engines.hpp"  // compiles_kernels

namespace wingbeat::tuning {
namespace {

std::size_t number_bytes(precision real) {
  return 2 * (real == precision::fp64 ? sizeof(double) : sizeof(float));
}

/// The cost on a processor, in points of a butterfly: rows of P points take P (log2 P + c).
namespace processor {

constexpr double row_cost = 3;                      ///< c: fetching, multiplying and writing.
constexpr double launch_cost = 65536;               ///< Waking threads and waiting for them.
constexpr std::size_t quick_row_bytes = 64 * 1024;  ///< Rows that stay in a core's cache.
constexpr double doubling_cost = 1.2;               ///< For each doubling of a row beyond that,
constexpr double max_cost = 3;  ///< up to this: bench/evidence/processor_applications.md

double cost_of_row(std::size_t length, precision real) {
  const auto n = static_cast<double>(length);
  double outgrown = 1;
  for (std::size_t bytes = number_bytes(real) * length; bytes > quick_row_bytes; bytes /= 2) {
    outgrown = std::min(outgrown * doubling_cost, max_cost);
  }
  return n * (static_cast<double>(std::bit_width(length) - 1) + row_cost) * outgrown;
}

}  // namespace processor

/// The cost where kernels are compiled, in picoseconds on an H200. There 2^26 real samples took
///     block       512  1024  2048  4096  8192  32768
///     255 taps    238   183   186   200   224    465 us
///     4,095 taps                          347    500 us
/// A copy took 128 us; an H100, where instructions take as long, took 292 us in blocks of 16,384.
/// The model is within an eighth of these: 2.8 ps for each complex number that is read and written,
/// plus `point_costs` for each point of a row, overlap included. Rows beyond 16,384 points of fp32
/// run as clusters or in two launches, and the longest cross memory four times. Costs of launches,
/// and of rows that were not measured, are estimates.
namespace compiled {

constexpr double number_cost = 2.8;
constexpr std::size_t first_row_bytes = 8192;  ///< 1,024 points of fp32; shorter rows cost as much.
constexpr std::array point_costs = {2.0, 2.4, 3.0, 3.8, 4.4, 10.8};
constexpr double wide_point_cost = 7.3;  ///< fp64: the last but one of `point_costs`, because it
                                         ///< takes two launches.
constexpr double longest_point_cost = 16;
constexpr double launch_cost = 2e6;

/// Returns the index of a row in `point_costs`; their number if the row is longer than all of them.
std::size_t place_of(std::size_t length, precision real) {
  const std::size_t row_bytes = number_bytes(real) * length;
  std::size_t place = 0;
  while (place < point_costs.size() && first_row_bytes << place < row_bytes) ++place;
  return place;
}

double cost_of_row(std::size_t length, std::size_t n_numbers, precision real) {
  const std::size_t place = place_of(length, real);
  const bool is_wide = real == precision::fp64;
  double point_cost = place < point_costs.size() ? point_costs[place] : longest_point_cost;
  if (is_wide && place + 2 == point_costs.size()) point_cost = wide_point_cost;
  const double times_wider = is_wide ? 2 : 1;
  return times_wider *
         (number_cost * static_cast<double>(n_numbers) + point_cost * static_cast<double>(length));
}

double launches_of_row(std::size_t length, precision real) {
  return place_of(length, real) < point_costs.size() ? 2 : 4;
}

}  // namespace compiled

}  // namespace

double cost_of_row(std::size_t length, std::size_t n_numbers, precision real, engine runs_on) {
  return compiles_kernels(runs_on) ? compiled::cost_of_row(length, n_numbers, real)
                                   : processor::cost_of_row(length, real);
}

double cost_of_launch(engine runs_on) {
  return compiles_kernels(runs_on) ? compiled::launch_cost : processor::launch_cost;
}

double launches_of_row(std::size_t length, precision real, engine runs_on) {
  return compiles_kernels(runs_on) ? compiled::launches_of_row(length, real) : 2;
}

}  // namespace wingbeat::tuning
