// SPDX-License-Identifier: Apache-2.0
// Every power of two from 2 to 2^15, 2 to 32 elements a thread, against the long double reference;
// one std::thread each, so that the thread sanitizer sees a missing barrier.
#include "wingbeat/device/workgroup/fft.hpp"

#include <gtest/gtest.h>

#include <limits>  // numeric_limits

#include "device/workgroup/fft_probe.hpp"  // run_fft
#include "support/oracle.hpp"              // dft
#include "support/sanitizer.hpp"           // sampled_types
#include "support/signal.hpp"              // noise, impulse
#include "support/tolerance.hpp"           // is_accurate

namespace {

using namespace wingbeat::device;
using namespace wingbeat::device::workgroup;
using namespace wingbeat::test;

template <unsigned Length, unsigned Elements, unsigned Transforms = 1, class Real = float,
          trade Trade = trade::whole, lanes Lanes = lanes::along_transform,
          unsigned BankBytes = 128>
struct description {
  using shape_type = shape<Length, Elements, Transforms>;
  using real = Real;
  static constexpr lanes neighbours = Lanes;
  template <direction Dir>
  using fft_type = fft<shape_type, Real, Dir, order::natural, memory<Trade, BankBytes>>;
};

template <class Description, direction Dir>
void compare(std::size_t transform_to_impulse = 0) {
  using shape_type = typename Description::shape_type;
  using real = typename Description::real;
  using fft_type = typename Description::template fft_type<Dir>;
  constexpr std::size_t n = shape_type::length;
  auto x = noise<real>(n * shape_type::transforms, 7);
  if (transform_to_impulse != 0) {
    const auto transformed = impulse<real>(n, transform_to_impulse % n);
    std::copy(transformed.begin(), transformed.end(), x.begin());
  }
  const auto y = run_fft<fft_type, Description::neighbours>(x);
  for (std::size_t f = 0; f < shape_type::transforms; ++f) {
    const std::vector<complex<real>> one(x.begin() + f * n, x.begin() + (f + 1) * n);
    const std::vector<complex<real>> got(y.begin() + f * n, y.begin() + (f + 1) * n);
    ASSERT_TRUE(is_accurate<real>(got, dft(one, Dir), n)) << "transform " << f;
  }
}

template <class Description>
class workgroup_fft : public ::testing::Test {};

using descriptions = sampled_types<
    ::testing::Types<description<2, 2>, description<4, 4, 8>, description<8, 2, 2>,
                     description<16, 4, 4>, description<32, 2>, description<64, 16, 4>,
                     description<128, 32>, description<256, 16, 2>, description<512, 8, 2>,
                     description<1024, 32, 2>, description<4096, 16>, description<32768, 32>>,
    ::testing::Types<description<4, 2>, description<8, 8>, description<16, 16>,
                     description<32, 8, 4>, description<32, 32>, description<64, 4>,
                     description<128, 8, 2>, description<256, 2>, description<512, 16>,
                     description<1024, 16>, description<2048, 16>, description<2048, 32>,
                     description<8192, 32>, description<16384, 32>>>;
TYPED_TEST_SUITE(workgroup_fft, descriptions);

TYPED_TEST(workgroup_fft, agrees_with_the_reference) {
  compare<TypeParam, direction::forward>();
  compare<TypeParam, direction::inverse>();
}

template <class Description>
class workgroup_fft_variant : public ::testing::Test {};

constexpr auto across = lanes::across_transforms;
using variants = sampled_types<
    ::testing::Types<description<64, 8, 4, double>, description<64, 8, 2, float, trade::halves>,
                     description<512, 8, 1, double, trade::halves>,
                     description<256, 16, 8, float, trade::whole, across>,
                     description<1024, 16, 1, float, trade::whole, lanes::along_transform, 0>,
                     description<256, 16, 4, double, trade::halves, across, 0>>,
    ::testing::Types<description<256, 16, 1, double>, description<1024, 8, 1, double>,
                     description<4096, 16, 1, double>,
                     description<2048, 16, 1, float, trade::halves>,
                     description<64, 8, 8, float, trade::whole, across>,
                     description<128, 8, 4, double, trade::halves, across>>>;
TYPED_TEST_SUITE(workgroup_fft_variant, variants);

TYPED_TEST(workgroup_fft_variant, agrees_with_the_reference) {
  compare<TypeParam, direction::forward>();
  compare<TypeParam, direction::inverse>();
}

/// Padded rows: their zeros are NaN in memory, where nothing reads them.
template <class Description, unsigned Live>
void compare_padded() {
  using shape_type = typename Description::shape_type;
  using real = typename Description::real;
  using fft_type = typename Description::template fft_type<direction::forward>;
  constexpr std::size_t n = shape_type::length;
  auto x = noise<real>(n * shape_type::transforms, 7);
  auto padded = x;
  for (std::size_t i = 0; i < x.size(); ++i) {
    if (i % n < std::size_t{Live} * shape_type::threads) continue;
    const real nan = std::numeric_limits<real>::quiet_NaN();
    x[i] = {nan, nan};
    padded[i] = {};
  }
  const auto y = run_fft<fft_type, Description::neighbours, Live>(x);
  for (std::size_t f = 0; f < shape_type::transforms; ++f) {
    const std::vector<complex<real>> one(padded.begin() + f * n, padded.begin() + (f + 1) * n);
    const std::vector<complex<real>> got(y.begin() + f * n, y.begin() + (f + 1) * n);
    ASSERT_TRUE(is_accurate<real>(got, dft(one, direction::forward), n)) << "transform " << f;
  }
}

TEST(workgroup_fft_padded, leaves_out_zeros) {
  compare_padded<description<4, 4, 8>, 3>();
  compare_padded<description<64, 16, 4>, 1>();
  compare_padded<description<256, 8, 1, double>, 5>();
  compare_padded<description<512, 16, 2, float, trade::halves>, 2>();
  compare_padded<description<1024, 32>, 7>();
  compare_padded<description<128, 8, 4, float, trade::whole, across>, 3>();
}

TEST(workgroup_fft_impulse, every_position) {
  for (std::size_t position = 1; position < 64; ++position) {
    compare<description<64, 16, 2>, direction::forward>(position);
  }
}

TEST(workgroup_fft_constants, tell_what_is_needed) {
  using four_thousand = fft<shape<4096, 16>, float, direction::forward>;
  static_assert(four_thousand::exchanges == 2);
  static_assert(four_thousand::threads == 256);
  static_assert(four_thousand::scratch_bytes == (4096 + 4096 / 16) * 8);
  using in_registers = fft<shape<16, 16>, float, direction::forward>;
  static_assert(in_registers::exchanges == 0 && in_registers::scratch_bytes == 0);
  using halved =
      fft<shape<32768, 32>, float, direction::forward, order::natural, memory<trade::halves>>;
  static_assert(halved::scratch_bytes == (32768 + 32768 / 32) * 4);
}

}  // namespace
