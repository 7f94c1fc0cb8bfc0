// SPDX-License-Identifier: Apache-2.0
#include "cli/reports/received.hpp"

#include "cli/messages.hpp"                // counted
#include "formats/voltages/heap_file.hpp"  // heap_format_of
#include "measure/document_text.hpp"       // document_text
#include "text/formatted.hpp"
#include "text/reject.hpp"  // reject

namespace wingbeat::cli {
namespace {

using json = nlohmann::ordered_json;
using receive::channel_batch;

channeliser_spec spec_of(const received_outputs& outputs, const receive::channel_layout& layout) {
  channeliser_spec spec;
  spec.adc_rate_hz = outputs.adc_rate_hz;
  spec.channels = layout.channels;
  spec.polarisations = layout.polarisations;
  spec.spectra_per_heap = layout.spectra;
  spec.output = layout.samples;
  spec.narrowband = outputs.narrowband;
  // The rows of a waterfall depend on these sizes.
  if (!outputs.waterfall.empty()) static_cast<void>(sizes_of(spec));
  return spec;
}

channelised_heap heap_of(const channel_batch& batch, const receive::channel_layout& layout) {
  return {.timestamp = batch.timestamp, .bytes = batch.voltages, .n_spectra = layout.spectra};
}

json counts_of(const receive::heap_receive_counts& counts) {
  std::uint64_t n_undecodable = 0;
  for (const std::uint64_t of_fault : counts.undecodable) n_undecodable += of_fault;
  return {{"datagrams", counts.datagrams},
          {"packets", counts.packets},
          {"bytes", counts.bytes},
          {"descriptors", counts.descriptors},
          {"stops", counts.stops},
          {"undecodable", n_undecodable},
          {"truncated", counts.truncated},
          {"foreign", counts.foreign},
          {"undescribed", counts.undescribed},
          {"other_engine", counts.other_engine},
          {"wrong_size", counts.wrong_size},
          {"beyond_band", counts.beyond_band},
          {"duplicates", counts.duplicates},
          {"late", counts.late},
          {"socket_drops", counts.socket_drops},
          {"other_destinations", counts.other_destinations},
          {"other_frames", counts.other_frames},
          {"cut_frames", counts.cut_frames},
          {"batches", counts.batches},
          {"incomplete_batches", counts.incomplete_batches},
          {"absent_batches", counts.absent_batches},
          {"flagged_batches", counts.flagged_batches},
          {"unfinished_batches", counts.unfinished_batches},
          {"starved_batches", counts.starved_batches},
          {"lost_heaps", counts.lost_heaps()}};
}

json document_of(const received_run& run, const std::optional<receive::channel_layout>& layout) {
  const receive::heap_receive_counts& counts = run.counts;
  const auto known = [&](std::size_t receive::channel_layout::*field) {
    return layout ? json((*layout).*field) : json{};
  };
  json document{
      {"schema", "wingbeat.receive/1"},
      {"sources", run.sources},
      {"engine", counts.engine ? json(*counts.engine) : json{}},
      {"channels", known(&receive::channel_layout::channels)},
      {"channels_per_substream", known(&receive::channel_layout::channels_per_substream)},
      {"spectra_per_heap", known(&receive::channel_layout::spectra)},
      {"polarisations", known(&receive::channel_layout::polarisations)},
      {"elapsed_s", run.elapsed_s},
      {"bytes_per_s", run.elapsed_s > 0 ? static_cast<double>(counts.bytes) / run.elapsed_s : 0},
      {"ended_by_stop_heaps", run.has_ended},
      {"first_timestamp", counts.first_timestamp ? json(*counts.first_timestamp) : json{}},
      {"last_timestamp", counts.last_timestamp ? json(*counts.last_timestamp) : json{}},
      {"heap_samples", counts.batch_samples},
      {"counts", counts_of(counts)},
      {"substreams", json::array()},
      {"incomplete", json::array()},
      {"absent", json::array()},
      {"checks", json::array()}};
  for (const receive::substream_counts& each : counts.substreams) {
    document["substreams"].push_back({{"heaps", each.heaps},
                                      {"incomplete", each.incomplete},
                                      {"absent", each.absent + counts.absent_batches}});
  }
  return document;
}

}  // namespace

received_batches::received_batches(received_outputs outputs, const receive::channel_layout& layout)
    : outputs_(std::move(outputs)),
      layout_(layout),
      spec_(spec_of(outputs_, layout)),
      checks_(outputs_.expected, layout) {
  if (!outputs_.array.empty()) {
    formats::require_heap_file(outputs_.array, spec_.output);
    reject_if(formats::heap_format_of(outputs_.array).states_times,
              "{} would state times and frequencies, which received heaps lack; write .npy, "
              "or raw heaps "
              "to another name",
              outputs_.array);
  }
  if (!outputs_.spectrum.empty()) powers_.emplace(spec_);
  if (!outputs_.waterfall.empty()) waterfall_.emplace(spec_);
}

void received_batches::take(channel_batch&& batch) {
  timestamps_.push_back(batch.timestamp);
  if (batch.is_complete()) {
    const channelised_heap heap = heap_of(batch, layout_);
    if (powers_) powers_->add(heap, layout_.spectra);
    if (waterfall_) waterfall_->add(heap, layout_.spectra);
    if (!outputs_.expected.empty()) checks_.add(batch);
  } else {
    incomplete_.emplace_back(batch.timestamp, std::vector<std::size_t>{});
    for (std::size_t s = 0; s < batch.complete.size(); ++s) {
      if (!batch.complete[s]) incomplete_.back().second.push_back(s);
    }
  }
  if (!outputs_.array.empty()) kept_.push_back(std::move(batch));
}

void received_batches::write_array(std::int64_t batch_samples) {
  const auto array =
      formats::heap_format_of(outputs_.array)
          .create(outputs_.array,
                  {.bank = spec_, .spectra = layout_.spectra, .n_channels = spec_.channels});
  const std::vector<std::byte> zeros(layout_.batch_bytes());
  if (!kept_.empty() && batch_samples > 0) {
    const std::int64_t n_due =
        (kept_.back().timestamp - kept_.front().timestamp) / batch_samples + 1;
    constexpr std::int64_t max_absent = 16;  // for each one that arrived
    reject_if(n_due > max_absent * static_cast<std::int64_t>(kept_.size()),
              "{} would have {} heaps, of which {} came; receive a stream with "
              "fewer gaps",
              outputs_.array, n_due, kept_.size());
  }
  for (std::size_t i = 0; i < kept_.size(); ++i) {
    channel_batch batch = std::move(kept_[i]);
    for (std::int64_t time = i == 0 ? batch.timestamp : timestamps_[i - 1] + batch_samples;
         time < batch.timestamp; time += batch_samples) {
      array->add({.timestamp = time, .bytes = zeros, .n_spectra = layout_.spectra});
    }
    array->add(heap_of(batch, layout_));
  }
  kept_.clear();
  array->commit();
}

void received_batches::write(const received_run& run) {
  if (!outputs_.array.empty()) write_array(run.counts.batch_samples);
  const std::string title = formatted("{}, {} channels, {}", joined(run.sources, ", "),
                                      layout_.channels, counted(timestamps_.size(), "heap"));
  const bool has_spectra = timestamps_.size() > incomplete_.size();
  if (powers_ && has_spectra) formats::write_chart(outputs_.spectrum, powers_->chart(title));
  if (waterfall_ && has_spectra) formats::write_chart(outputs_.waterfall, waterfall_->chart(title));
}

std::string received_batches::stats_text(const received_run& run) const {
  json document = document_of(run, layout_);
  for (const auto& [timestamp, substreams] : incomplete_) {
    document["incomplete"].push_back({{"timestamp", timestamp}, {"substreams", substreams}});
  }
  const std::int64_t batch_samples = run.counts.batch_samples;
  for (std::size_t i = 1; i < timestamps_.size(); ++i) {
    if (batch_samples == 0 || timestamps_[i] - timestamps_[i - 1] == batch_samples) continue;
    document["absent"].push_back({{"after", timestamps_[i - 1]}, {"before", timestamps_[i]}});
  }
  for (const receive::check_result& each : results(run)) {
    document["checks"].push_back({{"passes", each.passes}, {"result", each.sentence}});
  }
  return measure::document_text(document);
}

std::string empty_stats_text(const received_run& run,
                             const std::optional<receive::channel_layout>& layout) {
  return measure::document_text(document_of(run, layout));
}

}  // namespace wingbeat::cli
