// SPDX-License-Identifier: Apache-2.0
// The arguments of one launch for engines: a view is its memory and its first element.
#pragma once

#include <array>
#include <cstdint>  // uint64_t
#include <span>
#include <stdexcept>  // logic_error

#include "backend/kernel.hpp"      // kernel_argument, max_kernel_arguments
#include "wingbeat/arguments.hpp"  // kernel_parameter, kernel_argument
#include "wingbeat/kernel.hpp"     // kernel_spec

namespace wingbeat::backend {

/// Returns the number of parameters of an entry for a list: two for each view.
[[nodiscard]] inline unsigned entry_parameters(std::span<const kernel_parameter> parameters) {
  unsigned count = 0;
  for (const kernel_parameter& each : parameters) count += each.is_memory() ? 2 : 1;
  return count;
}
[[nodiscard]] inline unsigned entry_parameters(const kernel_spec& spec) {
  return spec.parameters.empty() ? transform_parameters : entry_parameters(spec.parameters);
}

/// Returns the source of a kernel for an engine.
[[nodiscard]] inline kernel_source source_of(const kernel_spec& spec) {
  return {.text = spec.text,
          .entry = spec.entry,
          .n_parameters = entry_parameters(spec),
          .threads = spec.threads,
          .scratch_bytes = spec.scratch_bytes,
          .resident = spec.resident,
          .path = spec.entry,
          .states_scratch = true};
}

/// The given arguments must live as long as this; views start at a multiple of their elements. A
/// run allocates nothing, so there is room for `max_kernel_arguments`, the limit of requests.
class argument_list {
 public:
  argument_list() = default;
  argument_list(const argument_list&) = delete;  // the list points to its own numbers
  argument_list& operator=(const argument_list&) = delete;

  void add(std::span<const kernel_argument> given) {
    for (const kernel_argument& each : given) push(each);
  }
  /// Adds an argument for each parameter: the first ones, if a run has more for another step.
  void add(std::span<const kernel_parameter> parameters,
           std::span<const wingbeat::kernel_argument> given) {
    for (std::size_t i = 0; i < parameters.size(); ++i) {
      if (!given[i].is_memory()) {
        push({given[i].value().data(), parameters[i].bytes()});
        continue;
      }
      push(kernel_argument::of(given[i].view().handle));
      std::uint64_t& first = firsts_[count_];
      first = given[i].view().offset_bytes / parameters[i].bytes();
      push(kernel_argument::of(first));
    }
  }

  [[nodiscard]] kernel_arguments list() const noexcept { return {list_.data(), count_}; }

 private:
  void push(const kernel_argument& next) {
    if (count_ == max_kernel_arguments) throw std::logic_error("too many kernel arguments");
    list_[count_++] = next;
  }

  std::array<kernel_argument, max_kernel_arguments> list_;
  std::array<std::uint64_t, max_kernel_arguments + 1> firsts_ = {};  // by place in the list
  std::size_t count_ = 0;
};

}  // namespace wingbeat::backend
