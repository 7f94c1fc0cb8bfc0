// SPDX-License-Identifier: Apache-2.0
// The NUMA node that a network interface is connected to, and memory of that node.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace wingbeat::net {

/// Returns the node of interfaces, given by their names in the system: that of their devices, of a
/// VLAN or a bond of the interfaces below. None where a device has no node, as of the loopback
/// interface, or where nodes differ.
[[nodiscard]] std::optional<int> node_of(const std::vector<std::string>& interfaces,
                                         const std::filesystem::path& system = "/sys");

/// Returns in a sentence whose memory packets take, when a preference for the node met this fault.
[[nodiscard]] std::string memory_text(std::optional<int> node, int fault);

/// While it lives, memory that the calling thread is the first to write to comes from the node, as
/// long as it has some (MPOL_PREFERRED). Does nothing without a node.
class memory_preference {
 public:
  explicit memory_preference(std::optional<int> node);
  memory_preference(const memory_preference&) = delete;
  memory_preference& operator=(const memory_preference&) = delete;

  /// Restores what the thread preferred before.
  ~memory_preference();

  /// Returns the number of the fault where the system refused, 0 otherwise.
  [[nodiscard]] int fault() const { return fault_; }

 private:
  static constexpr std::size_t n_words = 16;  // 1,024 nodes, as many as Linux has

  bool is_set_ = false;
  int fault_ = 0;
  int former_mode_ = 0;
  unsigned long former_nodes_[n_words] = {};
};

}  // namespace wingbeat::net
