// SPDX-License-Identifier: Apache-2.0
// Long convolutions as programs. Kernels are transformed into the array `filter`. A run is one
// convolution of rows where the engine has it, in one launch or in three; otherwise it is two
// transforms with a product between them. A row has two signals, or one, as it is or by right
// angles. The gradient of a signal is the correlation with the same spectra; its input and output
// ranges are exchanged. The gradient of the kernels is the inverse transform of a sum of products
// of spectra: one or three passes where the engine has it, otherwise three transforms. Rows that
// are cut make both gradients at once, because both use the spectra of the results' gradient.
// Rows on tensor cores are kernels of their own, tensor_program.cpp.
#pragma once

#include <memory>  // shared_ptr
#include <optional>

#include "backend/backend.hpp"                        // queue, engine
#include "convolving/long_request.hpp"                // long_geometry
#include "convolving/program_builder.hpp"             // program_builder
#include "programs/program.hpp"                       // program
#include "wingbeat/device/functors/signal_pairs.hpp"  // signal_pair_numbers
#include "wingbeat/long_convolution.hpp"              // long_convolution_spec

namespace wingbeat::convolving {

/// Makes the programs of one spec.
class long_programs {
 public:
  /// All arguments outlive this.
  long_programs(const std::shared_ptr<backend::queue>& on, const backend::engine& engine,
                const long_convolution_spec& spec, const long_geometry& row)
      : on_(on), engine_(engine), spec_(spec), row_(row) {}

  /// Input: the kernels; operands of the load: the skips. Output: `filter`.
  [[nodiscard]] programs::program prepare() const;
  /// Operands of the load: the gate before and the lengths. Operands of the store: the gate after
  /// and the lengths. Only those that the spec has.
  [[nodiscard]] programs::program run() const;
  /// Input: the gradient of the results. Operands: as for `run`, with the gates exchanged.
  [[nodiscard]] programs::program signal_gradient() const;
  /// Input: the signals; `filter`: the gradient of the results. Operands of the load: the gate
  /// before, the gate after, the lengths; of the store: the gradient of the skips.
  [[nodiscard]] programs::program kernel_gradient() const;
  /// Both gradients from one pass over the gradient of the results; nothing if two programs are as
  /// good. Input: the signals. Output: their gradient; other output: the kernels' gradient.
  /// Operands of the load: the gradient of the results, the gate before, the gate after, the
  /// lengths; of the store: the gradient of the skips, the gate before, the lengths.
  [[nodiscard]] std::optional<programs::program> gradients() const;

 private:
  [[nodiscard]] std::size_t pairs() const { return rows_of_channel(spec_); }
  [[nodiscard]] std::size_t n_gates() const;
  [[nodiscard]] std::size_t spectra() const { return pairs() * spec_.channels * row_.padded; }
  [[nodiscard]] programs::program prepare_tensor() const;
  [[nodiscard]] programs::program run_tensor(bool is_gradient) const;
  /// Returns the transform of kernels, as pairs of signals are transformed or by right angles.
  [[nodiscard]] plan_spec kernel_rows(const std::optional<right_angle>& turned) const;
  /// Returns the transform of rows: by right angles if `turned`, else of pairs of signals.
  [[nodiscard]] plan_spec rows(const std::optional<right_angle>& turned,
                               std::vector<std::size_t> batch) const;
  [[nodiscard]] fused_load signal_load(const device::functors::signal_pair_numbers& numbers) const;
  [[nodiscard]] fused_store signal_store(
      const device::functors::signal_pair_numbers& numbers) const;
  /// Returns the transform, over all channels, that stores kernels.
  [[nodiscard]] plan_spec kernels_of_spectra(const std::optional<right_angle>& turned) const;
  [[nodiscard]] backend::correlation_of_rows correlations(
      const std::optional<right_angle>& turned) const;
  [[nodiscard]] bool add_correlations(program_builder& steps,
                                      const backend::correlation_of_rows& request) const;
  [[nodiscard]] bool add_correlations(program_builder& steps) const;
  [[nodiscard]] backend::convolution_of_rows convolution(index_range in, index_range out,
                                                         bool is_load_gated, bool is_store_gated,
                                                         product times) const;
  [[nodiscard]] backend::convolution_of_rows signal_correlation() const;
  [[nodiscard]] programs::program convolved(const backend::convolution_of_rows& request) const;

  const std::shared_ptr<backend::queue>& on_;
  const backend::engine& engine_;
  const long_convolution_spec& spec_;
  const long_geometry& row_;
};

/// Returns the bytes of all signals, kernels, skips and spectra of a request.
[[nodiscard]] std::size_t signal_bytes(const long_convolution_spec& spec);
[[nodiscard]] std::size_t kernel_bytes(const long_convolution_spec& spec, const long_geometry& row);
[[nodiscard]] std::size_t skip_bytes(const long_convolution_spec& spec);
[[nodiscard]] std::size_t spectra_bytes(const long_convolution_spec& spec,
                                        const long_geometry& row);

}  // namespace wingbeat::convolving
