// SPDX-License-Identifier: Apache-2.0
// The filter bank of engines that take heaps in one crossing of this process's memory.
#pragma once

#include <complex>
#include <memory>  // unique_ptr
#include <vector>

#include "backend/backend.hpp"           // bank
#include "channelising/filter_bank.hpp"  // sample_planes, spectrum_entry

namespace wingbeat::channelising {

/// Returns the bank of a valid spec, or nullptr on engines that have none.
[[nodiscard]] std::unique_ptr<backend::bank> make_host_bank(engine runs_on,
                                                            const channeliser_spec& spec,
                                                            const sample_planes& planes,
                                                            const std::vector<float>& weights);

/// Runs it; arguments as of `filter_bank::run`, with the heap and the counts that it writes.
void run_host_bank(backend::bank& on, buffer_view samples,
                   const std::vector<spectrum_entry>& entries,
                   const std::vector<std::complex<float>>& gains, buffer_view heap,
                   const buffer& saturated);

}  // namespace wingbeat::channelising
