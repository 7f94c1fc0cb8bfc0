// SPDX-License-Identifier: Apache-2.0
// The filter bank of engines that take heaps in one crossing of this process's memory.
#pragma once

#include <complex>
#include <memory>  // unique_ptr
#include <vector>

#include "backend/backend.hpp"                  // bank
#include "channelising/banks/heap_entries.hpp"  // heap_entries
#include "channelising/banks/views.hpp"         // sample_planes

namespace wingbeat::channelising {

/// Returns the bank of a valid spec, or nullptr on engines that have none.
[[nodiscard]] std::unique_ptr<backend::bank> make_host_bank(engine runs_on,
                                                            const channeliser_spec& spec,
                                                            const sample_planes& planes,
                                                            const std::vector<float>& weights);

/// Runs it; writes the heap, and a count of saturated values for each polarisation.
void run_host_bank(backend::bank& on, buffer_view samples, const heap_entries& entries,
                   buffer_view heap, buffer_view saturated);

}  // namespace wingbeat::channelising
