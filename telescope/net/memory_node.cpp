// SPDX-License-Identifier: Apache-2.0
#include "net/memory_node.hpp"

#include <linux/mempolicy.h>  // MPOL_PREFERRED
#include <sys/syscall.h>      // SYS_set_mempolicy
#include <unistd.h>           // syscall

#include <cerrno>
#include <fstream>
#include <set>
#include <system_error>  // generic_category

#include "text/formatted.hpp"

namespace wingbeat::net {
namespace {

constexpr std::size_t word_bits = 8 * sizeof(unsigned long);
constexpr int max_levels = 4;  // a VLAN on a bond on devices

/// Adds the nodes of the devices through which an interface sends; -1 for none.
void add_nodes(const std::filesystem::path& interface, int n_levels, std::set<int>& nodes) {
  int node = -1;
  std::ifstream file{interface / "device" / "numa_node"};
  bool has_lower = false;
  std::error_code absent;
  if (!file && n_levels > 0) {
    for (const auto& entry : std::filesystem::directory_iterator{interface, absent}) {
      if (!entry.path().filename().string().starts_with("lower_")) continue;
      has_lower = true;
      add_nodes(entry.path(), n_levels - 1, nodes);
    }
  }
  if (has_lower) return;
  file >> node;
  nodes.insert(file ? node : -1);
}

}  // namespace

std::optional<int> node_of(const std::vector<std::string>& interfaces,
                           const std::filesystem::path& system) {
  std::set<int> nodes;
  for (const std::string& name : interfaces) {
    add_nodes(system / "class" / "net" / name, max_levels, nodes);
  }
  if (nodes.size() != 1 || *nodes.begin() < 0) return {};
  return *nodes.begin();
}

std::string memory_text(std::optional<int> node, int fault) {
  if (!node) return "the receiving interfaces have no NUMA node in common: memory is of any node";
  if (fault == 0) return formatted("memory of packets is of NUMA node {}, the interfaces'", *node);
  return formatted(
      "the system refuses memory of NUMA node {}, the interfaces' ({}): memory is of any "
      "node",
      *node, std::generic_category().message(fault));
}

// Uses system calls, because libnuma would be a further package for two of them.
memory_preference::memory_preference(std::optional<int> node) {
  constexpr std::size_t n_bits = n_words * word_bits;
  if (!node || *node < 0 || static_cast<std::size_t>(*node) >= n_bits) return;
  unsigned long nodes[n_words] = {};
  const auto bit = static_cast<std::size_t>(*node);
  nodes[bit / word_bits] = 1ul << bit % word_bits;
  // The kernel takes one bit fewer than it is told.
  is_set_ = syscall(SYS_get_mempolicy, &former_mode_, former_nodes_, n_bits, nullptr, 0) == 0 &&
            syscall(SYS_set_mempolicy, MPOL_PREFERRED, nodes, n_bits + 1) == 0;
  if (!is_set_) fault_ = errno;
}

memory_preference::~memory_preference() {
  if (is_set_) syscall(SYS_set_mempolicy, former_mode_, former_nodes_, n_words * word_bits + 1);
}

}  // namespace wingbeat::net
