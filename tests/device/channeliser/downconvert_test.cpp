// SPDX-License-Identifier: Apache-2.0
// A narrow band on threads of the processor, against the same in double precision.
#include "wingbeat/device/channeliser/downconvert.hpp"

#include <gtest/gtest.h>

#include <random>
#include <vector>

#include "channelising/arithmetic/narrowband.hpp"      // downconverted, filter_taps, mixer
#include "channelising/arithmetic/packed_samples.hpp"  // pack_samples, packed_bytes
#include "wingbeat/emulate.hpp"                        // run_grid

namespace {

using namespace wingbeat;
using namespace wingbeat::channelising;

template <unsigned Bits>
struct policy {
  static constexpr device::channeliser::downconvert_numbers numbers() { return {24, 3, Bits, 8}; }
};

/// Samples of Bits, of which the first of the stream lies `skipped` samples behind the plane's.
template <unsigned Bits>
void expect_outputs(std::size_t skipped) {
  constexpr auto numbers = policy<Bits>::numbers();
  constexpr std::int64_t first_sample = 123456789;
  const std::uint64_t turn = turn_per_sample(0.137, 1);
  std::mt19937 random{Bits};
  std::uniform_int_distribution<int> uniform{-(1 << (Bits - 1)), (1 << (Bits - 1)) - 1};
  std::vector<std::int16_t> samples(skipped + 100);
  for (auto& x : samples) x = static_cast<std::int16_t>(uniform(random));
  std::vector<std::byte> packed(packed_bytes(samples.size(), Bits) + 2);
  pack_samples(samples, Bits, 0, packed);

  const auto exact = filter_taps({numbers.taps, numbers.subsampling, 0.25});
  const auto expected = downconverted(std::span(samples).subspan(skipped), first_sample, exact,
                                      numbers.subsampling, turn);
  std::vector<device::complex<float>> taps, out(expected.size() + 1, {-1, -1});
  for (std::size_t a = 0; a < exact.size(); ++a) {
    const auto tap = exact[a] * mixer(turn, static_cast<std::int64_t>(a));
    taps.push_back({static_cast<float>(tap.real()), static_cast<float>(tap.imag())});
  }
  const std::size_t n_workgroups = (expected.size() + numbers.threads - 1) / numbers.threads;
  run_grid(n_workgroups, numbers.threads, [&](emulated_group group) {
    device::channeliser::downconversion<policy<Bits>, emulated_group>{
        {reinterpret_cast<const unsigned char*>(packed.data()), taps.data(), out.data(), skipped,
         expected.size(), turn * first_sample, turn * numbers.subsampling},
        nullptr,
        group}
        .run();
  });
  for (std::size_t j = 0; j < expected.size(); ++j) {
    const std::complex<double> value{out[j].re, out[j].im};
    EXPECT_LT(std::abs(value - expected[j]), 1e-5 * (1 << Bits)) << Bits << " bits, output " << j;
  }
  EXPECT_EQ(out.back().re, -1) << "behind the last output";
}

TEST(downconvert, mixes_filters_and_decimates) {
  for (const std::size_t skipped : {0, 5}) {
    expect_outputs<2>(skipped);
    expect_outputs<10>(skipped);
    expect_outputs<13>(skipped);
    expect_outputs<16>(skipped);
  }
}

}  // namespace
