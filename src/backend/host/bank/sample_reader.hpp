// SPDX-License-Identifier: Apache-2.0
// Unpacks, counts and converts samples to floats on all threads.
#pragma once

#include <span>

#include "backend/bank.hpp"      // sample_run
#include "backend/host/cpu.hpp"  // named_set

namespace wingbeat::backend::host {

/// See `engine::read_samples`.
void read_samples(const named_set& kernel_set, std::span<const sample_run> runs);

}  // namespace wingbeat::backend::host
