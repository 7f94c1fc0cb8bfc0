// SPDX-License-Identifier: Apache-2.0
// The memory that a transform of samples takes.
#include <algorithm>  // max, ranges::any_of
#include <bit>        // bit_ceil
#include <utility>    // swap

#include "cli/commands/transform_options.hpp"  // transform_options
#include "programs/transforms.hpp"             // make_program
#include "request/resolved.hpp"                // points_of, traits_of
#include "tuning/compiled_engines.hpp"         // compiles_kernels
#include "verify/judge.hpp"                    // sampled_points_of, check_extent
#include "wingbeat/good_length.hpp"            // is_good_length
#include "wingbeat/plan.hpp"                   // plan, input_bytes, output_bytes
#include "wingbeat/queue.hpp"                  // queue

namespace wingbeat::cli {
namespace {

constexpr double mebibyte = 0x1p20, compiler_bytes = 320 * mebibyte, driver_bytes = 96 * mebibyte;

/// Returns the largest workspace of the engines. Compiles nothing.
double work_bytes(const std::vector<device_info>& devices, const plan_spec& spec) {
  std::size_t most = 0;
  for (const device_info& device : devices) {
    most = std::max(most, compiles_kernels(device.runs_on)
                              ? programs::make_program(spec, device).workspace_bytes()
                              : plan{queue{device}, spec}.workspace_bytes());
  }
  return static_cast<double>(most);
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

}  // namespace

double transform_bytes(const transform_options& o, const plan_spec& spec, std::size_t n_samples) {
  const std::vector<device_info> devices = devices_for(o, 0);
  const auto has = [&](auto property) { return std::ranges::any_of(devices, property); };
  const bool is_compiled = has([](const device_info& d) { return compiles_kernels(d.runs_on); });
  const bool has_several = devices.size() > 1;
  const auto in = static_cast<double>(input_bytes(spec));
  const auto out = static_cast<double>(output_bytes(spec));
  const auto points = static_cast<double>(request::points_of(spec) * spec.batch);
  const double reals = spec.real == precision::fp64 ? 1 : 2;  // fp64 bytes per byte of reals
  const double doubles_in = reals * in, doubles_out = reals * out;
  const bool is_full =
      o.check == verify::check_extent::full || points <= verify::max_values_unsampled;
  const double expected = is_full ? doubles_out : 0;
  // The samples, the input as doubles and packed, and values of the best engine so far.
  const double kept =
      16 * static_cast<double>(n_samples) + doubles_in + in + (has_several ? doubles_out : 0);
  // Long double, of a prime length as a convolution.
  const std::size_t length = spec.lengths.back();
  const double convolved =
      is_good_length(length) ? 0 : 64 * static_cast<double>(std::bit_ceil(2 * length));
  const double long_doubles = 32 * points + convolved;
  const double definition = is_full ? in + 2 * doubles_in + 3 * doubles_out + long_doubles : 0;
  const bool is_in_long_double =
      has([](const device_info& d) { return d.runs_on == engine::reference; });
  const double on_device = in + 2 * out + work_bytes(devices, spec);
  const double running = on_device + expected + (is_in_long_double ? long_doubles : 0);
  // Checks of transforms from reals to reals sample a longer, complex one.
  const bool is_extended = request::traits_of(spec.kind).is_real_to_real();
  // A prime axis is sampled as a whole transform, in complex numbers of three types.
  const auto sampled = static_cast<double>(verify::sampled_points_of(spec));
  const double sampling = in + 2 * doubles_in + (is_extended ? 120 * points : 72 * sampled);
  const double compared = is_full ? expected : o.check == verify::check_extent::none ? 0 : sampling;
  const double judging = doubles_out + compared + (is_compiled ? on_device : 0);
  const bool is_written = !o.output.empty() || !o.plot.empty() || o.n_peaks;
  const bool is_half = request::traits_of(spec.kind).out == request::domain::hermitian;
  const bool is_completed = is_half && (!o.is_half || !o.plot.empty());
  const double written = 2 * doubles_out +
                         (is_completed ? 32
                          : is_half    ? 8
                                       : 16) *
                             points +
                         (o.n_peaks ? 16 * points : 0);
  const double writing = is_written ? expected + written : 0;
  const double steps = kept + std::max({definition, running, judging, writing}) +
                       (o.plot.empty() ? 0 : 48 * mebibyte);
  if (!is_compiled) return steps;
  return std::max(steps + driver_bytes, kept + expected + compiler_bytes);
}

double transform_bytes(const transform_options& o, const short_time_spec& spec) {
  const auto devices = devices_for(o, 0);
  const bool is_compiled = std::ranges::any_of(
      devices, [](const device_info& d) { return compiles_kernels(d.runs_on); });
  const bool has_bins = spec.features.exponent == 0, has_bands = spec.features.bands != 0;
  const double real = o.real == precision::fp64 ? 8 : 4, best = devices.size() > 1 ? 8 : 0;
  const auto n_frames = static_cast<double>(spec.batch * spec.frames());
  const double points = n_frames * static_cast<double>(spec.n_fft);
  double n_in = static_cast<double>(spec.batch * spec.length) * (spec.is_complex() ? 2 : 1);
  double n_out = n_frames * static_cast<double>(spec.columns()) * (has_bins ? 2 : 1);
  if (spec.has_inverse) std::swap(n_in, n_out);
  // Frames that are too long for a workgroup go through memory, twice.
  const double frames =
      is_compiled ? 4 * real * points : 64 * real * static_cast<double>(spec.n_fft);
  const double reading = 24 * n_in, kept = (8 + real) * n_in + best * n_out;
  const double running = real * n_in + 2 * real * n_out + frames;
  const double magnitudes = has_bins || has_bands ? 0 : 16 * n_out;
  const double judging = (8 + real) * n_out + magnitudes + 100 * checked_points(o, spec);
  const double writing = (8 + (spec.has_inverse ? 16 : real + (o.plot.empty() ? 0 : 8))) * n_out;
  const double steps = std::max(reading, kept + std::max({running, judging, writing})) +
                       (o.plot.empty() ? 0 : 48 * mebibyte);
  return is_compiled ? std::max(steps + driver_bytes, kept + compiler_bytes) : steps;
}

}  // namespace wingbeat::cli
