// SPDX-License-Identifier: Apache-2.0
// Values of librosa 1.0, torchaudio 2.11 and kaldi-native-fbank are compared in tests/python.
#include "wingbeat/mel_bands.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/refusal.hpp"  // refusal

namespace {

using namespace wingbeat;
using namespace wingbeat::test;
using ::testing::HasSubstr;

TEST(mel_bands, have_scales_that_are_inverses) {
  for (const mel_scale scale : {mel_scale::htk, mel_scale::slaney}) {
    for (const double hertz : {0.0, 20.0, 999.0, 1000.0, 1001.0, 8000.0}) {
      EXPECT_NEAR(hertz_of(mels_of(hertz, scale), scale), hertz, 1e-9);
    }
  }
  EXPECT_NEAR(mels_of(1000, mel_scale::htk), 999.9855, 1e-3);
  EXPECT_DOUBLE_EQ(mels_of(1000, mel_scale::slaney), 15);
  EXPECT_NEAR(mels_of(6400, mel_scale::slaney), 42, 1e-12);
}

/// Two bands of Slaney's straight part: edges at 0, 200, 400 and 600 Hz.
TEST(mel_bands, rise_and_fall_in_hertz) {
  mel_bands wanted{
      .bands = 2, .n_fft = 16, .rate_hz = 1600, .high_hz = 600, .scale = mel_scale::slaney};
  const std::vector<double> expected{0, 0.5, 1, 0.5, 0, 0,   0, 0, 0,  //
                                     0, 0,   0, 0.5, 1, 0.5, 0, 0, 0};
  const std::vector<double> got = mel_weights(wanted);
  ASSERT_EQ(got.size(), expected.size());
  for (std::size_t i = 0; i < got.size(); ++i) EXPECT_NEAR(got[i], expected[i], 1e-12) << i;
  wanted.have_equal_areas = true;
  EXPECT_NEAR(mel_weights(wanted)[2], 2.0 / 400, 1e-12);
}

/// Edges of one band over all of HTK's scale: its middle is no longer half of the range.
TEST(mel_bands, may_be_straight_in_mels) {
  mel_bands wanted{.bands = 1, .n_fft = 8, .rate_hz = 8000, .are_straight_in_mels = true};
  const double peak = mels_of(4000, mel_scale::htk) / 2;
  const std::vector<double> weights = mel_weights(wanted);
  EXPECT_NEAR(weights[1], mels_of(1000, mel_scale::htk) / peak, 1e-12);
  EXPECT_NEAR(weights[3], 2 - mels_of(3000, mel_scale::htk) / peak, 1e-12);
  wanted.are_straight_in_mels = false;
  EXPECT_NEAR(mel_weights(wanted)[1], 1000 / hertz_of(peak, mel_scale::htk), 1e-12);
}

TEST(mel_bands, refuse_ranges_beyond_the_samples) {
  EXPECT_THAT(
      refusal([] { static_cast<void>(mel_weights({.bands = 2, .n_fft = 8, .rate_hz = 0})); }),
      HasSubstr("rate_hz is 0"));
  EXPECT_THAT(
      refusal([] {
        static_cast<void>(mel_weights({.bands = 2, .n_fft = 8, .rate_hz = 100, .high_hz = 51}));
      }),
      HasSubstr("51 Hz"));
}

}  // namespace
