// SPDX-License-Identifier: Apache-2.0
// A long convolution, validated, and where signals and results lie on a padded row.
//
// Signals begin at index 0 of a row and results at s, the tap that leaves a signal in place;
// results' gradients lie where the results do. With L values and K taps, value n of the full
// convolution falls on index n mod P. No other value falls on the results s .. s + L - 1 if
// P >= K + L - 1 - s. The correlation of the gradients with the signals has lag j, the gradient of
// tap j, at index j, and lag -q at P - q, which is K or more under the same condition.
//
// A row by right angles (R. Crandall, B. Fagin, 1994) has one signal, padded to N, about half of P.
// Products modulo t^N + i have values 0 .. N - 1 of the convolution as real parts and values
// N .. 2N - 1 as imaginary parts; a correlation's negative lags are imaginary parts, too. The
// modulus is a product of T others, so T transforms of N / T points, one after another, make a row.
#pragma once

#include <cstddef>  // size_t
#include <optional>

#include "wingbeat/devices.hpp"           // device_info
#include "wingbeat/long_convolution.hpp"  // long_convolution_spec

namespace wingbeat::convolving {

/// A row by right angles.
struct right_angle {
  std::size_t length = 2;  ///< N, a power of two.
  std::size_t turns = 1;   ///< T

  [[nodiscard]] std::size_t points() const { return length / turns; }
  /// Returns the same row in twice as many turns.
  [[nodiscard]] right_angle halved() const { return {length, 2 * turns}; }
};

struct long_geometry {
  std::size_t taps = 1;    ///< K
  std::size_t origin = 0;  ///< s
  std::size_t padded = 2;  ///< P, for a pair of signals.
  index_range signals, results;
  /// Set for runs that take rows by right angles, because pairs of signals outgrow a workgroup.
  std::optional<right_angle> turned = {};
  /// R of rows of 256 R points that runs take on tensor cores; 0: they do not.
  unsigned outer = 0;
  bool is_four_step = false;  ///< Runs take rows in three launches: they outgrow a workgroup.

  /// Returns the length of the rows that runs take.
  [[nodiscard]] std::size_t row() const {
    if (outer > 0) return std::size_t{256} * outer;
    return turned ? turned->length : padded;
  }
  /// Returns the shortest row by right angles, in one turn.
  [[nodiscard]] right_angle least_right_angle() const;
};

/// Throws `plan_error` unless the device can run the spec.
void require_valid(const long_convolution_spec& spec, const device_info& device);

/// Returns the geometry of a spec that has been or is being validated.
[[nodiscard]] long_geometry geometry_of(const long_convolution_spec& spec,
                                        const device_info& device);

/// Returns how many rows the signals of one channel take.
[[nodiscard]] std::size_t rows_of_channel(const long_convolution_spec& spec);

/// Returns the precision of the arithmetic, and the stored type of the kernels.
[[nodiscard]] precision computed(const long_convolution_spec& spec);
[[nodiscard]] precision kernels_stored(const long_convolution_spec& spec);

}  // namespace wingbeat::convolving
