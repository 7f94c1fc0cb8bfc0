// SPDX-License-Identifier: Apache-2.0
// The channeliser of an engine, compared with the reference in double precision: every value within
// a step of the quantiser, exact where no tie is near, counts and levels exact, the same bytes
// however the stream is cut.
#pragma once

#include <gtest/gtest.h>

#include <span>
#include <vector>

#include "channelising/arithmetic/packed_samples.hpp"  // pack_samples
#include "channelising/spec.hpp"                       // parts_of
#include "reference/channeliser_check.hpp"             // gaussian, stored_value
#include "support/on_engine.hpp"                       // on_engine
#include "wingbeat/wingbeat.hpp"

namespace wingbeat::test {

/// A heap, with its bytes.
struct held_heap {
  channelised_heap heap;
  std::vector<std::byte> bytes;
};

/// What a channeliser made of a recording.
struct outcome {
  std::vector<held_heap> heaps;
  std::vector<input_level> levels;
  heap_counts counts;
};

/// A channeliser on one engine.
class channeliser_on : public on_engine {
 protected:
  /// Pushes a recording in pieces of these many samples, over and over; packed or as integers.
  outcome run(const channeliser_spec& spec, const reference::recording& input,
              const std::vector<std::size_t>& cuts, bool is_packed = false) {
    channeliser bank{*on, spec, input.first_sample};
    outcome result;
    const auto keep = [&](const channelised_heap& heap) {
      result.heaps.push_back({heap, {heap.bytes.begin(), heap.bytes.end()}});
    };
    const std::size_t parts = channelising::parts_of(spec);
    const std::size_t length = input.samples.front().size() / parts;
    for (std::size_t first = 0, i = 0; first < length; ++i) {
      const std::size_t count = std::min(cuts[i % cuts.size()], length - first);
      channeliser::samples next{.count = count, .packet_samples = input.packet_samples};
      std::vector<std::vector<std::byte>> packed;
      for (std::size_t p = 0; p < spec.polarisations; ++p) {
        const auto piece = std::span(input.samples[p]).subspan(first * parts, count * parts);
        packed.emplace_back(channelising::packed_bytes(count * parts, spec.sample_bits));
        channelising::pack_samples(piece, spec.sample_bits, 0, packed.back());
        if (!is_packed) next.integers.push_back(piece);
      }
      if (is_packed) next.packed.assign(packed.begin(), packed.end());
      if (!input.present.empty()) {
        for (const auto& flags : input.present) {
          const auto begin =
              flags.begin() + static_cast<std::ptrdiff_t>(first / input.packet_samples);
          const std::size_t n_packets = (count + input.packet_samples - 1) / input.packet_samples;
          next.present.emplace_back(begin, begin + static_cast<std::ptrdiff_t>(n_packets));
        }
      }
      bank.push(*on, next, keep);
      first += count;
    }
    bank.finish(keep);
    result.levels = bank.levels();
    result.counts = bank.counts();
    return result;
  }

  /// Compares a run with the reference. `noise` is the rms error of fp32, in steps of the output.
  void check(const channeliser_spec& spec, const reference::recording& input,
             const std::vector<std::size_t>& cuts = {std::size_t{1} << 20}) {
    const auto expected = reference::channelise(spec, input);
    const outcome got = run(spec, input, cuts, true);
    ASSERT_GT(expected.heaps.size() + expected.withheld.size(), 0U);
    ASSERT_EQ(got.heaps.size(), expected.heaps.size());
    EXPECT_EQ(got.counts.sent, expected.heaps.size());
    EXPECT_EQ(got.counts.withheld, expected.withheld.size());
    EXPECT_EQ(got.counts.skipped, expected.n_skipped);
    for (std::size_t p = 0; p < spec.polarisations; ++p) {
      EXPECT_EQ(got.levels[p].n_samples, expected.levels[p].n_samples);
      EXPECT_EQ(got.levels[p].sum_of_squares, expected.levels[p].sum_of_squares);
      EXPECT_EQ(got.levels[p].histogram, expected.levels[p].histogram);
      EXPECT_EQ(got.levels[p].parts, expected.levels[p].parts);
    }
    for (std::size_t h = 0; h < expected.heaps.size(); ++h) {
      SCOPED_TRACE(h);
      expect_heap(spec, got.heaps[h], expected.heaps[h]);
    }
    for (const bool is_packed : {true, false}) {
      const outcome whole = run(spec, input, {input.samples.front().size()}, is_packed);
      ASSERT_EQ(whole.heaps.size(), got.heaps.size());
      for (std::size_t h = 0; h < whole.heaps.size(); ++h) {
        EXPECT_EQ(whole.heaps[h].bytes, got.heaps[h].bytes) << "cuts change heap " << h;
      }
    }
  }

  static void expect_heap(const channeliser_spec& spec, const held_heap& got,
                          const reference::heap& expected) {
    EXPECT_EQ(got.heap.timestamp, expected.timestamp);
    EXPECT_EQ(got.heap.is_complete, expected.is_complete);
    ASSERT_EQ(got.bytes.size(), expected.bytes.size());
    const reference::heap held{.bytes = got.bytes};
    const bool is_rounded = channelising::is_integer(spec.output);
    double energy = 0;
    for (const auto& each : expected.spectra) energy += std::norm(each);
    const double rms = std::sqrt(energy / static_cast<double>(expected.spectra.size()));
    // fp32 sums of some thousand terms, and a phase of 24 bits.
    const double tolerance = 4e-6 * rms + (spec.output == heap_sample::fp16 ? 1e-3 * rms : 0);
    std::size_t n_other = 0;
    for (std::size_t i = 0; i < expected.spectra.size(); ++i) {
      const auto a = stored_value(spec, held, i), b = stored_value(spec, expected, i);
      const double off = std::max(std::abs(a.real() - b.real()), std::abs(a.imag() - b.imag()));
      if (is_rounded) {
        ASSERT_LE(off, 1) << "value " << i;
        n_other += off > 0 ? 1 : 0;
      } else {
        ASSERT_LE(off, 20 * tolerance + 1e-3 * (spec.output == heap_sample::fp16) * std::abs(b))
            << "value " << i << ": " << a << " for " << b;
      }
    }
    // A tie is within the error of fp32 for few values.
    EXPECT_LE(static_cast<double>(n_other),
              2 + 200 * tolerance * static_cast<double>(expected.spectra.size()));
    for (std::size_t p = 0; p < spec.polarisations; ++p) {
      EXPECT_NEAR(static_cast<double>(got.heap.saturated[p]),
                  static_cast<double>(expected.saturated[p]), 2);
    }
  }
};

/// Returns white noise of each polarisation, for `n_heaps` heaps and `more` samples.
inline reference::recording noise_of(const channeliser_spec& spec, std::size_t n_heaps,
                                     std::size_t more, double rms, std::int64_t first_sample = 0) {
  reference::recording input{.first_sample = first_sample};
  const double limit = (1 << (spec.sample_bits - 1)) - 1;
  for (unsigned p = 0; p < spec.polarisations; ++p) {
    const std::size_t n_samples = samples_for(spec, n_heaps) + more;
    input.samples.push_back(gaussian(n_samples * channelising::parts_of(spec), rms, 7 + p, limit));
  }
  return input;
}

}  // namespace wingbeat::test
