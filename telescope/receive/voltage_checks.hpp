// SPDX-License-Identifier: Apache-2.0
// Compares channelised voltages with expectations: tones, the floor beside them, phases between
// polarisations, losses.
#pragma once

#include <complex>
#include <cstddef>  // size_t
#include <string>
#include <string_view>
#include <vector>

#include "receive/batch_assembly.hpp"  // channel_batch, heap_receive_counts
#include "receive/channel_layout.hpp"  // channel_layout

namespace wingbeat::receive {

/// One expectation. Magnitudes are the square roots of mean powers, in steps of the voltages.
struct expectation {
  enum class kind {
    cw,       ///< Channel and polarisation have this magnitude.
    floor,    ///< All other channels of the polarisation have at most this magnitude.
    leakage,  ///< All other channels are at least this many dB (negative) below the strongest.
    phase,    ///< The mean of pol 1 times conj(pol 0) of the channel has this phase, in radians.
    lost,     ///< At most this many heaps are lost.
    heaps     ///< At least this many heaps of each substream arrived.
  };
  kind form = kind::cw;
  std::size_t channel = 0, polarisation = 0;
  double value = 0, tolerance = 0;
  std::size_t guard = 0;  ///< Channels on each side of a tone that floor and leakage ignore.
};

/// Parses "cw channel=192 pol=0 magnitude=110 tolerance=3". The other forms: "floor pol=0
/// magnitude=1.5 [guard=1]", "leakage pol=0 db=-53 [guard=1]", "phase channel=192 radians=0.3
/// tolerance=0.02", "lost most=0", "heaps least=10". Throws `plan_error` that says what is wrong.
[[nodiscard]] expectation parse_expectation(std::string_view text);

struct check_result {
  bool passes = false;
  std::string sentence;
};

/// Accumulates powers and compares them with expectations.
class voltage_checks {
 public:
  /// Throws `plan_error` for channels and polarisations that the layout does not have.
  voltage_checks(std::vector<expectation> expected, const channel_layout& layout);

  /// Adds the voltages of a complete batch.
  void add(const channel_batch& batch);

  /// Returns the results, in the order of the expectations. Those about voltages fail if no
  /// complete batch was added.
  [[nodiscard]] std::vector<check_result> results(const heap_receive_counts& counts) const;

 private:
  void add_bytes(const channel_batch& batch);
  [[nodiscard]] double magnitude(std::size_t polarisation, std::size_t channel) const;
  [[nodiscard]] bool is_near_tone(std::size_t polarisation, std::size_t channel,
                                  std::size_t guard) const;
  [[nodiscard]] check_result result(const expectation& expected,
                                    const heap_receive_counts& counts) const;
  [[nodiscard]] check_result voltage_result(const expectation& expected) const;
  [[nodiscard]] check_result others_result(const expectation& expected) const;

  std::vector<expectation> expected_;
  channel_layout layout_;
  std::size_t n_spectra_ = 0;
  std::vector<std::vector<double>> powers_;    ///< [polarisation][channel] sums
  std::vector<std::complex<double>> crosses_;  ///< [channel] sums of pol 1 times conj(pol 0)
};

}  // namespace wingbeat::receive
