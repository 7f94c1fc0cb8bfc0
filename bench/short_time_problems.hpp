// SPDX-License-Identifier: Apache-2.0
// The short-time transforms that are measured: features of speech, spectra of one long recording.
#pragma once

#include <cmath>    // cos
#include <cstddef>  // size_t
#include <string>
#include <vector>

#include "wingbeat/mel_bands.hpp"   // mel_weights
#include "wingbeat/short_time.hpp"  // short_time_spec

namespace wingbeat::bench {

inline std::vector<double> hann(std::size_t n) {
  std::vector<double> window;
  for (std::size_t i = 0; i < n; ++i) {
    window.push_back(
        0.5 - 0.5 * std::cos(6.283185307179586 * static_cast<double>(i) / static_cast<double>(n)));
  }
  return window;
}

inline short_time_spec centred(std::size_t length, std::size_t batch, std::size_t n_fft,
                               std::size_t hop) {
  return {.length = length,
          .batch = batch,
          .n_fft = n_fft,
          .hop = hop,
          .window = hann(n_fft),
          .before = n_fft / 2,
          .edge = border::reflect};
}

struct short_time_problem {
  std::string name;
  short_time_spec spec;
};

inline std::vector<short_time_problem> short_time_problems(bool is_small) {
  const std::size_t rows = is_small ? 1 : 64, seconds = is_small ? 60 : 10;
  const std::size_t samples = std::size_t{1} << (is_small ? 22 : 28);
  short_time_spec mel = centred(16000 * seconds, rows, 400, 160);
  mel.slack = -160;
  mel.features = {.exponent = 2,
                  .bands = 80,
                  .weights = mel_weights({.bands = 80,
                                          .n_fft = 400,
                                          .rate_hz = 16000,
                                          .scale = mel_scale::slaney,
                                          .have_equal_areas = true}),
                  .has_log = true,
                  .floor = 1e-10,
                  .gain = 0.4342944819032518};
  mel.has_gradients = true;
  short_time_spec whisper = mel;
  whisper.has_gradients = false;
  whisper.features.range = 8;
  short_time_spec power = centred(samples, 1, 4096, 1024);
  power.features.exponent = 2;
  short_time_spec bins = centred(samples, 1, 8192, 2048);
  bins.has_inverse = true;
  short_time_spec welch = centred(samples, 1, 4096, 2048);
  welch.before = 0;
  welch.slack = -4096;
  welch.features = {.exponent = 2, .is_one_sided = true, .are_averaged = true};
  return {{"mel", mel}, {"whisper", whisper}, {"power", power}, {"bins", bins}, {"welch", welch}};
}

}  // namespace wingbeat::bench
