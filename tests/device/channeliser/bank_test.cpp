// SPDX-License-Identifier: Apache-2.0
// Filter banks on threads of the processor, in one launch and in three, against the definition in
// double precision.
#include "wingbeat/device/channeliser/bank.hpp"

#include <gtest/gtest.h>

#include <cmath>  // abs, round, sin
#include <complex>
#include <cstdint>  // int16_t
#include <numbers>  // pi
#include <vector>

#include "channelising/arithmetic/packed_samples.hpp"  // pack_samples
#include "channelising/arithmetic/weights.hpp"         // filter_weights, window_weights
#include "wingbeat/device/channeliser/window_load.hpp"
#include "wingbeat/emulate.hpp"  // run_grid
#include "wingbeat/roots.hpp"    // roots_of

namespace {

using namespace wingbeat;
using namespace wingbeat::device::channeliser;
using real_pair = device::complex<float>;
using number = std::complex<double>;

constexpr unsigned channels = 8, length = 16, taps = 4, bits = 10, spectra = 32;

template <unsigned Polarisations, unsigned Rows>
struct policy {
  static constexpr bank_numbers numbers() {
    return {.channels = channels,
            .taps = taps,
            .sample_bits = bits,
            .parts = 1,
            .polarisations = Polarisations,
            .spectra_per_heap = spectra,
            .output = heap_sample::fp32,
            .dithers = false,
            .seed = 0,
            .bins = channels + 1,
            .shift = 0,
            .sliding = 2,
            .rows = Rows,
            .elements = 4,
            .twiddles = device::workgroup::twiddling(Rows % 4 == 0),
            .halves = false,
            .bin_exponent = 0};
  }
};

real_pair single(number z) {
  return {static_cast<float>(z.real()), static_cast<float>(z.imag())};
}

number turned(double turns) {
  return std::polar(1.0, 2 * std::numbers::pi * turns);
}

/// The memory of a heap, as both kinds of banks have it.
template <unsigned Polarisations>
struct problem {
  static constexpr unsigned rows = Polarisations * spectra;
  static constexpr std::size_t n_samples = (taps + spectra + 1) * length;
  static constexpr std::size_t plane_bytes = n_samples * bits / 8 + 16;

  problem() {
    for (unsigned row = 0; row < rows; ++row) {
      const unsigned s = row % spectra;
      // Windows from the sixth on begin two samples later.
      entries[row] = {.first = s * length + (s < 6 ? 1U : 3U),
                      .phase_turns = 0.1F * static_cast<float>(row),
                      .slope_turns = 0.01F * static_cast<float>(s) - 0.05F,
                      .gains = s / 19,
                      .follow = s < 6 ? 6 - s : spectra - s};
    }
    for (unsigned pol = 0; pol < Polarisations; ++pol) {
      for (std::size_t i = 0; i < n_samples; ++i) {
        const double t = static_cast<double>(i);
        samples[pol].push_back(
            static_cast<std::int16_t>(std::round(500 * std::sin(0.3 * t + 0.01 * pol * t * t))));
      }
      channelising::pack_samples(
          samples[pol], bits, 0,
          {reinterpret_cast<std::byte*>(packed.data()) + pol * plane_bytes, plane_bytes});
    }
    for (unsigned i = 0; i < gains.size(); ++i) gains[i] = single({1.0 + 0.1 * i, 0.3 * (i % 3)});
  }

  /// Returns bin k of a row of the filters.
  [[nodiscard]] number bin(unsigned row, unsigned k) const {
    const auto window = samples[row / spectra].begin() + static_cast<long>(entries[row].first);
    number sum = 0;
    for (unsigned i = 0; i < taps * length; ++i) {
      sum += exact[i] * window[i] * turned(-static_cast<double>(k * i) / length);
    }
    return sum;
  }

  void expect_heap() const {
    for (unsigned k = 0; k < channels; ++k) {
      for (unsigned row = 0; row < rows; ++row) {
        const unsigned s = row % spectra, pol = row / spectra;
        const spectrum_entry& entry = entries[row];
        const real_pair gain = gains[(entry.gains * Polarisations + pol) * channels + k];
        number u = bin(row, k);
        if (k == 0) u.imag(0);
        u *= number(gain.re, gain.im) *
             turned(entry.phase_turns + entry.slope_turns * (double(k) - channels / 2.0));
        const real_pair value = heap[(k * spectra + s) * Polarisations + pol];
        ASSERT_LT(std::abs(u - number(value.re, value.im)), 1e-2) << k << ' ' << s << ' ' << pol;
      }
    }
    for (const unsigned count : saturated) EXPECT_EQ(count, 0U);
  }

  /// Weights are times 2^exponent: those of one launch are halved.
  [[nodiscard]] filter_memory filter(int exponent) {
    weights = channelising::window_weights(spec, length, exponent);
    return {reinterpret_cast<const unsigned char*>(packed.data()), plane_bytes, entries.data(),
            spectra, weights.data()};
  }

  const channeliser_spec spec{
      .adc_rate_hz = 1, .channels = channels, .taps = taps, .sample_bits = bits};
  const std::vector<double> exact =
      channelising::filter_weights({length, taps, spec.window, spec.weight_cutoff});
  std::vector<float> weights = {};
  std::vector<std::int16_t> samples[Polarisations];
  std::vector<unsigned> packed = std::vector<unsigned>(Polarisations * plane_bytes / 4);
  std::vector<spectrum_entry> entries = std::vector<spectrum_entry>(rows);
  std::vector<real_pair> gains = std::vector<real_pair>(2 * Polarisations * channels);
  std::vector<real_pair> heap = std::vector<real_pair>(rows * channels);
  std::vector<unsigned> saturated = std::vector<unsigned>(Polarisations * counters);
};

template <unsigned Polarisations>
void expect_one_launch() {
  using numbered = policy<Polarisations, 4>;
  using body = bank<numbered, emulated_group>;
  constexpr bank_numbers numbers = numbered::numbers();
  problem<Polarisations> given;
  std::vector<real_pair> roots;
  for (const auto& w : roots_of(device::workgroup::schedule{device::order::natural, length,
                                                            numbers.elements, numbers.twiddles})) {
    roots.push_back(single({static_cast<double>(w.real()), static_cast<double>(w.imag())}));
  }
  const filter_memory filter = given.filter(-1);
  std::vector<double> scratch(body::scratch_bytes / sizeof(double) + 1);
  run_grid(spectra / numbers.spectra(), numbers.threads(), [&](emulated_group group) {
    body{{filter, given.gains.data(), roots.data(), reinterpret_cast<char*>(given.heap.data()),
          given.saturated.data()},
         reinterpret_cast<char*>(scratch.data()),
         group}
        .run();
  });
  given.expect_heap();
}

TEST(bank, makes_heaps_in_one_launch) {
  expect_one_launch<1>();
  expect_one_launch<2>();
}

template <unsigned Polarisations>
void expect_three_launches() {
  using numbered = policy<Polarisations, 2>;
  constexpr bank_numbers numbers = numbered::numbers();
  problem<Polarisations> given;
  const filter_memory filter = given.filter(0);
  std::vector<float> filtered(given.rows * length, -1.0F);
  const unsigned units = Polarisations * (spectra / numbers.rows) * numbers.units();
  run_grid((units + filter_threads - 1) / filter_threads, filter_threads,
           [&](emulated_group group) {
             row_filter<numbered, emulated_group>{{filter, filtered.data()}, nullptr, group}.run();
           });
  std::vector<real_pair> bins(given.rows * numbers.bins);
  for (unsigned row = 0; row < given.rows; ++row) {
    for (unsigned k = 0; k < numbers.bins; ++k) {
      number sum = 0;
      for (unsigned j = 0; j < length; ++j) {
        sum += double{filtered[row * length + j]} * turned(-static_cast<double>(k * j) / length);
      }
      bins[row * numbers.bins + k] = single(sum);
    }
  }
  std::vector<double> scratch(finish_tile::scratch_bytes(numbers) / sizeof(double));
  run_grid(spectra / finish_tile::spectra, finish_tile::threads, [&](emulated_group group) {
    finished_rows<numbered, emulated_group>{
        {bins.data(), given.entries.data(), given.gains.data(),
         reinterpret_cast<char*>(given.heap.data()), given.saturated.data(), spectra},
        reinterpret_cast<char*>(scratch.data()),
        group}
        .run();
  });
  given.expect_heap();
}

TEST(bank, makes_heaps_in_three_launches) {
  expect_three_launches<1>();
  expect_three_launches<2>();
}

TEST(bank, filters_complex_numbers_where_they_are_loaded) {
  constexpr device::size plane = 100, rows = 3;
  std::vector<real_pair> in;
  for (unsigned i = 0; i < 2 * plane; ++i) in.push_back(single(turned(0.001 * i * i)));
  std::vector<spectrum_entry> entries(2 * rows);
  for (unsigned row = 0; row < 2 * rows; ++row) entries[row].first = 7 * row;
  const std::vector<float> weights{1, 2, 3, 4, 5, 6, 7, 8, 9, 10};
  using load = window_load<5, 2, rows, plane>;
  for (unsigned row = 0; row < 2 * rows; ++row) {
    for (unsigned i = 0; i < 5; ++i) {
      const real_pair y = load::load(in.data(), {entries.data(), weights.data()}, row, i);
      const real_pair* const x = &in[row / rows * plane + 7 * row + i];
      EXPECT_FLOAT_EQ(y.re, x[0].re * weights[i] + x[5].re * weights[5 + i]) << row << ' ' << i;
      EXPECT_FLOAT_EQ(y.im, x[0].im * weights[i] + x[5].im * weights[5 + i]) << row << ' ' << i;
    }
  }
}

}  // namespace
