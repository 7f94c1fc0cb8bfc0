// SPDX-License-Identifier: Apache-2.0
// Short transforms from reals to reals, of one to three axes, by the matrices that define them:
// many transforms side by side, one in each lane, reading and writing memory once.
#pragma once

#include <memory>  // shared_ptr

#include "backend/backend.hpp"   // call
#include "backend/host/cpu.hpp"  // named_set
#include "request/resolved.hpp"  // resolved_spec

namespace wingbeat::backend::host {

/// Returns the call of a request from reals to reals whose axes are all short and which has no
/// functors; null of others.
[[nodiscard]] std::shared_ptr<const backend::call> make_small_reals(
    const named_set& set, const request::resolved_spec& request);

}  // namespace wingbeat::backend::host
