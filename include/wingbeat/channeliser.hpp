// SPDX-License-Identifier: Apache-2.0
// A channeliser turns a digitiser's samples into heaps of spectra: a polyphase filter bank, delays,
// phases and gains, quantisation, and the transpose to heaps.
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
  double rate = 0;                 ///< Samples per sample; -1 < rate < 1.
  double phase_rad = 0;            ///< At `start_samples`; positive multiplies by exp(+i phase).
  double phase_rate = 0;           ///< Radians per sample.
};

/// A delay model in seconds; times count from ADC sample 0.
struct delay_in_seconds {
  double start_s = 0;
  double delay_s = 0;
  double rate = 0;  ///< Seconds per second.
  double phase_rad = 0;
  double phase_rate_rad_s = 0;
};

/// Returns the model in samples; its start is rounded to the nearest sample.
[[nodiscard]] delay_model in_samples(const delay_in_seconds& model, double adc_rate_hz);

/// Random numbers added before rounding to integers, so that rounding errors do not follow the
/// signal.
enum class dither_kind { none, uniform };

/// What is done with a heap whose spectra touch missing samples.
enum class missing_policy {
  withhold,  ///< The heap is left out, for all polarisations.
  zero_fill  ///< Missing samples count as 0, and the heap says so for each polarisation.
};

/// Where in a spectrum's window delays and phases are evaluated.
enum class evaluation_point { window_start, window_centre };

/// Gains of all channels from an output time on.
struct gain_change {
  std::int64_t start_samples = 0;  ///< They apply to spectra that start here or later.
  /// [polarisation][channel]; a single value is the gain of all channels of its polarisation.
  std::vector<std::vector<std::complex<float>>> gains;
};

/// A part of the band in place of all of it. The digitised band is mixed, so that `centre_hz` lies
/// in the middle of channel channels/2, rounded down; then filtered; then decimated.
struct narrowband_spec {
  double centre_hz = 0;        ///< 0 to half the ADC rate.
  std::size_t decimation = 0;  ///< The band is 1/decimation of the ADC's; at least 2.
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
  double adc_rate_hz = 0;       ///< Real or complex samples per second.
  std::size_t channels = 4096;  ///< 2 to 65,536, a product of 2, 3, 5, 7, 11 and 13.
  std::size_t taps = 16;        ///< 1 to 64.
  filter_window window = filter_window::hann;
  double weight_cutoff = 1;   ///< See `filter_shape::cutoff`; 0 to 4.
  unsigned sample_bits = 10;  ///< Bits of a real sample, or of each part of a complex one.
  /// Samples are complex: a band around 0 Hz, as wide as the sample rate. The transform is as long
  /// as there are channels; channel k lies at (k - c) adc_rate/channels, where c is channels/2,
  /// rounded down.
  bool complex_samples = false;
  std::size_t polarisations = 2;  ///< 1 or 2.
  /// 16, or a multiple of 32. 0: 2^20 divided by the channels, rounded down to a power of two.
  std::size_t spectra_per_heap = 0;
  heap_sample output = heap_sample::int8;
  /// Unset: uniform for integers, none for fp16 and fp32, which take no dither.
  std::optional<dither_kind> dither = {};
  std::uint64_t seed = 0;                             ///< Seed of the dither; 0 without dither.
  std::vector<gain_change> gains = {};                ///< Sorted by their starts. Gains are 1
                                                      ///< before the first.
  std::vector<std::vector<delay_model>> delays = {};  ///< [polarisation][model]; empty: none.
  std::optional<narrowband_spec> narrowband = {};
  missing_policy missing = missing_policy::withhold;
  evaluation_point evaluation = evaluation_point::window_start;
  /// The type that sums and bins are stored in where an engine takes several launches: fp32 when
  /// unset, or fp16, which halves the bytes between launches. In fp16 each number is rounded twice,
  /// by at most 2^-11 of itself. The transform spreads the first rounding over all channels, so
  /// errors are relative to the whole band: their root mean square is below 2^-11 times that of the
  /// band's values before gains. `host`, `reference` and engines that take one launch store nothing
  /// in between and refuse it.
  std::optional<precision> between = {};
};

/// Sizes that follow from a valid description, in samples of the ADC unless said otherwise.
struct channeliser_sizes {
  std::size_t transform = 0;         ///< Length of a transform, in real or complex numbers.
  std::size_t subsampling = 1;       ///< 1 without narrowband.
  std::size_t filter_taps = 1;       ///< Taps of the decimating filter; 1 without narrowband.
  std::size_t spectrum_samples = 0;  ///< From one spectrum to the next.
  std::size_t window_samples = 0;    ///< Samples that one spectrum depends on.
  std::size_t spectra_per_heap = 0;
  std::size_t heap_samples = 0;  ///< From one heap to the next.
  std::size_t heap_bytes = 0;
  double evaluation_offset = 0;  ///< From a window's start to where delays are evaluated.
};

/// Returns the sizes. Throws `plan_error`, naming the field at fault.
[[nodiscard]] channeliser_sizes sizes_of(const channeliser_spec& spec);

/// The level of one polarisation's input. Each sample counts once, missing samples do not count.
/// The sum and the histogram of complex samples include both parts, so the histogram has 2
/// n_samples.
struct input_level {
  std::uint64_t n_samples = 0;
  std::uint64_t sum_of_squares = 0;
  std::vector<std::uint64_t> histogram;  ///< Counts the values from -2^(b-1) to 2^(b-1) - 1.
  unsigned parts = 1;                    ///< Real numbers per sample: 2 for complex samples.

  /// Returns the mean power in dB relative to a sine of full scale, 2^(b-1) - 1; for complex
  /// samples, relative to a rotating phasor of that magnitude. Returns the lowest finite double
  /// without power.
  [[nodiscard]] double dbfs() const;
};

/// One heap, as a channeliser passes it on.
struct channelised_heap {
  std::int64_t timestamp = 0;  ///< Output time of its first spectrum.
  /// [channel][spectrum][polarisation][re, im], of type `heap_sample`; valid during the call.
  std::span<const std::byte> bytes = {};
  std::vector<std::uint64_t> saturated = {};  ///< [polarisation] saturated complex values.
  std::vector<bool> is_complete = {};         ///< [polarisation] false: missing samples count as 0.
  std::size_t n_spectra = 0;  ///< Valid spectra, from the first on; only `flush` passes on less
                              ///< than a full heap.
};

/// Counts of heaps so far: those up to the last one passed on, and the withheld ones behind it.
struct heap_counts {
  std::uint64_t sent = 0;      ///< Handed on.
  std::uint64_t withheld = 0;  ///< Touched by missing samples.
  std::uint64_t skipped = 0;   ///< Their windows start before the first sample that is kept.
};

/// Channelises a stream of samples. Heaps do not depend on how the stream is cut.
///
///     channeliser bank{queue, {.adc_rate_hz = 1712e6, .channels = 4096}, 0};
///     bank.push(queue, {.packed = {pol0, pol1}, .count = 1 << 20}, [](const auto& heap) { .. });
///
/// Serves one thread at a time, but any thread may call `add_delay`, `add_delays` and `add_gains`.
/// Results agree with `src/reference/channeliser.hpp`, which has the formulas, within one step of
/// the quantiser where fp32 rounding errors cross a tie.
class channeliser {
 public:
  /// The samples that follow those pushed before, equally many for each polarisation. Where all of
  /// them are missing, leave `packed` and `integers` empty; `present` may then be empty too.
  struct samples {
    /// [polarisation] a stream of bits, the most significant bit of the first sample first; a
    /// complex sample is its real part, then its imaginary part.
    std::vector<std::span<const std::byte>> packed = {};
    /// Or [polarisation] integers: [sample], or [sample][re, im].
    std::vector<std::span<const std::int16_t>> integers = {};
    std::size_t count = 0;  ///< Samples of one polarisation.
    /// [polarisation][packet] which packets arrived. A packet has `packet_samples`, counted from
    /// the first of these samples; the last one may be shorter. Empty: all arrived.
    std::vector<std::vector<bool>> present = {};
    std::size_t packet_samples = 4096;
    /// Keeps the memory of these samples alive: `push` may return before they are read, and
    /// releases the memory once they are. The copies of one push overlap with the next push.
    std::shared_ptr<const void> owner = {};
  };
  using taker = std::function<void(const channelised_heap&)>;

  /// Prepares a stream whose first sample is number `first_sample` of the ADC; a stream that starts
  /// below 0 has its samples before 0 pushed as missing. `kept_samples` are kept behind those that
  /// the next heap needs, so that a later delay model may reach back by that much. Throws
  /// `plan_error`, naming the field at fault, or `device_error`.
  channeliser(const queue& on, channeliser_spec spec, std::int64_t first_sample,
              std::size_t kept_samples = std::size_t{1} << 20);
  channeliser(channeliser&&) noexcept;
  channeliser& operator=(channeliser&&) noexcept;
  ~channeliser();

  [[nodiscard]] const channeliser_spec& spec() const;
  [[nodiscard]] const channeliser_sizes& sizes() const;

  /// Takes samples, begins every heap that they complete, and passes on, in order, those whose
  /// bytes have arrived; a later call of `push`, `finish` or `flush` passes on the others. Where
  /// `take` throws, only its heap is lost: all samples are taken, the first exception is rethrown,
  /// and the next call continues behind the heaps that `take` was given. Samples without an owner
  /// are read when this returns, fastest from `pinned_memory`. Throws `plan_error` for sample
  /// counts that differ from those stated, or values beyond `sample_bits`; then nothing was taken.
  void push(queue& on, const samples& next, const taker& take);

  /// Waits for the heaps that were begun and passes them on; releases all samples.
  void finish(const taker& take);

  /// Finishes, and passes on the heap that the samples fill in part, if there is one, for
  /// recordings that end: the first `n_spectra` have all their samples, the others are 0. It counts
  /// as sent or withheld. If the stream continues after all, the heap is passed on again when it is
  /// complete.
  void flush(queue& on, const taker& take);

  /// Says that the samples pushed next begin with number `next_sample`. Heaps that need any sample
  /// before it count as skipped. If time goes back, heaps begin anew; models and gains apply from
  /// their starts, but those already dropped, because later ones replaced them, do not come back.
  /// Throws `plan_error` for a number below -2^47 or from 2^60 on: no sample has such a number.
  void jump(std::int64_t next_sample);

  /// Adds a model, or gains, for spectra from its start on, and discards models or gains that start
  /// later. Returns the output time from which all heaps follow it; earlier heaps had already
  /// begun. Throws `plan_error` as the constructor does. `add_delays` adds a model for each
  /// polarisation, from the same heap on.
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
