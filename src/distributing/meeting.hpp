// SPDX-License-Identifier: Apache-2.0
// Where the ranks of a domain meet: what they agree on, and where they wait for each other.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "processes/shared_barrier.hpp"  // shared_barrier
#include "wingbeat/domain.hpp"           // domain
#include "wingbeat/error.hpp"            // error

namespace wingbeat::distributing {

/// Has all processes know what became of a step on each of them: where one throws an `error`, all
/// do, naming it. Returns what the steps do, of each process. Collective.
[[nodiscard]] std::vector<std::string> agreed(const domain& ranks,
                                              const std::function<std::string()>& step);

/// Tells the other processes what this one was refused in a call that all of them make: from then
/// on all throw it, because this one cannot make up for the call.
void tell_others(const domain& ranks, const error& refused);

/// Throws `plan_error` unless all processes requested the same `noun`, by what `agreed` returned.
void require_same(const std::vector<std::string>& requests, std::string_view noun);

/// Returns whether it is so on all ranks. Collective.
[[nodiscard]] bool on_all(const domain& ranks, bool is_so);

/// Has work that is queued from now on wait for what is queued on all ranks. Over several
/// processes, which share memory, collective: by the barrier, or without one by TCP.
void wait_for_each_other(const domain& ranks, processes::shared_barrier* barrier);

}  // namespace wingbeat::distributing
