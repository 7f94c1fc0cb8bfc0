// SPDX-License-Identifier: Apache-2.0
// Label: opencl
// Timeout: 300
// The channeliser on every engine against the reference in double precision: every value within a
// step of the quantiser, exact where no tie is near, counts and levels exact, the same bytes
// however the stream is cut.
#include "wingbeat/channeliser.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "channelising/packed_samples.hpp"  // pack_samples
#include "reference/channeliser_check.hpp"  // gaussian, small_spec, stored_value
#include "support/refusal.hpp"              // refusal
#include "wingbeat/wingbeat.hpp"

namespace {

using namespace wingbeat;
using namespace wingbeat::test;
using ::testing::HasSubstr;

struct held_heap {
  channelised_heap heap;
  std::vector<std::byte> bytes;
};

struct outcome {
  std::vector<held_heap> heaps;
  std::vector<input_level> levels;
  heap_counts counts;
};

class channeliser_on : public ::testing::TestWithParam<engine> {
 protected:
  void SetUp() override {
    if (devices(GetParam()).empty()) GTEST_SKIP() << why_absent(GetParam());
    on = std::make_unique<queue>(first_device(GetParam()));
  }

  /// Pushes a recording in pieces of these many samples, over and over; packed or as integers.
  outcome run(const channeliser_spec& spec, const reference::recording& input,
              const std::vector<std::size_t>& cuts, bool is_packed = false) {
    channeliser bank{*on, spec, input.first_sample};
    outcome result;
    const auto keep = [&](const channelised_heap& heap) {
      result.heaps.push_back({heap, {heap.bytes.begin(), heap.bytes.end()}});
    };
    const std::size_t length = input.samples.front().size();
    for (std::size_t first = 0, i = 0; first < length; ++i) {
      const std::size_t count = std::min(cuts[i % cuts.size()], length - first);
      channeliser::samples next{.count = count, .packet_samples = input.packet_samples};
      std::vector<std::vector<std::byte>> packed;
      for (std::size_t p = 0; p < spec.polarisations; ++p) {
        const auto part = std::span(input.samples[p]).subspan(first, count);
        packed.emplace_back(channelising::packed_bytes(count, spec.sample_bits));
        channelising::pack_samples(part, spec.sample_bits, 0, packed.back());
        if (!is_packed) next.integers.push_back(part);
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

  std::unique_ptr<queue> on;
};

reference::recording noise_of(const channeliser_spec& spec, std::size_t n_heaps, std::size_t more,
                              double rms, std::int64_t first_sample = 0) {
  reference::recording input{.first_sample = first_sample};
  const double limit = (1 << (spec.sample_bits - 1)) - 1;
  for (unsigned p = 0; p < spec.polarisations; ++p) {
    input.samples.push_back(gaussian(samples_for(spec, n_heaps) + more, rms, 7 + p, limit));
  }
  return input;
}

TEST_P(channeliser_on, agrees_with_the_reference) {
  channeliser_spec spec = small_spec(64);
  spec.polarisations = 2;
  check(spec, noise_of(spec, 3, 100, 30), {1000, 1, 4097, 7});
}

TEST_P(channeliser_on, follows_delays_phases_and_gains) {
  channeliser_spec spec = small_spec(128);
  spec.polarisations = 2;
  spec.delays = {{{.delay_samples = 300.3, .rate = 1e-4, .phase_rad = 1, .phase_rate = 1e-3},
                  {.start_samples = 6000, .delay_samples = -70.6, .phase_rad = -2}},
                 {{.delay_samples = -12.25}}};
  std::vector<std::complex<float>> slope(128);
  for (std::size_t k = 0; k < 128; ++k) {
    slope[k] = std::polar(1.0F, 0.05F * static_cast<float>(k));
  }
  spec.gains = {{.start_samples = 5000, .gains = {slope, {{0, 2}}}}};
  check(spec, noise_of(spec, 4, 1000, 20, 12345), {5000, 333});
}

TEST_P(channeliser_on, stores_every_format) {
  for (const heap_sample output : {heap_sample::int4, heap_sample::int8, heap_sample::int16,
                                   heap_sample::fp16, heap_sample::fp32}) {
    SCOPED_TRACE(static_cast<int>(output));
    channeliser_spec spec = small_spec(64);
    spec.output = output;
    spec.taps = 4;
    spec.dither = {};
    spec.seed = 0x123456789abcdef;
    check(spec, noise_of(spec, 1, 0, output == heap_sample::int4 ? 3 : 60));
  }
}

TEST_P(channeliser_on, reads_every_width) {
  for (const unsigned bits : {2U, 3U, 8U, 12U, 16U}) {
    SCOPED_TRACE(bits);
    if (bits == 3 && GetParam() == engine::opencl) continue;  // a kernel each
    channeliser_spec spec = small_spec(64);
    spec.sample_bits = bits;
    spec.taps = 2;
    spec.output = heap_sample::fp32;
    check(spec, noise_of(spec, 2, 5, (1 << bits) / 8.0), {777, 5});
  }
}

TEST_P(channeliser_on, filters_with_few_and_many_taps) {
  for (const std::size_t taps : {1U, 5U, 20U, 33U}) {
    SCOPED_TRACE(taps);
    if (taps != 20 && GetParam() == engine::opencl) continue;  // a kernel each
    channeliser_spec spec = small_spec(64);
    spec.polarisations = 1 + taps % 2;
    spec.taps = taps;
    spec.output = heap_sample::fp32;
    check(spec, noise_of(spec, 2, 5, 40), {777, 5});
  }
}

TEST_P(channeliser_on, makes_narrow_bands) {
  channeliser_spec spec = small_spec(64);
  spec.output = heap_sample::fp32;
  spec.polarisations = 2;
  spec.delays = {{{.delay_samples = 33.3, .phase_rad = 1}}, {{.delay_samples = -50}}};
  spec.narrowband = {.centre_hz = 400e6, .decimation = 4};
  check(spec, noise_of(spec, 2, 500, 40, 1001), {4000, 9});
  spec.narrowband->pass_bandwidth_hz = 150e6;
  check(spec, noise_of(spec, 2, 500, 40));
}

TEST_P(channeliser_on, withholds_or_fills_what_misses_samples) {
  channeliser_spec spec = small_spec(64);
  spec.polarisations = 2;
  reference::recording input = noise_of(spec, 6, 0, 30);
  input.packet_samples = 256;
  const std::size_t n_packets = (input.samples[0].size() + 255) / 256;
  input.present.assign(2, std::vector<bool>(n_packets, true));
  input.present[0][14] = input.present[0][15] = input.present[1][30] = false;
  for (const missing_policy missing : {missing_policy::withhold, missing_policy::zero_fill}) {
    spec.missing = missing;
    check(spec, input, {1024, 256});
  }
}

TEST_P(channeliser_on, makes_many_channels) {
  channeliser_spec spec = small_spec(32768);
  spec.output = heap_sample::fp32;
  spec.taps = 2;
  check(spec, noise_of(spec, 1, 0, 30), {100000});
}

TEST_P(channeliser_on, changes_models_while_it_runs) {
  channeliser_spec spec = small_spec(64);
  channeliser bank{*on, spec, 0};
  const auto input = noise_of(spec, 4, 0, 30);
  const std::size_t half = samples_for(spec, 2);
  std::vector<std::byte> late;
  const auto keep = [&](const channelised_heap& heap) {
    late.assign(heap.bytes.begin(), heap.bytes.end());
  };
  bank.push(*on, {.integers = {std::span(input.samples[0]).first(half)}, .count = half}, keep);
  const std::int64_t steady = bank.add_gains({.start_samples = 0, .gains = {{{3, 0}}}});
  EXPECT_EQ(steady, 2 * static_cast<std::int64_t>(bank.sizes().heap_samples));
  EXPECT_EQ(bank.add_delay(0, {.start_samples = 9999999, .delay_samples = 1}), 9999999);
  const std::size_t rest = input.samples[0].size() - half;
  bank.push(*on, {.integers = {std::span(input.samples[0]).subspan(half)}, .count = rest}, keep);
  bank.finish(keep);
  EXPECT_EQ(bank.counts().sent, 4U);
  channeliser_spec whole = spec;
  whole.gains = {{.start_samples = 0, .gains = {{{3, 0}}}}};
  EXPECT_EQ(run(whole, input, {half}).heaps.back().bytes, late);
  EXPECT_THAT(refusal([&] { bank.add_delay(1, {}); }), HasSubstr("polarisation 1"));
  EXPECT_THAT(refusal([&] { bank.add_gains({.gains = {}}); }), HasSubstr("gains"));
}

TEST_P(channeliser_on, hands_on_the_whole_spectra_of_the_last_heap) {
  for (const bool is_narrow : {false, true}) {
    channeliser_spec spec = small_spec(64);
    spec.polarisations = 2;
    spec.dither = dither_kind::uniform;
    spec.delays = {{{.delay_samples = -40.3}}, {{.delay_samples = -3, .rate = 1e-4}}};
    spec.gains = {{.gains = {{{400, 0}}, {{1, 0}}}}};  // the first polarisation saturates
    if (is_narrow) spec.narrowband = {.centre_hz = 400e6, .decimation = 4};
    const std::size_t hop = sizes_of(spec).spectrum_samples;
    // With zeros behind its end, the reference finishes the last heap.
    reference::recording input = noise_of(spec, 2, 5 * hop + 99, 60), longer = input;
    for (auto& samples : longer.samples) samples.resize(samples.size() + 16 * hop);
    const auto expected = reference::channelise(spec, longer);
    ASSERT_EQ(expected.heaps.size(), 3U);
    channeliser bank{*on, spec, 0};
    std::vector<held_heap> heaps;
    const auto keep = [&](const channelised_heap& heap) {
      heaps.push_back({heap, {heap.bytes.begin(), heap.bytes.end()}});
    };
    bank.push(*on,
              {.integers = {input.samples[0], input.samples[1]}, .count = input.samples[0].size()},
              keep);
    bank.flush(*on, keep);
    EXPECT_EQ(bank.counts().sent, 3U);
    ASSERT_EQ(heaps.size(), 3U);
    EXPECT_EQ(heaps[1].heap.n_spectra, 16U);
    EXPECT_EQ(heaps[2].heap.timestamp, expected.heaps[2].timestamp);
    ASSERT_EQ(heaps[2].heap.n_spectra, 5U);
    const reference::heap held{.bytes = heaps[2].bytes};
    std::size_t n_other = 0, n_filled = 0;
    for (std::size_t i = 0; i < expected.heaps[2].spectra.size(); ++i) {
      const auto value = stored_value(spec, held, i);
      if (i / 2 % 16 >= 5) {
        n_filled += value != 0.0 ? 1 : 0;
        continue;
      }
      const auto difference = value - stored_value(spec, expected.heaps[2], i);
      n_other += difference != 0.0 ? 1 : 0;
      ASSERT_LE(std::abs(difference), 1.5);
    }
    EXPECT_LE(n_other, 3U);
    EXPECT_EQ(n_filled, 0U);
    EXPECT_GT(heaps[2].heap.saturated[0], 100U);
    EXPECT_LE(heaps[2].heap.saturated[0], 5U * 64U);
    // The stream may go on.
    const samples more(16 * hop);
    bank.push(*on, {.integers = {more, more}, .count = more.size()}, keep);
    bank.finish(keep);
    ASSERT_EQ(heaps.size(), 4U);
    EXPECT_EQ(heaps[3].heap.timestamp, expected.heaps[2].timestamp);
    EXPECT_EQ(heaps[3].heap.n_spectra, 16U);
  }
}

TEST_P(channeliser_on, refuses_samples_of_other_counts) {
  channeliser bank{*on, small_spec(64), 0};
  const std::vector<std::int16_t> few(10), large(10, 600);
  const auto message = [&](const channeliser::samples& next) {
    return refusal([&] { bank.push(*on, next, {}); });
  };
  EXPECT_THAT(message({.integers = {few, few}, .count = 10}), HasSubstr("give 1 of one"));
  EXPECT_THAT(message({.integers = {few}, .count = 11}), HasSubstr("has 10 samples; give 11"));
  EXPECT_THAT(message({.integers = {large}, .count = 10}), HasSubstr("sample 0 of polarisation 0"));
  EXPECT_THAT(message({.integers = {few}, .count = 10, .present = {{}}}), HasSubstr("have flags"));
  EXPECT_EQ(bank.levels()[0].n_samples, 0U);
}

INSTANTIATE_TEST_SUITE_P(engines, channeliser_on,
                         ::testing::Values(engine::reference, engine::host, engine::opencl,
                                           engine::cuda),
                         [](const auto& of) { return std::string{name_of(of.param)}; });

}  // namespace
