// SPDX-License-Identifier: Apache-2.0
#include "distributing/shared_ranks.hpp"

#include <fstream>
#include <string>

#include "backend/shared_memory.hpp"  // share, open_shared
#include "distributing/meeting.hpp"   // on_all
#include "processes/group.hpp"        // group
#include "wingbeat/error.hpp"         // device_error

namespace wingbeat::distributing {
namespace {

/// Smaller allocations of CUDA share pages, and whole pages are opened.
constexpr std::size_t page_bytes = std::size_t{1} << 21;

/// Returns the memory of the others that can be opened.
peer_memory opened_where_possible(const domain& ranks, const std::vector<std::string>& shared) {
  peer_memory opened(ranks.size());
  for (std::size_t rank = 0; rank < ranks.size(); ++rank) {
    if (ranks.has(rank) || shared[rank].empty()) continue;
    opened[rank] = backend::open_shared(ranks.at(ranks.first()).impl(), shared[rank]);
  }
  return opened;
}

bool is_complete(const domain& ranks, const std::vector<std::string>& shared,
                 const peer_memory& opened) {
  for (std::size_t rank = 0; rank < ranks.size(); ++rank) {
    if (!ranks.has(rank) && !shared[rank].empty() && opened[rank] == nullptr) return false;
  }
  return true;
}

std::string shared_by(const domain& ranks, const buffer& own) {
  if (own.size_bytes() == 0) return {};
  return backend::share(*ranks.at(ranks.first()).impl(), own.view().handle);
}

}  // namespace

std::string machine() {
  std::string text = processes::machine_name(), boot;
  std::getline(std::ifstream{"/proc/sys/kernel/random/boot_id"}, boot);
  return text + " " + boot;
}

std::size_t shared_size(std::size_t size_bytes) {
  return (size_bytes + page_bytes - 1) / page_bytes * page_bytes;
}

peer_memory opened_by_all(const domain& ranks, const buffer& own) {
  const std::vector<std::string> shared = ranks.group()->gather(shared_by(ranks, own));
  peer_memory opened = opened_where_possible(ranks, shared);
  if (on_all(ranks, is_complete(ranks, shared, opened))) return opened;
  throw device_error("memory of a rank could not be opened by all others; share none");
}

bool shares_memory(const domain& ranks) {
  if (ranks.size() > domain::max_sharing_ranks) return false;
  const std::vector<std::string> machines = ranks.group()->gather(machine());
  for (const std::string& each : machines) {
    if (each != machines.front()) return false;
  }
  const buffer probe{ranks.at(ranks.first()), page_bytes};
  const std::vector<std::string> shared = ranks.group()->gather(shared_by(ranks, probe));
  bool is_so = true;
  for (const std::string& each : shared) is_so &= !each.empty();
  is_so &= is_complete(ranks, shared, opened_where_possible(ranks, shared));
  return on_all(ranks, is_so);  // when all have closed the memory
}

}  // namespace wingbeat::distributing
