// SPDX-License-Identifier: Apache-2.0
// Collective functions of a domain's ranks: to agree on something, and to wait for each other.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "processes/shared_barrier.hpp"  // shared_barrier
#include "wingbeat/domain.hpp"           // domain
#include "wingbeat/error.hpp"            // error

namespace wingbeat::distributing {

/// Runs a step on each process and tells all processes its outcome: if the step throws an `error`
/// on one, all throw, naming it. Returns what the steps return, for each process. Collective.
[[nodiscard]] std::vector<std::string> agreed(const domain& ranks,
                                              const std::function<std::string()>& step);

/// Tells the other processes why this one refused a call that all of them make. From then on all of
/// them throw it, because this process cannot make up for the call.
void tell_others(const domain& ranks, const error& refused);

/// Throws `plan_error` unless all processes requested the same `noun`, judged by what `agreed`
/// returned.
void require_same(const std::vector<std::string>& requests, std::string_view noun);

/// Returns whether `is_so` is true on all ranks. Collective.
[[nodiscard]] bool on_all(const domain& ranks, bool is_so);

/// Makes work that is queued from now on wait for what is queued on all ranks. With several
/// processes, which share memory, collective: by the barrier or, without one, by TCP.
void wait_for_each_other(const domain& ranks, processes::shared_barrier* barrier);

}  // namespace wingbeat::distributing
