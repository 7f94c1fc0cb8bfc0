// SPDX-License-Identifier: Apache-2.0
// What programs work on and report alike: noise, the head of a document of results, times in it.
#pragma once

#include <cstddef>  // byte, size_t
#include <cstdlib>  // getenv
#include <nlohmann/json.hpp>
#include <random>  // mt19937
#include <string>
#include <vector>

#include "measure/rounds.hpp"    // timed_run
#include "wingbeat/devices.hpp"  // device_info

namespace wingbeat::bench {

/// Returns noise in [-1, 1).
inline std::vector<float> noise(std::size_t count, unsigned seed = 1) {
  std::mt19937 bits{seed};
  std::vector<float> x(count);
  for (float& each : x) each = static_cast<float>(bits() >> 8) * 0x1p-23F - 1;
  return x;
}

/// Returns noise of all bits.
inline std::vector<std::byte> noise_bytes(std::size_t count, unsigned seed) {
  std::vector<std::byte> bytes(count);
  for (std::byte& each : bytes) {
    seed = seed * 1664525 + 1013904223;
    each = static_cast<std::byte>(seed >> 24);
  }
  return bytes;
}

/// Returns a document of this schema, and of the commit that WINGBEAT_COMMIT names.
inline nlohmann::ordered_json document_of(const std::string& schema) {
  const char* const commit = std::getenv("WINGBEAT_COMMIT");
  return {{"schema", schema}, {"commit", commit == nullptr ? "unknown" : commit}};
}

/// The same on a device, with what else all its results have in common.
inline nlohmann::ordered_json document_of(const std::string& schema, const device_info& device,
                                          const nlohmann::ordered_json& others) {
  nlohmann::ordered_json document = document_of(schema);
  document["device"] = device.name;
  document.update(others);
  return document;
}

inline nlohmann::ordered_json times_of(const measure::timed_run& run) {
  return {{"median", run.median_s()}, {"min", run.min_s()}, {"max", run.max_s()}};
}

}  // namespace wingbeat::bench
