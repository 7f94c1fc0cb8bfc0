// SPDX-License-Identifier: Apache-2.0
// Compiles the kernels of many plans or convolutions before those are made.
#pragma once

#include <span>

#include "wingbeat/convolution.hpp"  // convolution_spec
#include "wingbeat/plan.hpp"         // plan_spec
#include "wingbeat/queue.hpp"        // queue

namespace wingbeat {

/// Compiles the kernels of plans for the device behind `on` and keeps them in the kernel cache,
/// where the plans find them: in this process and, unless WINGBEAT_CACHE is off, in later ones. It
/// compiles as many at once as the process has processors, or as the caller's `thread_limit`
/// allows. Engines that compile no kernels only validate. Throws as `plan` does, for the first
/// request at fault; the kernels of other requests may be in the cache then.
///
///     compile_ahead(queue, std::vector<plan_spec>{{.lengths = {4096}}, {.lengths = {1 << 20}}});
void compile_ahead(const queue& on, std::span<const plan_spec> specs);

/// The same for convolutions. As many are planned at once, each of which takes device memory
/// meanwhile, as `convolution` does.
void compile_ahead(const queue& on, std::span<const convolution_spec> specs);

}  // namespace wingbeat
