// SPDX-License-Identifier: Apache-2.0
// Short-time transforms: rows of samples as frames that overlap, the spectrum of each under a
// window and what is made of it (powers, bands, logarithms); their inverse, and all gradients.
#pragma once

#include <cstddef>  // ptrdiff_t, size_t
#include <cstdint>  // int64_t
#include <string_view>
#include <vector>

#include "wingbeat/buffer.hpp"              // buffer_view
#include "wingbeat/image_convolution.hpp"   // border
#include "wingbeat/plan.hpp"                // precision
#include "wingbeat/prepared_operation.hpp"  // prepared_operation
#include "wingbeat/queue.hpp"               // queue

namespace wingbeat {

/// The stored numbers of a row of samples. int16 counts as it is, -32768 to 32767.
enum class sample_type { fp32, fp64, fp16, bf16, int16, complex_fp32, complex_fp64 };

[[nodiscard]] std::string_view name_of(sample_type samples) noexcept;

/// What is made of a spectrum's bins X[k], one after another; the defaults leave the bins.
///     quantity q = (max(|X|^2, power_floor) + power_offset)^(exponent / 2)
///     band     m = sum over k of bands[m][k] q[k]
///     level    l = gain ln(max(m, floor) + offset) + shift
///     limit    max(l, largest l of the row's frames - range)
struct spectrum_features {
  double exponent = 0;  ///< 1: magnitudes, 2: powers, any other positive power. 0: complex bins.
  double power_floor = 0, power_offset = 0;
  /// Quantities of reals count twice in bins other than 0 and n_fft / 2, whose mirror images are
  /// not there.
  bool is_one_sided = false;
  std::size_t bands = 0;             ///< 0: bins stay.
  std::vector<double> weights = {};  ///< [band][bin]; zeros at either end of a band cost nothing.
  bool has_log = false;
  double floor = 0, offset = 0;
  double gain = 1;  ///< 1 / ln 10 for log10, 10 / ln 10 for decibels of powers.
  double shift = 0;
  double range = 0;  ///< 0: no limit.
  bool are_averaged =
      false;  ///< Quantities are averaged over the frames of a row (Welch's method).

  friend bool operator==(const spectrum_features&, const spectrum_features&) = default;
};

/// The description of a short-time transform. Frame t of a row covers its samples
/// t hop - before .. t hop - before + n_fft - 1; what lies outside the row comes from `edge`:
///
///     X[t, k] = scale sum over j of window[j] e[t hop - before + window_at + j]
///                                       exp(-2 pi i k (window_at + j - phase_origin) / n_fft)
///
/// with e the samples, without their frame's mean and emphasised if so asked. Reals have bins
/// 0 .. n_fft / 2, complex samples 0 .. n_fft - 1.
///
///     short_time mel{queue, {.length = 160000, .batch = 64, .n_fft = 400, .hop = 160,
///                            .window = hann, .before = 200, .edge = border::reflect,
///                            .slack = -160, .features = {.exponent = 2, .bands = 80, ..}}};
///     mel.enqueue(queue, samples.view(), levels.view());
struct short_time_spec {
  std::size_t length = 0;  ///< L, samples of a row.
  std::size_t batch = 1;   ///< Rows.
  std::size_t n_fft = 0;   ///< Samples of a frame, any number.
  std::size_t hop = 0;     ///< Samples from one frame to the next.
  /// The weights of at most n_fft samples, from `window_at` of a frame on. Empty: each run is given
  /// `window_length` weights.
  std::vector<double> window = {};
  std::size_t window_length = 0;  ///< Of weights that runs are given; 0: n_fft.
  std::size_t window_at = 0;
  std::size_t before = 0;  ///< Samples of frame 0 before the row's first.
  /// The samples outside a row: zero, reflect (.. 2 1 | 0 1 ..), mirror (.. 1 0 | 0 1 ..), clamp or
  /// repeat, however far outside.
  border edge = border::zero;
  /// A row of L samples has the frames t with t hop <= L + slack. -n_fft: those that end in the row
  /// if `before` is 0; n_fft even and `before` n_fft / 2, slack 0: torch's centred frames; `before`
  /// - 1: all that begin in it.
  std::ptrdiff_t slack = 0;
  std::ptrdiff_t phase_origin = 0;  ///< The sample of a frame at which phases are 0.
  double scale = 1;
  sample_type samples = sample_type::fp32;
  bool removes_mean = false;  ///< Of the samples under the window, in each frame.
  double emphasis = 0;        ///< Of this a sample loses the one before it, the first under the
                              ///< window itself.
  bool is_ragged = false;     ///< Each row has its own length, which runs give.
  spectrum_features features = {};
  bool has_inverse = false;    ///< The inverse is planned too,
  bool has_gradients = false;  ///< and so are the gradients of what is planned.
  /// The inverse divides by the sum of all squared weights of a sample. Where that is at most
  /// `least_weight`: false: construction refuses, and names the samples; true: the samples are 0.
  bool leaves_zeros = false;
  double least_weight = 1e-11;

  [[nodiscard]] bool is_complex() const noexcept {
    return samples == sample_type::complex_fp32 || samples == sample_type::complex_fp64;
  }
  /// Returns the precision of arithmetic and results: fp64 of fp64 samples, otherwise fp32.
  [[nodiscard]] precision real() const noexcept {
    return samples == sample_type::fp64 || samples == sample_type::complex_fp64 ? precision::fp64
                                                                                : precision::fp32;
  }
  /// Returns the number of weights.
  [[nodiscard]] std::size_t weights() const noexcept {
    return !window.empty() ? window.size() : window_length != 0 ? window_length : n_fft;
  }
  /// Returns the frames of a row of so many samples.
  [[nodiscard]] std::size_t frames_of(std::size_t samples_of_row) const noexcept;
  [[nodiscard]] std::size_t frames() const noexcept { return frames_of(length); }
  [[nodiscard]] std::size_t bins() const noexcept { return is_complex() ? n_fft : n_fft / 2 + 1; }
  /// Returns the numbers of a frame in the result.
  [[nodiscard]] std::size_t columns() const noexcept {
    return features.bands != 0 ? features.bands : bins();
  }

  friend bool operator==(const short_time_spec&, const short_time_spec&) = default;
};

/// The arrays of a run that the spec asks for; the others are empty.
struct short_time_operands {
  buffer_view window = {};   ///< Weights, in `real()`.
  buffer_view lengths = {};  ///< One std::uint32_t per row, at most `length`.
};

/// A planned short-time transform. Immutable once built, so many threads may enqueue it at once.
/// All arrays are packed: samples [row][i]; spectra [row][frame][bin], complex; features
/// [row][frame][column], real; averages [row][bin]. Frames that a ragged row does not have are
/// those of silence. Results have the same bits in every run.
class short_time : public prepared_operation {
 public:
  /// Validates `spec` and prepares it for the device behind `on`. Throws `plan_error`, naming the
  /// field at fault, or `device_error`.
  short_time(const queue& on, const short_time_spec& spec);

  [[nodiscard]] const short_time_spec& spec() const;

  /// Returns the bytes of all samples; of all results; of all spectra.
  [[nodiscard]] std::size_t sample_bytes() const;
  [[nodiscard]] std::size_t result_bytes() const;
  [[nodiscard]] std::size_t spectra_bytes() const;

  /// Queues one run. Nothing is allocated or waited for. The views do not overlap. Throws as
  /// `plan::enqueue` does.
  void enqueue(queue& on, buffer_view samples, buffer_view results,
               const short_time_operands& given = {}, buffer_view workspace = {}) const;

  /// Queues the inverse: samples whose frames, weighted, have these spectra, or come closest to
  /// them by least squares. Frames beyond `length` are cut; samples that no frame has are 0.
  /// Samples are in `real()`. Requires `has_inverse`. Throws likewise.
  void enqueue_inverse(queue& on, buffer_view spectra, buffer_view samples,
                       const short_time_operands& given = {}, buffer_view workspace = {}) const;

  /// Queue gradients of a number L, in `real()`, from its gradient with respect to results; that
  /// with respect to complex numbers is dL/dRe + i dL/dIm. A derivative is 0 where features do not
  /// change (at and below a floor) or have none (the magnitude of 0). `samples` are those of the
  /// run. Require `has_gradients`. Throw likewise.
  void enqueue_gradient(queue& on, buffer_view samples, buffer_view result_gradient,
                        buffer_view sample_gradient, const short_time_operands& given = {},
                        buffer_view workspace = {}) const;
  void enqueue_window_gradient(queue& on, buffer_view samples, buffer_view result_gradient,
                               buffer_view window_gradient, const short_time_operands& given = {},
                               buffer_view workspace = {}) const;
  /// With respect to spectra, from the gradient with respect to samples that the inverse gave.
  void enqueue_inverse_gradient(queue& on, buffer_view sample_gradient,
                                buffer_view spectra_gradient, const short_time_operands& given = {},
                                buffer_view workspace = {}) const;

 private:
  struct impl;
  [[nodiscard]] const impl& own() const;
};

}  // namespace wingbeat
