// SPDX-License-Identifier: Apache-2.0
// Transforms of lines of reals side by side: one in each lane of a strip.
#pragma once

#include <memory>  // shared_ptr

#include "backend/backend.hpp"   // call, lines_of_reals
#include "backend/host/cpu.hpp"  // named_set

namespace wingbeat::backend::host {

/// Returns the transform; null where lines are too few or too long for strips.
[[nodiscard]] std::shared_ptr<const backend::call> make_line_strips(const named_set& kernel_set,
                                                                    const lines_of_reals& request);

}  // namespace wingbeat::backend::host
