// SPDX-License-Identifier: Apache-2.0
// Convolutions of long real signals with a long kernel for each channel, with gates, a skip and all
// gradients: state-space models and Hyena have them in place of attention.
#pragma once

#include <cstddef>  // size_t
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "wingbeat/buffer.hpp"              // buffer_view
#include "wingbeat/plan.hpp"                // precision
#include "wingbeat/prepared_operation.hpp"  // prepared_operation
#include "wingbeat/queue.hpp"               // queue

namespace wingbeat {

/// Which values of k * x, for a kernel of K taps, are kept: as many as x has, from
enum class kernel_alignment {
  causal,  ///< value 0 on: y[i] depends on x[i] and earlier values.
  centred  ///< value (K - 1) / 2 on, rounded down: the middle tap leaves x where it is.
};

[[nodiscard]] std::string_view name_of(kernel_alignment aligned) noexcept;

/// How rows of signals stored in 16 bits are convolved. On tensor cores transforms are products of
/// matrices in fp16, summed in fp32; each signal, and each kernel's spectrum, is scaled by a power
/// of two of its own. The relative error of noise, about 0.9e-3 as a norm, is below the rounding of
/// bf16. They take rows of 4,096 to 16,384 points on NVIDIA's GPUs from sm_80 on; `explain()` says
/// whether they do. All other rows are convolved in fp32, or fp64.
enum class arithmetic {
  automatic,  ///< On tensor cores what is stored in bf16.
  plain,      ///< Never on tensor cores.
  tensor      ///< On tensor cores what is stored in fp16 or bf16.
};

[[nodiscard]] std::string_view name_of(arithmetic of_rows) noexcept;

/// The description of a long convolution: for each signal of a batch and each channel
///     u = g x,   y[i] = h[i] (sum over j of k[j] u[i + s - j] + d u[i]),   0 <= i < length
/// where s is 0, or (kernel - 1) / 2 for centred kernels. Gates g and h have a value for each value
/// of x; d is one number per channel. Without them g and h are 1 and d is 0.
///
///     long_convolution mix{queue, {.length = 8192, .channels = 768, .batch = 4}};
///     buffer spectra{queue, mix.spectra_bytes()};
///     mix.prepare(queue, kernels.view(), spectra.view());
///     mix.enqueue(queue, spectra.view(), x.view(), y.view());
struct long_convolution_spec {
  /// L, the length of each signal. A row, of at most `max_length` (2^28), has all L + K - 1 values
  /// of its convolution; for centred kernels, the values that are kept and (K - 1) / 2 more.
  std::size_t length = 0;
  /// K, the taps of each kernel: at most L, for centred kernels at most 2L - 1. 0: L.
  std::size_t kernel = 0;
  std::size_t channels = 1;  ///< Each has a kernel.
  std::size_t batch = 1;     ///< Signals that each kernel is applied to.
  kernel_alignment aligned = kernel_alignment::causal;
  /// Type of signals, results and gates; arithmetic is fp32, or fp64 for fp64.
  precision stored = precision::fp32;
  /// Type of kernels, skips and their gradients; empty: as the arithmetic. fp64 mixes with no
  /// other.
  std::optional<precision> kernel_stored = {};
  bool has_gate_before = false;  ///< Runs give g.
  bool has_gate_after = false;   ///< Runs give h.
  bool has_skip = false;         ///< `prepare` is given d.
  /// Each signal of the batch has its own length, which runs give: values beyond it are neither
  /// read nor written, and values of x and g beyond it count as 0.
  bool is_ragged = false;
  bool has_gradients = false;  ///< The gradients are planned too.
  /// Two signals of the batch share a row, and with it their rounding and any NaN or infinity.
  /// False: each has a row of its own, which takes up to twice as long.
  bool is_paired = true;
  wingbeat::arithmetic arithmetic = wingbeat::arithmetic::automatic;

  friend bool operator==(const long_convolution_spec&, const long_convolution_spec&) = default;
};

/// The arrays of a run beside signals and results; those that the spec does not have are empty.
struct long_convolution_operands {
  buffer_view gate_before = {}, gate_after = {};  ///< [batch][channel][i]
  buffer_view lengths = {};  ///< One std::uint32_t per signal of the batch, at most `length`.
};

/// A planned long convolution. Immutable once built, so many threads may enqueue it at once. All
/// arrays are packed: signals and results [batch][channel][i], kernels [channel][tap], skips
/// [channel]. Signals 2p and 2p + 1 of the batch are the real and imaginary parts of one row,
/// padded to `padded()` without memory for the padding; the last row of an odd batch has one
/// signal. Rows that fit a workgroup are transformed, multiplied and transformed back in one
/// launch. Rounding is relative to the louder signal of a row; see `is_paired`.
class long_convolution : public prepared_operation {
 public:
  /// Validates `spec` and prepares it for the device behind `on`. Throws `plan_error`, naming the
  /// field at fault, or `device_error`.
  long_convolution(const queue& on, const long_convolution_spec& spec);

  [[nodiscard]] const long_convolution_spec& spec() const;

  /// Returns the length that rows are padded to.
  [[nodiscard]] std::size_t padded() const;

  /// Returns the bytes of all signals (results and gates have as many); of all kernels; of all
  /// skips; of all spectra, whose layout is private to plans of this spec with any gates, lengths
  /// and gradients.
  [[nodiscard]] std::size_t signal_bytes() const;
  [[nodiscard]] std::size_t kernel_bytes() const;
  [[nodiscard]] std::size_t skip_bytes() const;
  [[nodiscard]] std::size_t spectra_bytes() const;

  /// Queues the spectra of all kernels, with `skip` if the spec has skips: once for each set of
  /// kernels. No view overlaps another. Throws as `plan::enqueue` does.
  void prepare(queue& on, buffer_view kernels, buffer_view spectra, buffer_view skip = {},
               buffer_view workspace = {}) const;

  /// Queues one run. Nothing is allocated or waited for. Outputs overlap no other view; inputs may
  /// overlap each other. Throws as `plan::enqueue` does.
  void enqueue(queue& on, buffer_view spectra, buffer_view signals, buffer_view results,
               const long_convolution_operands& given = {}, buffer_view workspace = {}) const;

  /// Queues the gradient with respect to x of a function whose gradient with respect to y is
  /// `result_gradient`. `given` are the operands of `enqueue`. Requires `has_gradients`. Throws
  /// likewise.
  ///
  /// The gradient with respect to g is this function with x as `gate_before`; the gradient with
  /// respect to h is `enqueue` with the gradient of y as `gate_after`.
  void enqueue_signal_gradient(queue& on, buffer_view spectra, buffer_view result_gradient,
                               buffer_view signal_gradient,
                               const long_convolution_operands& given = {},
                               buffer_view workspace = {}) const;

  /// Queues the gradient with respect to all kernels, and to all skips if the spec has them: sums
  /// over the batch, always in the same order. Requires `has_gradients`. Throws likewise.
  void enqueue_kernel_gradient(queue& on, buffer_view signals, buffer_view result_gradient,
                               buffer_view kernel_gradient, buffer_view skip_gradient = {},
                               const long_convolution_operands& given = {},
                               buffer_view workspace = {}) const;

  /// Queues both gradients, as the two above would. Most rows that outgrow a workgroup then take
  /// three quarters of the transforms and bytes, because the spectra of `result_gradient` are made
  /// once; `explain` says whether they do. Throws likewise.
  void enqueue_gradients(queue& on, buffer_view spectra, buffer_view signals,
                         buffer_view result_gradient, buffer_view signal_gradient,
                         buffer_view kernel_gradient, buffer_view skip_gradient = {},
                         const long_convolution_operands& given = {},
                         buffer_view workspace = {}) const;

 private:
  struct impl;
  [[nodiscard]] const impl& own() const;
};

}  // namespace wingbeat
