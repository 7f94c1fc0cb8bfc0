// SPDX-License-Identifier: Apache-2.0
// A short-time transform's request: what is refused, and its bytes.
#pragma once

#include <cstddef>  // size_t

#include "wingbeat/devices.hpp"     // device_info
#include "wingbeat/short_time.hpp"  // short_time_spec

namespace wingbeat::short_times {

/// Throws `plan_error`, naming the field at fault, unless a device can run it.
void require_valid(const short_time_spec& spec, const device_info& device);

[[nodiscard]] std::size_t bytes_of(sample_type samples) noexcept;

/// Returns the bytes of a number of `real()`, and of one of the samples that gradients and inverses
/// have.
[[nodiscard]] std::size_t real_bytes(const short_time_spec& spec);
[[nodiscard]] std::size_t value_bytes(const short_time_spec& spec);

[[nodiscard]] std::size_t all_frames(const short_time_spec& spec);
[[nodiscard]] std::size_t result_bytes(const short_time_spec& spec);
[[nodiscard]] std::size_t spectra_bytes(const short_time_spec& spec);

}  // namespace wingbeat::short_times
