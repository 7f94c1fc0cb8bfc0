// SPDX-License-Identifier: Apache-2.0
// The expected time of transforms, on one device and on several.
#pragma once

#include <cstddef>  // size_t

#include "wingbeat/devices.hpp"  // device_info

namespace wingbeat::distributing {

/// Speeds in bytes per second, and the time of ranks to wait for each other.
struct device_speed {
  double memory = 3.0e12;  ///< Reads and writes, measured on an H100.
  double link = 365e9;     ///< Stores to another H100 of the host, in runs of at least 128 bytes.
  double unaligned_link = 240e9;  ///< The same for runs that begin anywhere, measured too.
  double scattered_link = 60e9;   ///< The same for runs of 8 bytes, measured on an H200.
  /// Copies of rows shorter than `short_row_bytes`: 96e9 for 4 KiB, 145e9 for 64 KiB, on an H100.
  /// What columns of one axis leave has this speed too, with rows of 128 to 512 KiB.
  double short_row_link = 95e9;
  static constexpr std::size_t short_row_bytes = std::size_t{1} << 17;
  double wait_s = 15e-6;

  /// Between processes, through their memory and a network of 10 Gb/s; not measured.
  static device_speed between_processes(const device_info& device);
};

/// Returns the measured speed of the device, or else of an H100, because only ratios matter.
[[nodiscard]] device_speed speed_of(const device_info& device);

/// The bytes that ranks move at once in a phase.
struct phase_bytes {
  std::size_t moved = 0;                            ///< Through the memory of the busiest device,
  std::size_t beside_sent = 0;                      ///< the part of it while others are sent.
  std::size_t sent = 0;                             ///< Bytes sent by the rank that sends most.
  bool is_unaligned = false, is_scattered = false;  ///< See `phased_transform`.
  bool has_short_rows = false;                      ///< Rows of copies are short.
};

[[nodiscard]] double seconds_of(const device_speed& speed, phase_bytes bytes);

/// Several devices are used if their expected time is less than this share of the time of one
/// device, whose caches hold small arrays.
inline constexpr double least_gain = 0.95;

}  // namespace wingbeat::distributing
