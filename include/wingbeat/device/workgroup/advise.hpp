// SPDX-License-Identifier: Apache-2.0
// Good parameters of a workgroup's transform for lengths that were not measured.
#pragma once

#include "wingbeat/device/factors.hpp"             // is_product_of_radices
#include "wingbeat/device/index.hpp"               // is_power_of_two, minimum, maximum
#include "wingbeat/device/order.hpp"               // order
#include "wingbeat/device/port.hpp"                // WINGBEAT_FN
#include "wingbeat/device/workgroup/estimate.hpp"  // registers_estimate
#include "wingbeat/device/workgroup/exchange.hpp"  // delivered_bytes, slot_layout
#include "wingbeat/device/workgroup/memory.hpp"    // trade
#include "wingbeat/device/workgroup/schedule.hpp"  // max_held, schedule, stage_search

namespace wingbeat::device::workgroup {

/// A device's limits for one workgroup. The defaults hold on every NVIDIA GPU and on most others.
struct limits {
  unsigned max_workgroup = 1024;
  unsigned local_memory_bytes = 48 * 1024;
  unsigned subgroup = 32;
  unsigned registers = 65536;  ///< 32-bit registers for all threads together.
};

/// Parameters for `shape` and `memory`.
struct advice {
  unsigned elements_per_thread = 0;
  unsigned transforms = 0;
  trade trades = trade::whole;

  /// Whether the device has a shape for this length.
  WINGBEAT_FN constexpr bool is_valid() const { return transforms > 0; }
};

/// Returns, for powers of two, the elements per thread that were fastest, or nearly, on an H200 for
/// kernels that load, transform and store, and for those that also multiply and transform back.
/// `real_bytes` is the size of a real in arithmetic (half_float: 4).
WINGBEAT_FN constexpr unsigned advised_elements(unsigned length, unsigned real_bytes) {
  if (length <= 8) return minimum(length, 2u);
  if (length <= 64) return 4;
  if (length <= 256) return 8;
  if (length <= 4096 || real_bytes == 8) return 16;
  return 32;
}

/// Returns 16 times the operations per element that `stage_search` counts, for a length other than
/// a power of two.
WINGBEAT_FN constexpr unsigned stage_cost(unsigned length, unsigned elements,
                                          order how = order::natural) {
  stage_search search{};
  search.elements = elements;
  return search.cost_of(schedule{how, length, elements}.radices) / elements * 16;
}

/// Returns the estimated cost per element of rows of a length other than a power of two, by threads
/// of `elements`: the operations of their stages, plus a cost for each element of a thread, because
/// few elements leave room for more threads to wait for memory. That cost was chosen so that the
/// fastest choices for 40 lengths on an H200 come first, or nearly. Source:
/// bench/lessons/lengths.md#shapes-of-mixed-lengths.
WINGBEAT_FN constexpr unsigned estimated_cost(unsigned length, unsigned elements,
                                              unsigned real_bytes, order how = order::natural) {
  const unsigned each = length <= 64 ? 128 : length <= 4096 ? 64 : 16;
  return stage_cost(length, elements, how) + each * elements * real_bytes / 4;
}

/// Returns the bytes of local memory that a workgroup of these transforms borrows.
WINGBEAT_FN constexpr unsigned scratch_bytes_of(unsigned length, unsigned elements,
                                                unsigned transforms, unsigned real_bytes, order how,
                                                trade trades, unsigned bank_bytes = 128) {
  if (length == elements && (is_power_of_two(length) || is_radix(length))) return 0;
  const unsigned entry_bytes = real_bytes * (trades == trade::whole ? 2 : 1);
  if (how == order::natural) {
    return delivered_bytes({how, length, elements}, transforms, entry_bytes, bank_bytes);
  }
  return kept_in_place({how, length, elements}, transforms, entry_bytes, bank_bytes).bytes();
}

/// Returns parameters for transforms of `length` on a device of these limits. Powers of two take
/// the measured elements per thread if they fit; otherwise more (at most 32, 16 for fp64) to fit
/// the workgroup, or, in nabla order, fewer to fill a subgroup. Other lengths take the number of
/// least estimated cost that fits. Transforms exchange in halves if local memory requires it. The
/// result is not valid if nothing fits, registers included, or if `length` has a prime factor above
/// 31 or, in nabla order, other than 2. `real_bytes` is the size of a real in arithmetic. Short
/// transforms share a workgroup of 128 threads or a little less.
WINGBEAT_FN constexpr advice advise(unsigned length, unsigned real_bytes, limits device = {},
                                    order how = order::natural) {
  advice result;
  if (!is_product_of_radices(length) || length > (1u << 24)) return result;
  const unsigned most = minimum(real_bytes == 8 ? 16u : 32u, length);
  const auto fits = [&](unsigned elements, unsigned transforms, trade trades) {
    const unsigned threads = transforms * (length / elements);
    const unsigned held = schedule{how, length, elements}.max_registers();
    return threads <= device.max_workgroup &&
           threads * registers_estimate(held, real_bytes) <= device.registers &&
           scratch_bytes_of(length, elements, transforms, real_bytes, how, trades) <=
               device.local_memory_bytes;
  };
  unsigned elements = advised_elements(length, real_bytes);
  if (is_power_of_two(length)) {
    while (elements < most && length / elements > device.max_workgroup) elements *= 2;
    while (how == order::nabla && elements > 2 && length / elements < device.subgroup) {
      elements /= 2;
    }
    if (how == order::nabla && length / elements < device.subgroup) return result;
  } else {
    unsigned least = ~0u;
    for (unsigned e = 2; e <= most; ++e) {
      if (length % e != 0 || length / e > device.max_workgroup) continue;
      if (!schedule{how, length, e}.is_possible()) continue;
      if (!fits(e, 1, trade::whole) && !fits(e, 1, trade::halves)) continue;
      const unsigned cost = estimated_cost(length, e, real_bytes, how);
      if (cost >= least) continue;
      elements = e;
      least = cost;
    }
    if (least == ~0u) return result;
  }
  const trade trades = fits(elements, 1, trade::whole) ? trade::whole : trade::halves;
  if (!fits(elements, 1, trades)) return result;
  result.elements_per_thread = elements;
  result.trades = trades;
  result.transforms = 1;
  const unsigned wanted = maximum(128u, device.subgroup), threads = length / elements;
  while (2 * result.transforms * threads <= wanted &&
         fits(elements, 2 * result.transforms, trades)) {
    result.transforms *= 2;
  }
  return result;
}

}  // namespace wingbeat::device::workgroup
