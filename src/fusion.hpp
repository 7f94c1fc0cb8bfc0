// SPDX-License-Identifier: Apache-2.0
// What a plan asks of the functors it is given.
#pragma once

#include <cstddef>  // size_t

#include "wingbeat/devices.hpp"  // engine
#include "wingbeat/plan.hpp"     // plan_spec

namespace wingbeat {

/// Throws `plan_error` where a functor of `what` is not one that `where` can run.
void require_functors(const plan_spec& what, engine where);

/// Throws `plan_error` where a run would overwrite what a functor has yet to read, or a buffer
/// starts within an element of a functor's.
void require_views(const plan_spec& what, buffer_view in, buffer_view out);

}  // namespace wingbeat
