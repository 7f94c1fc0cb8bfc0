// SPDX-License-Identifier: Apache-2.0
// Short-time transforms of the rows of a file, log-mel features, and the way back.
#include <algorithm>  // max
#include <cmath>      // abs, pow
#include <complex>    // norm
#include <filesystem>
#include <limits>
#include <memory>  // make_shared
#include <nlohmann/json.hpp>
#include <numbers>  // ln10
#include <utility>  // move

#include "cli/choose.hpp"                      // short_name
#include "cli/commands/transform_options.hpp"  // transform_options
#include "cli/engine_runs.hpp"                 // run_engines, devices_for
#include "cli/memory_limit.hpp"                // require_memory
#include "cli/messages.hpp"                    // print_message
#include "cli/reports/power.hpp"               // power_spectra
#include "cli/samples.hpp"                     // pack, round_to
#include "cli/short_time_check.hpp"            // reflected_frames, check_of_bands
#include "cli/window.hpp"                      // samples_of
#include "formats/files/atomic_file.hpp"       // atomic_file
#include "formats/files/extension.hpp"         // extension_of
#include "formats/files/npy_header.hpp"        // npy_prefix
#include "formats/signals/sample_reader.hpp"   // open_samples
#include "measure/plan_run.hpp"                // measure_run
#include "request/validation.hpp"              // require_length
#include "short_time/placement.hpp"            // least_weighted
#include "text/counted.hpp"                    // counted
#include "text/formatted.hpp"                  // formatted
#include "text/reject.hpp"                     // reject
#include "tuning/compiled_engines.hpp"         // compiles_kernels
#include "wingbeat/mel_bands.hpp"              // mel_weights

namespace wingbeat::cli {
namespace {

constexpr double level_floor = 1e-10;  // of powers in mel bands

sample_type type_of(bool is_real, precision real) {
  if (is_real) return real == precision::fp64 ? sample_type::fp64 : sample_type::fp32;
  return real == precision::fp64 ? sample_type::complex_fp64 : sample_type::complex_fp32;
}

/// Returns the transform whose frame t has sample t hop in its middle.
short_time_spec centred(const transform_options& o, const frame_layout& layout) {
  return {.length = layout.row_length,
          .batch = layout.n_rows,
          .n_fft = layout.length,
          .hop = layout.hop,
          .window = samples_of(o.weights.value_or(window::hann), layout.length),
          .before = layout.length / 2,
          .edge = border::reflect,
          .slack = layout.length % 2 == 0 ? 0 : -1,
          .samples = type_of(layout.is_real, o.real)};
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

/// Refuses samples whose spectra or powers could leave the range of the precision.
void require_range(const transform_options& o, const std::vector<double>& samples,
                   std::size_t n_summed) {
  double largest = 0;
  for (const double x : samples) largest = std::max(largest, std::abs(x));
  const bool is_fp64 = o.real == precision::fp64;
  const double most =
      is_fp64 ? std::numeric_limits<double>::max() : std::numeric_limits<float>::max();
  const double least =
      is_fp64 ? std::numeric_limits<double>::min() : std::numeric_limits<float>::min();
  const double sum = 4 * largest * static_cast<double>(n_summed);
  const bool is_too_large = o.n_bands ? sum > std::sqrt(most) : sum > most;
  reject_if(is_too_large || (largest > 0 && largest < least && !o.n_bands),
            "{} has magnitudes up to {:.3g}, whose {} {} may not hold; {}", o.shown_file(), largest,
            o.n_bands ? "powers" : "transforms", name_of(o.real),
            is_fp64 ? "scale them" : "use --precision fp64");
}

/// Returns the points of the frames that a check transforms at once.
double checked_points(const transform_options& o, const short_time_spec& spec) {
  constexpr double part_samples = 3 * 0x1p14;  // of an inverse
  const auto points = static_cast<double>(spec.batch * spec.frames() * spec.n_fft);
  if (o.check == verify::check_extent::full) return points;
  const auto length = static_cast<double>(spec.n_fft), hop = static_cast<double>(spec.hop);
  const double of_part = (part_samples + length) / hop * length + length;
  return std::min(points, std::max(0x1p18, spec.has_inverse ? of_part : 4 * length));
}

/// Returns the most bytes of arrays that a run of `n_in` and `n_out` numbers needs: those kept
/// throughout, plus those of the largest step. Compiles nothing.
double run_bytes(const transform_options& o, const short_time_spec& spec, double n_in,
                 double n_out) {
  constexpr double mebibyte = 0x1p20, compiler_bytes = 320 * mebibyte, driver_bytes = 96 * mebibyte;
  const auto devices = devices_for(o.engines, o.real, 0, o.check);
  const bool is_compiled = std::any_of(devices.begin(), devices.end(), [](const device_info& d) {
    return compiles_kernels(d.runs_on);
  });
  const double real = o.real == precision::fp64 ? 8 : 4, best = devices.size() > 1 ? 8 : 0;
  const auto points = static_cast<double>(spec.batch * spec.frames() * spec.n_fft);
  // Frames that are too long for a workgroup go through memory, twice.
  const double frames =
      is_compiled ? 4 * real * points : 64 * real * static_cast<double>(spec.n_fft);
  const double reading = 24 * n_in, kept = (8 + real) * n_in + best * n_out;
  const double running = real * n_in + 2 * real * n_out + frames;
  const double judging = (8 + real) * n_out + 100 * checked_points(o, spec);
  const double writing = (8 + (spec.has_inverse ? 16 : real + (o.plot.empty() ? 0 : 8))) * n_out;
  const double steps = std::max(reading, kept + std::max({running, judging, writing})) +
                       (o.plot.empty() ? 0 : 48 * mebibyte);
  return is_compiled ? std::max(steps + driver_bytes, kept + compiler_bytes) : steps;
}

/// Returns what engines measure: a run, or its inverse.
auto measuring(const short_time_spec& spec, std::span<const std::byte> input) {
  return [&spec, input](const device_info& device, const measure::repetition& repeat) {
    const auto prepare = [&](queue& on) {
      const auto frames = std::make_shared<const short_time>(on, spec);
      const bool is_inverse = spec.has_inverse;
      const auto enqueue = [frames, is_inverse](queue& queued, buffer_view in, buffer_view out) {
        if (is_inverse) {
          frames->enqueue_inverse(queued, in, out);
        } else {
          frames->enqueue(queued, in, out);
        }
      };
      return measure::prepared_run{is_inverse ? frames->sample_bytes() : frames->result_bytes(),
                                   enqueue, frames->explain()};
    };
    return measure::measure_run(device, prepare, input, repeat);
  };
}

std::string heading(const transform_options& o, const power_spectra& shape, const char* kind) {
  return formatted("{}: {}, {}, {} of {} samples, {} apart, {} window (periodic), {}\n",
                   o.shown_file(), kind, counted(shape.n_rows, "row"),
                   counted(shape.n_frames, "segment"), shape.length, shape.hop, shape.window_name,
                   name_of(o.real));
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
      formatted("{} of {} {}", counted(shape.n_frames, "segment"), shape.n_columns(),
                o.n_bands ? "mel bands" : "complex bins");
  if (!o.output.empty()) {
    std::vector<std::size_t> axes{shape.n_frames, shape.n_columns()};
    if (shape.n_rows > 1) axes.insert(axes.begin(), shape.n_rows);
    formats::atomic_file output{o.output};
    output.write(formats::npy_prefix(
        o.n_bands ? (is_double ? "<f8" : "<f4") : (is_double ? "<c16" : "<c8"), axes));
    output.write(std::span<const std::byte>(pack(values, o.real)));
    output.commit();
    print_message("wrote {}: {}, {}, by {}", o.output, counted(shape.n_rows, "row"), described,
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

/// Returns what a file's signal is to become, without samples.
power_spectra shape_of(const transform_options& o, const formats::signal& signal) {
  power_spectra shape;
  static_cast<frame_layout&>(shape) = layout_of(o, signal);
  shape.n_frames = centred(o, shape).frames();
  shape.before = shape.length / 2;
  shape.n_bands = o.n_bands.value_or(0);
  shape.is_spectrogram = true;
  shape.is_double = o.real == precision::fp64;
  shape.scale = power_scaling::spectrum;
  shape.window_name = name_of(o.weights.value_or(window::hann));
  shape.rate_hz = o.sample_rate_hz.value_or(signal.sample_rate_hz);
  shape.centre_hz = signal.centre_hz;
  return shape;
}

/// Runs the spec on the engines and reports what it makes.
int run_spec(const transform_options& o, const short_time_spec& spec, power_spectra& shape,
             std::vector<double> samples) {
  const char* const kind = o.n_bands ? "mel" : "stft";
  const auto chosen = devices_for(o.engines, o.real, shape.length * shape.n_transforms(), o.check);
  const auto input = pack(samples, o.real);
  const reflected_frames frames{spec, std::move(samples)};
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
      o, heading(o, shape, o.n_bands ? "log-mel features" : "short-time transform"), shape.length,
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
int run_inverse(const transform_options& o, const short_time_spec& spec, const frame_layout& layout,
                const std::vector<double>& spectra, bool is_table) {
  const auto chosen =
      devices_for(o.engines, o.real, layout.length * layout.n_transforms(), o.check);
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
  power_spectra shape;
  static_cast<frame_layout&>(shape) = layout;
  shape.is_double = o.real == precision::fp64;
  shape.rate_hz = o.sample_rate_hz.value_or(0);
  shape.window_name = name_of(o.weights.value_or(window::hann));
  return report_outcome(o, heading(o, shape, "inverse of a short-time transform"), layout.length,
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
  static_cast<void>(devices_for(o.engines, o.real, 0, o.check));
  const auto recording =
      formats::open_samples(o.file, {.channel = o.channel, .format = o.format, .column = o.column});
  formats::signal held = recording->shape();
  report_channels(o.shown_file(), held, o.channel.has_value());
  std::optional<std::size_t> channel;
  if (held.n_channels > 0) channel = o.channel.value_or(0);
  if (channel) held.n_rows = 1;
  power_spectra shape = shape_of(o, held);
  short_time_spec spec = centred(o, shape);
  if (o.n_bands) add_bands(spec, o, shape.rate_hz);
  const auto n_in = static_cast<double>(shape.n_rows * shape.row_length * shape.width());
  const auto n_out =
      static_cast<double>(shape.n_transforms() * shape.n_columns()) * (o.n_bands ? 1 : 2);
  const std::string memory =
      require_memory(formatted("transforming {} of {} samples",
                               counted(shape.n_transforms(), "segment"), shape.length),
                     run_bytes(o, spec, n_in, n_out), o.max_memory);
  std::vector<double> samples =
      verify::numbers_of(recording->read_all(channel).samples, held.is_real);
  require_range(o, samples, shape.length);
  report_empty_bands(spec);
  round_to(o.real, samples);
  const int code = run_spec(o, spec, shape, std::move(samples));
  print_message("transformed {} within {}", counted(shape.n_transforms(), "segment"), memory);
  return code;
}

int invert_short_time(const transform_options& o) {
  static_cast<void>(devices_for(o.engines, o.real, 0, o.check));
  const auto recording = formats::open_samples(
      o.file, {.channel = o.channel, .format = o.format, .column = o.column, .takes_tables = true});
  const formats::signal& held = recording->shape();
  reject_if(held.is_real,
            "{} holds real numbers, and --stft --inverse takes complex bins; give an "
            "array that --stft wrote",
            o.shown_file());
  frame_layout layout{.n_rows = held.n_tables};
  layout.length = segment_of_bins(o, held.row_length, layout.is_real);
  layout.hop = hop_of(o, layout.length);
  layout.n_frames = held.n_rows / held.n_tables;
  short_time_spec spec = centred(o, layout);
  const auto [least, most] = set_length(o, spec, layout.n_frames);
  layout.row_length = spec.length;
  reject_if(!layout.is_real && !o.output.empty() &&
                formats::output_format_of(o.output) == formats::output_format::sound,
            "{} would hold real samples, and the segments of {} are of complex ones; write .npy, "
            ".txt or .csv",
            o.output, o.shown_file());
  require_weights(spec);
  spec.has_inverse = true;
  const std::string memory = require_memory(
      formatted("transforming {} back", counted(layout.n_transforms(), "segment")),
      run_bytes(o, spec, static_cast<double>(2 * held.n_rows * held.row_length),
                static_cast<double>(layout.n_rows * layout.row_length * layout.width())),
      o.max_memory);
  std::vector<double> spectra = verify::numbers_of(recording->read_all({}).samples, false);
  require_range(o, spectra, layout.length);
  if (!o.length && least < most) {
    print_message("{} are of {} to {} samples; {} are made, and --length makes others",
                  counted(layout.n_frames, "segment"), least, most, least);
  }
  round_to(o.real, spectra);
  const int code = run_inverse(o, spec, layout, spectra, held.n_tables > 1);
  print_message("transformed {} back within {}", counted(layout.n_transforms(), "segment"), memory);
  return code;
}

}  // namespace wingbeat::cli
