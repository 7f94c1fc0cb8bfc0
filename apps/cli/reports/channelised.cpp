// SPDX-License-Identifier: Apache-2.0
#include "cli/reports/channelised.hpp"

#include <algorithm>  // max, min
#include <cmath>      // log10
#include <limits>

#include "channelising/arithmetic/quantise.hpp"  // complex_bytes, load_complex
#include "channelising/spec.hpp"                 // channel_hz, channels_per_point, has_dither
#include "cli/channel_models.hpp"                // heap_samples
#include "measure/document_text.hpp"             // document_text
#include "text/formatted.hpp"                    // formatted

namespace wingbeat::cli {
namespace {

using namespace channelising;
using json = nlohmann::ordered_json;

/// Cells of a waterfall, about the pixels of a picture. If there are too many rows, a power of two,
/// pairs are merged.
constexpr std::size_t max_columns = 1024, max_rows = 1024;

/// Returns the reference of the samples' powers in decibels.
const char* power_unit(heap_sample output) {
  const bool is_integer = output != heap_sample::fp16 && output != heap_sample::fp32;
  return is_integer ? "dB re 1 LSB² of the output" : "dB re 1";
}

/// Calls visit(channel, spectrum, polarisation, power) for all samples of a heap.
template <class Visit>
void each_power(const channeliser_spec& spec, std::size_t n_channels, const channelised_heap& heap,
                std::size_t spectra_per_heap, const Visit& visit) {
  const std::size_t n_bytes = complex_bytes(spec.output), n_pols = spec.polarisations;
  for (std::size_t k = 0; k < n_channels; ++k) {
    for (std::size_t s = 0; s < heap.n_spectra; ++s) {
      for (std::size_t p = 0; p < n_pols; ++p) {
        const std::size_t place = (k * spectra_per_heap + s) * n_pols + p;
        const auto sample = heap.bytes.subspan(place * n_bytes, n_bytes);
        visit(k, s, p, std::norm(load_complex(sample, spec.output)));
      }
    }
  }
}

json level_of(const input_level& level) {
  json document;
  document["samples"] = level.n_samples;
  document["sum_of_squares"] = level.sum_of_squares;
  document["dbfs"] = level.sum_of_squares == 0 ? json{} : json(level.dbfs());
  document["lowest_value"] = -static_cast<std::int64_t>(level.histogram.size() / 2);
  document["histogram"] = level.histogram;
  return document;
}

json heaps_of(const channeliser_run& run) {
  json heaps = json::array();
  for (const heap_record& heap : run.heaps) {
    heaps.push_back({{"timestamp", heap.timestamp},
                     {"spectra", heap.n_spectra},
                     {"saturated", heap.saturated},
                     {"complete", heap.is_complete}});
  }
  return heaps;
}

}  // namespace

frequency_axis axis_of(const channeliser_spec& spec) {
  return {channel_hz(spec, 0), channel_width_hz(spec)};
}

frequency_axis sky_axis(const channeliser_spec& spec, double centre_hz, bool is_inverted) {
  const double sign = is_inverted ? -1 : 1;
  return {centre_hz + sign * channel_hz(spec, 0), sign * channel_width_hz(spec)};
}

channel_powers::channel_powers(const channeliser_spec& spec, const frequency_axis& axis,
                               std::size_t n_banks)
    : spec_(spec),
      axis_(axis),
      sums_(spec.polarisations, std::vector<double>(spec.channels * n_banks)) {}

void channel_powers::add(const channelised_heap& heap, std::size_t spectra_per_heap) {
  each_power(
      spec_, sums_[0].size(), heap, spectra_per_heap,
      [&](std::size_t k, std::size_t, std::size_t p, double power) { sums_[p][k] += power; });
  n_spectra_ += heap.n_spectra;
}

formats::line_chart channel_powers::chart(const std::string& title) const {
  formats::line_chart chart;
  chart.title = title;
  chart.x = {.label = "frequency", .unit = "Hz"};
  chart.y.label = formatted("mean power ({})", power_unit(spec_.output));
  for (std::size_t p = 0; p < sums_.size(); ++p) {
    formats::chart_series curve;
    if (sums_.size() > 1) curve.label = formatted("polarisation {}", p);
    for (std::size_t i = 0; i < sums_[p].size(); ++i) {
      const std::size_t k = axis_.step_hz < 0 ? sums_[p].size() - 1 - i : i;
      const double mean = sums_[p][k] / static_cast<double>(std::max<std::size_t>(n_spectra_, 1));
      curve.x.push_back(axis_.at(static_cast<double>(k)));
      curve.y.push_back(mean > 0 ? 10 * std::log10(mean)
                                 : std::numeric_limits<double>::quiet_NaN());
    }
    chart.series.push_back(std::move(curve));
  }
  return chart;
}

channel_waterfall::channel_waterfall(const channeliser_spec& spec, const frequency_axis& axis,
                                     std::size_t n_banks)
    : spec_(spec),
      axis_(axis),
      n_channels_(spec.channels * n_banks),
      n_columns_(n_channels_ / channels_per_point(n_channels_, max_columns)),
      counts_(max_rows),
      powers_(spec.polarisations, std::vector<double>(max_rows * n_columns_)) {}

/// Merges pairs of rows until this row fits.
void channel_waterfall::make_room(std::size_t row) {
  for (; row / spectra_per_row_ >= max_rows; spectra_per_row_ *= 2) {
    const auto halve = [](auto& rows, std::size_t n_columns) {
      for (std::size_t r = 0; r < max_rows; ++r) {
        for (std::size_t c = 0; c < n_columns; ++c) {
          const std::size_t offset = 2 * r * n_columns + c;
          rows[r * n_columns + c] = r < max_rows / 2 ? rows[offset] + rows[offset + n_columns] : 0;
        }
      }
    };
    halve(counts_, 1);
    for (auto& rows : powers_) halve(rows, n_columns_);
  }
}

void channel_waterfall::add(const channelised_heap& heap, std::size_t spectra_per_heap) {
  if (!first_) first_ = heap.timestamp;
  const std::size_t hop = sizes_of(spec_).spectrum_samples;
  const std::size_t first = static_cast<std::size_t>(heap.timestamp - *first_) / hop;
  n_spectra_ = first + heap.n_spectra;
  make_room(n_spectra_ - 1);
  const std::size_t together = n_channels_ / n_columns_;
  for (std::size_t s = 0; s < heap.n_spectra; ++s) ++counts_[(first + s) / spectra_per_row_];
  each_power(spec_, n_channels_, heap, spectra_per_heap,
             [&](std::size_t k, std::size_t s, std::size_t p, double power) {
               powers_[p][(first + s) / spectra_per_row_ * n_columns_ + k / together] += power;
             });
}

formats::waterfall_chart channel_waterfall::chart(const std::string& title) const {
  const double row_s =
      static_cast<double>(sizes_of(spec_).spectrum_samples * spectra_per_row_) / spec_.adc_rate_hz;
  const std::size_t n_rows = (n_spectra_ + spectra_per_row_ - 1) / spectra_per_row_;
  const double begin_s = static_cast<double>(first_.value_or(0)) / spec_.adc_rate_hz;
  const bool is_falling = axis_.step_hz < 0;
  const double begin = axis_.at(-0.5), end = axis_.at(static_cast<double>(n_channels_) - 0.5);
  formats::waterfall_chart chart{.title = title,
                                 .x_label = "frequency",
                                 .y_label = "time",
                                 .value_label = formatted("power ({})", power_unit(spec_.output)),
                                 .x_unit = "Hz",
                                 .y_unit = "s",
                                 .x = {std::min(begin, end), std::max(begin, end)},
                                 .y = {begin_s, begin_s + static_cast<double>(n_rows) * row_s},
                                 .n_columns = n_columns_,
                                 .n_rows = n_rows};
  for (std::size_t p = 0; p < powers_.size(); ++p) {
    formats::waterfall_panel panel;
    if (powers_.size() > 1) panel.label = formatted("polarisation {}", p);
    for (std::size_t offset = 0; offset < n_rows * n_columns_; ++offset) {
      const std::size_t row = offset / n_columns_, column = offset % n_columns_;
      const std::size_t i = row * n_columns_ + (is_falling ? n_columns_ - 1 - column : column);
      const auto n = static_cast<double>(counts_[row] * (n_channels_ / n_columns_));
      panel.values.push_back(10 * std::log10(powers_[p][i] / n));  // NaN for withheld heaps
    }
    chart.panels.push_back(std::move(panel));
  }
  return chart;
}

std::size_t channeliser_run::n_spectra() const {
  std::size_t sum = 0;
  for (const heap_record& heap : heaps) sum += heap.n_spectra;
  return sum;
}

double channeliser_run::duration_s(const channeliser_spec& spec) const {
  return static_cast<double>(n_samples) / spec.adc_rate_hz;
}

std::string stats_text(const channeliser& bank, const channeliser_run& run) {
  const channeliser_spec& spec = bank.spec();
  const channeliser_sizes& sizes = bank.sizes();
  json document;
  document["schema"] = "wingbeat.channelise/1";
  document["inputs"] = run.inputs;
  document["device"] = run.device;
  document["adc_rate_hz"] = spec.adc_rate_hz;
  document["sample_bits"] = run.sample_bits;
  document["complex_samples"] = spec.complex_samples;
  document["first_sample"] = run.first_sample;
  document["start_mjd"] = run.start ? json(run.start->day_mjd) : json{};
  document["start_s"] = run.start ? json(run.start->second) : json{};
  document["target"] = run.target;
  document["coarse_channels"] = run.n_banks;
  document["channels"] = spec.channels;
  document["taps"] = spec.taps;
  document["output_bits"] = word_of(heap_samples, spec.output);
  document["has_dither"] = has_dither(spec);
  document["first_channel_hz"] = run.axis.first_hz;
  document["channel_width_hz"] = run.axis.step_hz;
  document["spectrum_samples"] = sizes.spectrum_samples;
  document["window_samples"] = sizes.window_samples;
  document["spectra_per_heap"] = sizes.spectra_per_heap;
  document["spectra"] = run.n_spectra();
  document["heaps_sent"] = bank.counts().sent;
  document["heaps_withheld"] = bank.counts().withheld;
  document["heaps_skipped"] = bank.counts().skipped;
  json polarisations = json::array();
  for (std::size_t p = 0; p < spec.polarisations; ++p) {
    json each = level_of(run.levels[p]);
    std::uint64_t saturated = 0;
    for (const heap_record& heap : run.heaps) saturated += heap.saturated[p];
    each["saturated"] = saturated;
    polarisations.push_back(std::move(each));
  }
  document["polarisations"] = std::move(polarisations);
  document["heaps"] = heaps_of(run);
  document["samples"] = run.n_samples;
  document["duration_s"] = run.duration_s(spec);
  document["elapsed_s"] = run.elapsed_s;
  document["samples_per_s"] = static_cast<double>(run.n_samples) / run.elapsed_s;
  document["real_time_factor"] = run.duration_s(spec) / run.elapsed_s;
  return measure::document_text(document);
}

}  // namespace wingbeat::cli
