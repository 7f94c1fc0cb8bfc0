// SPDX-License-Identifier: Apache-2.0
// Reports of an F-engine's received output: an array, charts, statistics.
#pragma once

#include <cstdint>  // int64_t
#include <optional>
#include <string>
#include <utility>  // pair
#include <vector>

#include "cli/reports/channelised.hpp"  // channel_powers, channel_waterfall
#include "receive/batch_assembly.hpp"   // channel_batch, heap_receive_counts
#include "receive/voltage_checks.hpp"   // check_result, voltage_checks

namespace wingbeat::cli {

/// The files to make of batches.
struct received_outputs {
  std::string array, spectrum, waterfall;  ///< Files; empty: none.
  double adc_rate_hz = 0;                  ///< For charts.
  std::optional<narrowband_spec> narrowband = {};
  std::vector<receive::expectation> expected = {};
};

/// A run, for `--stats`.
struct received_run {
  std::vector<std::string> sources = {};
  double elapsed_s = 0;
  bool has_ended = false;  ///< A stop heap of each substream arrived.
  receive::heap_receive_counts counts = {};
};

/// Takes batches in order of time. Charts and checks use only complete batches.
class received_batches {
 public:
  /// Throws `plan_error` if the layout does not suit the outputs.
  received_batches(received_outputs outputs, const receive::channel_layout& layout);

  void take(receive::channel_batch&& batch);

  [[nodiscard]] std::size_t n_batches() const { return timestamps_.size(); }

  /// Writes the files. In the array, missing heaps are 0.
  void write(const received_run& run);

  [[nodiscard]] std::vector<receive::check_result> results(const received_run& run) const {
    return checks_.results(run.counts);
  }

  /// Returns the document "wingbeat.receive/1".
  [[nodiscard]] std::string stats_text(const received_run& run) const;

 private:
  void write_array(std::int64_t batch_samples);

  received_outputs outputs_;
  receive::channel_layout layout_;
  channeliser_spec spec_;
  std::optional<channel_powers> powers_;
  std::optional<channel_waterfall> waterfall_;
  receive::voltage_checks checks_;
  std::vector<receive::channel_batch> kept_;  ///< For the array.
  std::vector<std::int64_t> timestamps_;
  std::vector<std::pair<std::int64_t, std::vector<std::size_t>>> incomplete_;  ///< Substreams.
};

/// Returns the same document for a run without batches; of the layout, if it is known.
[[nodiscard]] std::string empty_stats_text(const received_run& run,
                                           const std::optional<receive::channel_layout>& layout);

}  // namespace wingbeat::cli
