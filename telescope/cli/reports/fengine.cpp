// SPDX-License-Identifier: Apache-2.0
#include "cli/reports/fengine.hpp"

#include "measure/document_text.hpp"  // document_text
#include "text/counted.hpp"           // counted
#include "text/formatted.hpp"         // formatted

namespace wingbeat::cli {
namespace {

using json = nlohmann::ordered_json;

json received_json(const receive::receive_counts& counts, std::size_t n_pols) {
  json document{{"datagrams", counts.datagrams},
                {"placed", counts.placed()},
                {"polarisations", json::array()},
                {"undecodable", counts.undecodable}};
  for (const auto& [name, count] : receive::receive_fields) document[name] = counts.*count;
  for (const auto& [name, count] : receive::reject_fields) document[name] = counts.sum(count);
  for (std::size_t pol = 0; pol < n_pols; ++pol) {
    json& each = document["polarisations"].emplace_back();
    for (const auto& [name, count] : receive::polarisation_fields) {
      each[name] = counts.polarisations[pol].*count;
    }
  }
  return document;
}

json output_json(const std::string& name, const fengine::output_counts& counts) {
  return {{"name", name},
          {"batches_made", counts.batches.sent},
          {"batches_withheld", counts.batches.withheld},
          {"batches_skipped", counts.batches.skipped},
          {"heaps", counts.sent.heaps},
          {"bytes", counts.sent.bytes},
          {"samples", counts.sent.samples},
          {"skipped_heaps", counts.sent.skipped_heaps},
          {"failed_heaps", counts.sent.failed_heaps},
          {"packets", counts.sent.packets},
          {"failed_packets", counts.sent.failed_packets},
          {"descriptor_heaps", counts.sent.descriptor_heaps},
          {"stop_heaps", counts.sent.stop_heaps},
          {"saturated", counts.saturated}};
}

}  // namespace

std::string engine_summary(const fengine::engine& engine) {
  const receive::receive_counts received = engine.received();
  std::uint64_t sent = 0, left_out = 0, failed = 0, missing = 0;
  for (std::size_t i = 0; i < engine.streams().size(); ++i) {
    const transmit::sender_counts counts = engine.counts(i).sent;
    sent += counts.heaps;
    left_out += counts.skipped_heaps;
    failed += counts.failed_heaps;
  }
  for (const auto& each : received.polarisations) missing += each.missing_packets;
  return formatted("{} sent, {} left out, {} failed; {} received, {} missing, {} rejected",
                   counted(sent, "heap"), left_out, failed, counted(received.placed(), "packet"),
                   missing, received.rejected() - received.descriptors - received.stops);
}

std::string engine_stats_text(const fengine::engine& engine) {
  json document;
  document["received"] = received_json(engine.received(), engine.n_pols());
  json outputs = json::array();
  for (std::size_t i = 0; i < engine.streams().size(); ++i) {
    outputs.push_back(output_json(engine.streams()[i].name, engine.counts(i)));
  }
  document["outputs"] = std::move(outputs);
  return measure::document_text(document);
}

}  // namespace wingbeat::cli
