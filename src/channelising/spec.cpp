// SPDX-License-Identifier: Apache-2.0
#include "channelising/spec.hpp"

#include <bit>    // bit_floor
#include <cmath>  // floor, isfinite

#include "channelising/arithmetic/delay_model.hpp"     // delay_schedule
#include "channelising/arithmetic/packed_samples.hpp"  // min_sample_bits
#include "channelising/arithmetic/quantise.hpp"        // complex_bytes, is_integer
#include "request/names.hpp"                           // require_known, require_named
#include "text/formatted.hpp"                          // formatted
#include "text/reject.hpp"                             // reject
#include "wingbeat/good_length.hpp"                    // is_good_length, good_length

namespace wingbeat::channelising {
namespace {

using request::require_known;

constexpr std::size_t max_taps = 64, values_per_heap = std::size_t{1} << 20;
constexpr std::size_t max_spectra = std::size_t{1} << 20;
constexpr std::size_t max_decimation = 4096, max_filter_taps = std::size_t{1} << 20;
constexpr double max_cutoff = 4;

template <class... Arguments>
void require(bool holds, fmt::format_string<Arguments...> text, Arguments&&... arguments) {
  if (!holds) reject(text, std::forward<Arguments>(arguments)...);
}

bool is_heap(std::size_t spectra) {
  return spectra == min_spectra ||
         (spectra > 0 && spectra % spectra_step == 0 && spectra <= max_spectra);
}

void require_channels(std::size_t n) {
  require(n >= min_channels && n <= max_channels, "channels is {}; give {} to {}", n, min_channels,
          max_channels);
  require(
      is_good_length(n),
      "channels is {}, which has a prime factor above {}; the nearest counts without are {} and "
      "{}",
      n, max_prime_factor, good_lengths::largest_up_to(n, 1, 0, min_channels), good_length(n));
}

/// Returns the samples of a transform: one for each channel for complex samples, and for a narrow
/// band that keeps all of its filter's output; otherwise two.
std::size_t transform_of(const channeliser_spec& spec) {
  const bool has_one_each =
      spec.narrowband ? spec.narrowband->pass_bandwidth_hz.has_value() : spec.complex_samples;
  return has_one_each ? spec.channels : 2 * spec.channels;
}

void require_filter_bank(const channeliser_spec& spec) {
  require_channels(spec.channels);
  require(spec.taps >= 1 && spec.taps <= max_taps, "taps is {}; give 1 to {}", spec.taps, max_taps);
  require_known(spec.window == filter_window::hann || spec.window == filter_window::rectangular,
                "window", spec.window, "hann or rectangular");
  require(spec.weight_cutoff >= 0 && spec.weight_cutoff <= max_cutoff,
          "weight_cutoff is {}; give 0 to {}", spec.weight_cutoff, max_cutoff);
  require(spec.window != filter_window::hann || transform_of(spec) * spec.taps > 2,
          "window is hann, which has none above 0 of 2 weights; give 2 taps, more channels, or "
          "rectangular");
}

void require_samples(const channeliser_spec& spec) {
  require(std::isfinite(spec.adc_rate_hz) && spec.adc_rate_hz > 0,
          "adc_rate_hz is {}; give a finite rate above 0 Hz", spec.adc_rate_hz);
  require(spec.sample_bits >= min_sample_bits && spec.sample_bits <= max_sample_bits,
          "sample_bits is {}; give {} to {}", spec.sample_bits, min_sample_bits, max_sample_bits);
  require(spec.polarisations == 1 || spec.polarisations == 2, "polarisations is {}; give 1 or 2",
          spec.polarisations);
}

void require_output(const channeliser_spec& spec) {
  require(spec.spectra_per_heap == 0 || is_heap(spec.spectra_per_heap),
          "spectra_per_heap is {}; give {}, or a multiple of {} up to {}, or 0 for 2^20 divided by "
          "the channels and rounded down to a power of two",
          spec.spectra_per_heap, min_spectra, spectra_step, max_spectra);
  require_known(spec.output >= heap_sample::int4 && spec.output <= heap_sample::fp32, "output",
                spec.output, "int4, int8, int16, fp16 or fp32");
  const dither_kind dither = spec.dither.value_or(dither_kind::none);
  require_known(dither == dither_kind::none || dither == dither_kind::uniform, "dither", dither,
                "none or uniform");
  require(spec.dither != dither_kind::uniform || is_integer(spec.output),
          "dither is uniform, but the output is in floating point; choose dither none, or an "
          "output of integers");
  require(spec.seed == 0 || has_dither(spec),
          "seed is {}, and there is no dither; leave it 0, or choose dither uniform and an output "
          "of integers",
          spec.seed);
  require_known(
      spec.missing == missing_policy::withhold || spec.missing == missing_policy::zero_fill,
      "missing", spec.missing, "withhold or zero_fill");
  require_known(spec.evaluation == evaluation_point::window_start ||
                    spec.evaluation == evaluation_point::window_centre,
                "evaluation", spec.evaluation, "window_start or window_centre");
  const precision between = spec.between.value_or(precision::fp32);
  request::require_named(between, "between", "fp32 or fp16");
  require(between == precision::fp32 || between == precision::fp16,
          "between is {}; choose fp32 or fp16, which sums and bins are stored as between launches",
          name_of(between));
}

void require_gains(const channeliser_spec& spec) {
  std::int64_t last = -1;
  for (const gain_change& change : spec.gains) {
    require(change.start_samples > last,
            "gains change at sample {} after {}; give starts from 0 on that increase",
            change.start_samples, last);
    last = change.start_samples;
    require(change.gains.size() == spec.polarisations,
            "gains from sample {} on are of {} polarisations; give them for {}",
            change.start_samples, change.gains.size(), spec.polarisations);
    for (const auto& gains : change.gains) {
      require(gains.size() == 1 || gains.size() == spec.channels,
              "a polarisation has {} gains; give 1, or one for each of {} channels", gains.size(),
              spec.channels);
      for (const auto gain : gains) {
        require(std::isfinite(gain.real()) && std::isfinite(gain.imag()),
                "a gain is {} + {}i; give finite gains", gain.real(), gain.imag());
      }
    }
  }
}

void require_delays(const channeliser_spec& spec) {
  require(spec.delays.empty() || spec.delays.size() == spec.polarisations,
          "delays are of {} polarisations; give them for {}, or none", spec.delays.size(),
          spec.polarisations);
  for (const auto& models : spec.delays) {
    delay_schedule schedule;
    for (const delay_model& model : models) schedule.add(model);
  }
}

void require_narrowband(const channeliser_spec& spec) {
  if (!spec.narrowband) return;
  require(!spec.complex_samples,
          "complex_samples and narrowband are both given; leave out one, because a narrow band is "
          "cut out of real samples");
  const narrowband_spec& band = *spec.narrowband;
  require(band.centre_hz >= 0 && band.centre_hz <= spec.adc_rate_hz / 2,
          "narrowband.centre_hz is {}; give 0 to {}, half the ADC rate", band.centre_hz,
          spec.adc_rate_hz / 2);
  require(band.decimation >= 2 && band.decimation <= max_decimation,
          "narrowband.decimation is {}; give 2 to {}", band.decimation, max_decimation);
  require(band.pass_bandwidth_hz || band.decimation % 2 == 0,
          "narrowband.decimation is {}, and channels at the edges are discarded; give an even "
          "decimation, or a pass_bandwidth_hz to keep every channel",
          band.decimation);
  const double width = spec.adc_rate_hz / (2 * static_cast<double>(band.decimation));
  require(
      !band.pass_bandwidth_hz || (*band.pass_bandwidth_hz > 0 && *band.pass_bandwidth_hz < width),
      "narrowband.pass_bandwidth_hz is {}; give a width above 0 and below {}, that of the "
      "whole output",
      band.pass_bandwidth_hz.value_or(0), width);
  require(band.filter_taps <= max_filter_taps, "narrowband.filter_taps is {}; give 1 to {}, or 0",
          band.filter_taps, max_filter_taps);
}

}  // namespace

void validate(const channeliser_spec& spec) {
  require_filter_bank(spec);
  require_samples(spec);
  require_output(spec);
  require_gains(spec);
  require_delays(spec);
  require_narrowband(spec);
}

double pass_edge(const channeliser_spec& spec) {
  if (!spec.narrowband || !spec.narrowband->pass_bandwidth_hz) return 0.25;
  const double rate = spec.adc_rate_hz / (2 * static_cast<double>(spec.narrowband->decimation));
  return *spec.narrowband->pass_bandwidth_hz / rate / 2;
}

double channel_width_hz(const channeliser_spec& spec) {
  const double band = spec.complex_samples ? spec.adc_rate_hz : spec.adc_rate_hz / 2;
  const double share = spec.narrowband ? static_cast<double>(spec.narrowband->decimation) : 1;
  return band / share / static_cast<double>(spec.channels);
}

double channel_hz(const channeliser_spec& spec, std::size_t channel) {
  const double k = static_cast<double>(channel);
  if (!has_complex_bank(spec)) return k * channel_width_hz(spec);
  return (spec.narrowband ? spec.narrowband->centre_hz : 0) +
         (k - middle_channel(spec)) * channel_width_hz(spec);
}

double middle_channel(const channeliser_spec& spec) {
  const double middle = static_cast<double>(spec.channels) / 2;
  return has_complex_bank(spec) ? std::floor(middle) : middle;
}

std::size_t channels_per_point(std::size_t channels, std::size_t max_points) {
  std::size_t n = (channels + max_points - 1) / max_points;
  while (channels % n != 0) ++n;
  return n;
}

}  // namespace wingbeat::channelising

namespace wingbeat {

channeliser_sizes sizes_of(const channeliser_spec& spec) {
  channelising::validate(spec);
  channeliser_sizes sizes;
  sizes.transform = channelising::transform_of(spec);
  if (spec.narrowband) {
    const narrowband_spec& band = *spec.narrowband;
    sizes.subsampling = band.pass_bandwidth_hz ? 2 * band.decimation : band.decimation;
    sizes.filter_taps = band.filter_taps == 0 ? 16 * sizes.subsampling : band.filter_taps;
  }
  sizes.spectrum_samples = sizes.transform * sizes.subsampling;
  sizes.window_samples = spec.taps * sizes.spectrum_samples + sizes.filter_taps - sizes.subsampling;
  sizes.spectra_per_heap = spec.spectra_per_heap == 0
                               ? std::bit_floor(channelising::values_per_heap / spec.channels)
                               : spec.spectra_per_heap;
  sizes.heap_samples = sizes.spectrum_samples * sizes.spectra_per_heap;
  sizes.heap_bytes = spec.channels * sizes.spectra_per_heap * spec.polarisations *
                     channelising::complex_bytes(spec.output);
  if (spec.evaluation == evaluation_point::window_centre) {
    sizes.evaluation_offset = static_cast<double>(sizes.window_samples - 1) / 2;
  }
  return sizes;
}

}  // namespace wingbeat
