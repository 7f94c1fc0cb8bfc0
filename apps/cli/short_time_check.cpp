// SPDX-License-Identifier: Apache-2.0
#include "cli/short_time_check.hpp"

#include <algorithm>  // max, min
#include <cmath>      // abs, hypot, pow, sqrt
#include <cstring>    // memcpy
#include <limits>     // numeric_limits
#include <set>
#include <utility>  // move, pair

#include "short_time/placement.hpp"  // frames_in
#include "short_time/request.hpp"    // all_frames
#include "text/formatted.hpp"        // formatted

namespace wingbeat::cli {
namespace {

using device::functors::frame_samples;

/// Roundings of a weighted element: weight, difference and product. Roundings of a magnitude whose
/// power is stored: half of those of the squares and their sum.
constexpr double weighting_roundings = 3, power_roundings = 1;
/// Roundings of the magnitude of a band: half of those of a sum of squares and of a logarithm,
/// whose value is at most 12.
constexpr double level_roundings = 30;
/// Roundings of a sample of the inverse: weight, product, sum and quotient.
constexpr double overlap_roundings = 6;

std::size_t width_of(const short_time_spec& spec) {
  return spec.is_complex() ? 2 : 1;
}

/// Returns the transforms of so many frames, forward or back, in fp64.
plan_spec definition(const short_time_spec& spec, std::size_t n_frames, bool is_inverse) {
  plan_spec frames{.lengths = {spec.n_fft}, .batch = n_frames};
  if (spec.is_complex()) {
    frames.kind = is_inverse ? transform::inverse : transform::forward;
  } else {
    frames.kind = is_inverse ? transform::inverse_to_real : transform::forward_from_real;
  }
  if (is_inverse) frames.scale = scaling::by_length;
  frames.real = precision::fp64;
  return frames;
}

/// Returns the frames that are compared: all, or some that are spread over all.
std::vector<std::size_t> compared_frames(const short_time_spec& spec, verify::check_extent extent) {
  const std::size_t n = short_times::all_frames(spec);
  const std::size_t most = std::max<std::size_t>(verify::max_values_unsampled / spec.n_fft, 3);
  const std::size_t count = extent == verify::check_extent::full ? n : std::min(n, most);
  std::vector<std::size_t> frames;
  for (std::size_t i = 0; i < count; ++i) {
    frames.push_back(count == 1 ? 0 : i * (n - 1) / (count - 1));
  }
  return frames;
}

/// A part of a row.
struct row_part {
  std::size_t row = 0, first = 0, count = 0;
  friend auto operator<=>(const row_part&, const row_part&) = default;
};

/// Returns the parts that are compared: all rows, or some samples at the beginning of the first, in
/// the middle of the middle and at the end of the last.
std::set<row_part> compared_parts(const short_time_spec& spec, verify::check_extent extent) {
  constexpr std::size_t part_samples = std::size_t{1} << 14;
  const bool is_short = spec.batch * spec.length <= 3 * part_samples;
  std::set<row_part> parts;
  if (extent == verify::check_extent::full || is_short) {
    for (std::size_t r = 0; r < spec.batch; ++r) parts.insert({r, 0, spec.length});
    return parts;
  }
  const std::size_t count = std::min(spec.length, part_samples);
  for (const std::size_t half : {0, 1, 2}) {
    parts.insert({half * (spec.batch - 1) / 2, half * (spec.length - count) / 2, count});
  }
  return parts;
}

/// Returns the sample at a place of a row whose ends are reflected.
std::size_t reflected(std::ptrdiff_t place, std::size_t length) {
  const auto n = static_cast<std::ptrdiff_t>(length);
  if (place >= 0 && place < n) return static_cast<std::size_t>(place);
  if (n == 1) return 0;
  const std::ptrdiff_t period = 2 * (n - 1), turned = (place % period + period) % period;
  return static_cast<std::size_t>(std::min(turned, period - turned));
}

/// Returns the means of frames as engines compute them in Real, [frame][re, im if complex].
template <class Real>
std::vector<double> means_of(const short_time_spec& spec, const std::vector<double>& samples) {
  using complex = device::complex<double>;
  const device::functors::frame_numbers numbers = short_times::frames_in(spec);
  std::vector<double> means;
  for (std::size_t t = 0; t < short_times::all_frames(spec); ++t) {
    if (spec.is_complex()) {
      const auto* const pairs = reinterpret_cast<const complex*>(samples.data());
      const auto mean = frame_samples<complex, Real>{numbers, pairs, nullptr, t}.mean();
      means.insert(means.end(), {mean.re, mean.im});
    } else {
      means.push_back(frame_samples<double, Real>{numbers, samples.data(), nullptr, t}.mean());
    }
  }
  return means;
}

/// Sums over the frames that cover a part of a row.
struct overlapped {
  std::vector<double> sums;     // [sample][re, im if complex]: of weighted frames
  std::vector<double> weights;  // [sample]: of squared weights
  double energy = 0;            ///< Of all numbers of these frames.
  double largest = 0;           ///< Magnitude of a number of these frames.
};

/// Returns the first frame that has samples of the part, and the one behind the last.
std::pair<std::size_t, std::size_t> frames_over(const short_time_spec& spec, const row_part& part) {
  const std::size_t begin = part.first + spec.before, end = begin + part.count - 1;
  const std::size_t first = begin < spec.n_fft ? 0 : (begin - spec.n_fft) / spec.hop + 1;
  return {first, std::min(end / spec.hop + 1, spec.frames())};
}

overlapped overlap(const short_time_spec& spec, const std::vector<double>& spectra,
                   const row_part& part) {
  const std::size_t width = width_of(spec), frame_numbers = 2 * spec.bins();
  overlapped found{std::vector<double>(part.count * width), std::vector<double>(part.count)};
  const auto [first, end] = frames_over(spec, part);
  if (first >= end) return found;
  const std::span<const double> given{spectra};
  const std::vector<double> frames =
      verify::reference_output(definition(spec, end - first, /*is_inverse=*/true),
                               given.subspan((part.row * spec.frames() + first) * frame_numbers,
                                             (end - first) * frame_numbers));
  for (const double x : frames) {
    found.energy += x * x;
    found.largest = std::max(found.largest, std::abs(x));
  }
  for (std::size_t t = first; t < end; ++t) {
    const double* const frame = &frames[(t - first) * spec.n_fft * width];
    for (std::size_t j = 0; j < spec.n_fft; ++j) {
      const std::size_t place = t * spec.hop + j, begin = part.first + spec.before;
      if (place < begin || place - begin >= part.count) continue;
      const std::size_t i = place - begin;
      found.weights[i] += spec.window[j] * spec.window[j];
      for (std::size_t p = 0; p < width; ++p) {
        found.sums[i * width + p] += spec.window[j] * frame[j * width + p];
      }
    }
  }
  return found;
}

}  // namespace

weighted_frames::weighted_frames(const short_time_spec& frames, std::vector<double> rows)
    : spec_(frames), samples_(std::move(rows)) {
  if (!spec_.removes_mean) {
    means_.resize(short_times::all_frames(spec_) * width_of(spec_));
  } else if (spec_.real() == precision::fp64) {
    means_ = means_of<double>(spec_, samples_);
  } else {
    means_ = means_of<float>(spec_, samples_);
  }
}

void weighted_frames::read(std::size_t frame, std::size_t first, std::span<std::byte> into) const {
  const std::size_t width = width_of(spec_), n_frames = spec_.frames();
  const double* const row = &samples_[frame / n_frames * spec_.length * width];
  const double* const mean = &means_[frame * width];
  const auto begin = static_cast<std::ptrdiff_t>(frame % n_frames * spec_.hop) -
                     static_cast<std::ptrdiff_t>(spec_.before);
  const bool is_fp32 = spec_.real() == precision::fp32;
  for (std::size_t i = first; !into.empty(); ++i, into = into.subspan(sizeof(double))) {
    const std::size_t j = width == 2 ? i / 2 : i, part = i - j * width;
    const std::size_t sample = reflected(begin + static_cast<std::ptrdiff_t>(j), spec_.length);
    const double x = row[sample * width + part] - mean[part];
    const double weighted = spec_.window[j] * (is_fp32 ? static_cast<float>(x) : x);
    std::memcpy(into.data(), &weighted, sizeof weighted);
  }
}

verify::checked_problem weighted_frames::problem() const {
  const bool has_powers = spec_.features.exponent != 0;
  verify::checked_problem found{
      .spec = definition(spec_, short_times::all_frames(spec_), /*is_inverse=*/false),
      .computed = spec_.real(),
      .has_magnitudes = has_powers,
      .n_roundings = weighting_roundings + (has_powers ? power_roundings : 0)};
  if (has_powers) {  // two squares and their sum underflow where magnitudes do not
    const double smallest = spec_.real() == precision::fp64 ? std::numeric_limits<double>::min()
                                                            : std::numeric_limits<float>::min();
    found.floor = std::sqrt(3 * smallest);
  }
  found.input = [this](std::size_t offset, std::span<std::byte> into) {
    const std::size_t frame_bytes = spec_.n_fft * width_of(spec_) * sizeof(double);
    while (!into.empty()) {
      const std::size_t first = offset % frame_bytes;
      const std::size_t n_bytes = std::min(into.size(), frame_bytes - first);
      read(offset / frame_bytes, first / sizeof(double), into.first(n_bytes));
      into = into.subspan(n_bytes);
      offset += n_bytes;
    }
  };
  return found;
}

std::vector<double> weighted_frames::magnitudes(const std::vector<double>& powers) const {
  std::vector<double> values(2 * powers.size());
  for (std::size_t i = 0; i < powers.size(); ++i) {
    const std::size_t k = i % spec_.bins();
    const bool is_double = spec_.features.is_one_sided && k != 0 && 2 * k != spec_.n_fft;
    values[2 * i] = std::sqrt(is_double ? powers[i] / 2 : powers[i]);
  }
  return values;
}

number_check check_of_bands(const weighted_frames& frames, verify::check_extent extent) {
  const short_time_spec& spec = frames.spec();
  const spectrum_features& features = spec.features;
  const std::size_t bins = spec.bins(), bands = features.bands;
  std::vector<double> peaks;
  for (std::size_t b = 0; b < bands; ++b) {
    const double* const row = &features.weights[b * bins];
    const double peak = *std::max_element(row, row + bins);
    peaks.push_back(peak > 0 ? peak : 1);
  }
  const std::vector<std::size_t> chosen = compared_frames(spec, extent);
  std::vector<double> input(chosen.size() * spec.n_fft);
  for (std::size_t f = 0; f < chosen.size(); ++f) {
    frames.read(chosen[f], 0,
                std::as_writable_bytes(std::span{&input[f * spec.n_fft], spec.n_fft}));
  }
  const std::vector<double> spectra =
      verify::reference_output(definition(spec, chosen.size(), /*is_inverse=*/false), input);
  number_check check{.how = {static_cast<long double>(spec.n_fft), spec.real(), level_roundings}};
  double energy = 0;
  for (std::size_t f = 0; f < chosen.size(); ++f) {
    std::vector<double> powers(bins), in_bands(bands);
    for (std::size_t k = 0; k < bins; ++k) {
      const double* const z = &spectra[2 * (f * bins + k)];
      powers[k] = z[0] * z[0] + z[1] * z[1];
      energy += powers[k];
      check.part.largest = std::max(check.part.largest, std::sqrt(powers[k]));
    }
    for (std::size_t i = 0; i < features.weights.size(); ++i) {
      in_bands[i / bins] += features.weights[i] * powers[i % bins];
    }
    for (std::size_t b = 0; b < bands; ++b) {
      check.expected.push_back(std::sqrt(std::max(in_bands[b], features.floor) / peaks[b]));
    }
  }
  check.part.share_l2 = std::sqrt(energy);
  check.compared = [chosen, peaks, bands](const std::vector<double>& levels) {
    std::vector<double> magnitudes;
    for (const std::size_t t : chosen) {
      for (std::size_t b = 0; b < bands; ++b) {
        magnitudes.push_back(std::sqrt(std::pow(10, levels[t * bands + b]) / peaks[b]));
      }
    }
    return magnitudes;
  };
  check.description = formatted("{} of {} bands against the definition (long double)",
                                check.expected.size(), spec.batch * spec.frames() * bands);
  return check;
}

number_check check_of_inverse(const short_time_spec& spec, const std::vector<double>& spectra,
                              verify::check_extent extent) {
  const std::size_t width = width_of(spec);
  number_check check{.kind = spec.is_complex() ? arrays::element::complex : arrays::element::real,
                     .how = {static_cast<long double>(spec.n_fft), spec.real(), overlap_roundings}};
  const std::set<row_part> parts = compared_parts(spec, extent);
  std::vector<double> weights;
  double energy = 0, of_window = 0;
  for (const row_part& part : parts) {
    const overlapped found = overlap(spec, spectra, part);
    check.expected.insert(check.expected.end(), found.sums.begin(), found.sums.end());
    weights.insert(weights.end(), found.weights.begin(), found.weights.end());
    energy += found.energy;
    check.part.largest = std::max(check.part.largest, found.largest);
  }
  for (const double w : spec.window) of_window += w * w / static_cast<double>(spec.n_fft);
  check.part.share_l2 = std::sqrt(of_window * energy);
  check.compared = [parts, weights, width,
                    length = spec.length](const std::vector<double>& samples) {
    std::vector<double> sums;
    std::size_t i = 0;
    for (const row_part& part : parts) {
      for (std::size_t n = 0; n < part.count; ++n, ++i) {
        for (std::size_t p = 0; p < width; ++p) {
          sums.push_back(weights[i] * samples[(part.row * length + part.first + n) * width + p]);
        }
      }
    }
    return sums;
  };
  check.description = formatted("{} of {} samples against the definition (long double)",
                                weights.size(), spec.batch * spec.length);
  return check;
}

}  // namespace wingbeat::cli
