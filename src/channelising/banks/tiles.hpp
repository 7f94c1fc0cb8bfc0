// SPDX-License-Identifier: Apache-2.0
// The compile-time numbers of the device's filter banks: those of a description, and the tiles of a
// bank in one launch, whose rows fit the local memory of a workgroup.
#pragma once

#include <optional>

#include "wingbeat/channeliser.hpp"                // channeliser_spec
#include "wingbeat/device/channeliser/filter.hpp"  // bank_numbers
#include "wingbeat/devices.hpp"                    // device_info

namespace wingbeat::channelising {

/// Returns the numbers of a valid spec, with tiles of one row.
[[nodiscard]] device::channeliser::bank_numbers numbers_of(const channeliser_spec& spec);

/// How the tiles of a bank are cut for a device.
struct bank_tiles {
  device::channeliser::bank_numbers numbers;
  unsigned resident = 1;  ///< Workgroups at once on a multiprocessor.
  unsigned scratch_bytes = 0;
};

/// Returns the tiles for real samples, or nothing if no tile fits.
[[nodiscard]] std::optional<bank_tiles> tiles_of(const channeliser_spec& spec,
                                                 const device_info& device);

/// Returns the bytes of local memory of a workgroup of such tiles.
[[nodiscard]] unsigned scratch_bytes_of(const device::channeliser::bank_numbers& numbers);

}  // namespace wingbeat::channelising
