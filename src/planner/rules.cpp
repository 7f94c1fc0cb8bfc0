// SPDX-License-Identifier: Apache-2.0
#include "planner/rules.hpp"

#include <algorithm>  // clamp, max, min, sort
#include <bit>        // bit_floor
#include <map>
#include <memory>  // make_unique
#include <mutex>   // lock_guard
#include <tuple>
#include <type_traits>  // remove_const_t

#include "system/fork_safe_mutex.hpp"              // fork_safe_mutex
#include "wingbeat/device/grid/numbers.hpp"        // tile_shape
#include "wingbeat/device/index.hpp"               // is_power_of_two
#include "wingbeat/device/workgroup/advise.hpp"    // estimated_cost, stage_cost
#include "wingbeat/device/workgroup/estimate.hpp"  // registers_estimate
#include "wingbeat/device/workgroup/schedule.hpp"  // schedule

namespace wingbeat::planner {
namespace {

using device::grid::body;
using device::grid::tile_shape;
using device::workgroup::schedule;

unsigned real_bytes_of(const rule_request& request) {
  return request.element_bytes / 2;
}

/// Returns the length of a run of bytes that neighbouring threads read together.
std::size_t run_bytes(const tile_shape& shape) {
  return shape.length / shape.elements_per_thread * shape.element_bytes;
}

/// Returns whether a GPU's rows are staged, because few threads would read less than a sector.
bool is_staged(const tile_shape& shape, const tuning::architecture& data) {
  return shape.bank_bytes != 0 && run_bytes(shape) < data.placing.sector_bytes;
}

/// Returns the cost of rows whose threads read across the ends of sectors.
unsigned cost_of_access(const tile_shape& shape, const tuning::architecture& data) {
  const tuning::rule_costs& costs = data.costs;
  if (is_staged(shape, data)) return costs.staged_row;
  const std::size_t run = run_bytes(shape), sector = data.placing.sector_bytes;
  if (run % sector == 0) return 0;
  return static_cast<unsigned>(
      std::min<std::size_t>(costs.cut_sector * sector / run, costs.max_cut_sectors));
}

/// Returns the estimated cost of a transform per thread with this shape.
unsigned cost_of(const rule_request& request, const tile_shape& shape,
                 const tuning::architecture& data) {
  const auto length = static_cast<unsigned>(request.length);
  const unsigned elements = shape.elements_per_thread;
  // A processor runs a workgroup's threads one after another: only operations count.
  if (request.bank_bytes == 0) return device::workgroup::stage_cost(length, elements);
  if (request.is_convolved || request.is_of_reals) {
    return device::workgroup::stage_cost(length, elements) +
           data.costs.convolved_element * elements * real_bytes_of(request) / 4;
  }
  const bool is_unpaired = request.is_real_row && elements % 2 != 0;
  const auto with_opposites = [&](unsigned computed) {
    return is_unpaired ? computed * data.costs.unpaired_quarters / 4 : computed;
  };
  // A workgroup of columns has enough threads to hide latency.
  if (shape.lanes_across) {
    return with_opposites(device::workgroup::stage_cost(length, elements)) +
           data.costs.column_element * elements;
  }
  return with_opposites(
             device::workgroup::estimated_cost(length, elements, real_bytes_of(request))) +
         cost_of_access(shape, data);
}

/// Returns the most registers that a compiler gives a thread: warps are allocated four at a time,
/// registers eight at a time.
std::size_t registers_allowed(std::size_t threads, const tuning::rule_costs& costs) {
  const std::size_t taken = (threads + 127) / 128 * 128;
  return costs.registers_of_workgroup / taken / 8 * 8;
}

bool fits(const tile_shape& shape, const rule_request& request, const tuning::rule_costs& costs,
          const device_info& device) {
  if (shape.threads() > device.max_workgroup) return false;
  if (shape.scratch_bytes() > device.local_memory_bytes) return false;
  if (request.bank_bytes == 0) return true;
  const unsigned held =
      schedule{device::order::natural, unsigned(request.length), shape.elements_per_thread}
          .max_registers();
  const bool is_short = request.is_convolved && request.length <= costs.short_convolved;
  if (is_short && held > costs.max_held_of_convolved) return false;
  const unsigned values = request.is_real_row && !shape.lanes_across ? held + held / 2 : held;
  const unsigned registers = device::workgroup::registers_estimate(values, real_bytes_of(request)) *
                             costs.register_quarters / 4;
  return registers <= registers_allowed(shape.threads(), costs);
}

/// Sets the cheapest elements per thread that fit, from `fewest` to `most`, with exchanges in
/// halves if they fit no other way. Returns whether any fit.
bool choose_elements(tile_shape& shape, unsigned fewest, unsigned most, const rule_request& request,
                     const tuning::architecture& data, const device_info& device) {
  unsigned least = ~0U;
  tile_shape trial = shape;
  for (const std::size_t divisor : divisors_of(request.length)) {
    if (divisor > most || (divisor < fewest && request.length > 1)) continue;
    trial.elements_per_thread = static_cast<unsigned>(divisor);
    trial.half_trade = false;
    if (!fits(trial, request, data.costs, device)) {
      trial.half_trade = shape.half_trade;
      if (!trial.half_trade || !fits(trial, request, data.costs, device)) continue;
    }
    const unsigned cost = cost_of(request, trial, data);
    if (cost >= least) continue;
    least = cost;
    shape.elements_per_thread = trial.elements_per_thread;
    shape.half_trade = trial.half_trade;
  }
  return least != ~0U;
}

/// The same, but a GPU's threads get all elements of a large radix if they fit, because otherwise
/// some threads would be idle while others compute its butterflies.
bool choose_elements(tile_shape& shape, unsigned most, const rule_request& request,
                     const tuning::architecture& data, const device_info& device) {
  const unsigned greatest = device::greatest_factor(unsigned(request.length));
  const bool is_large = request.bank_bytes != 0 && greatest >= data.costs.least_whole_radix;
  return (is_large && choose_elements(shape, greatest, most, request, data, device)) ||
         choose_elements(shape, 2, most, request, data, device);
}

tile_shape shape_of(const rule_request& request) {
  tile_shape shape;
  shape.length = request.length;
  shape.element_bytes = request.element_bytes;
  shape.bank_bytes = request.bank_bytes;
  if (request.is_real_row) {
    shape.makes = body::real_row;
    shape.sink = device::grid::row::half_spectrum;
  }
  return shape;
}

unsigned max_elements(const rule_request& request, unsigned rule) {
  if (request.element_bytes < 16 || request.bank_bytes == 0) return rule;
  return std::min(rule, std::max(rule / 2, device::greatest_factor(unsigned(request.length))));
}

std::optional<tuning::shape> find_row(const rule_request& request, const tuning::architecture& data,
                                      const device_info& device) {
  const tuning::row_defaults& rules = data.other_rows;
  if (device::is_power_of_two(request.length) || request.length > rules.longest)
    return std::nullopt;
  tile_shape shape = shape_of(request);
  shape.half_trade = request.bank_bytes != 0;  // allowed
  if (!choose_elements(shape, max_elements(request, rules.max_elements), request, data, device)) {
    return std::nullopt;
  }
  const bool stages = is_staged(shape, data) && !shape.half_trade;
  const unsigned threads_of_workgroup = rules.threads_of_workgroup / (stages ? 2 : 1);
  const std::size_t lanes =
      std::bit_floor(std::max<std::size_t>(threads_of_workgroup / shape.threads(), 1));
  tuning::shape found{.length = request.length,
                      .elements = shape.elements_per_thread,
                      .lanes = static_cast<unsigned>(lanes),
                      .half_trade = shape.half_trade,
                      .prefetch_mib = request.length >= rules.shortest_far_prefetched ? 8U
                                      : request.length >= rules.shortest_prefetched   ? 4U
                                                                                      : 0U};
  found.stage_out = stages;
  found.stage_in = stages && !request.is_real_row;  // pairs of reals are read as fast unstaged
  return found;
}

std::optional<tuning::shape> find_columns(const rule_request& request,
                                          const tuning::architecture& data,
                                          const device_info& device) {
  const tuning::column_defaults& rules = data.other_columns;
  if (request.length > rules.longest) return std::nullopt;
  const std::size_t lanes = std::bit_floor(
      std::clamp<std::size_t>(rules.elements_per_workgroup / request.length, 1, rules.max_columns));
  const unsigned most = request.length > rules.short_length ? rules.elements_per_thread
                                                            : rules.elements_per_thread_of_short;
  if (device::is_power_of_two(request.length)) {
    return tuning::shape{
        .length = request.length,
        .elements = static_cast<unsigned>(std::min<std::size_t>(request.length, most)),
        .lanes = static_cast<unsigned>(lanes)};
  }
  tile_shape shape = shape_of(request);
  shape.lanes_across = true;
  const std::size_t min_lanes = data.placing.sector_bytes / request.element_bytes;
  shape.lanes = static_cast<unsigned>(std::max(lanes, min_lanes));
  const unsigned max_of_mixed = max_elements(request, 2 * rules.elements_per_thread);
  while (true) {
    shape.half_trade = request.bank_bytes != 0;  // allowed
    if (choose_elements(shape, max_of_mixed, request, data, device)) break;
    if (shape.lanes <= min_lanes) return std::nullopt;
    shape.lanes /= 2;
  }
  return tuning::shape{.length = request.length,
                       .elements = shape.elements_per_thread,
                       .lanes = shape.lanes,
                       .half_trade = shape.half_trade};
}

std::optional<tuning::shape> find_lines(const rule_request& request,
                                        const tuning::architecture& data,
                                        const device_info& device) {
  const tuning::column_defaults& rules = data.other_columns;
  if (request.length == 1 || request.length > rules.longest) return std::nullopt;
  tile_shape shape = shape_of(request);
  shape.lanes_across = true;
  const auto least = static_cast<unsigned>(data.placing.sector_bytes / real_bytes_of(request));
  const unsigned most = max_elements(request, rules.elements_per_thread);
  for (shape.lanes = 4 * least; shape.lanes >= least; shape.lanes /= 2) {
    shape.half_trade = request.bank_bytes != 0;  // allowed
    if (choose_elements(shape, most, request, data, device)) break;
  }
  if (shape.lanes < least) {  // without checking registers
    shape.lanes = least;
    shape.elements_per_thread = most;
    if (request.length % most != 0 || shape.threads() > device.max_workgroup ||
        shape.scratch_bytes() > device.local_memory_bytes) {
      return std::nullopt;
    }
  }
  return tuning::shape{.length = request.length,
                       .elements = shape.elements_per_thread,
                       .lanes = shape.lanes,
                       .half_trade = shape.half_trade};
}

/// Returns the shape that a rule finds. With the library's own data, which does not change, earlier
/// results are cached: an axis of any length asks for each part of each length that may convolve
/// it, and these lengths share most parts.
template <auto Rule>
std::optional<tuning::shape> remembered(const rule_request& request,
                                        const tuning::architecture& data,
                                        const device_info& device) {
  if (&data != &tuning::for_device(device)) return Rule(request, data, device);
  constexpr std::size_t max_kept = std::size_t{1} << 16;
  const std::tuple key{&data,
                       device.max_workgroup,
                       device.local_memory_bytes,
                       request.length,
                       request.element_bytes,
                       request.bank_bytes,
                       request.is_real_row,
                       request.is_of_reals,
                       request.is_convolved};
  using kept_shapes = std::map<std::remove_const_t<decltype(key)>, std::optional<tuning::shape>>;
  // Never destroyed: plans may be made at exit.
  static auto& mutex = *std::make_unique<fork_safe_mutex>().release();
  static auto& kept = *std::make_unique<kept_shapes>().release();
  {
    const std::lock_guard held{mutex};
    if (const auto found = kept.find(key); found != kept.end()) return found->second;
  }
  const auto result = Rule(request, data, device);
  const std::lock_guard held{mutex};
  if (kept.size() >= max_kept) kept.clear();
  kept.emplace(key, result);
  return result;
}

}  // namespace

std::vector<std::size_t> divisors_of(std::size_t n) {
  std::vector<std::size_t> divisors{1};
  for (std::size_t prime = 2; n > 1; ++prime) {
    const std::size_t n_before = divisors.size();
    for (std::size_t power = prime; n % prime == 0; n /= prime, power *= prime) {
      for (std::size_t i = 0; i < n_before; ++i) divisors.push_back(divisors[i] * power);
    }
  }
  std::sort(divisors.begin(), divisors.end());
  return divisors;
}

std::vector<std::size_t> even_parts(std::size_t total, unsigned count) {
  std::vector<std::size_t> parts;
  for (; count > 0; --count) {
    const auto divisors = divisors_of(total);
    const auto reaches = [&](std::size_t each) {
      std::size_t product = 1;
      for (unsigned i = 0; i < count && product < total; ++i) product *= each;
      return product >= total;
    };
    const std::size_t share = *std::find_if(divisors.begin(), divisors.end(), reaches);
    parts.push_back(share);
    total /= share;
  }
  return parts;
}

std::optional<tuning::shape> row_by_rule(const rule_request& request,
                                         const tuning::architecture& data,
                                         const device_info& device) {
  return remembered<find_row>(request, data, device);
}

std::optional<tuning::shape> columns_by_rule(const rule_request& request,
                                             const tuning::architecture& data,
                                             const device_info& device) {
  return remembered<find_columns>(request, data, device);
}

std::optional<tuning::shape> lines_by_rule(const rule_request& request,
                                           const tuning::architecture& data,
                                           const device_info& device) {
  return remembered<find_lines>(request, data, device);
}

}  // namespace wingbeat::planner
