// SPDX-License-Identifier: Apache-2.0
// Plans of the host engine.
#pragma once

#include <memory>  // shared_ptr

#include "backend/backend.hpp"   // call
#include "backend/host/cpu.hpp"  // named_set

namespace wingbeat::backend::host {

/// Makes the plan of a validated request with the kernels of one instruction set.
[[nodiscard]] std::shared_ptr<const backend::call> make_plan(const named_set& kernel_set,
                                                             const request::resolved_spec& request);

}  // namespace wingbeat::backend::host
