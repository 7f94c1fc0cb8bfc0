// SPDX-License-Identifier: Apache-2.0
#include "planner/expected_time.hpp"

#include <algorithm>  // max
#include <cmath>      // log2, pow

#include "wingbeat/device/index.hpp"             // is_power_of_two
#include "wingbeat/device/workgroup/advise.hpp"  // stage_cost

namespace wingbeat::planner {
namespace {

/// Returns the factor by which narrow columns are slower than measured ones.
double narrowness(const tile_shape& shape, const tuning::time_model& times) {
  const double side_by_side = shape.lanes * shape.element_bytes;
  return std::pow(times.narrower, std::max(std::log2(times.wide_columns / side_by_side), 0.0));
}

/// Returns the entry of a list with the shape of these rows, or nullptr.
const tuning::shape* entry_of(const tuning::table<tuning::shape>& list, const tile_shape& rows) {
  for (const tuning::shape& each : list) {
    if (each.length == rows.length && each.elements == rows.elements_per_thread) return &each;
  }
  return nullptr;
}

}  // namespace

double time_of(const piece& each, const tuning::time_model& times) {
  return each.fraction > 0 ? 1 / each.fraction : times.unmeasured;
}

double time_of_columns(const piece& columns, const tuning::time_model& times) {
  const double longer = columns.fraction > 0 ? 1 : narrowness(columns.shape, times);
  return longer * time_of(columns, times);
}

double time_of_twiddled(const piece& rows, const tuning::architecture& data) {
  const std::size_t bytes = rows.shape.length * rows.shape.element_bytes;
  const bool loses_prefetch =
      rows.prefetch_bytes > 0 && !rows.shape.is_cluster() && bytes > data.placing.long_bytes;
  return time_of(rows, data.times) *
         (1 + data.times.twiddle_elements / rows.shape.elements_per_thread) *
         (loses_prefetch ? data.times.without_prefetch : 1);
}

double time_of_convolved(const tile_shape& shape, const tuning::shapes& measured,
                         const tuning::time_model& times) {
  const auto length = static_cast<unsigned>(shape.length);
  const bool is_prime = shape.as_prime().has_order(), is_of_reals = shape.makes == body::real_rader;
  const auto& list = is_of_reals ? measured.primes_of_reals
                     : is_prime  ? measured.primes
                                 : measured.chirps;
  const auto* entry = entry_of(list, shape);
  if (entry != nullptr && entry->fraction > 0) {
    const double points = is_of_reals ? length + 0.5 : is_prime ? length + 1.0 : (length + 1.0) / 2;
    return points / static_cast<double>(entry->fraction);
  }
  const auto grown = [&](double each, double beyond) {
    return std::pow(each, std::max(std::log2(length / beyond), 0.0));
  };
  const double powers = grown(times.convolved_power_growth, 512);
  const double point = shape.lanes_across ? times.rader_point_across : times.rader_point;
  const double order = is_prime && shape.stage_in ? point * powers : 0;
  if (device::is_power_of_two(length)) return length * (times.convolved_power * powers + order);
  const double cost = shape.as_prime().are_in_threads()
                          ? 0
                          : device::workgroup::stage_cost(length, shape.elements_per_thread);
  const double stages = std::max(cost / times.convolved_stages, times.convolved_least);
  return length * (stages * grown(times.convolved_growth, 2048) + order);
}

double time_of_full(const piece& rows, const tuning::time_model& times) {
  const double part = time_of_convolved(rows.shape, {}, times) / rows.shape.length;
  const bool is_power = device::is_power_of_two(rows.shape.length);
  const double full = is_power ? times.convolved_full : times.convolved_full_mixed;
  return std::max(rows.fraction > 0 ? 1 / rows.fraction : 1, full * part);
}

double time_of_convolved_columns(const piece& columns, const tuning::time_model& times) {
  const tile_shape& shape = columns.shape;
  return std::max(time_of_convolved(shape, {}, times) / static_cast<double>(shape.elements()),
                  times.unmeasured * narrowness(shape, times));
}

}  // namespace wingbeat::planner
