// SPDX-License-Identifier: Apache-2.0
// The NUMA node of a network interface, and memory of that node.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace wingbeat::net {

/// Returns the node of interfaces, given by their names in the system: the node of their devices
/// or, for a VLAN or a bond, of the interfaces below. None if a device has no node, like the
/// loopback interface, or if nodes differ.
[[nodiscard]] std::optional<int> node_of(const std::vector<std::string>& interfaces,
                                         const std::filesystem::path& system = "/sys");

/// Returns a sentence about the node of packets' memory; `fault` is that of a `memory_preference`.
[[nodiscard]] std::string memory_text(std::optional<int> node, int fault);

/// During its lifetime, memory that the calling thread is the first to write to comes from the
/// node, as long as the node has some (MPOL_PREFERRED). Does nothing without a node.
class memory_preference {
 public:
  explicit memory_preference(std::optional<int> node);
  memory_preference(const memory_preference&) = delete;
  memory_preference& operator=(const memory_preference&) = delete;

  /// Restores the thread's former preference.
  ~memory_preference();

  /// Returns the number of the fault if the system refused, 0 otherwise.
  [[nodiscard]] int fault() const { return fault_; }

 private:
  static constexpr std::size_t n_words = 16;  // 1,024 nodes, Linux's maximum

  bool is_set_ = false;
  int fault_ = 0;
  int former_mode_ = 0;
  unsigned long former_nodes_[n_words] = {};
};

}  // namespace wingbeat::net
