// SPDX-License-Identifier: Apache-2.0
#include "fengine/engine_metrics.hpp"

#include "fengine/input_losses.hpp"  // input_loss_counts
#include "text/formatted.hpp"        // formatted

namespace wingbeat::fengine {
namespace {

using control::metric_labels;
using receive::polarisation_counts;

/// A count and its metric.
template <class Counts>
struct count_metric {
  const char *name, *help;
  std::uint64_t Counts::*count;
};

constexpr count_metric<polarisation_counts> received[] = {
    {"fgpu_input_heaps_total", "Heaps received", &polarisation_counts::packets},
    {"fgpu_input_samples_total", "Samples received", &polarisation_counts::samples},
    {"fgpu_input_bytes_total", "Bytes of samples received", &polarisation_counts::bytes},
    {"fgpu_input_clipped_samples_total", "Samples that the digitiser reports as clipped",
     &polarisation_counts::saturated_samples}};

constexpr count_metric<transmit::sender_counts> sent[] = {
    {"fgpu_output_heaps_total", "Heaps sent", &transmit::sender_counts::heaps},
    {"fgpu_output_bytes_total", "Bytes of heaps sent", &transmit::sender_counts::bytes},
    {"fgpu_output_samples_total", "Complex samples sent", &transmit::sender_counts::samples},
    {"fgpu_output_skipped_heaps_total", "Heaps withheld as their input was missing",
     &transmit::sender_counts::skipped_heaps},
    {"fgpu_output_failed_heaps_total", "Heaps of which the system refused a packet",
     &transmit::sender_counts::failed_heaps}};

void add_input(control::metric_registry& registry, const engine& engine, std::size_t pol) {
  const metric_labels labels{{"pol", std::to_string(pol)}};
  const auto add = [&](const std::string& name, const char* help,
                       std::uint64_t polarisation_counts::*count) {
    registry.add(name, help, labels, [&engine, pol, count] {
      return static_cast<double>(engine.received().polarisations[pol].*count);
    });
  };
  for (const auto& each : received) add(each.name, each.help, each.count);
  for (std::size_t i = 0; i < control::n_input_losses; ++i) {
    const control::input_loss& loss = control::input_losses[i];
    add(formatted("fgpu_input_{}_total", loss.metric), loss.description, input_loss_counts[i]);
  }
  registry.add("fgpu_input_age_seconds",
               "Time since samples were received last, or since the start", labels,
               [&engine, pol] { return engine.input_age_s(pol); });
}

void add_output(control::metric_registry& registry, const engine& engine, std::size_t stream) {
  const std::string& name = engine.streams()[stream].name;
  for (const auto& each : sent) {
    registry.add(each.name, each.help, {{"stream", name}}, [&engine, stream, count = each.count] {
      return static_cast<double>(engine.counts(stream).sent.*count);
    });
  }
  for (std::size_t pol = 0; pol < engine.n_pols(); ++pol) {
    registry.add("fgpu_output_clipped_samples_total", "Complex samples clipped and sent",
                 {{"stream", name}, {"pol", std::to_string(pol)}}, [&engine, stream, pol] {
                   return static_cast<double>(engine.counts(stream).saturated[pol]);
                 });
  }
}

}  // namespace

void add_engine_metrics(control::metric_registry& registry, const engine& engine) {
  const auto add = [&](const char* name, const char* help, auto read) {
    registry.add(name, help, {}, [read] { return static_cast<double>(read()); });
  };
  add("fgpu_input_chunks_total", "Chunks of input processed",
      [&engine] { return engine.received().chunks; });
  add("fgpu_input_metadata_heaps_total", "Heaps without samples, such as descriptors",
      [&engine] { return engine.received().without_samples(); });
  add("fgpu_input_socket_drops_total", "Messages that the system dropped, as a socket was full",
      [&engine] { return engine.received().socket_drops; });
  const net::socket_buffers buffers = engine.receive_buffers();
  add("fgpu_input_buffer_asked_bytes", "Socket buffers that were asked for",
      [buffers] { return buffers.asked_bytes; });
  add("fgpu_input_buffer_bytes", "Socket buffers that the system granted",
      [buffers] { return buffers.granted_bytes; });
  for (std::size_t pol = 0; pol < engine.n_pols(); ++pol) add_input(registry, engine, pol);
  for (std::size_t i = 0; i < engine.streams().size(); ++i) add_output(registry, engine, i);
}

}  // namespace wingbeat::fengine
