// SPDX-License-Identifier: Apache-2.0
// Which passes make a transform on a device: pure arithmetic, no driver.
#pragma once

#include <cstddef>  // size_t
#include <string>
#include <vector>

#include "planner/pass.hpp"      // pass
#include "wingbeat/devices.hpp"  // device_info
#include "wingbeat/plan.hpp"     // plan_spec

namespace wingbeat::planner {

/// The launches of one run, in order, and the workspace they share.
struct recipe {
  std::vector<pass> passes;
  std::size_t workspace_a_bytes = 0;
  std::size_t workspace_b_bytes = 0;

  [[nodiscard]] std::size_t workspace_bytes() const {
    return workspace_a_bytes + workspace_b_bytes;
  }
  [[nodiscard]] std::size_t traffic_bytes(std::size_t batch) const;
  [[nodiscard]] std::string describe() const;
};

/// Chooses the passes for a validated request, within the device's local memory and workgroups.
/// Throws `plan_error` where the device is too small for any of the known shapes.
[[nodiscard]] recipe make_recipe(const plan_spec& what, const device_info& where);

/// Returns every pass that the tuning data of a device can lead to, one of each shape, for tests
/// that compile them all.
[[nodiscard]] std::vector<pass> every_pass(const device_info& where);

}  // namespace wingbeat::planner
