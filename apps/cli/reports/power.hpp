// SPDX-License-Identifier: Apache-2.0
// Power spectra of the rows of a file, over frequency or over frequency and time: files and charts.
#pragma once

#include <cstddef>                // size_t
#include <nlohmann/json_fwd.hpp>  // ordered_json
#include <span>
#include <string>
#include <vector>

#include "wingbeat/short_time.hpp"  // short_time_spec

namespace wingbeat::cli {

/// The scalings of scipy.signal.welch: power per bandwidth, or power of a sine in its bin.
enum class power_scaling { density, spectrum };

/// Power spectra of the frames of rows; those of reals are one-sided, bins 0 .. N/2.
struct power_spectra {
  short_time_spec spec = {};
  std::vector<double> values = {};  // [row][frame][column]; averaged [row][bin]
  bool is_spectrogram = false;
  double rate_hz = 0;    ///< 0: unknown; frequencies are then in cycles per sample.
  double centre_hz = 0;  ///< The frequency that is 0 Hz in the samples; used if the rate is known.
  power_scaling scale = power_scaling::density;
  std::string window_name = {};

  /// Returns the frequency of a bin, negative above N/2 of a complex signal; the number of a band.
  [[nodiscard]] double frequency(std::size_t k) const;

  /// Returns the distance of neighbouring bins, in the unit of frequencies; 1 for bands.
  [[nodiscard]] double bin_width() const;

  /// Returns the time of a segment's middle, in samples if the rate is unknown.
  [[nodiscard]] double time(std::size_t frame) const;
};

/// Returns "power spectral density", "power spectrum" or "spectrogram".
[[nodiscard]] std::string name_of(const power_spectra& powers);

/// Returns "unit²/Hz", "unit²" or, without a rate, "unit² for each cycle/sample". Files do not
/// state the unit of samples.
[[nodiscard]] std::string unit_of(const power_spectra& powers);

/// Throws `plan_error` unless the file's name ends in .csv or .npy.
void require_power_format(const std::string& file);

/// Writes .npy, [row][frame][bin], or [row][bin] if averaged, without the axis of a single row; or
/// .csv, a line for each number.
void write_powers(const std::string& file, const power_spectra& powers);

/// Draws curves in dB against frequency, or a waterfall, of the first rows.
void draw_powers(const std::string& file, const power_spectra& powers, const std::string& title);

/// Returns a line that names the computation and its resolution.
[[nodiscard]] std::string powers_heading(const std::string& file, const power_spectra& powers);

/// Returns the same as the beginning of a wingbeat.transform/1 document.
[[nodiscard]] nlohmann::ordered_json powers_json(const std::string& file,
                                                 const power_spectra& powers);

}  // namespace wingbeat::cli
