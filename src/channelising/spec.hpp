// SPDX-License-Identifier: Apache-2.0
// The description of a channeliser: samples of the digitiser in, heaps of spectra out.
#pragma once

#include <complex>
#include <cstddef>  // size_t
#include <cstdint>  // int64_t, uint64_t
#include <optional>
#include <vector>

#include "channelising/delay_model.hpp"  // delay_model
#include "channelising/quantise.hpp"     // heap_sample
#include "channelising/weights.hpp"      // filter_window

namespace wingbeat::channelising {

/// Random numbers added before rounding to integers, so that errors of rounding do not follow the
/// signal.
enum class dither_kind { none, uniform };

/// What becomes of a heap whose spectra touch missing samples.
enum class missing_policy {
  withhold,  ///< It is left out, for all polarisations.
  zero_fill  ///< Missing samples count as 0, and the heap says so for each polarisation.
};

/// Where in a spectrum's window delays and phases are evaluated.
enum class evaluation_point { window_start, window_centre };

/// Gains of all channels from an output time on.
struct gain_change {
  std::int64_t start_samples = 0;  ///< Spectra that start here or later have them.
  /// [polarisation][channel]; one value for a polarisation is that of all its channels.
  std::vector<std::vector<std::complex<float>>> gains;
};

/// A part of the band in place of all of it. The digitised band is mixed, so that `centre_hz` lies
/// in the middle of channel channels/2; filtered; and decimated.
struct narrowband_spec {
  double centre_hz = 0;        ///< 0 to half the ADC rate.
  std::size_t decimation = 0;  ///< The band is 1/decimation of the ADC's; 2 at least.
  /// Unset: transforms are twice as long as there are channels and the outer half of their
  /// channels is discarded, so that the filter's edges fall outside; decimation is even. Set: every
  /// channel is kept, this bandwidth is flat, and the edges of the band roll off.
  std::optional<double> pass_bandwidth_hz = {};
  std::size_t filter_taps = 0;  ///< 0: 16 times the subsampling.
};

/// The description of a channeliser. A plain DFT, from which a time series can be rebuilt, is
/// `taps = 1, window = filter_window::rectangular, weight_cutoff = 0`, with a narrowband whose pass
/// bandwidth is set: the mode for VLBI.
struct channeliser_spec {
  double adc_rate_hz = 0;
  std::size_t channels = 4096;  ///< A power of two from 64 to 65,536.
  std::size_t taps = 16;        ///< 1 to 64.
  filter_window window = filter_window::hann;
  double weight_cutoff = 1;  ///< See `filter_shape::cutoff`; 0 to 4.
  unsigned sample_bits = 10;
  std::size_t polarisations = 2;  ///< 1 or 2.
  /// A power of two from 16 on. 0: 2^20 divided by the channels.
  std::size_t spectra_per_heap = 0;
  heap_sample output = heap_sample::int8;
  /// Unset: uniform for integers, none for fp16 and fp32, which have none.
  std::optional<dither_kind> dither = {};
  std::uint64_t seed = 0;                             ///< Of the dither.
  std::vector<gain_change> gains = {};                ///< By their starts. Before the first: 1.
  std::vector<std::vector<delay_model>> delays = {};  ///< [polarisation][model]; empty: none.
  std::optional<narrowband_spec> narrowband = {};
  missing_policy missing = missing_policy::withhold;
  evaluation_point evaluation = evaluation_point::window_start;
};

/// Throws `plan_error`, naming the field at fault, what it is and what it may be.
void validate(const channeliser_spec& spec);

/// Sizes that follow from a valid description, in samples of the ADC unless said otherwise.
struct channeliser_sizes {
  std::size_t transform = 0;         ///< Length of a transform: real samples, or decimated complex.
  std::size_t subsampling = 1;       ///< 1 without narrowband.
  std::size_t filter_taps = 1;       ///< Of the decimating filter; 1 without narrowband.
  std::size_t spectrum_samples = 0;  ///< From one spectrum to the next.
  std::size_t window_samples = 0;    ///< That one spectrum depends on.
  std::size_t spectra_per_heap = 0;
  std::size_t heap_samples = 0;  ///< From one heap to the next.
  std::size_t heap_bytes = 0;
  double evaluation_offset = 0;  ///< From a window's start to where delays are evaluated.
};

[[nodiscard]] channeliser_sizes sizes_of(const channeliser_spec& spec);

/// Returns whether dither is added.
[[nodiscard]] bool has_dither(const channeliser_spec& spec);

/// Returns the part of the output rate that the decimating filter keeps on either side of 0.
[[nodiscard]] double pass_edge(const channeliser_spec& spec);

}  // namespace wingbeat::channelising
