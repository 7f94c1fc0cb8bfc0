// SPDX-License-Identifier: Apache-2.0
// Short-time transforms of the rows of a file, log-mel features, and the way back.
#include <algorithm>  // max
#include <cmath>      // abs, pow
#include <complex>    // norm
#include <filesystem>
#include <nlohmann/json.hpp>
#include <numbers>  // ln10
#include <utility>  // move

#include "cli/choose.hpp"                      // short_name
#include "cli/commands/transform_options.hpp"  // transform_options
#include "cli/engine_runs.hpp"                 // run_engines, measuring
#include "cli/memory_limit.hpp"                // require_memory
#include "cli/messages.hpp"                    // print_message
#include "cli/reports/power.hpp"               // power_spectra
#include "cli/samples.hpp"                     // pack, round_to
#include "cli/short_time_check.hpp"            // weighted_frames, check_of_bands
#include "formats/files/atomic_file.hpp"       // atomic_file
#include "formats/files/extension.hpp"         // extension_of
#include "formats/files/npy_header.hpp"        // npy_prefix
#include "formats/signals/sample_reader.hpp"   // open_samples
#include "request/validation.hpp"              // require_length
#include "short_time/placement.hpp"            // least_weighted
#include "short_time/request.hpp"              // all_frames
#include "text/counted.hpp"                    // counted
#include "text/formatted.hpp"                  // formatted
#include "text/reject.hpp"                     // reject
#include "wingbeat/mel_bands.hpp"              // mel_weights

namespace wingbeat::cli {
namespace {

constexpr double level_floor = 1e-10;  // of powers in mel bands

/// Moves frame t so that sample t hop is in its middle.
void centre(short_time_spec& spec) {
  spec.before = spec.n_fft / 2;
  spec.edge = border::reflect;
  spec.slack = spec.n_fft % 2 == 0 ? 0 : -1;
}

void add_bands(short_time_spec& spec, const transform_options& o, double rate_hz) {
  reject_if(spec.is_complex(), "{} holds complex samples, and --mel takes real ones; use --stft",
            o.shown_file());
  reject_if(!(rate_hz > 0),
            "--mel has bands in Hz, and {} states no sample rate; give it by --sample-rate",
            o.shown_file());
  spec.features = {.exponent = 2,
                   .bands = *o.n_bands,
                   .weights = mel_weights({.bands = *o.n_bands,
                                           .n_fft = spec.n_fft,
                                           .rate_hz = rate_hz,
                                           .scale = o.bands_scale.value_or(mel_scale::slaney),
                                           .have_equal_areas = true}),
                   .has_log = true,
                   .floor = level_floor,
                   .gain = 1 / std::numbers::ln10};
}

void report_empty_bands(const short_time_spec& spec) {
  std::size_t n_empty = 0;
  for (std::size_t b = 0; b < spec.features.bands; ++b) {
    const double* const row = &spec.features.weights[b * spec.bins()];
    n_empty += std::all_of(row, row + spec.bins(), [](double w) { return w == 0; }) ? 1 : 0;
  }
  if (n_empty == 0) return;
  print_message("{} between two bins and {} always {:g}; a longer --segment has more bins",
                n_empty == 1 ? "1 band lies" : formatted("{} bands lie", n_empty),
                n_empty == 1 ? "is" : "are", std::log10(level_floor));
}

double largest_of(const std::vector<double>& numbers) {
  double largest = 0;
  for (const double x : numbers) largest = std::max(largest, std::abs(x));
  return largest;
}

std::string heading(const transform_options& o, const power_spectra& shape, const char* kind) {
  return formatted("{}: {}, {}, {} of {} samples, {} apart, {} window (periodic), {}\n",
                   o.shown_file(), kind, counted(shape.spec.batch, "row"),
                   counted(shape.spec.frames(), "segment"), shape.spec.n_fft, shape.spec.hop,
                   shape.window_name, name_of(o.real));
}

nlohmann::ordered_json document_of(const transform_options& o, const power_spectra& shape,
                                   const char* kind) {
  auto document = powers_json(o.file, shape);
  document["kind"] = kind;
  document["is_centred"] = true;
  for (const char* const other : {"scale", "unit", "noise_bandwidth"}) document.erase(other);
  if (!o.n_bands) return document;
  document.erase("bin_width");
  document["bands"] = *o.n_bands;
  document["mel_scale"] = o.bands_scale == mel_scale::htk ? "htk" : "slaney";
  document["floor"] = level_floor;
  return document;
}

/// Writes --output, [row][segment][number] without the axis of a single row, and draws --plot.
void write_files(const transform_options& o, power_spectra& shape,
                 const std::vector<double>& values, const std::string& device) {
  const bool is_double = o.real == precision::fp64;
  const std::string described =
      formatted("{} of {} {}", counted(shape.spec.frames(), "segment"), shape.spec.columns(),
                o.n_bands ? "mel bands" : "complex bins");
  if (!o.output.empty()) {
    std::vector<std::size_t> axes{shape.spec.frames(), shape.spec.columns()};
    if (shape.spec.batch > 1) axes.insert(axes.begin(), shape.spec.batch);
    formats::atomic_file output{o.output};
    output.write(formats::npy_prefix(
        o.n_bands ? (is_double ? "<f8" : "<f4") : (is_double ? "<c16" : "<c8"), axes));
    output.write(std::span<const std::byte>(pack(values, o.real)));
    output.commit();
    print_message("wrote {}: {}, {}, by {}", o.output, counted(shape.spec.batch, "row"), described,
                  device);
  }
  if (o.plot.empty()) return;
  shape.values.clear();
  for (std::size_t i = 0; i < values.size(); i += o.n_bands ? 1 : 2) {
    shape.values.push_back(o.n_bands ? std::pow(10, values[i])
                                     : std::norm(std::complex{values[i], values[i + 1]}));
  }
  draw_powers(o.plot, shape,
              formatted("{}: {}, {} window (periodic)",
                        std::filesystem::path(o.shown_file()).filename().string(), described,
                        shape.window_name));
  print_message("wrote {}", o.plot);
}

/// Runs the spec on the engines and reports what it makes.
int run_spec(const transform_options& o, power_spectra& shape, std::vector<double> samples) {
  const short_time_spec& spec = shape.spec;
  const char* const kind = o.n_bands ? "mel" : "stft";
  const auto chosen = devices_for(o, spec.n_fft * short_times::all_frames(spec));
  const auto input = pack(samples, o.real);
  const weighted_frames frames{spec, std::move(samples)};
  const bool has_band_check = o.n_bands && o.check != verify::check_extent::none;
  verify::judge check{frames.problem(), o.n_bands ? verify::check_extent::none : o.check};
  engine_work work = judging(check, o.real);
  number_check of_bands;
  if (has_band_check) {
    of_bands = check_of_bands(frames, o.check);
    work.judged = [&](const device_info&, const std::vector<double>& levels) {
      return std::optional{of_bands(levels)};
    };
  }
  work.measured = measuring(spec, input);
  const engine_outcome found = run_engines(chosen, work);
  return report_outcome(
      o, heading(o, shape, o.n_bands ? "log-mel features" : "short-time transform"), spec.n_fft,
      document_of(o, shape, kind), found,
      has_band_check ? check_summary{o.check, of_bands.description} : check_summary{check},
      [&](auto&) { write_files(o, shape, found.best_values, short_name(found.best->device)); });
}

/// Returns the samples of a segment of spectra with so many bins; states whether they are real.
std::size_t segment_of_bins(const transform_options& o, std::size_t n_bins, bool& is_real) {
  const std::size_t length = o.segment.value_or(default_segment);
  request::require_length(length);
  is_real = n_bins == length / 2 + 1;
  reject_if(!is_real && n_bins != length,
            "{} has {} a segment, and {} of {} samples has {}, or {} of complex samples; give the "
            "--segment that --stft had",
            o.shown_file(), counted(n_bins, "bin"), o.segment ? "--segment" : "a default segment",
            length, length / 2 + 1, length);
  return length;
}

/// Sets the length of rows with so many segments, --length or the least; returns the least and the
/// most.
std::pair<std::size_t, std::size_t> set_length(const transform_options& o, short_time_spec& spec,
                                               std::size_t n_frames) {
  const std::size_t odd = spec.n_fft % 2;
  const std::size_t least = std::max<std::size_t>((n_frames - 1) * spec.hop + odd, 1);
  const std::size_t most = n_frames * spec.hop + odd - 1;
  spec.length = o.length.value_or(least);
  reject_if(spec.length < least || spec.length > most,
            "--length {} has other segments than the {} of {}, which are of {} to {} samples; give "
            "one of these",
            spec.length, n_frames, o.shown_file(), least, most);
  return {least, most};
}

/// Refuses a window whose segments give samples no weight.
void require_weights(const short_time_spec& spec) {
  const auto [first, count, weight] = short_times::least_weighted(spec);
  reject_if(count != 0,
            "{} of each row, from sample {} on, have squared weights of {:.3g} or less in all "
            "segments, so that no inverse can divide by them; give another --window or more "
            "--overlap, those of --stft",
            counted(count, "sample"), first, weight);
}

formats::signal rows_of(const transform_options& o, const short_time_spec& spec,
                        const std::vector<double>& values, bool is_table) {
  formats::signal rows{.n_rows = spec.batch,
                       .row_length = spec.length,
                       .is_table = is_table,
                       .is_real = !spec.is_complex(),
                       .is_single_precision = o.real == precision::fp32,
                       .sample_rate_hz = o.sample_rate_hz.value_or(0)};
  for (std::size_t i = 0; i < values.size(); i += rows.is_real ? 1 : 2) {
    rows.samples.emplace_back(values[i], rows.is_real ? 0 : values[i + 1]);
  }
  return rows;
}

/// Runs the inverse on the engines and reports what it makes.
int run_inverse(const transform_options& o, const power_spectra& shape,
                const std::vector<double>& spectra, bool is_table) {
  const short_time_spec& spec = shape.spec;
  const auto chosen = devices_for(o, spec.n_fft * short_times::all_frames(spec));
  const auto input = pack(spectra, o.real);
  engine_work work{.measured = measuring(spec, input), .real = o.real};
  number_check check{.description = "nothing"};
  if (o.check != verify::check_extent::none) {
    check = check_of_inverse(spec, spectra, o.check);
    work.judged = [&](const device_info&, const std::vector<double>& samples) {
      return std::optional{check(samples)};
    };
  }
  const engine_outcome found = run_engines(chosen, work);
  return report_outcome(o, heading(o, shape, "inverse of a short-time transform"), spec.n_fft,
                        document_of(o, shape, "inverse-stft"), found, {o.check, check.description},
                        [&](auto&) {
                          if (o.output.empty()) return;
                          write_rows(o, rows_of(o, spec, found.best_values, is_table),
                                     short_name(found.best->device));
                        });
}

}  // namespace

int transform_short_time(const transform_options& o) {
  reject_if(!o.output.empty() && formats::extension_of(o.output) != ".npy",
            "cannot write segments to {}; its name must end in .npy", o.output);
  static_cast<void>(devices_for(o, 0));
  const auto [recording, held, channel] = open_rows(o);
  power_spectra shape = segments_of(o, held, segment_length(o, held));
  shape.is_spectrogram = true;
  shape.scale = power_scaling::spectrum;
  centre(shape.spec);
  if (o.n_bands) add_bands(shape.spec, o, shape.rate_hz);
  const std::string segments = counted(short_times::all_frames(shape.spec), "segment");
  const std::string memory =
      require_memory(formatted("transforming {} of {} samples", segments, shape.spec.n_fft),
                     transform_bytes(o, shape.spec), o.max_memory);
  std::vector<double> samples =
      verify::numbers_of(recording->read_all(channel).samples, held.is_real);
  require_range(o, largest_of(samples), shape.spec.n_fft);
  report_empty_bands(shape.spec);
  round_to(o.real, samples);
  const int code = run_spec(o, shape, std::move(samples));
  print_message("transformed {} within {}", segments, memory);
  return code;
}

int invert_short_time(const transform_options& o) {
  static_cast<void>(devices_for(o, 0));
  const auto recording = formats::open_samples(
      o.file, {.channel = o.channel, .format = o.format, .column = o.column, .takes_tables = true});
  const formats::signal& held = recording->shape();
  reject_if(held.is_real,
            "{} holds real numbers, and --stft --inverse takes complex bins; give an "
            "array that --stft wrote",
            o.shown_file());
  formats::signal rows{.n_rows = held.n_tables};
  const std::size_t length = segment_of_bins(o, held.row_length, rows.is_real);
  power_spectra shape = segments_of(o, rows, length);
  short_time_spec& spec = shape.spec;
  centre(spec);
  const std::size_t n_frames = held.n_rows / held.n_tables;
  const auto [least, most] = set_length(o, spec, n_frames);
  reject_if(spec.is_complex() && !o.output.empty() &&
                formats::output_format_of(o.output) == formats::output_format::sound,
            "{} would hold real samples, and the segments of {} are of complex ones; write .npy, "
            ".txt or .csv",
            o.output, o.shown_file());
  require_weights(spec);
  spec.has_inverse = true;
  const std::string segments = counted(held.n_rows, "segment");
  const std::string memory = require_memory(formatted("transforming {} back", segments),
                                            transform_bytes(o, spec), o.max_memory);
  std::vector<double> spectra = verify::numbers_of(recording->read_all({}).samples, false);
  require_range(o, largest_of(spectra), length);
  if (!o.length && least < most) {
    print_message("{} are of {} to {} samples; {} are made, and --length makes others",
                  counted(n_frames, "segment"), least, most, least);
  }
  round_to(o.real, spectra);
  const int code = run_inverse(o, shape, spectra, held.n_tables > 1);
  print_message("transformed {} back within {}", segments, memory);
  return code;
}

}  // namespace wingbeat::cli
