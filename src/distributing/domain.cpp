// SPDX-License-Identifier: Apache-2.0
#include "wingbeat/domain.hpp"

#include "backend/backend.hpp"                          // queue
#include "backend/nccl.hpp"                             // gather_by_nccl
#include "backend/reach.hpp"                            // reaches
#include "distributing/shared_ranks.hpp"                // machine
#include "distributing/transport.hpp"                   // chosen_transport
#include "processes/group.hpp"                          // group, require_patience
#include "text/formatted.hpp"                           // formatted
#include "text/reject.hpp"                              // reject
#include "wingbeat/device/functors/exchange_store.hpp"  // max_exchange_ranks

namespace wingbeat {

static_assert(domain::max_sharing_ranks == device::functors::max_exchange_ranks);

domain domain::of_devices(const std::vector<device_info>& devices) {
  std::vector<queue> queues;
  for (const device_info& device : devices) queues.emplace_back(device);
  return of_queues(std::move(queues));
}

domain domain::of_queues(std::vector<queue> queues) {
  reject_if(queues.empty() || queues.size() > max_sharing_ranks,
            "a domain of {} ranks in one process was requested; choose from 1 to {}", queues.size(),
            max_sharing_ranks);
  for (const queue& each : queues) {
    for (const queue& other : queues) {
      if (backend::reaches(*each.impl(), *other.impl())) continue;
      const device_info &a = each.device(), &b = other.device();
      reject(
          "{} {} ({}) does not reach the memory of {} {} ({}); choose devices with peer access, or "
          "one device several times",
          name_of(a.runs_on), a.index, a.name, name_of(b.runs_on), b.index, b.name);
    }
  }
  return domain{std::move(queues)};
}

domain domain::at(const process_rank& place, const queue& own, const process_manner& how) {
  reject_if(place.size > max_ranks, "a domain of {} ranks was requested; choose from 1 to {}",
            place.size, max_ranks);
  domain result{{own}};
  result.group_ = std::make_shared<processes::group>(place, how.patience_s);
  result.transport_ = std::make_shared<distributing::chosen_transport>(how.may_use_nccl);
  result.may_share_memory_ = how.may_share_memory;
  result.first_ = place.rank;
  result.size_ = place.size;
  return result;
}

domain domain::from_nccl(void* communicator, const queue& own, const std::string& host,
                         const process_manner& how) {
  if (own.device().runs_on != engine::cuda) {
    reject("from_nccl was given a queue of {}; give it one of cuda", name_of(own.device().runs_on));
  }
  processes::require_patience(how.patience_s);
  const std::string machine = distributing::machine();
  const processes::deadline until{how.patience_s};
  const auto [rank, lines] = backend::gather_by_nccl(*own.impl(), communicator, machine,
                                                     [&] { return until.left_ms() > 0; });
  std::size_t n_local = 0, local = 0;
  for (std::size_t other = 0; other < lines.size(); ++other) {
    if (lines[other] != machine) continue;
    if (other == rank) local = n_local;
    ++n_local;
  }
  std::string place = host;
  if (place.empty()) place = n_local == lines.size() ? "127.0.0.1" : processes::machine_name();
  const auto addresses = backend::gather_by_nccl(*own.impl(), communicator,
                                                 formatted("{}:{}", place, processes::free_port()),
                                                 [&] { return until.left_ms() > 0; });
  return at({addresses.texts[0], rank, lines.size(), local}, own, how);
}

void domain::wait() const {
  for (const queue& each : queues_) each.wait();
}

}  // namespace wingbeat
