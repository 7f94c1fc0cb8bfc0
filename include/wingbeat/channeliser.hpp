// SPDX-License-Identifier: Apache-2.0
// A channeliser: samples of a digitiser in, heaps of spectra out. A polyphase filter bank, delays,
// phases and gains, quantisation, and the transposition to heaps.
#pragma once

#include <complex>
#include <cstddef>  // byte, size_t
#include <cstdint>  // int16_t, int64_t, uint64_t
#include <functional>
#include <memory>  // shared_ptr, unique_ptr
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "wingbeat/device/channeliser/heap_sample.hpp"  // heap_sample
#include "wingbeat/plan.hpp"                            // precision
#include "wingbeat/queue.hpp"                           // queue

namespace wingbeat {

/// The window of the filter bank's weights, of L = step taps.
enum class filter_window {
  hann,        ///< win[i] = sin^2(pi i/(L - 1))
  rectangular  ///< win[i] = 1
};

using device::channeliser::heap_sample;

/// A delay and a phase as a linear function of time, in samples of the ADC.
struct delay_model {
  std::int64_t start_samples = 0;  ///< Output time from which it applies.
  double delay_samples = 0;        ///< At `start_samples`.
  double rate = 0;                 ///< Samples a sample; -1 < rate < 1.
  double phase_rad = 0;            ///< At `start_samples`; positive multiplies by exp(+i phase).
  double phase_rate = 0;           ///< Radians a sample.
};

/// The same in seconds; times count from ADC sample 0.
struct delay_in_seconds {
  double start_s = 0;
  double delay_s = 0;
  double rate = 0;  ///< Seconds a second.
  double phase_rad = 0;
  double phase_rate_rad_s = 0;
};

/// Returns the piece in samples; its start is rounded to the nearest sample.
[[nodiscard]] delay_model in_samples(const delay_in_seconds& model, double adc_rate_hz);

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
/// in the middle of channel channels/2, rounded down; filtered; and decimated.
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
  double adc_rate_hz = 0;       ///< Samples a second, real or complex.
  std::size_t channels = 4096;  ///< 2 to 65,536, a product of 2, 3, 5, 7, 11 and 13.
  std::size_t taps = 16;        ///< 1 to 64.
  filter_window window = filter_window::hann;
  double weight_cutoff = 1;   ///< See `filter_shape::cutoff`; 0 to 4.
  unsigned sample_bits = 10;  ///< Of a real sample, or of each part of a complex one.
  /// Samples are complex, a band around 0 Hz that is as wide as the sample rate. The transform has
  /// as many samples as there are channels; channel k lies at (k - c) adc_rate/channels, where c is
  /// channels/2, rounded down.
  bool complex_samples = false;
  std::size_t polarisations = 2;  ///< 1 or 2.
  /// 16, or a multiple of 32. 0: 2^20 divided by the channels, rounded down to a power of two.
  std::size_t spectra_per_heap = 0;
  heap_sample output = heap_sample::int8;
  /// Unset: uniform for integers, none for fp16 and fp32, which have none.
  std::optional<dither_kind> dither = {};
  std::uint64_t seed = 0;                             ///< Of the dither; 0 without.
  std::vector<gain_change> gains = {};                ///< By their starts. Before the first: 1.
  std::vector<std::vector<delay_model>> delays = {};  ///< [polarisation][model]; empty: none.
  std::optional<narrowband_spec> narrowband = {};
  missing_policy missing = missing_policy::withhold;
  evaluation_point evaluation = evaluation_point::window_start;
  /// What sums and bins are stored as where an engine takes several launches: fp32 when unset, or
  /// fp16, which halves the bytes between them. Each number is then rounded twice, by at most
  /// 2^-11 of it, once before the transform, which spreads that over all channels: errors are
  /// relative to the whole band, their root mean square below 2^-11 times that of its values
  /// before gains. One launch, `host` and `reference` store nothing, and refuse it.
  std::optional<precision> between = {};
};

/// Sizes that follow from a valid description, in samples of the ADC unless said otherwise.
struct channeliser_sizes {
  std::size_t transform = 0;         ///< Length of a transform, in real or complex numbers.
  std::size_t subsampling = 1;       ///< 1 without narrowband.
  std::size_t filter_taps = 1;       ///< Of the decimating filter; 1 without narrowband.
  std::size_t spectrum_samples = 0;  ///< From one spectrum to the next.
  std::size_t window_samples = 0;    ///< That one spectrum depends on.
  std::size_t spectra_per_heap = 0;
  std::size_t heap_samples = 0;  ///< From one heap to the next.
  std::size_t heap_bytes = 0;
  double evaluation_offset = 0;  ///< From a window's start to where delays are evaluated.
};

/// Returns them. Throws `plan_error`, naming the field at fault.
[[nodiscard]] channeliser_sizes sizes_of(const channeliser_spec& spec);

/// The level of one polarisation's input, each sample counted once, missing ones not. Of complex
/// samples the sum and the histogram are those of both parts, so the histogram has 2 n_samples.
struct input_level {
  std::uint64_t n_samples = 0;
  std::uint64_t sum_of_squares = 0;
  std::vector<std::uint64_t> histogram;  ///< Of values from -2^(b-1) to 2^(b-1) - 1.
  unsigned parts = 1;                    ///< Real numbers of a sample: 2 of complex samples.

  /// Returns the mean power in dB relative to a sine of full scale, 2^(b-1) - 1, or of complex
  /// samples to a rotating phasor of that magnitude; the lowest finite double without power.
  [[nodiscard]] double dbfs() const;
};

/// One heap, handed on by a channeliser.
struct channelised_heap {
  std::int64_t timestamp = 0;  ///< Output time of its first spectrum.
  /// [channel][spectrum][polarisation][re, im], as `heap_sample` says; valid during the call.
  std::span<const std::byte> bytes = {};
  std::vector<std::uint64_t> saturated = {};  ///< [polarisation] complex values that saturate.
  std::vector<bool> is_complete = {};         ///< [polarisation] false: missing samples count as 0.
  std::size_t n_spectra = 0;  ///< From the first on; fewer than all of a heap from `flush` alone.
};

/// What became of heaps so far, up to the last one that was handed on, and those behind it that are
/// withheld.
struct heap_counts {
  std::uint64_t sent = 0;      ///< Handed on.
  std::uint64_t withheld = 0;  ///< Touched by missing samples.
  std::uint64_t skipped = 0;   ///< Their windows start before the samples that are kept.
};

/// A stream of samples, channelised. Heaps do not depend on how the stream is cut.
///
///     channeliser bank{queue, {.adc_rate_hz = 1712e6, .channels = 4096}, 0};
///     bank.push(queue, {.packed = {pol0, pol1}, .count = 1 << 20}, [](const auto& heap) { .. });
///
/// One thread at a time, but `add_delay`, `add_delays` and `add_gains` may be called by any.
/// Results agree with `src/reference/channeliser.hpp`, whose formulas these are, within one step of
/// the quantiser where rounding errors of fp32 cross a tie.
class channeliser {
 public:
  /// Samples that follow those pushed before, equally many of each polarisation; neither packed nor
  /// integers where all of them are missing, which flags may say or leave out.
  struct samples {
    /// [polarisation] a stream of bits, the most significant bit of the first sample first; a
    /// complex sample is its real part, then its imaginary part.
    std::vector<std::span<const std::byte>> packed = {};
    /// Or [polarisation] as integers: [sample], or [sample][re, im].
    std::vector<std::span<const std::int16_t>> integers = {};
    std::size_t count = 0;  ///< Of one polarisation.
    /// [polarisation][packet] which packets arrived, each of `packet_samples` from the first of
    /// these samples on, the last one perhaps shorter; empty: all.
    std::vector<std::vector<bool>> present = {};
    std::size_t packet_samples = 4096;
    /// Keeps the memory of these samples: `push` may then return before they are read, and lets go
    /// of it when they are. Copies of one push go on beside the next one.
    std::shared_ptr<const void> owner = {};
  };
  using taker = std::function<void(const channelised_heap&)>;

  /// Prepares a stream whose first sample is number `first_sample` of the ADC; below 0 are samples
  /// that are pushed as missing before its first one. `kept_samples` are kept behind those that the
  /// next heap needs, for delays that grow: a model may turn back by as much. Throws `plan_error`,
  /// naming the field at fault, or `device_error`.
  channeliser(const queue& on, channeliser_spec spec, std::int64_t first_sample,
              std::size_t kept_samples = std::size_t{1} << 20);
  channeliser(channeliser&&) noexcept;
  channeliser& operator=(channeliser&&) noexcept;
  ~channeliser();

  [[nodiscard]] const channeliser_spec& spec() const;
  [[nodiscard]] const channeliser_sizes& sizes() const;

  /// Takes samples, begins every heap that they complete, and hands on in order those whose bytes
  /// are here; others by a later call of this, `finish` or `flush`. Where `take` throws, its heap
  /// alone is lost: all samples are taken, what it threw first is thrown, and the next call goes on
  /// behind the heaps that it was given. Samples with no owner are read when this returns, quickest
  /// from `pinned_memory`. Throws `plan_error` for samples of other counts than stated, or beyond
  /// `sample_bits`; then nothing was taken.
  void push(queue& on, const samples& next, const taker& take);

  /// Waits for the heaps that were begun and hands them on; lets go of all samples.
  void finish(const taker& take);

  /// Finishes, and hands on the heap that the samples fill in part, if there is one, for recordings
  /// that end: the first `n_spectra` have all their samples, the others are 0. It counts as sent or
  /// withheld. If the stream goes on after all, samples that complete the heap have it handed on
  /// again.
  void flush(queue& on, const taker& take);

  /// Says that the samples pushed next begin with number `next_sample`. Heaps that need any before
  /// it count as skipped. Where time goes back, heaps begin anew; models and gains that start later
  /// than that apply from then on, and those that were forgotten, as others followed them, do not.
  /// Throws `plan_error` for a number below -2^47, or from 2^60 on, where no sample has one.
  void jump(std::int64_t next_sample);

  /// Adds a model, or gains, for spectra from its start on, in place of later ones that were
  /// stated. Returns the output time from which on all heaps follow it; those before it were begun.
  /// Throws `plan_error` as the constructor does.
  /// `add_delays` adds a model for each polarisation, from the same heap on.
  std::int64_t add_delay(std::size_t polarisation, const delay_model& model);
  std::int64_t add_delays(std::span<const delay_model> models);
  std::int64_t add_gains(gain_change change);

  [[nodiscard]] const std::vector<input_level>& levels() const;  ///< [polarisation]
  [[nodiscard]] const heap_counts& counts() const;

  /// Returns the launches and the bytes of one heap, in words.
  [[nodiscard]] std::string explain() const;

 private:
  struct impl;
  std::unique_ptr<impl> impl_;
};

}  // namespace wingbeat
