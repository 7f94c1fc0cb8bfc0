// SPDX-License-Identifier: Apache-2.0
// Power spectral densities (Welch) and spectrograms of the rows of a file.
#include <algorithm>  // clamp, max, min
#include <cmath>      // abs, sqrt
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <utility>  // move

#include "cli/choose.hpp"                      // short_name
#include "cli/commands/transform_options.hpp"  // transform_options
#include "cli/engine_runs.hpp"                 // run_engines, devices_for
#include "cli/frames.hpp"                      // frame_layout, load_of, store_of
#include "cli/memory_limit.hpp"                // require_memory
#include "cli/messages.hpp"                    // print_message
#include "cli/option.hpp"                      // choice_of
#include "cli/progress.hpp"                    // rate_bar
#include "cli/reports/power.hpp"               // power_spectra
#include "cli/samples.hpp"                     // pack, round_to
#include "cli/window.hpp"                      // samples_of
#include "formats/signals/sample_reader.hpp"   // open_samples
#include "request/validation.hpp"              // require_length
#include "text/counted.hpp"                    // counted
#include "text/formatted.hpp"                  // formatted
#include "text/reject.hpp"                     // reject
#include "wingbeat/error.hpp"                  // plan_error, file_error

namespace wingbeat::cli {
namespace {

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

/// Returns the segments that engines take at once: all of a spectrogram; those of whole rows, or
/// some of one row, where means are added up. Rows whose frames lie together are read together.
frame_layout part_of(const frame_layout& whole, bool is_spectrogram, bool has_rows) {
  constexpr std::size_t part_samples = std::size_t{1} << 20;
  if (is_spectrogram) return whole;
  frame_layout part = whole;
  const std::size_t most = std::max<std::size_t>(part_samples / whole.length, 1);
  if (has_rows) part.n_rows = std::clamp<std::size_t>(most / whole.n_frames, 1, whole.n_rows);
  part.n_frames = std::clamp<std::size_t>(most / part.n_rows, 1, whole.n_frames);
  part.row_length = part.covered_samples();
  return part;
}

/// Returns samples of the rows from `first_row` on, [row][sample][re, im if complex].
std::vector<double> read_part(const transform_options& o, formats::sample_reader& recording,
                              const frame_layout& part, std::size_t first_row, std::size_t first) {
  const formats::signal& shape = recording.shape();
  if (shape.n_channels > 0) return recording.read(first, part.row_length, o.channel.value_or(0));
  if (recording.has_rows()) {
    std::vector<double> samples;
    for (std::size_t r = 0; r < part.n_rows; ++r) {
      const auto row = recording.read(first, part.row_length, first_row + r);
      samples.insert(samples.end(), row.begin(), row.end());
    }
    return samples;
  }
  const std::vector<double> frames = recording.read(first, part.row_length);
  std::vector<double> samples(frames.size());
  for (std::size_t i = 0; i < frames.size(); ++i) {
    const std::size_t n = i / part.width();
    samples[(n % part.n_rows * part.row_length + n / part.n_rows) * part.width() +
            i % part.width()] = frames[i];
  }
  return samples;
}

/// Refuses a signal whose largest square could leave the range of fp32.
void require_powers(double largest, const std::string& name, precision real) {
  if (real == precision::fp64 || largest == 0 || (largest > 1e-12 && largest < 1e12)) return;
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

frame_problem problem_of(const transform_options& o, const frame_layout& part,
                         std::vector<double> samples, const power_spectra& shape) {
  frame_problem p;
  p.layout = part;
  p.spec.real = o.real;
  p.samples = std::move(samples);
  round_to(p.spec.real, p.samples);
  p.weights.window = samples_of(o.weights.value_or(window::hann), p.layout.length);
  p.weights.means = frame_means(p.layout, p.samples, p.spec.real, o.removes_mean.value_or(true));
  p.scale = 1 / divisor_of(shape.scale, p.weights.window, shape.rate_hz > 0 ? shape.rate_hz : 1);
  p.spec.lengths = {p.layout.length};
  p.spec.batch = p.layout.n_transforms();
  p.spec.kind = p.layout.is_real ? transform::forward_from_real : transform::forward;
  p.spec.load = load_of(p.layout, p.weights, p.spec.real);
  p.spec.store = store_of(p.layout, p.scale, p.spec.real);
  return p;
}

/// Makes the powers of a file part by part, and averages those of a density.
class power_run {
 public:
  power_run(const transform_options& o, formats::sample_reader& recording,
            const power_spectra& shape)
      : options_(o),
        recording_(recording),
        shape_(shape),
        part_(part_of(shape, shape.is_spectrogram, recording.has_rows())) {
    const plan_spec spec{.lengths = {part_.length},
                         .batch = part_.n_transforms(),
                         .kind = part_.is_real ? transform::forward_from_real : transform::forward,
                         .real = o.real};
    memory_ = require_memory(
        formatted("transforming {} of {} samples", counted(spec.batch, "segment"), part_.length),
        transform_bytes(o, spec, part_.n_rows * part_.row_length), o.max_memory);
    chosen_ = devices_for(o.engines, o.real, part_.length * shape.n_transforms(), o.check);
  }

  /// Returns the results of all engines; `best_values` are the powers, or their means.
  engine_outcome run() {
    rate_bar bar{"transform", "segment"};
    for (std::size_t row = 0; row < shape_.n_rows; row += part_.n_rows) {
      for (std::size_t frame = 0; frame < shape_.n_frames; frame += part_.n_frames) {
        const std::size_t n_done = row * shape_.n_frames + frame;
        bar.show(n_done, static_cast<double>(n_done) / static_cast<double>(shape_.n_transforms()));
        if (n_done == 0 || !chosen_.empty()) add(row, frame);
      }
    }
    require_powers(largest_, options_.shown_file(), options_.real);
    if (!shape_.is_spectrogram && found_.best != nullptr) {
      found_.best_values = std::move(means_.at(short_name(found_.best->device)).values);
    }
    return std::move(found_);
  }

  [[nodiscard]] const verify::judge& check() const { return *check_; }
  [[nodiscard]] const std::string& memory() const { return memory_; }

 private:
  void add(std::size_t first_row, std::size_t first_frame) {
    frame_layout part = part_;
    part.n_rows = std::min(part.n_rows, shape_.n_rows - first_row);
    part.n_frames = std::min(part.n_frames, shape_.n_frames - first_frame);
    part.row_length = part.covered_samples();
    problem_ = problem_of(
        options_, part, read_part(options_, recording_, part, first_row, first_frame * shape_.hop),
        shape_);
    for (const double number : problem_.samples) largest_ = std::max(largest_, std::abs(number));
    if (largest_ > 1) require_powers(largest_, options_.shown_file(), options_.real);
    const bool is_first = !check_;
    if (is_first) {
      check_.emplace(problem_.checked(), options_.check);
    } else {
      check_->follow(problem_.checked());
    }
    const auto compared = [&](const device_info& device, const std::vector<double>& powers) {
      if (!shape_.is_spectrogram) {
        means_.try_emplace(short_name(device), shape_)
            .first->second.add_means(part, first_row, powers);
      }
      return problem_.magnitudes(powers);
    };
    engine_outcome outcome = run_engines(
        problem_.spec, pack(problem_.samples, options_.real), chosen_, *check_,
        {.compared = compared, .is_part = part_.n_transforms() < shape_.n_transforms()});
    if (is_first) {
      found_ = std::move(outcome);
    } else {
      add_part(found_, outcome);
    }
    chosen_.clear();
    for (const engine_result& r : found_.results) chosen_.push_back(r.device);
  }

  const transform_options& options_;
  formats::sample_reader& recording_;
  const power_spectra& shape_;
  frame_layout part_;  ///< The largest one.
  std::string memory_;
  std::vector<device_info> chosen_;
  frame_problem problem_;  ///< Of the part that was run last.
  std::optional<verify::judge> check_;
  engine_outcome found_;
  std::map<std::string, power_spectra> means_;  ///< By device.
  double largest_ = 0;
};

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

std::size_t hop_of(const transform_options& o, std::size_t length) {
  const std::size_t overlap = o.overlap.value_or(length / 2);
  reject_if(overlap >= length, "--overlap {} leaves nothing of a segment of {} samples; give less",
            overlap, length);
  return length - overlap;
}

frame_layout layout_of(const transform_options& o, const formats::signal& signal) {
  frame_layout layout{.n_rows = signal.n_rows, .row_length = signal.row_length};
  layout.length = segment_of(o, signal);
  layout.hop = hop_of(o, layout.length);
  layout.n_frames = (signal.row_length - layout.length) / layout.hop + 1;
  layout.is_real = signal.is_real;
  return layout;
}

int transform_frames(const transform_options& o) {
  power_spectra shape;
  shape.scale = scaling_of(o);
  shape.is_spectrogram = o.is_spectrogram;
  shape.window_name = name_of(o.weights.value_or(window::hann));
  if (!o.output.empty()) require_power_format(o.output);
  static_cast<void>(devices_for(o.engines, o.real, 0, o.check));
  const auto recording =
      formats::open_samples(o.file, {.channel = o.channel, .format = o.format, .column = o.column});
  formats::signal held = recording->shape();
  report_channels(o.shown_file(), held, o.channel.has_value());
  if (held.n_channels > 0) held.n_rows = 1;
  shape.rate_hz = o.sample_rate_hz.value_or(held.sample_rate_hz);
  shape.centre_hz = held.centre_hz;
  static_cast<frame_layout&>(shape) = layout_of(o, held);
  shape.is_double = o.real == precision::fp64;
  shape.noise_bandwidth_bins =
      noise_bandwidth_bins(samples_of(o.weights.value_or(window::hann), shape.length));
  if (const std::size_t n_left = held.row_length - shape.covered_samples(); n_left > 0) {
    print_message("the last {} of each row are in no segment", counted(n_left, "sample"));
  }
  power_run powers{o, *recording, shape};
  engine_outcome found = powers.run();
  print_message("transformed {} within {}", counted(shape.n_transforms(), "segment"),
                powers.memory());
  return report_outcome(o, powers_heading(o.shown_file(), shape), shape.length,
                        powers_json(o.file, shape), found, powers.check(), [&](auto&) {
                          shape.values = std::move(found.best_values);
                          write_files(o, shape, short_name(found.best->device));
                        });
}

}  // namespace wingbeat::cli
