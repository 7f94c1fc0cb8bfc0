// SPDX-License-Identifier: Apache-2.0
#include "control/engine_metrics.hpp"

#include <string>
#include <utility>  // move

namespace wingbeat::control {

engine_metrics::engine_metrics(metric_registry& registry, std::span<const stream_info> streams,
                               std::size_t n_pols)
    : input_chunks(registry.add("fgpu_input_chunks_total", "Chunks of input processed")),
      input_metadata_heaps(registry.add("fgpu_input_metadata_heaps_total",
                                        "Heaps without samples, such as descriptors")),
      input_socket_drops(registry.add("fgpu_input_socket_drops_total",
                                      "Messages that the system dropped, as a socket was full")),
      registry_(registry) {
  for (std::size_t pol = 0; pol < n_pols; ++pol) {
    const metric_labels labels{{"pol", std::to_string(pol)}};
    const auto add = [&](const std::string& name, const char* help) {
      return &registry.add("fgpu_input_" + name + "_total", help, labels);
    };
    input counters{add("heaps", "Heaps received"),
                   add("samples", "Samples received"),
                   add("bytes", "Bytes of samples received"),
                   add("clipped_samples", "Samples that the digitiser reports as clipped"),
                   {},
                   std::make_shared<stopwatch>()};
    for (std::size_t i = 0; i < n_input_losses; ++i) {
      counters.losses[i] = add(input_losses[i].metric, input_losses[i].description);
    }
    registry.add_gauge("fgpu_input_age_seconds",
                       "Time since samples were received last, or since the start", labels,
                       [age = counters.age] { return age->elapsed_s(); });
    inputs.push_back(std::move(counters));
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
        add("fgpu_output_failed_heaps_total", "Heaps of which the system refused a packet"),
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
