// SPDX-License-Identifier: Apache-2.0
#include "wingbeat/domain.hpp"

#include "backend/reach.hpp"                            // reaches
#include "formatted.hpp"                                // formatted
#include "processes/group.hpp"                          // group
#include "wingbeat/device/functors/exchange_store.hpp"  // max_exchange_ranks
#include "wingbeat/error.hpp"                           // plan_error

namespace wingbeat {

static_assert(domain::max_ranks == device::functors::max_exchange_ranks);

domain domain::of_devices(const std::vector<device_info>& devices) {
  std::vector<queue> queues;
  for (const device_info& device : devices) queues.emplace_back(device);
  return of_queues(std::move(queues));
}

domain domain::of_queues(std::vector<queue> queues) {
  if (queues.empty() || queues.size() > max_ranks) {
    throw plan_error(formatted("a domain of {} ranks was requested; choose from 1 to {}",
                               queues.size(), max_ranks));
  }
  for (const queue& each : queues) {
    for (const queue& other : queues) {
      if (backend::reaches(*each.impl(), *other.impl())) continue;
      const device_info &a = each.device(), &b = other.device();
      throw plan_error(formatted(
          "{} {} ({}) does not reach the memory of {} {} ({}); choose devices with peer access, or "
          "one device several times",
          name_of(a.runs_on), a.index, a.name, name_of(b.runs_on), b.index, b.name));
    }
  }
  return domain{std::move(queues)};
}

domain domain::at(const process_rank& place, const queue& own, const process_manner& how) {
  if (place.size > max_ranks) {
    throw plan_error(formatted("a domain of {} ranks was requested; choose from 1 to {}",
                               place.size, max_ranks));
  }
  domain result{{own}};
  result.group_ = std::make_shared<processes::group>(place, how.patience_s);
  result.may_share_memory_ = how.may_share_memory;
  result.first_ = place.rank;
  result.size_ = place.size;
  return result;
}

void domain::wait() const {
  for (const queue& each : queues_) each.wait();
}

}  // namespace wingbeat
