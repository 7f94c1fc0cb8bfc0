// SPDX-License-Identifier: Apache-2.0
// The counters of an F-engine, under the names that dashboards of correlators know.
#pragma once

#include <array>
#include <cstddef>  // size_t
#include <memory>   // shared_ptr
#include <span>
#include <vector>

#include "control/engine_control.hpp"
#include "control/input_loss.hpp"
#include "control/metrics.hpp"
#include "control/stopwatch.hpp"

namespace wingbeat::control {

/// Counters and gauges of what enters, leaves and is lost. Their names begin with `fgpu_`.
struct engine_metrics {
  engine_metrics(metric_registry& registry, std::span<const stream_info> streams,
                 std::size_t n_pols);

  /// Adds gauges, once: bytes of the receiving sockets' buffers, asked for and granted.
  void set_buffers(std::size_t asked_bytes, std::size_t granted_bytes);

  struct input {
    counter *heaps, *samples, *bytes, *clipped_samples;
    std::array<counter*, n_input_losses> losses;  ///< In the order of `input_losses`.
    std::shared_ptr<stopwatch> age;               ///< Of the latest samples.
  };
  struct output {
    counter *heaps, *bytes, *samples, *skipped_heaps, *failed_heaps;
    std::vector<counter*> clipped_samples;  // [pol]
  };

  std::vector<input> inputs;    // [pol]
  std::vector<output> outputs;  // [stream]
  counter& input_chunks;
  counter& input_metadata_heaps;
  counter& input_socket_drops;

 private:
  metric_registry& registry_;
};

}  // namespace wingbeat::control
