// SPDX-License-Identifier: Apache-2.0
// Power spectral densities (Welch) and spectrograms of the rows of a file.
#include <cmath>  // abs, sqrt
#include <filesystem>
#include <nlohmann/json.hpp>
#include <utility>  // move

#include "cli/choose.hpp"                      // short_name
#include "cli/commands/transform_options.hpp"  // transform_options
#include "cli/engine_runs.hpp"                 // run_engines, devices_for
#include "cli/frames.hpp"                      // frame_layout, load_of, store_of
#include "cli/messages.hpp"                    // print_message
#include "cli/option.hpp"                      // choice_of
#include "cli/reports/power.hpp"               // power_spectra
#include "cli/samples.hpp"                     // pack, round_to
#include "cli/window.hpp"                      // samples_of
#include "formats/signals/signal.hpp"          // read_signal
#include "request/validation.hpp"              // require_length, points_of
#include "text/counted.hpp"                    // counted
#include "text/formatted.hpp"                  // formatted
#include "text/reject.hpp"                     // reject
#include "verify/elements.hpp"                 // numbers_of
#include "wingbeat/error.hpp"                  // plan_error, file_error

namespace wingbeat::cli {
namespace {

constexpr std::size_t default_segment = 256;

/// Returns the segment length: the given one, or the default limited to the length of a row.
std::size_t segment_of(const transform_options& o, const formats::signal& signal) {
  if (o.segment) {
    request::require_length(*o.segment);
    if (*o.segment <= signal.row_length) return *o.segment;
    reject("--segment {} is longer than the rows of {}, which have {}; give less", *o.segment,
           o.shown_file(), counted(signal.row_length, "sample"));
  }
  const std::size_t length = std::min(default_segment, signal.row_length);
  if (length >= 2) return length;
  throw file_error(formatted("{} holds {} a row; a segment has at least 2", o.shown_file(),
                             counted(signal.row_length, "sample")));
}

frame_layout layout_of(const transform_options& o, const formats::signal& signal) {
  frame_layout layout{.n_rows = signal.n_rows, .row_length = signal.row_length};
  layout.length = segment_of(o, signal);
  const std::size_t overlap = o.overlap.value_or(layout.length / 2);
  reject_if(overlap >= layout.length,
            "--overlap {} leaves nothing of a segment of {} samples; give less", overlap,
            layout.length);
  layout.hop = layout.length - overlap;
  layout.n_frames = (signal.row_length - layout.length) / layout.hop + 1;
  layout.is_real = signal.is_real;
  return layout;
}

/// Refuses samples whose squares could leave the range of fp32.
void require_powers(const std::vector<double>& values, const std::string& name, precision real) {
  if (real == precision::fp64) return;
  double largest = 0;
  for (const double number : values) largest = std::max(largest, std::abs(number));
  if (largest == 0 || (largest > 1e-12 && largest < 1e12)) return;
  reject(
      "{} has magnitudes up to {:.3g}, whose powers fp32 may not hold; use --precision "
      "fp64",
      name, largest);
}

/// Returns the divisor of powers: for a density the rate times the energy of the window, for a
/// spectrum the square of its sum.
double divisor_of(const power_scaling scale, const std::vector<double>& window, double rate_hz) {
  double sum = 0, energy = 0;
  for (const double w : window) {
    sum += w;
    energy += w * w;
  }
  return scale == power_scaling::density ? rate_hz * energy : sum * sum;
}

power_scaling scaling_of(const transform_options& o) {
  return choice_of<power_scaling>(
      "--scale", o.scale_name.empty() ? "density" : o.scale_name,
      {{"density", power_scaling::density}, {"spectrum", power_scaling::spectrum}});
}

/// A problem of frames, without their powers.
struct frame_problem {
  frame_layout layout;
  frame_weights weights;
  std::vector<double> samples;
  plan_spec spec;
  double scale = 1;

  [[nodiscard]] verify::checked_problem checked() const {
    plan_spec definition{.lengths = {layout.length}, .batch = layout.n_transforms()};
    definition.kind = spec.kind;
    definition.real = precision::fp64;
    return {.spec = definition,
            .input = reader_of(layout, weights, samples),
            .computed = spec.real,
            .has_magnitudes = true,
            .n_roundings = weighting_roundings + power_roundings,
            .floor = floor_of_powers(scale, spec.real)};
  }

  /// Returns |X| of each power, with an imaginary part of 0.
  [[nodiscard]] std::vector<double> magnitudes(const std::vector<double>& powers) const {
    std::vector<double> values(2 * powers.size());
    for (std::size_t i = 0; i < powers.size(); ++i) {
      const std::size_t k = i % layout.n_bins();
      const bool is_edge = k == 0 || 2 * k == layout.length;
      values[2 * i] = std::sqrt(powers[i] / (layout.is_real && !is_edge ? 2 * scale : scale));
    }
    return values;
  }
};

frame_problem problem_of(const transform_options& o, const formats::signal& signal,
                         const power_spectra& shape) {
  frame_problem p;
  p.layout = layout_of(o, signal);
  p.spec.real = o.real;
  p.samples = verify::numbers_of(signal.samples, signal.is_real);
  round_to(p.spec.real, p.samples);
  require_powers(p.samples, o.shown_file(), p.spec.real);
  p.weights.window = samples_of(o.weights.value_or(window::hann), p.layout.length);
  p.weights.means = frame_means(p.layout, p.samples, p.spec.real, o.removes_mean.value_or(true));
  p.scale = 1 / divisor_of(shape.scale, p.weights.window, shape.rate_hz > 0 ? shape.rate_hz : 1);
  p.spec.lengths = {p.layout.length};
  p.spec.batch = p.layout.n_transforms();
  p.spec.kind = signal.is_real ? transform::forward_from_real : transform::forward;
  p.spec.load = load_of(p.layout, p.weights, p.spec.real);
  p.spec.store = store_of(p.layout, p.scale, p.spec.real);
  return p;
}

void write_files(const transform_options& o, const power_spectra& powers,
                 const std::string& device) {
  if (!o.output.empty()) {
    write_powers(o.output, powers);
    print_message("wrote {}: {} in {}, by {}", o.output, name_of(powers), unit_of(powers), device);
  }
  if (o.plot.empty()) return;
  const auto title =
      formatted("{}: {}, {} of {} samples, {} window (periodic)",
                std::filesystem::path(o.shown_file()).filename().string(), name_of(powers),
                counted(powers.n_frames, "segment"), powers.length, powers.window_name);
  draw_powers(o.plot, powers, title);
  print_message("wrote {}", o.plot);
}

}  // namespace

int transform_frames(const transform_options& o) {
  power_spectra shape;
  shape.scale = scaling_of(o);
  shape.is_spectrogram = o.is_spectrogram;
  shape.window_name = name_of(o.weights.value_or(window::hann));
  if (!o.output.empty()) require_power_format(o.output);
  const precision real = o.real;
  static_cast<void>(devices_for(o.engines, real, 0, o.check));
  const formats::signal signal =
      formats::read_signal(o.file, {.channel = o.channel, .format = o.format, .column = o.column});
  report_channels(o.shown_file(), signal, o.channel.has_value());
  shape.rate_hz = o.sample_rate_hz.value_or(signal.sample_rate_hz);
  shape.centre_hz = signal.centre_hz;
  const frame_problem problem = problem_of(o, signal, shape);
  static_cast<frame_layout&>(shape) = problem.layout;
  shape.is_double = real == precision::fp64;
  shape.noise_bandwidth_bins = noise_bandwidth_bins(problem.weights.window);
  if (const std::size_t n_left = signal.row_length - shape.covered_samples(); n_left > 0) {
    print_message("the last {} of each row are in no segment", counted(n_left, "sample"));
  }
  verify::judge check{problem.checked(), o.check};
  const auto chosen =
      devices_for(o.engines, real, request::points_of(problem.spec) * problem.spec.batch, o.check);
  engine_outcome found =
      run_engines(problem.spec, pack(problem.samples, real), chosen, check,
                  [&](const std::vector<double>& powers) { return problem.magnitudes(powers); });
  return report_outcome(o, powers_heading(o.shown_file(), shape), problem.layout.length,
                        powers_json(o.file, shape), found, check, [&](auto&) {
                          shape.values = std::move(found.best_values);
                          if (!shape.is_spectrogram) shape.average();
                          write_files(o, shape, short_name(found.best->device));
                        });
}

}  // namespace wingbeat::cli
