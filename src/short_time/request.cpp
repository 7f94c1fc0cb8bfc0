// SPDX-License-Identifier: Apache-2.0
#include "short_time/request.hpp"

#include <algorithm>  // all_of, min
#include <cmath>      // isfinite
#include <optional>

#include "arrays/address_space.hpp"  // max_elements, rounded_product
#include "arrays/array.hpp"          // bytes_of_real
#include "request/names.hpp"         // require_named, unnamed
#include "request/validation.hpp"    // require_length
#include "short_time/placement.hpp"  // frames_in
#include "text/counted.hpp"          // counted
#include "text/reject.hpp"           // reject

namespace wingbeat {
namespace short_times {
namespace {

void require_lengths(const short_time_spec& spec) {
  reject_if(spec.length == 0, "length is 0; give the samples of a row");
  reject_if(spec.batch == 0, "batch is 0; give the number of rows");
  reject_if(spec.n_fft == 0, "n_fft is 0; give the samples of a frame");
  request::require_length(spec.n_fft);
  reject_if(spec.hop == 0, "hop is 0; give the samples from one frame to the next");
  reject_if(!spec.window.empty() && spec.window_length != 0,
            "window has {} and window_length is {}; give one of them",
            counted(spec.window.size(), "weight"), spec.window_length);
  reject_if(spec.window_at > spec.n_fft || spec.weights() > spec.n_fft - spec.window_at,
            "the window has {} from sample {} of a frame on, and n_fft is {}; give a window within "
            "the frame",
            counted(spec.weights(), "weight"), spec.window_at, spec.n_fft);
  reject_if(spec.before > max_length, "before is {}; give at most {}", spec.before, max_length);
  reject_if(spec.frames() == 0,
            "rows have {}, hop is {} and slack {}, so that they have no frame; give longer rows or "
            "more slack",
            counted(spec.length, "sample"), spec.hop, spec.slack);
  const double numbers = rounded_product({spec.batch, spec.frames(), spec.n_fft});
  const double samples = rounded_product({spec.batch, spec.length});
  reject_if(numbers > max_elements || samples > max_elements,
            "{} rows of {} frames of {} samples are more than memory can have; give fewer",
            spec.batch, spec.frames(), spec.n_fft);
}

void require_finite(double value, std::string_view field) {
  reject_if(!std::isfinite(value), "{} is {}; give a finite number", field, value);
}
void require_not_negative(double value, std::string_view field) {
  reject_if(!std::isfinite(value) || value < 0, "{} is {}; give 0 or a finite number above it",
            field, value);
}

void require_features(const short_time_spec& spec) {
  const spectrum_features& features = spec.features;
  require_not_negative(features.exponent, "features.exponent");
  require_not_negative(features.power_floor, "features.power_floor");
  require_not_negative(features.power_offset, "features.power_offset");
  require_not_negative(features.floor, "features.floor");
  require_not_negative(features.offset, "features.offset");
  require_not_negative(features.range, "features.range");
  require_finite(features.gain, "features.gain");
  require_finite(features.shift, "features.shift");
  const bool has_more = features.bands != 0 || features.has_log || features.range != 0 ||
                        features.are_averaged || features.is_one_sided ||
                        features.power_floor != 0 || features.power_offset != 0;
  reject_if(features.exponent == 0 && has_more,
            "features.exponent is 0, which leaves complex bins, and other features are asked for; "
            "give 1 for magnitudes or 2 for powers");
  reject_if(features.is_one_sided && spec.is_complex(),
            "features.is_one_sided is true and the samples are complex, whose spectra are whole; "
            "leave it false");
  reject_if(features.weights.size() != features.bands * spec.bins(),
            "features.weights has {} and features.bands is {} of {} bins; give a weight for each "
            "bin of each band",
            counted(features.weights.size(), "number"), features.bands, spec.bins());
  for (const double weight : features.weights) require_finite(weight, "one of features.weights");
  reject_if(!features.has_log && (features.floor != 0 || features.offset != 0 ||
                                  features.gain != 1 || features.shift != 0),
            "features.floor, offset, gain and shift are of a logarithm, and features.has_log is "
            "false; set it, or leave them");
  reject_if(
      features.are_averaged && (features.bands != 0 || features.has_log || features.range != 0),
      "features.are_averaged is true, which averages quantities of bins; leave out bands, "
      "the logarithm and the range");
  reject_if(features.are_averaged && spec.is_ragged,
            "features.are_averaged and is_ragged are true, and rows of other lengths have other "
            "averages; give rows of one length");
  reject_if(features.range != 0 && spec.has_gradients,
            "features.range is {} and has_gradients is true, and what a maximum limits has no "
            "gradient here; leave one of them out",
            features.range);
}

/// Refuses an inverse that would divide by nothing.
void require_inverse(const short_time_spec& spec) {
  require_not_negative(spec.least_weight, "least_weight");
  if (!spec.has_inverse) return;
  reject_if(spec.removes_mean || spec.emphasis != 0,
            "has_inverse is true and frames lose their mean or are emphasised, which no inverse "
            "gives back; leave one of them out");
  if (spec.leaves_zeros) return;
  reject_if(spec.window.empty() || spec.is_ragged,
            "has_inverse is true, and {} known when the inverse is planned, so that samples "
            "without weight are not; set leaves_zeros, which makes them 0",
            spec.is_ragged ? "the lengths of rows are not" : "the window is not");
  const auto [first, count, weight] = least_weighted(spec);
  reject_if(count != 0,
            "{} {}, from sample {} on, have squared weights of {:.3g} or less in all frames, so "
            "that no inverse can divide by them; give another window or hop, begin frames before "
            "the row, or set leaves_zeros, which makes them 0",
            count, count == 1 ? "sample" : "samples", first, weight);
}

}  // namespace

void require_valid(const short_time_spec& spec, const device_info& device) {
  request::require_named(spec.samples, "samples",
                         "fp32, fp64, fp16, bf16, int16, complex_fp32 or complex_fp64");
  request::require_named(spec.edge, "edge", "zero, mirror, repeat, clamp or reflect");
  reject_if(spec.real() == precision::fp64 && !device.has_fp64, "{} has no fp64; give fp32 samples",
            device.name);
  require_lengths(spec);
  for (const double weight : spec.window) require_finite(weight, "a weight of the window");
  require_finite(spec.emphasis, "emphasis");
  reject_if(!std::isfinite(spec.scale) || spec.scale == 0,
            "scale is {}; give a finite number other than 0", spec.scale);
  require_features(spec);
  require_inverse(spec);
}

std::size_t bytes_of(sample_type samples) noexcept {
  switch (samples) {
    case sample_type::fp16:
    case sample_type::bf16:
    case sample_type::int16: return 2;
    case sample_type::fp32: return 4;
    case sample_type::fp64:
    case sample_type::complex_fp32: return 8;
    case sample_type::complex_fp64: return 16;
  }
  return 0;
}

std::size_t real_bytes(const short_time_spec& spec) {
  return bytes_of_real(spec.real());
}
std::size_t value_bytes(const short_time_spec& spec) {
  return (spec.is_complex() ? 2 : 1) * real_bytes(spec);
}
std::size_t all_frames(const short_time_spec& spec) {
  return spec.batch * spec.frames();
}
std::size_t spectra_bytes(const short_time_spec& spec) {
  return all_frames(spec) * spec.bins() * 2 * real_bytes(spec);
}
std::size_t result_bytes(const short_time_spec& spec) {
  if (spec.features.exponent == 0) return spectra_bytes(spec);
  const std::size_t rows = spec.features.are_averaged ? spec.batch : all_frames(spec);
  return rows * spec.columns() * real_bytes(spec);
}

}  // namespace short_times

std::string_view name_of(sample_type samples) noexcept {
  switch (samples) {
    case sample_type::fp32: return "fp32";
    case sample_type::fp64: return "fp64";
    case sample_type::fp16: return "fp16";
    case sample_type::bf16: return "bf16";
    case sample_type::int16: return "int16";
    case sample_type::complex_fp32: return "complex_fp32";
    case sample_type::complex_fp64: return "complex_fp64";
  }
  return request::unnamed;
}

std::size_t short_time_spec::frames_of(std::size_t samples_of_row) const noexcept {
  const auto last = static_cast<std::ptrdiff_t>(samples_of_row) + slack;
  return last < 0 || hop == 0 ? 0 : static_cast<std::size_t>(last) / hop + 1;
}

}  // namespace wingbeat
