// SPDX-License-Identifier: Apache-2.0
// Transforms from reals to reals as programs: one complex or real transform for each axis, between
// a load and a store of lines (device/functors/reductions.hpp).
#pragma once

#include <memory>  // shared_ptr

#include "backend/backend.hpp"   // engine, queue
#include "programs/program.hpp"  // program
#include "request/resolved.hpp"  // resolved_spec

namespace wingbeat::programs {

/// Returns the steps of a validated transform: the engine's own or, if it has no transforms from
/// reals to reals, those of the inner transforms that make them.
[[nodiscard]] program transform_program(const backend::engine& engine,
                                        const std::shared_ptr<backend::queue>& on,
                                        const request::resolved_spec& request);

}  // namespace wingbeat::programs
