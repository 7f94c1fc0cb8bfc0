// SPDX-License-Identifier: Apache-2.0
// Short-time transforms by their definition, in long double.
#pragma once

#include <algorithm>  // max, min
#include <cmath>
#include <complex>
#include <cstddef>  // ptrdiff_t, size_t
#include <vector>

#include "wingbeat/short_time.hpp"  // short_time_spec

namespace wingbeat::test {

/// A spec, its weights, and the lengths of rows; samples and results are complex, as long doubles.
struct short_time_oracle {
  using number = std::complex<long double>;
  using numbers = std::vector<number>;

  short_time_spec spec;
  std::vector<long double> window;
  std::vector<std::size_t> lengths;

  [[nodiscard]] std::size_t frames() const { return spec.frames(); }
  [[nodiscard]] std::size_t frames_of(std::size_t row) const {
    return std::min(spec.frames_of(lengths[row]), frames());
  }

  /// Returns the sample at place n of a row, however far outside.
  [[nodiscard]] number sample(const numbers& x, std::size_t row, std::ptrdiff_t n) const {
    const auto length = static_cast<std::ptrdiff_t>(lengths[row]);
    if (length == 0) return 0;
    while (n < 0 || n >= length) {
      switch (spec.edge) {
        case border::zero: return 0;
        case border::clamp: n = n < 0 ? 0 : length - 1; break;
        case border::repeat: n += n < 0 ? length : -length; break;
        case border::mirror: n = n < 0 ? -1 - n : 2 * length - 1 - n; break;
        case border::reflect: n = length == 1 ? 0 : n < 0 ? -n : 2 * length - 2 - n; break;
      }
    }
    return x[row * spec.length + static_cast<std::size_t>(n)];
  }

  /// Returns the samples under the window of a frame, ready to be weighted.
  [[nodiscard]] numbers frame(const numbers& x, std::size_t row, std::size_t t) const {
    numbers raw(window.size()), ready(window.size());
    if (t >= frames_of(row)) return ready;
    number mean = 0;
    for (std::size_t j = 0; j < raw.size(); ++j) {
      const auto place = static_cast<std::ptrdiff_t>(t * spec.hop + spec.window_at + j);
      raw[j] = sample(x, row, place - static_cast<std::ptrdiff_t>(spec.before));
      mean += raw[j] / static_cast<long double>(raw.size());
    }
    if (!spec.removes_mean) mean = 0;
    for (std::size_t j = 0; j < raw.size(); ++j) {
      const number previous = raw[j == 0 ? 0 : j - 1] - mean;
      ready[j] = raw[j] - mean - static_cast<long double>(spec.emphasis) * previous;
    }
    return ready;
  }

  [[nodiscard]] number turn(std::ptrdiff_t numerator) const {
    constexpr long double tau = 6.283185307179586476925286766559005768L;
    const auto n = static_cast<std::ptrdiff_t>(spec.n_fft);
    return std::polar(1.0L,
                      tau * static_cast<long double>(numerator % n) / static_cast<long double>(n));
  }

  /// Returns the bins of all frames.
  [[nodiscard]] numbers spectra(const numbers& x) const {
    numbers bins;
    for (std::size_t row = 0; row < spec.batch; ++row) {
      for (std::size_t t = 0; t < frames(); ++t) {
        const numbers e = frame(x, row, t);
        for (std::size_t k = 0; k < spec.bins(); ++k) {
          number sum = 0;
          for (std::size_t j = 0; j < e.size(); ++j) {
            const auto i = static_cast<std::ptrdiff_t>(spec.window_at + j) - spec.phase_origin;
            sum += window[j] * e[j] * turn(-static_cast<std::ptrdiff_t>(k) * i);
          }
          bins.push_back(sum * static_cast<long double>(spec.scale));
        }
      }
    }
    return bins;
  }

  /// Returns what is made of bins; the bins themselves where nothing is.
  [[nodiscard]] numbers made_of(const numbers& bins) const {
    const spectrum_features& features = spec.features;
    if (features.exponent == 0) return bins;
    const std::size_t n = spec.bins(), rows = bins.size() / n, columns = spec.columns();
    std::vector<long double> quantities, results;
    for (std::size_t i = 0; i < bins.size(); ++i) {
      const std::size_t k = i % n;
      const long double power = std::max<long double>(std::norm(bins[i]), features.power_floor) +
                                static_cast<long double>(features.power_offset);
      const bool is_double = features.is_one_sided && k != 0 && 2 * k != spec.n_fft;
      quantities.push_back((is_double ? 2 : 1) *
                           std::pow(power, static_cast<long double>(features.exponent) / 2));
    }
    if (features.are_averaged) {
      numbers averages(spec.batch * n);
      for (std::size_t i = 0; i < quantities.size(); ++i) {
        averages[i / n / frames() * n + i % n] +=
            quantities[i] / static_cast<long double>(frames());
      }
      return averages;
    }
    for (std::size_t row = 0; row < rows; ++row) {
      for (std::size_t column = 0; column < columns; ++column) {
        long double m = features.bands == 0 ? quantities[row * n + column] : 0;
        for (std::size_t k = 0; k < n && features.bands != 0; ++k) {
          m += static_cast<long double>(features.weights[column * n + k]) * quantities[row * n + k];
        }
        if (features.has_log) {
          m = features.gain * std::log(std::max<long double>(m, features.floor) +
                                       static_cast<long double>(features.offset)) +
              static_cast<long double>(features.shift);
        }
        results.push_back(m);
      }
    }
    const std::size_t of_row = frames() * columns;
    numbers limited;
    for (std::size_t i = 0; i < results.size(); ++i) {
      const auto begin = results.begin() + static_cast<std::ptrdiff_t>(i / of_row * of_row);
      const long double most =
          *std::max_element(begin, begin + static_cast<std::ptrdiff_t>(of_row));
      const bool is_limited =
          features.range != 0 && results[i] < most - static_cast<long double>(features.range);
      limited.emplace_back(is_limited ? most - static_cast<long double>(features.range)
                                      : results[i]);
    }
    return limited;
  }

  [[nodiscard]] numbers results(const numbers& x) const { return made_of(spectra(x)); }

  /// Returns the samples that the inverse makes of spectra.
  [[nodiscard]] numbers inverse(const numbers& bins) const {
    const std::size_t n = spec.n_fft;
    numbers sums(spec.batch * spec.length);
    std::vector<long double> squares(sums.size());
    for (std::size_t row = 0; row < spec.batch; ++row) {
      for (std::size_t t = 0; t < frames_of(row); ++t) {
        const number* const of_frame = bins.data() + (row * frames() + t) * spec.bins();
        for (std::size_t j = 0; j < window.size(); ++j) {
          const std::size_t i = spec.window_at + j, place = t * spec.hop + i;
          if (place < spec.before || place - spec.before >= lengths[row]) continue;
          number element = 0;
          for (std::size_t k = 0; k < n; ++k) {
            const bool is_there = k < spec.bins();
            const std::size_t stored = is_there ? k : n - k;
            number bin =
                of_frame[stored] * turn(-static_cast<std::ptrdiff_t>(stored) * spec.phase_origin);
            if (!is_there) bin = std::conj(bin);
            if (!spec.is_complex() && (k == 0 || 2 * k == n)) bin = bin.real();
            element += bin * turn(static_cast<std::ptrdiff_t>(k * i));
          }
          const long double weight = window[j];
          const std::size_t sample_at = row * spec.length + place - spec.before;
          sums[sample_at] += weight * element / (static_cast<long double>(spec.scale) * n);
          squares[sample_at] += weight * weight;
        }
      }
    }
    for (std::size_t i = 0; i < sums.size(); ++i) {
      sums[i] = squares[i] > static_cast<long double>(spec.least_weight) ? sums[i] / squares[i] : 0;
    }
    return sums;
  }
};

}  // namespace wingbeat::test
