// SPDX-License-Identifier: Apache-2.0
// Results of a channeliser for a recording: powers of channels, statistics.
#pragma once

#include <cstddef>  // size_t
#include <cstdint>  // int64_t, uint64_t
#include <optional>
#include <string>
#include <vector>

#include "formats/charts/chart.hpp"       // line_chart
#include "formats/charts/waterfall.hpp"   // waterfall_chart
#include "formats/voltages/voltages.hpp"  // channel_frequencies, day_time
#include "wingbeat/channeliser.hpp"       // channelised_heap, channeliser_spec

namespace wingbeat::cli {

/// Frequencies of the middles of channels.
using frequency_axis = formats::channel_frequencies;

/// Returns the frequencies of a spec without a sky frequency; complex samples are around 0 Hz.
[[nodiscard]] frequency_axis axis_of(const channeliser_spec& spec);

/// Returns the frequencies for complex samples whose 0 Hz is `centre_hz` in the sky. If the
/// spectrum `is_inverted`, frequencies fall from channel to channel.
[[nodiscard]] frequency_axis sky_axis(const channeliser_spec& spec, double centre_hz,
                                      bool is_inverted);

/// Sums of the powers of channels.
class channel_powers {
 public:
  explicit channel_powers(const channeliser_spec& spec) : channel_powers(spec, axis_of(spec)) {}
  /// n_banks: those whose channels, of adjacent bands, a heap has one behind another.
  channel_powers(const channeliser_spec& spec, const frequency_axis& axis, std::size_t n_banks = 1);

  void add(const channelised_heap& heap, std::size_t spectra_per_heap);

  /// Returns the mean power of each channel in dB over rising frequencies, a curve for each
  /// polarisation.
  [[nodiscard]] formats::line_chart chart(const std::string& title) const;

 private:
  channeliser_spec spec_;
  frequency_axis axis_;
  std::size_t n_spectra_ = 0;
  std::vector<std::vector<double>> sums_;  ///< [polarisation][channel]
};

/// Powers over frequency and time. Columns average channels and rows average spectra, so that any
/// recording takes the memory of one picture.
class channel_waterfall {
 public:
  explicit channel_waterfall(const channeliser_spec& spec)
      : channel_waterfall(spec, axis_of(spec)) {}
  channel_waterfall(const channeliser_spec& spec, const frequency_axis& axis,
                    std::size_t n_banks = 1);

  void add(const channelised_heap& heap, std::size_t spectra_per_heap);

  /// Returns the mean powers in dB, a panel for each polarisation; times without spectra are blank.
  [[nodiscard]] formats::waterfall_chart chart(const std::string& title) const;

 private:
  void make_room(std::size_t row);

  channeliser_spec spec_;
  frequency_axis axis_;
  std::size_t n_channels_, n_columns_, spectra_per_row_ = 1, n_spectra_ = 0;
  std::optional<std::int64_t> first_;        ///< Timestamp of the first row.
  std::vector<std::size_t> counts_;          ///< [row] spectra
  std::vector<std::vector<double>> powers_;  ///< [polarisation][row][column] sums
};

/// One heap of a run.
struct heap_record {
  std::int64_t timestamp = 0;
  std::size_t n_spectra = 0;
  std::vector<std::uint64_t> saturated = {};
  std::vector<bool> is_complete = {};
};

/// A run, for `--stats`.
struct channeliser_run {
  std::vector<std::string> inputs = {};
  std::string device = {};
  frequency_axis axis = {};
  unsigned sample_bits = 0;  ///< Bits of samples in the files.
  std::int64_t first_sample = 0;
  std::size_t n_banks = 1;                      ///< One for each channel of the files.
  std::vector<input_level> levels = {};         ///< [polarisation]
  std::optional<formats::day_time> start = {};  ///< Of the first sample; unset: not known.
  std::string target = {};
  std::vector<heap_record> heaps = {};
  std::uint64_t n_samples = 0;  ///< Per polarisation, including missing ones.
  double elapsed_s = 0;

  [[nodiscard]] std::size_t n_spectra() const;
  [[nodiscard]] double duration_s(const channeliser_spec& spec) const;
};

/// Returns the document "wingbeat.channelise/1".
[[nodiscard]] std::string stats_text(const channeliser& bank, const channeliser_run& run);

}  // namespace wingbeat::cli
