// SPDX-License-Identifier: Apache-2.0
#include "control/engine_metrics.hpp"

#include <string>
#include <utility>  // move

namespace wingbeat::control {

engine_metrics::engine_metrics(metric_registry& registry, std::span<const stream_info> streams,
                               std::size_t n_pols)
    : input_chunks(registry.add("fgpu_input_chunks_total", "Chunks of input processed")),
      input_too_old_heaps(
          registry.add("fgpu_input_too_old_heaps_total", "Heaps that arrived after their chunk")),
      input_metadata_heaps(registry.add("fgpu_input_metadata_heaps_total",
                                        "Heaps without samples, such as descriptors")),
      input_bad_timestamp_heaps(registry.add("fgpu_input_bad_timestamp_heaps_total",
                                             "Heaps with a timestamp between those of packets")),
      registry_(registry) {
  for (std::size_t pol = 0; pol < n_pols; ++pol) {
    const metric_labels labels{{"pol", std::to_string(pol)}};
    const auto add = [&](const char* name, const char* help) {
      return &registry.add(name, help, labels);
    };
    const auto age = std::make_shared<stopwatch>();
    registry.add_gauge("fgpu_input_age_seconds",
                       "Time since samples were received last, or since the start", labels,
                       [age] { return age->elapsed_s(); });
    inputs.push_back(
        {add("fgpu_input_heaps_total", "Heaps received"),
         add("fgpu_input_samples_total", "Samples received"),
         add("fgpu_input_bytes_total", "Bytes of samples received"),
         add("fgpu_input_missing_heaps_total", "Heaps that did not arrive"),
         add("fgpu_input_clipped_samples_total", "Samples that the digitiser reports as clipped"),
         age});
  }
  for (const stream_info& stream : streams) {
    const metric_labels labels{{"stream", stream.name}};
    const auto add = [&](const char* name, const char* help) {
      return &registry.add(name, help, labels);
    };
    output counters{
        add("fgpu_output_heaps_total", "Heaps sent"),
        add("fgpu_output_bytes_total", "Bytes of heaps sent"),
        add("fgpu_output_samples_total", "Complex samples sent"),
        add("fgpu_output_skipped_heaps_total", "Heaps withheld as their input was missing"),
        {}};
    for (std::size_t pol = 0; pol < n_pols; ++pol) {
      counters.clipped_samples.push_back(
          &registry.add("fgpu_output_clipped_samples_total", "Complex samples clipped and sent",
                        {{"stream", stream.name}, {"pol", std::to_string(pol)}}));
    }
    outputs.push_back(std::move(counters));
  }
}

void engine_metrics::set_buffers(std::size_t asked_bytes, std::size_t granted_bytes) {
  const auto add = [&](const char* name, const char* help, std::size_t n_bytes) {
    registry_.add_gauge(name, help, {}, [=] { return static_cast<double>(n_bytes); });
  };
  add("fgpu_input_buffer_asked_bytes", "Socket buffers that were asked for", asked_bytes);
  add("fgpu_input_buffer_bytes", "Socket buffers that the system granted", granted_bytes);
}

}  // namespace wingbeat::control
