// SPDX-License-Identifier: Apache-2.0
// The arithmetic of the device's filter bank in this process: packed samples of every width, and
// sums over sliding windows against sums in double.
#include "wingbeat/device/channeliser/window.hpp"

#include <gtest/gtest.h>

#include <cstddef>  // byte
#include <cstdint>  // int16_t
#include <random>
#include <vector>

#include "channelising/arithmetic/packed_samples.hpp"  // pack_samples, packed_bytes
#include "channelising/arithmetic/weights.hpp"         // filter_weights, window_weights

namespace {

using namespace wingbeat;
using namespace wingbeat::device::channeliser;

/// Samples of the whole range, its ends first, packed with room for what is read behind them.
struct stream {
  stream(std::size_t count, unsigned bits, unsigned seed) : samples(count) {
    std::mt19937 engine{seed};
    const int low = -(1 << (bits - 1)), high = (1 << (bits - 1)) - 1;
    std::uniform_int_distribution<int> uniform{low, high};
    for (auto& x : samples) x = static_cast<std::int16_t>(uniform(engine));
    samples[0] = static_cast<std::int16_t>(low);
    samples[1] = static_cast<std::int16_t>(high);
    const std::size_t n_bytes = channelising::packed_bytes(count, bits);
    words.resize(n_bytes / 4 + 3);
    channelising::pack_samples(samples, bits, 0,
                               {reinterpret_cast<std::byte*>(words.data()), n_bytes});
  }
  [[nodiscard]] const unsigned char* bytes() const {
    return reinterpret_cast<const unsigned char*>(words.data());
  }

  std::vector<std::int16_t> samples;
  std::vector<unsigned> words;
};

template <unsigned Bits>
void expect_pairs() {
  const stream given{256, Bits, Bits};
  for (std::size_t i = 0; i + 1 < 128; ++i) {
    const packed_pair<Bits> pair{given.bytes(), i};
    // 32 samples are `Bits` words.
    for (unsigned row = 0; row < 3; ++row) {
      float first = 0, second = 0;
      pair.read(row * Bits, first, second);
      const float scale = packed_pair<Bits>::scale, offset = packed_pair<Bits>::offset;
      ASSERT_EQ((first - offset) * scale, given.samples[i + 32 * row]) << Bits << " " << i;
      ASSERT_EQ((second - offset) * scale, given.samples[i + 1 + 32 * row]) << Bits << " " << i;
    }
  }
}

template <unsigned Bits>
void expect_pairs_further_on() {
  const stream given{256, Bits, Bits};
  for (std::size_t i = 0; i < 40; ++i) {
    const packed_pair<Bits> stream{given.bytes(), i};
    for (unsigned more = 0; more < 90; more += 7) {
      float first = 0, second = 0;
      stream.further(more).read(0, first, second);
      const float scale = packed_pair<Bits>::scale, offset = packed_pair<Bits>::offset;
      ASSERT_EQ((first - offset) * scale, given.samples[i + more]) << Bits << " " << i;
      ASSERT_EQ((second - offset) * scale, given.samples[i + more + 1]) << Bits << " " << i;
    }
  }
}

TEST(packed_pair, goes_on_by_any_number_of_samples) {
  expect_pairs_further_on<2>();
  expect_pairs_further_on<5>();
  expect_pairs_further_on<10>();
  expect_pairs_further_on<13>();
  expect_pairs_further_on<16>();
}

TEST(packed_pair, reads_every_width_at_every_bit) {
  expect_pairs<2>();
  expect_pairs<3>();
  expect_pairs<4>();
  expect_pairs<5>();
  expect_pairs<6>();
  expect_pairs<7>();
  expect_pairs<8>();
  expect_pairs<9>();
  expect_pairs<10>();
  expect_pairs<11>();
  expect_pairs<12>();
  expect_pairs<13>();
  expect_pairs<14>();
  expect_pairs<15>();
  expect_pairs<16>();
}

/// Sums at positions j, j + 1 of five spectra against the definition, from windows that begin at
/// odd samples.
template <unsigned Taps, unsigned Bits, unsigned Length = 128>
void expect_sums() {
  constexpr unsigned length = Length, spectra = 5;
  const channeliser_spec spec{
      .adc_rate_hz = 1e9, .channels = length / 2, .taps = Taps, .sample_bits = Bits};
  const std::size_t n_samples = (spectra + Taps) * length + 16;
  const stream re{n_samples, Bits, 1}, im{n_samples, Bits, 2};
  const auto scaled = channelising::window_weights(spec, length);
  const auto exact = channelising::filter_weights({length, Taps, spec.window, spec.weight_cutoff});
  using sums = window<length, Taps, Bits>;
  const std::size_t first[2] = {3, 11};
  for (const unsigned j : {0U, 2U, (length / 4) * 2 - 2, (length / 4) * 2, length - 2}) {
    const packed_streams<Bits, 2> streams{{{re.bytes(), first[0] + j}, {im.bytes(), first[1] + j}}};
    filtered<spectra, 2> y;
    sums::sums(streams, scaled.data(), j, y);
    filtered<spectra, 2> mirrored = y;
    filtered<spectra, 1> alone;
    sums::sums(packed_streams<Bits, 1>{{streams.parts[1]}}, scaled.data(), j, alone);
    if constexpr (sums::holds_all) {
      held_weights<sums::held> opposite;
      opposite.template read<length>(scaled.data(), 0, length - 2 - j);
      sums::template sums<true>(streams, opposite, scaled.data(), j, mirrored);
    }
    for (unsigned s = 0; s < spectra; ++s) {
      for (unsigned i = 0; i < 2; ++i) {
        double wanted[2] = {0, 0};
        for (unsigned m = 0; m < Taps; ++m) {
          const std::size_t offset = (s + m) * length + j + i;
          wanted[0] += exact[m * length + j + i] * re.samples[first[0] + offset];
          wanted[1] += exact[m * length + j + i] * im.samples[first[1] + offset];
        }
        const double bound = 1e-6 * (1U << Bits);
        for (unsigned part = 0; part < 2; ++part) {
          ASSERT_NEAR(y.sums[s][i][part], wanted[part], bound) << Taps << " " << j << " " << s;
          ASSERT_NEAR(mirrored.sums[s][i][part], wanted[part], bound)
              << Taps << " " << j << " " << s;
        }
        ASSERT_EQ(alone.sums[s][i][0], y.sums[s][i][1]) << "a stream alone";
      }
    }
  }
}

TEST(window, sums_as_defined) {
  expect_sums<16, 10>();
  expect_sums<1, 8>();
  expect_sums<5, 12>();
  expect_sums<16, 16>();
  expect_sums<16, 15>();
  expect_sums<20, 10>();
  expect_sums<64, 3>();
}

// Rows then begin at any bit of a word.
TEST(window, sums_rows_that_are_no_whole_words) {
  expect_sums<16, 10, 30>();
  expect_sums<5, 12, 54>();
  expect_sums<3, 16, 6>();
  expect_sums<2, 15, 1000>();
  expect_sums<20, 3, 54>();
}

}  // namespace
