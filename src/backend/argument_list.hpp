// SPDX-License-Identifier: Apache-2.0
// The arguments of one launch as engines take them: of a view its memory and its first element.
#pragma once

#include <cstdint>  // uint64_t
#include <span>
#include <vector>

#include "backend/kernel.hpp"      // kernel_argument, most_kernel_arguments
#include "wingbeat/arguments.hpp"  // kernel_parameter, kernel_argument

namespace wingbeat::backend {

/// Returns the parameters that an entry has for a list: two for each view.
[[nodiscard]] inline unsigned entry_parameters(std::span<const kernel_parameter> parameters) {
  unsigned count = 0;
  for (const kernel_parameter& each : parameters) count += each.is_memory() ? 2 : 1;
  return count;
}

/// What it is made of must live as long as this; views start at a multiple of their elements.
class argument_list {
 public:
  argument_list() { firsts_.reserve(most_kernel_arguments); }  // the list points to them
  argument_list(const argument_list&) = delete;
  argument_list& operator=(const argument_list&) = delete;

  void add(std::span<const kernel_argument> given) {
    list_.insert(list_.end(), given.begin(), given.end());
  }
  void add(std::span<const kernel_parameter> parameters,
           std::span<const wingbeat::kernel_argument> given) {
    for (std::size_t i = 0; i < given.size(); ++i) {
      if (!given[i].is_memory()) {
        list_.push_back({given[i].value().data(), parameters[i].bytes()});
        continue;
      }
      firsts_.push_back(given[i].view().offset_bytes / parameters[i].bytes());
      list_.push_back(kernel_argument::of(given[i].view().handle));
      list_.push_back(kernel_argument::of(firsts_.back()));
    }
  }

  [[nodiscard]] kernel_arguments list() const noexcept { return list_; }

 private:
  std::vector<std::uint64_t> firsts_;
  std::vector<kernel_argument> list_;
};

}  // namespace wingbeat::backend
