// SPDX-License-Identifier: Apache-2.0
// Power spectral densities (Welch) and spectrograms of the rows of a file.
#include <malloc.h>  // mallopt

#include <algorithm>  // clamp, max, min
#include <cmath>      // abs, sqrt
#include <filesystem>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <utility>  // move

#include "cli/choose.hpp"                      // short_name
#include "cli/commands/transform_options.hpp"  // transform_options
#include "cli/engine_runs.hpp"                 // run_engines, devices_for
#include "cli/memory_limit.hpp"                // require_memory
#include "cli/messages.hpp"                    // print_message
#include "cli/option.hpp"                      // choice_of
#include "cli/progress.hpp"                    // rate_bar
#include "cli/reports/power.hpp"               // power_spectra
#include "cli/samples.hpp"                     // pack, round_to
#include "cli/short_time_check.hpp"            // weighted_frames
#include "cli/window.hpp"                      // samples_of
#include "request/validation.hpp"              // require_length
#include "short_time/request.hpp"              // all_frames
#include "text/counted.hpp"                    // counted
#include "text/formatted.hpp"                  // formatted
#include "text/reject.hpp"                     // reject
#include "wingbeat/error.hpp"                  // plan_error, file_error

namespace wingbeat::cli {
namespace {

sample_type type_of(bool is_real, precision real) {
  if (is_real) return real == precision::fp64 ? sample_type::fp64 : sample_type::fp32;
  return real == precision::fp64 ? sample_type::complex_fp64 : sample_type::complex_fp32;
}

/// Returns the samples of a row from its first frame to the end of frame `n_frames` - 1.
std::size_t samples_of_frames(const short_time_spec& spec, std::size_t n_frames) {
  return (n_frames - 1) * spec.hop + spec.n_fft;
}

/// Returns the segments that engines take at once: all of a spectrogram; those of whole rows, or
/// some of one row, where means are added up. Rows whose frames lie together are read together.
short_time_spec part_of(short_time_spec part, bool is_spectrogram, bool has_rows) {
  constexpr std::size_t part_samples = std::size_t{1} << 20;
  if (is_spectrogram) return part;
  const std::size_t n_frames = part.frames();
  const std::size_t most = std::max<std::size_t>(part_samples / part.n_fft, 1);
  if (has_rows) part.batch = std::clamp<std::size_t>(most / n_frames, 1, part.batch);
  part.length = samples_of_frames(part, std::clamp<std::size_t>(most / part.batch, 1, n_frames));
  return part;
}

/// Returns samples of the rows from `first_row` on, [row][sample][re, im if complex].
std::vector<double> read_part(formats::sample_reader& recording, std::optional<std::size_t> channel,
                              const short_time_spec& part, std::size_t first_row,
                              std::size_t first) {
  if (channel) return recording.read(first, part.length, *channel);
  if (recording.has_rows()) {
    std::vector<double> samples;
    for (std::size_t r = 0; r < part.batch; ++r) {
      const auto row = recording.read(first, part.length, first_row + r);
      samples.insert(samples.end(), row.begin(), row.end());
    }
    return samples;
  }
  const std::vector<double> frames = recording.read(first, part.length);
  std::vector<double> samples(frames.size());
  const std::size_t width = part.is_complex() ? 2 : 1;
  for (std::size_t i = 0; i < frames.size(); ++i) {
    const std::size_t n = i / width;
    samples[(n % part.batch * part.length + n / part.batch) * width + i % width] = frames[i];
  }
  return samples;
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

/// Makes the unscaled powers of a file part by part, and averages those of a density.
class power_run {
 public:
  power_run(const transform_options& o, const opened_rows& rows, const power_spectra& shape)
      : options_(o),
        rows_(rows),
        shape_(shape),
        part_(part_of(shape.spec, shape.is_spectrogram, rows.reader->has_rows())) {
    // Arrays that a part frees go back, and do not lie scattered below those of the next.
    ::mallopt(M_MMAP_THRESHOLD, 1 << 20);
    const std::size_t n_frames = short_times::all_frames(part_);
    memory_ = require_memory(
        formatted("transforming {} of {} samples", counted(n_frames, "segment"), part_.n_fft),
        transform_bytes(o, part_), o.max_memory);
    chosen_ = devices_for(o, part_.n_fft * short_times::all_frames(shape.spec));
  }

  /// Returns the results of all engines; `best_values` are the powers, or their means.
  engine_outcome run() {
    rate_bar bar{"transform", "segment"};
    const std::size_t n_rows = shape_.spec.batch, n_frames = shape_.spec.frames();
    const auto n_all = static_cast<double>(n_rows * n_frames);
    for (std::size_t row = 0; row < n_rows; row += part_.batch) {
      for (std::size_t frame = 0; frame < n_frames; frame += part_.frames()) {
        const std::size_t n_done = row * n_frames + frame;
        bar.show(n_done, static_cast<double>(n_done) / n_all);
        if (n_done == 0 || !chosen_.empty()) add(row, frame);
      }
    }
    require_range(options_, largest_, part_.n_fft);
    if (!shape_.is_spectrogram && found_.best != nullptr) {
      found_.best_values = std::move(means_.at(short_name(found_.best->device)));
    }
    return std::move(found_);
  }

  [[nodiscard]] const verify::judge& check() const { return *check_; }
  [[nodiscard]] const std::string& memory() const { return memory_; }

 private:
  void add(std::size_t first_row, std::size_t first_frame) {
    short_time_spec part = part_;
    part.batch = std::min(part.batch, shape_.spec.batch - first_row);
    part.length =
        samples_of_frames(part, std::min(part.frames(), shape_.spec.frames() - first_frame));
    std::vector<double> samples =
        read_part(*rows_.reader, rows_.channel, part, first_row, first_frame * part.hop);
    for (const double number : samples) largest_ = std::max(largest_, std::abs(number));
    if (largest_ > 1) require_range(options_, largest_, part.n_fft);
    round_to(options_.real, samples);
    const auto input = pack(samples, options_.real);
    frames_.emplace(part, std::move(samples));
    const bool is_first = !check_;
    if (is_first) {
      check_.emplace(frames_->problem(), options_.check);
    } else {
      check_->follow(frames_->problem());
    }
    const auto compared = [&](const device_info& device, const std::vector<double>& powers) {
      if (!shape_.is_spectrogram) add_means(means_[short_name(device)], part, first_row, powers);
      return frames_->magnitudes(powers);
    };
    engine_work work = judging(*check_, options_.real, compared);
    work.measured = measuring(part, input);
    work.is_part = short_times::all_frames(part) < short_times::all_frames(shape_.spec);
    engine_outcome outcome = run_engines(chosen_, work);
    if (is_first) {
      found_ = std::move(outcome);
    } else {
      add_part(found_, outcome);
    }
    chosen_.clear();
    for (const engine_result& r : found_.results) chosen_.push_back(r.device);
  }

  /// Adds the powers of a part, divided by the number of all frames of a row (Welch's method).
  void add_means(std::vector<double>& means, const short_time_spec& part, std::size_t first_row,
                 const std::vector<double>& powers) const {
    const std::size_t n_bins = part.bins(), n_row = part.frames() * n_bins;
    const auto n_frames = static_cast<double>(shape_.spec.frames());
    means.resize(shape_.spec.batch * n_bins);
    for (std::size_t i = 0; i < powers.size(); ++i) {
      means[(first_row + i / n_row) * n_bins + i % n_bins] += powers[i] / n_frames;
    }
  }

  const transform_options& options_;
  const opened_rows& rows_;
  const power_spectra& shape_;
  short_time_spec part_;  ///< The largest one.
  std::string memory_;
  std::vector<device_info> chosen_;
  std::optional<weighted_frames> frames_;  ///< Of the part that was run last.
  std::optional<verify::judge> check_;
  engine_outcome found_;
  std::map<std::string, std::vector<double>> means_;  ///< By device: [row][bin].
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
                counted(powers.spec.frames(), "segment"), powers.spec.n_fft, powers.window_name);
  draw_powers(o.plot, powers, title);
  print_message("wrote {}", o.plot);
}

}  // namespace

std::size_t segment_length(const transform_options& o, const formats::signal& signal) {
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

power_spectra segments_of(const transform_options& o, const formats::signal& signal,
                          std::size_t length) {
  const std::size_t overlap = o.overlap.value_or(length / 2);
  reject_if(overlap >= length, "--overlap {} leaves nothing of a segment of {} samples; give less",
            overlap, length);
  const window shape = o.weights.value_or(window::hann);
  return {.spec = {.length = signal.row_length,
                   .batch = signal.n_rows,
                   .n_fft = length,
                   .hop = length - overlap,
                   .window = samples_of(shape, length),
                   .slack = -static_cast<std::ptrdiff_t>(length),
                   .samples = type_of(signal.is_real, o.real)},
          .rate_hz = o.sample_rate_hz.value_or(signal.sample_rate_hz),
          .centre_hz = signal.centre_hz,
          .window_name = std::string{name_of(shape)}};
}

void require_range(const transform_options& o, double largest, std::size_t n_summed) {
  const bool is_fp64 = o.real == precision::fp64;
  const double most =
      is_fp64 ? std::numeric_limits<double>::max() : std::numeric_limits<float>::max();
  const double least =
      is_fp64 ? std::numeric_limits<double>::min() : std::numeric_limits<float>::min();
  const double sum = 4 * largest * static_cast<double>(n_summed);
  const bool is_too_large = o.is_stft ? sum > most : sum > std::sqrt(most);
  const double least_taken = o.is_stft ? least : o.n_bands ? 0 : 1e7 * std::sqrt(least);
  reject_if(is_too_large || (largest > 0 && largest < least_taken),
            "{} has magnitudes up to {:.3g}, whose {} {} may not hold; {}", o.shown_file(), largest,
            o.is_stft ? "transforms" : "powers", name_of(o.real),
            is_fp64 ? "scale them" : "use --precision fp64");
}

int transform_frames(const transform_options& o) {
  const power_scaling scale = scaling_of(o);
  if (!o.output.empty()) require_power_format(o.output);
  static_cast<void>(devices_for(o, 0));
  const opened_rows rows = open_rows(o);
  power_spectra shape = segments_of(o, rows.shape, segment_length(o, rows.shape));
  shape.is_spectrogram = o.is_spectrogram;
  shape.scale = scale;
  short_time_spec& spec = shape.spec;
  spec.features = {.exponent = 2, .is_one_sided = !spec.is_complex()};
  spec.removes_mean = o.removes_mean.value_or(true);
  const double divisor = divisor_of(scale, spec.window, shape.rate_hz > 0 ? shape.rate_hz : 1);
  const std::size_t n_taken = samples_of_frames(spec, spec.frames());
  if (const std::size_t n_left = spec.length - n_taken; n_left > 0) {
    print_message("the last {} of each row are in no segment", counted(n_left, "sample"));
  }
  spec.length = n_taken;
  power_run powers{o, rows, shape};
  engine_outcome found = powers.run();
  print_message("transformed {} within {}", counted(short_times::all_frames(spec), "segment"),
                powers.memory());
  return report_outcome(o, powers_heading(o.shown_file(), shape), spec.n_fft,
                        powers_json(o.file, shape), found, powers.check(), [&](auto&) {
                          shape.values = std::move(found.best_values);
                          for (double& power : shape.values) power /= divisor;
                          write_files(o, shape, short_name(found.best->device));
                        });
}

}  // namespace wingbeat::cli
