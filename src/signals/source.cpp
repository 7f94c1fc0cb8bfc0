// SPDX-License-Identifier: Apache-2.0
#include "signals/source.hpp"

#include <algorithm>  // clamp, fill, min
#include <cmath>      // abs, cos, log, nearbyint, sqrt
#include <numbers>    // pi

#include "text/reject.hpp"             // reject
#include "wingbeat/device/dither.hpp"  // dither_of, philox

namespace wingbeat::signals {
namespace {

using std::numbers::pi;
using kind = signal_node::kind;

constexpr std::size_t block_samples = 4096;

/// The last word of the counter distinguishes the random words of noise from those of dither.
constexpr std::uint32_t noise_stream = 1, dither_stream = 2;

device::random_words words_at(std::uint64_t seed, std::uint64_t index, std::uint32_t third,
                              std::uint32_t stream) {
  const auto low = [](std::uint64_t x) { return static_cast<std::uint32_t>(x); };
  return device::philox({{low(index), low(index >> 32), third, stream}}, seed);
}

/// Returns the nearest number of turns per period; negative numbers stand for the same tones.
std::uint64_t turns_of(double frequency_hz, const signal_period& period) {
  const double n = static_cast<double>(period.n_samples);
  return static_cast<std::uint64_t>(
      std::nearbyint(std::abs(frequency_hz) / period.adc_rate_hz * n));
}

void require_frequencies(const signal_node& node, const signal_period& period) {
  for (const auto& part : node.parts) require_frequencies(*part, period);
  if (node.form != kind::cw && node.form != kind::comb) return;
  const double frequency = node.numbers[1];
  // Pulses may come at every sample.
  const double most = node.form == kind::cw ? period.adc_rate_hz / 2 : period.adc_rate_hz;
  reject_if(std::abs(frequency) > most,
            "column {}: a frequency is {} Hz; give at most {} at this rate", node.column, frequency,
            most);
  const bool is_zero = frequency == 0 && node.form == kind::cw;
  if (is_zero || turns_of(frequency, period) > 0) return;
  reject(
      "column {}: a frequency is {} Hz, less than half a turn in the {} samples of a "
      "period; give a higher one, or more samples",
      node.column, frequency, period.n_samples);
}

/// cos(2 pi m t/N) with m t modulo N in integers, so that every sample is as accurate.
void write_cw(const signal_node& node, const signal_period& period, std::uint64_t first,
              std::span<double> out) {
  const std::uint64_t n = period.n_samples, turns = turns_of(node.numbers[1], period) % n;
  std::uint64_t phase = turns * first % n;  // both are below 2^32
  for (double& x : out) {
    x = node.numbers[0] * std::cos(2 * pi * (static_cast<double>(phase) / static_cast<double>(n)));
    phase += turns;
    if (phase >= n) phase -= n;
  }
}

/// A pulse at the first sample of each turn: where the number of whole turns grows.
void write_comb(const signal_node& node, const signal_period& period, std::uint64_t first,
                std::span<double> out) {
  const std::uint64_t n = period.n_samples, turns = turns_of(node.numbers[1], period);
  std::uint64_t phase = turns % n * first % n;
  for (double& x : out) {
    x = phase < turns ? node.numbers[0] : 0;
    phase += turns;
    while (phase >= n) phase -= n;
  }
}

/// Two normal numbers from four words (Box and Muller): r cos(a) and r sin(a), where r is
/// sqrt(-2 log u) for a uniform u above 0.
void write_noise(const signal_node& node, std::uint64_t first, std::span<double> out) {
  const auto seed = static_cast<std::uint64_t>(node.numbers[1]);
  for (std::size_t i = 0; i < out.size();) {
    const std::uint64_t index = first + i;
    const auto words = words_at(seed, index / 2, 0, noise_stream);
    const auto uniform = [](std::uint32_t high, std::uint32_t low) {
      return (static_cast<double>(std::uint64_t{high} << 21 | low >> 11) + 0.5) * 0x1p-53;
    };
    const double radius =
        node.numbers[0] * std::sqrt(-2 * std::log(uniform(words.word[0], words.word[1])));
    const double angle = 2 * pi * uniform(words.word[2], words.word[3]);
    if (index % 2 == 0) {
      out[i++] = radius * std::cos(angle);
      if (i == out.size()) return;
    }
    out[i++] = radius * std::sin(angle);
  }
}

void evaluate_node(const signal_node& node, const signal_period& period, std::uint64_t first,
                   std::span<double> out);

void combine_parts(const signal_node& node, const signal_period& period, std::uint64_t first,
                   std::span<double> out) {
  evaluate_node(*node.parts[0], period, first, out);
  std::vector<double> part(out.size());
  for (std::size_t p = 1; p < node.parts.size(); ++p) {
    evaluate_node(*node.parts[p], period, first, part);
    for (std::size_t i = 0; i < out.size(); ++i) {
      out[i] = node.form == kind::sum ? out[i] + part[i] : out[i] * part[i];
    }
  }
}

/// Sample t of a signal delayed by d is sample t - d of the signal, modulo the period.
void delay_part(const signal_node& node, const signal_period& period, std::uint64_t first,
                std::span<double> out) {
  const auto n = static_cast<std::int64_t>(period.n_samples);
  const std::int64_t delay = static_cast<std::int64_t>(node.numbers[0]) % n;
  auto start = static_cast<std::uint64_t>((static_cast<std::int64_t>(first) - delay + n) % n);
  while (!out.empty()) {
    const std::size_t count = std::min<std::uint64_t>(out.size(), period.n_samples - start);
    evaluate_node(*node.parts[0], period, start, out.first(count));
    out = out.subspan(count);
    start = 0;
  }
}

void evaluate_node(const signal_node& node, const signal_period& period, std::uint64_t first,
                   std::span<double> out) {
  switch (node.form) {
    case kind::constant: std::fill(out.begin(), out.end(), node.numbers[0]); return;
    case kind::sum:
    case kind::product: return combine_parts(node, period, first, out);
    case kind::cw: return write_cw(node, period, first, out);
    case kind::comb: return write_comb(node, period, first, out);
    case kind::wgn: return write_noise(node, first, out);
    case kind::delay: return delay_part(node, period, first, out);
  }
}

/// Returns the dither of a sample; one call of the generator makes the dither of four.
float dither_of_sample(const digitiser& adc, std::uint64_t index) {
  const auto words = words_at(adc.seed, index / 4, adc.polarisation, dither_stream);
  return device::dither_of(words.word[index % 4]);
}

}  // namespace

signal_source::signal_source(std::string_view text, const signal_period& period)
    : expression_(parse_signal(text)), period_(period) {
  require_frequencies(*expression_.root, period_);
}

void signal_source::evaluate(std::uint64_t first, std::span<double> out) const {
  while (!out.empty()) {
    const std::uint64_t left = std::min<std::uint64_t>(period_.n_samples - first, block_samples);
    const std::size_t count = std::min<std::uint64_t>(out.size(), left);
    evaluate_node(*expression_.root, period_, first, out.first(count));
    out = out.subspan(count);
    first = (first + count) % period_.n_samples;
  }
}

std::uint64_t digitise(const signal_source& source, const signal_period& period,
                       const digitiser& adc, std::uint64_t first, std::span<std::int16_t> out) {
  std::vector<double> values(out.size());
  source.evaluate(first, values);
  const double full_scale = (1 << (adc.sample_bits - 1)) - 1;
  std::uint64_t n_limited = 0;
  for (std::size_t i = 0; i < out.size(); ++i) {
    const std::uint64_t index = (first + i) % period.n_samples;
    const double dither = source.has_dither() ? dither_of_sample(adc, index) : 0;
    const double rounded = std::nearbyint(values[i] * full_scale + dither);
    const double limited = std::clamp(rounded, -full_scale, full_scale);
    n_limited += limited == rounded ? 0 : 1;
    out[i] = static_cast<std::int16_t>(limited);
  }
  return n_limited;
}

}  // namespace wingbeat::signals
