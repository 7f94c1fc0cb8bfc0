// SPDX-License-Identifier: Apache-2.0
// Heaps made in one crossing of memory against those of a plan with functors and a transposition,
// on the same engine: the same bytes and counts.
#include "channelising/banks/host_bank.hpp"

#include <gtest/gtest.h>

#include <random>

#include "channelising/arithmetic/quantise.hpp"  // complex_bytes
#include "channelising/arithmetic/weights.hpp"   // filter_weights
#include "channelising/banks/functors.hpp"       // bank_load, bank_store
#include "reference/channeliser_check.hpp"       // small_spec
#include "wingbeat/wingbeat.hpp"

namespace {

using namespace wingbeat;
using namespace wingbeat::channelising;

/// What both ways are given, drawn at random; windows follow each other in part.
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
  inputs result;
  result.planes = {spec.narrowband ? sample_form::complex : sample_form::reals, 0,
                   n * parts * sizeof(float)};
  result.samples.resize(spec.polarisations * parts * n);
  for (float& x : result.samples) x = 100 * unit(random);
  result.gains.resize(2 * spec.polarisations * spec.channels);
  for (auto& g : result.gains) g = {unit(random), unit(random)};
  for (std::size_t p = 0; p < spec.polarisations; ++p) {
    for (std::size_t s = 0; s < sizes.spectra_per_heap; ++s) {
      const std::size_t jump = s < 3 || s > 11 ? 0 : random() % sizes.transform;
      result.entries.push_back({.first = s * sizes.transform + jump,
                                .time = 0x700000000000 + s,
                                .phase_turns = s < 5 ? 0.25F : unit(random),
                                .slope_turns = s < 9 ? -1e-3F : 1e-3F * unit(random),
                                .gains = static_cast<std::uint32_t>(s / 7 % 2)});
    }
  }
  return result;
}

struct result {
  std::vector<std::byte> heap;
  std::vector<std::uint32_t> saturated;
};

result by_plan(queue& on, const channeliser_spec& spec, const inputs& given,
               const std::vector<float>& weights) {
  const channeliser_sizes sizes = sizes_of(spec);
  plan_spec rows{.lengths = {sizes.transform},
                 .batch = {spec.polarisations, sizes.spectra_per_heap},
                 .kind = spec.narrowband ? transform::forward : transform::forward_from_real};
  rows.load = bank_load(spec, given.planes);
  rows.store = bank_store(spec);
  if (!spec.narrowband) rows.valid_out = {{0, spec.channels}};
  const plan spectra{on, rows};
  const auto filled = [&](const auto& values) {
    buffer memory{on, values.size() * sizeof(values[0])};
    memory.write(values.data(), memory.size_bytes());
    return memory;
  };
  const buffer in = filled(given.samples), w = filled(weights), entries = filled(given.entries),
               gains = filled(given.gains),
               counts =
                   filled(std::vector<std::uint32_t>(spec.polarisations * saturation_counters)),
               staged{on, sizes.heap_bytes};
  spectra.enqueue(
      on, in.view(), staged.view(),
      {.load = {entries.view(), w.view()}, .store = {entries.view(), gains.view(), counts.view()}});
  on.wait();
  std::vector<std::byte> from(sizes.heap_bytes);
  staged.read(from.data(), from.size());
  result result{std::vector<std::byte>(from.size()),
                std::vector<std::uint32_t>(spec.polarisations)};
  std::vector<std::uint32_t> parts(spec.polarisations * saturation_counters);
  counts.read(parts.data(), counts.size_bytes());
  for (std::size_t i = 0; i < parts.size(); ++i)
    result.saturated[i / saturation_counters] += parts[i];
  const std::size_t unit = complex_bytes(spec.output), n_spectra = sizes.spectra_per_heap;
  for (std::size_t row = 0; row < spec.polarisations * n_spectra; ++row) {
    for (std::size_t k = 0; k < spec.channels; ++k) {
      const std::size_t to =
          (k * n_spectra + row % n_spectra) * spec.polarisations + row / n_spectra;
      std::copy_n(&from[(row * spec.channels + k) * unit], unit, &result.heap[to * unit]);
    }
  }
  return result;
}

void expect_same(const channeliser_spec& spec) {
  queue on{first_device(engine::host)};
  const channeliser_sizes sizes = sizes_of(spec);
  std::vector<float> weights;
  for (const double w : filter_weights({sizes.transform, spec.taps, spec.window})) {
    weights.push_back(static_cast<float>(w));
  }
  const inputs given = drawn(spec);
  const auto bank = make_host_bank(engine::host, spec, given.planes, weights);
  ASSERT_NE(bank, nullptr);
  buffer in{on, given.samples.size() * sizeof(float)}, heap{on, sizes.heap_bytes};
  in.write(given.samples.data(), in.size_bytes());
  const buffer counts{on, spec.polarisations * sizeof(std::uint32_t)};
  const auto gains = std::make_shared<const std::vector<std::complex<float>>>(given.gains);
  run_host_bank(*bank, in.view(), {given.entries, gains}, heap.view(), counts.view());
  result got{std::vector<std::byte>(sizes.heap_bytes),
             std::vector<std::uint32_t>(spec.polarisations)};
  heap.read(got.heap.data(), got.heap.size());
  counts.read(got.saturated.data(), counts.size_bytes());
  const result expected = by_plan(on, spec, given, weights);
  EXPECT_EQ(got.saturated, expected.saturated);
  EXPECT_TRUE(got.heap == expected.heap);
}

TEST(host_bank, makes_the_bytes_of_a_plan_with_functors) {
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

TEST(host_bank, makes_the_bytes_of_a_plan_of_a_narrow_band) {
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
