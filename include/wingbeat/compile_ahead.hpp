// SPDX-License-Identifier: Apache-2.0
// The kernels of many plans or convolutions, compiled before they are made.
#pragma once

#include <span>

#include "wingbeat/convolution.hpp"  // convolution_spec
#include "wingbeat/plan.hpp"         // plan_spec
#include "wingbeat/queue.hpp"        // queue

namespace wingbeat {

/// Compiles the kernels of plans for the device behind `on`, as many at once as the process has
/// processors, or as the caller's `thread_limit` allows, and keeps them in the kernel cache: the
/// plans find them there, in this process and, unless WINGBEAT_CACHE is off, in later ones. Does
/// nothing more on engines that compile none. Throws as `plan` does, for the first request at
/// fault; kernels of others may be in the cache then.
///
///     compile_ahead(queue, std::vector<plan_spec>{{.lengths = {4096}}, {.lengths = {1 << 20}}});
void compile_ahead(const queue& on, std::span<const plan_spec> specs);

/// The same for convolutions, as many of which are planned at once; memory of the device is taken
/// for each meanwhile, as `convolution` does.
void compile_ahead(const queue& on, std::span<const convolution_spec> specs);

}  // namespace wingbeat
