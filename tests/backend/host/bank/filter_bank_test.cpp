// SPDX-License-Identifier: Apache-2.0
// Heaps that the engine `host` makes in one crossing of memory against those of `reference`.
#include "backend/host/bank/filter_bank.hpp"

#include <gtest/gtest.h>

#include <algorithm>  // max
#include <random>
#include <span>

#include "channelising/arithmetic/quantise.hpp"  // complex_bytes
#include "channelising/banks/filter_bank.hpp"    // request_of
#include "reference/channeliser_check.hpp"       // small_spec
#include "support/memory.hpp"                    // contents, filled
#include "wingbeat/wingbeat.hpp"

namespace {

using namespace wingbeat;
using namespace wingbeat::channelising;

/// What both engines are given, drawn at random; windows follow each other in part.
struct inputs {
  std::vector<float> samples;
  std::vector<spectrum_entry> entries;
  std::vector<std::complex<float>> gains;
  sample_planes planes;
};

inputs drawn(const channeliser_spec& spec) {
  const channeliser_sizes sizes = sizes_of(spec);
  std::mt19937 random{5};
  std::uniform_real_distribution<float> unit{-1, 1};
  const std::size_t parts = spec.narrowband ? 2 : 1;
  const std::size_t n = sizes.transform * (spec.taps + sizes.spectra_per_heap + 1);
  inputs made;
  made.planes = {spec.narrowband ? sample_form::complex : sample_form::reals,
                 n * parts * sizeof(float)};
  made.samples.resize(spec.polarisations * parts * n);
  for (float& x : made.samples) x = 100 * unit(random);
  made.gains.resize(2 * spec.polarisations * spec.channels);
  for (auto& g : made.gains) g = {unit(random), unit(random)};
  for (std::size_t p = 0; p < spec.polarisations; ++p) {
    for (std::size_t s = 0; s < sizes.spectra_per_heap; ++s) {
      const std::size_t jump = s < 3 || s > 11 ? 0 : random() % sizes.transform;
      made.entries.push_back({.first = s * sizes.transform + jump,
                              .time = 0x700000000000 + s,
                              .phase_turns = s < 5 ? 0.25F : unit(random),
                              .slope_turns = s < 9 ? -1e-3F : 1e-3F * unit(random),
                              .gains = static_cast<std::uint32_t>(s / 7 % 2)});
    }
  }
  return made;
}

struct result {
  std::vector<std::byte> heap;
  std::vector<std::uint32_t> saturated;
};

result made_by(engine runs_on, const channeliser_spec& spec, const inputs& given) {
  const queue on{first_device(runs_on)};
  const backend::engine& engine = backend::engine_of(runs_on);
  const programs::prepared_program bank{
      engine, on.impl(), engine.realise(on.impl(), request_of(spec, given.planes)).value()};
  const buffer samples = test::filled(on, given.samples), entries = test::filled(on, given.entries),
               gains = test::filled(on, given.gains), heap{on, sizes_of(spec).heap_bytes},
               counts = test::filled(on, std::vector<std::uint32_t>(spec.polarisations, 7));
  const kernel_argument operands[] = {entries.view(), gains.view(), counts.view()};
  bank.enqueue(*on.impl(),
               {.in = samples.view(), .out = heap.view(), .workspace = {}, .load = operands});
  return {test::contents<std::byte>(heap), test::contents<std::uint32_t>(counts)};
}

/// Expects what the engine `reference` makes in double, but for values that rounding moves.
void expect_same(const channeliser_spec& spec) {
  const inputs given = drawn(spec);
  const result got = made_by(engine::host, spec, given);
  const result expected = made_by(engine::reference, spec, given);
  const std::size_t unit = complex_bytes(spec.output), n = got.heap.size() / unit;
  const auto value = [&](const result& of, std::size_t i) {
    return load_complex(std::span(of.heap).subspan(i * unit, unit), spec.output);
  };
  double largest = 0;
  for (std::size_t i = 0; i < n; ++i) largest = std::max(largest, std::abs(value(expected, i)));
  std::size_t n_moved = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const double difference = std::abs(value(got, i) - value(expected, i));
    if (is_integer(spec.output)) {
      ASSERT_LE(difference, 1.5) << i;
      n_moved += difference > 0 ? 1 : 0;
    } else {
      ASSERT_LE(difference, (spec.output == heap_sample::fp16 ? 1e-3 : 4e-6) * largest) << i;
    }
  }
  EXPECT_LE(n_moved, n / 100);
  for (std::size_t p = 0; p < spec.polarisations; ++p) {
    EXPECT_NEAR(got.saturated[p], expected.saturated[p], 1e-3 * expected.saturated[p] + 2);
  }
}

TEST(host_bank, makes_the_heaps_of_the_definition) {
  for (const std::size_t channels : {3, 15, 64, 1000, 1024, 6000, 32768}) {
    for (const std::size_t n_pols : {1, 2}) {
      for (const auto output : {heap_sample::int4, heap_sample::int8, heap_sample::fp32}) {
        SCOPED_TRACE(channels + n_pols);
        channeliser_spec spec = test::small_spec(channels);
        spec.polarisations = n_pols;
        spec.output = output;
        spec.taps = channels > 5000 ? 2 : 16;
        spec.dither = output == heap_sample::fp32 ? dither_kind::none : dither_kind::uniform;
        expect_same(spec);
      }
    }
  }
}

TEST(host_bank, makes_the_heaps_of_a_narrow_band) {
  for (const std::size_t channels : {27, 128, 1200}) {
    SCOPED_TRACE(channels);
    channeliser_spec spec = test::small_spec(channels);
    spec.polarisations = 2;
    spec.dither = dither_kind::uniform;
    spec.output = heap_sample::int16;
    spec.narrowband = {.centre_hz = 400e6, .decimation = 4};
    expect_same(spec);
    spec.narrowband->pass_bandwidth_hz = 150e6;
    spec.output = heap_sample::fp16;
    spec.dither = dither_kind::none;
    expect_same(spec);
  }
}

}  // namespace
