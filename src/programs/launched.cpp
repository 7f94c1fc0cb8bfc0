// SPDX-License-Identifier: Apache-2.0
#include "programs/launched.hpp"

#include <utility>  // move

namespace wingbeat::programs {

kernel_launch launched(const kernel_text::kernel_body& body, const std::vector<argument>& arguments,
                       std::size_t workgroups, std::string description) {
  kernel_launch launch{.workgroups = workgroups, .description = std::move(description)};
  std::vector<kernel_parameter> parameters;
  for (const argument& each : arguments) {
    parameters.push_back(each.parameter);
    launch.arguments.push_back(each.source);
  }
  launch.kernel = kernel_text::kernel_of(body, std::move(parameters));
  return launch;
}

}  // namespace wingbeat::programs
