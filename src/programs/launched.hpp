// SPDX-License-Identifier: Apache-2.0
// The launch of a kernel of device headers, with its arguments.
#pragma once

#include <cstddef>  // size_t
#include <string>
#include <vector>

#include "kernel_text/kernel_body.hpp"  // kernel_body
#include "programs/program.hpp"         // kernel_launch, argument

namespace wingbeat::programs {

[[nodiscard]] kernel_launch launched(const kernel_text::kernel_body& body,
                                     const std::vector<argument>& arguments, std::size_t workgroups,
                                     std::string description);

}  // namespace wingbeat::programs
