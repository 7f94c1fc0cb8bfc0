// SPDX-License-Identifier: Apache-2.0
#include "cli/reports/power.hpp"

#include <algorithm>  // min
#include <cmath>      // log10
#include <limits>
#include <nlohmann/json.hpp>
#include <utility>  // move

#include "cli/messages.hpp"               // print_message
#include "cli/reports/spectrum.hpp"       // ascending_bins, max_rows_drawn
#include "cli/samples.hpp"                // pack
#include "cli/window.hpp"                 // noise_bandwidth_bins
#include "formats/charts/chart.hpp"       // line_chart, write_chart
#include "formats/charts/waterfall.hpp"   // waterfall_chart
#include "formats/files/atomic_file.hpp"  // atomic_file
#include "formats/files/extension.hpp"    // extension_of
#include "formats/files/hdf5.hpp"         // hdf5_writer
#include "formats/files/npy_header.hpp"   // npy_prefix
#include "text/counted.hpp"               // counted
#include "text/formatted.hpp"             // formatted
#include "text/reject.hpp"                // reject

namespace wingbeat::cli {
namespace {

constexpr std::size_t max_cells = 1024;  // of an axis of a waterfall, about a picture's pixels

double decibels(double power) {
  return power > 0 ? 10 * std::log10(power) : std::numeric_limits<double>::quiet_NaN();
}

std::string decibel_label(const power_spectra& powers) {
  return formatted("{} (dB re 1 {})", powers.is_spectrogram ? "power" : name_of(powers),
                   unit_of(powers));
}

const char* frequency_label(const power_spectra& powers) {
  if (powers.spec.features.bands != 0) return "mel band";
  return powers.rate_hz > 0 ? "frequency" : "frequency (cycles/sample)";
}

const char* frequency_unit(const power_spectra& powers) {
  return powers.rate_hz > 0 && powers.spec.features.bands == 0 ? "Hz" : "";
}

formats::line_chart curves_of(const power_spectra& powers, const std::string& title) {
  formats::line_chart chart{.title = title};
  chart.x = {.label = frequency_label(powers), .unit = frequency_unit(powers)};
  chart.y.label = decibel_label(powers);
  for (std::size_t r = 0; r < std::min(powers.spec.batch, max_rows_drawn); ++r) {
    formats::chart_series curve;
    if (powers.spec.batch > 1) curve.label = formatted("row {}", r);
    for (const std::size_t k : ascending_bins(powers.spec.bins(), !powers.spec.is_complex())) {
      curve.x.push_back(powers.frequency(k));
      curve.y.push_back(decibels(powers.values[r * powers.spec.bins() + k]));
    }
    chart.series.push_back(std::move(curve));
  }
  return chart;
}

/// Returns the mean powers of a row's cells in dB, averaged over each cell's frames and bins.
formats::waterfall_panel panel_of(const power_spectra& powers, std::size_t row, std::size_t n_rows,
                                  std::size_t n_columns) {
  const std::vector<std::size_t> order =
      ascending_bins(powers.spec.columns(), !powers.spec.is_complex());
  formats::cell_means cells{n_rows, n_columns};
  const std::size_t n_frames = powers.spec.frames();
  for (std::size_t f = 0; f < n_frames; ++f) {
    const double* const spectrum = &powers.values[(row * n_frames + f) * order.size()];
    for (std::size_t i = 0; i < order.size(); ++i) {
      cells.add(f * n_rows / n_frames, i * n_columns / order.size(), spectrum[order[i]]);
    }
  }
  return {.label = powers.spec.batch > 1 ? formatted("row {}", row) : "",
          .values = cells.decibels()};
}

formats::waterfall_chart waterfall_of(const power_spectra& powers, const std::string& title) {
  const double rate = powers.rate_hz > 0 ? powers.rate_hz : 1;
  const std::vector<std::size_t> order =
      ascending_bins(powers.spec.columns(), !powers.spec.is_complex());
  const double half_bin = 0.5 * powers.bin_width();
  const double half_hop = 0.5 * static_cast<double>(powers.spec.hop) / rate;
  formats::waterfall_chart chart{
      .title = title,
      .x_label = frequency_label(powers),
      .y_label = powers.rate_hz > 0 ? "time" : "time (samples)",
      .value_label = decibel_label(powers),
      .x_unit = frequency_unit(powers),
      .y_unit = powers.rate_hz > 0 ? "s" : "",
      .x = {powers.frequency(order.front()) - half_bin, powers.frequency(order.back()) + half_bin},
      .y = {powers.time(0) - half_hop, powers.time(powers.spec.frames() - 1) + half_hop},
      .n_columns = std::min(powers.spec.columns(), max_cells),
      .n_rows = std::min(powers.spec.frames(), max_cells)};
  for (std::size_t r = 0; r < std::min(powers.spec.batch, max_rows_drawn); ++r) {
    chart.panels.push_back(panel_of(powers, r, chart.n_rows, chart.n_columns));
  }
  return chart;
}

std::string csv_heading(const power_spectra& powers) {
  const bool has_rate = powers.rate_hz > 0;
  std::string line = powers.spec.batch > 1 ? "row," : "";
  if (powers.is_spectrogram) line += has_rate ? "time_s," : "time_samples,";
  line += has_rate ? "frequency_hz," : "frequency_cycles_per_sample,";
  if (powers.scale == power_scaling::spectrum) return line + "spectrum_v2\n";
  return line + (has_rate ? "density_v2_per_hz\n" : "density_v2\n");
}

void write_csv(formats::atomic_file& output, const power_spectra& powers) {
  output.write(csv_heading(powers));
  const std::size_t n_frames = powers.is_spectrogram ? powers.spec.frames() : 1;
  for (std::size_t i = 0; i < powers.values.size(); ++i) {
    const std::size_t k = i % powers.spec.bins(), frame = i / powers.spec.bins();
    std::string line;
    if (powers.spec.batch > 1) line = formatted("{},", frame / n_frames);
    if (powers.is_spectrogram) line += formatted("{},", powers.time(frame % n_frames));
    line += formatted("{},", powers.frequency(k));
    line += powers.spec.real() == precision::fp64 ? formatted("{}\n", powers.values[i])
                                                  : formatted("{:.9g}\n", powers.values[i]);
    output.write(line);
  }
}

void write_array(formats::atomic_file& output, const power_spectra& powers) {
  std::vector<std::size_t> shape;
  if (powers.spec.batch > 1) shape.push_back(powers.spec.batch);
  if (powers.is_spectrogram) shape.push_back(powers.spec.frames());
  shape.push_back(powers.spec.bins());
  output.write(formats::npy_prefix(powers.spec.real() == precision::fp64 ? "<f8" : "<f4", shape));
  const auto bytes = pack(powers.values, powers.spec.real());
  output.write(std::span<const std::byte>(bytes));
}

void write_dataset(const formats::atomic_file& output, const power_spectra& powers) {
  const bool has_rate = powers.rate_hz > 0;
  formats::hdf5_layout layout{.name = powers.is_spectrogram ? "spectrogram" : "power",
                              .unit = unit_of(powers),
                              .is_single_precision = powers.spec.real() == precision::fp32};
  const auto add = [&](const char* name, const char* unit, std::size_t length, auto position) {
    formats::hdf5_axis& axis = layout.axes.emplace_back(formats::hdf5_axis{name, unit, {}});
    for (std::size_t i = 0; i < length; ++i) axis.positions.push_back(position(i));
  };
  if (const std::size_t n_rows = powers.spec.batch; n_rows > 1) {
    layout.axes.push_back(formats::even_axis("row", "", n_rows));
  }
  if (powers.is_spectrogram) {
    add("time", has_rate ? "s" : "samples", powers.spec.frames(),
        [&](std::size_t frame) { return powers.time(frame); });
  }
  add("frequency", has_rate ? "Hz" : "cycles/sample", powers.spec.bins(),
      [&](std::size_t k) { return powers.frequency(k); });
  std::vector<std::size_t> first, lengths;
  for (const formats::hdf5_axis& axis : layout.axes) lengths.push_back(axis.positions.size());
  first.resize(lengths.size());
  formats::hdf5_writer writer{output, layout};
  writer.write(first, lengths, powers.values);
  writer.finish();
}

}  // namespace

double power_spectra::frequency(std::size_t k) const {
  if (spec.features.bands != 0) return static_cast<double>(k);
  const bool is_negative = spec.is_complex() && k >= (spec.n_fft + 1) / 2;
  const double bin = static_cast<double>(k) - (is_negative ? static_cast<double>(spec.n_fft) : 0);
  return (rate_hz > 0 ? centre_hz : 0) + bin * bin_width();
}

double power_spectra::bin_width() const {
  if (spec.features.bands != 0) return 1;
  return (rate_hz > 0 ? rate_hz : 1) / static_cast<double>(spec.n_fft);
}

double power_spectra::time(std::size_t frame) const {
  const double samples = static_cast<double>(frame * spec.hop) +
                         static_cast<double>(spec.n_fft) / 2 - static_cast<double>(spec.before);
  return samples / (rate_hz > 0 ? rate_hz : 1);
}

std::string name_of(const power_spectra& powers) {
  if (powers.is_spectrogram) return "spectrogram";
  return powers.scale == power_scaling::density ? "power spectral density" : "power spectrum";
}

std::string unit_of(const power_spectra& powers) {
  if (powers.scale == power_scaling::spectrum) return "unit²";
  return powers.rate_hz > 0 ? "unit²/Hz" : "unit² for each cycle/sample";
}

void require_power_format(const std::string& file) {
  const std::string extension = formats::extension_of(file);
  if (extension == ".csv" || extension == ".npy" || extension == ".h5") return;
  reject("cannot write power spectra to {}; its name must end in .csv, .npy or .h5", file);
}

void write_powers(const std::string& file, const power_spectra& powers) {
  formats::atomic_file output{file};
  if (formats::extension_of(file) == ".csv") {
    write_csv(output, powers);
  } else if (formats::extension_of(file) == ".h5") {
    write_dataset(output, powers);
  } else {
    write_array(output, powers);
  }
  output.commit();
}

void draw_powers(const std::string& file, const power_spectra& powers, const std::string& title) {
  if (powers.is_spectrogram) {
    formats::write_chart(file, waterfall_of(powers, title));
  } else {
    formats::write_chart(file, curves_of(powers, title));
  }
  if (powers.spec.batch > max_rows_drawn) {
    print_message("{} shows the first {} of {} rows", file, max_rows_drawn, powers.spec.batch);
  }
}

std::string powers_heading(const std::string& file, const power_spectra& powers) {
  const double bin = powers.bin_width();
  const char* const unit = powers.rate_hz > 0 ? "Hz" : "cycles a sample";
  return formatted(
      "{}: {} in {}, {}, {} of {} samples, {} apart, {} window (periodic), {}\n"
      "{}-sided; bins {:.6g} {} apart, equivalent noise bandwidth {:.6g} {}\n",
      file, name_of(powers), unit_of(powers), counted(powers.spec.batch, "row"),
      counted(powers.spec.frames(), "segment"), powers.spec.n_fft, powers.spec.hop,
      powers.window_name, name_of(powers.spec.real()), powers.spec.is_complex() ? "two" : "one",
      bin, unit, bin * noise_bandwidth_bins(powers.spec.window), unit);
}

nlohmann::ordered_json powers_json(const std::string& file, const power_spectra& powers) {
  nlohmann::ordered_json document{{"schema", "wingbeat.transform/1"}};
  document["file"] = file;
  document["rows"] = powers.spec.batch;
  document["kind"] = powers.is_spectrogram ? "spectrogram" : "psd";
  document["precision"] = name_of(powers.spec.real());
  document["scale"] = powers.scale == power_scaling::density ? "density" : "spectrum";
  document["unit"] = unit_of(powers);
  document["sample_rate_hz"] = nullptr;
  if (powers.rate_hz > 0) document["sample_rate_hz"] = powers.rate_hz;
  if (powers.centre_hz > 0) document["centre_hz"] = powers.centre_hz;
  document["window"] = powers.window_name;
  document["window_form"] = "periodic";
  document["segment"] = powers.spec.n_fft;
  document["overlap"] = powers.spec.n_fft - powers.spec.hop;
  document["segments"] = powers.spec.frames();
  document["bins"] = powers.spec.bins();
  document["is_one_sided"] = !powers.spec.is_complex();
  document["bin_width"] = powers.bin_width();
  document["noise_bandwidth"] = powers.bin_width() * noise_bandwidth_bins(powers.spec.window);
  return document;
}

}  // namespace wingbeat::cli
