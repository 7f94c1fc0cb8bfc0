// SPDX-License-Identifier: Apache-2.0
// Label: cli
// `wingbeat channelise` of complex samples: GUPPI raw and complex VDIF against the reference
// channeliser, the frequencies that their headers state, and what is refused.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "cli/program.hpp"                  // workplace
#include "formats/charts/chart.hpp"         // draws_charts
#include "formats/files/byte_order.hpp"     // load
#include "formats/files/npy_header.hpp"     // take_npy_header
#include "formats/files/whole_file.hpp"     // read_whole_file
#include "formats/voltages/bytes.hpp"       // guppi_card, vdif_frame
#include "reference/channeliser_check.hpp"  // gaussian, phasor, stored_value

namespace {

using namespace wingbeat;
using namespace wingbeat::test;
using ::testing::HasSubstr;
using words = std::vector<std::string>;
using cards = std::map<std::string, std::string>;

std::string text_of(const file_bytes& bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

/// Complex voltages of 8 bits.  [channel][polarisation][sample][re, im]
using channel_samples = std::vector<std::vector<samples>>;

/// GUPPI raw: blocks of `block_samples`, of which `missing` is left out.
std::string guppi(const channel_samples& channels, std::size_t block_samples, cards more,
                  std::size_t missing = ~std::size_t{0}) {
  const std::size_t n_pols = channels[0].size(), n_samples = channels[0][0].size() / 2;
  more["OBSNCHAN"] = std::to_string(channels.size());
  more["NPOL"] = std::to_string(n_pols == 1 ? 1 : 4);
  more["NBITS"] = "8";
  more["BLOCSIZE"] = std::to_string(channels.size() * n_pols * block_samples * 2);
  file_bytes result;
  for (std::size_t b = 0; b < n_samples / block_samples; ++b) {
    if (b == missing) continue;
    more["PKTIDX"] = std::to_string(b);
    file_bytes header;
    for (const auto& [key, value] : more) header = header + guppi_card(key, value);
    header = header + guppi_end();
    result.insert(result.end(), header.begin(), header.end());
    for (const auto& pols : channels) {
      for (std::size_t i = b * block_samples; i < (b + 1) * block_samples; ++i) {
        for (const samples& x : pols) {
          result.push_back(static_cast<std::byte>(x[2 * i]));
          result.push_back(static_cast<std::byte>(x[2 * i + 1]));
        }
      }
    }
  }
  return text_of(result);
}

/// Three coarse channels of noise, of two polarisations.
channel_samples noise(std::size_t n_samples) {
  channel_samples all(3);
  for (unsigned c = 0; c < 3; ++c) {
    for (unsigned p = 0; p < 2; ++p) {
      all[c].push_back(gaussian(2 * n_samples, 20 + c, 10 * c + p, 127));
    }
  }
  return all;
}

channeliser_spec complex_spec(std::size_t polarisations) {
  channeliser_spec spec = small_spec(64);
  spec.complex_samples = true;
  spec.sample_bits = 8;
  spec.taps = 4;
  spec.polarisations = polarisations;
  spec.output = heap_sample::fp32;
  return spec;
}

class channelise_complex : public ::testing::Test {
 protected:
  [[nodiscard]] finished run(const words& more) const {
    words arguments{"channelise"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    for (const char* word : {"--channels", "64", "--taps", "4", "--engine", "host",
                             "--spectra-per-heap", "16", "--output-bits", "fp32"}) {
      arguments.emplace_back(word);
    }
    return place.run(arguments);
  }

  [[nodiscard]] nlohmann::json stats() const {
    return nlohmann::json::parse(place.folder().read("run.json"));
  }

  /// Compares out.npy with the reference; `rest` are samples behind the last whole heap.
  void expect_spectra(const channeliser_spec& spec, const reference::recording& input) const {
    const auto content = formats::read_whole_file(place.folder().path() / "out.npy");
    std::span<const std::byte> values = content;
    const auto shape = formats::take_npy_header(values, "out.npy").shape;
    const auto heaps = reference::channelise(spec, input).heaps;
    const std::size_t n_pols = spec.polarisations;
    ASSERT_GT(heaps.size(), 0U);
    ASSERT_EQ(shape, (std::vector<std::size_t>{64, 16 * heaps.size(), n_pols, 2}));
    for (std::size_t i = 0; i < 64 * 16 * heaps.size() * n_pols; ++i) {
      const std::size_t k = i / (16 * heaps.size() * n_pols), s = i / n_pols % (16 * heaps.size());
      const std::complex<double> value{formats::load<float>(&values[8 * i]),
                                       formats::load<float>(&values[8 * i + 4])};
      const auto index = place_of(spec, k, s % 16, i % n_pols);
      ASSERT_LT(std::abs(value - stored_value(spec, heaps[s / 16], index)), 0.02) << i;
    }
  }

  workplace place;
};

TEST_F(channelise_complex, reads_a_coarse_channel_of_guppi_raw) {
  const std::size_t n = (3 * 16 + 3) * 64;  // for 3 heaps
  const channel_samples channels = noise(n);
  const cards header{{"TBIN", "2.5E-07"}, {"OBSFREQ", "1400.0"}, {"OBSBW", "12.0"}};
  place.file("x.raw", guppi(channels, n / 3, header));
  for (const std::size_t c : {0U, 1U, 2U}) {
    const finished done = run(
        {"x.raw", "--coarse-channel", std::to_string(c), "-o", "out.npy", "--stats", "run.json"});
    ASSERT_EQ(done.code, 0) << done.err;
    EXPECT_THAT(done.err, HasSubstr("48 spectra of 64 channels"));
    expect_spectra(complex_spec(2), {.samples = channels[c]});
    const auto told = stats();
    EXPECT_EQ(told["complex_samples"], true);
    EXPECT_EQ(told["sample_bits"], 8);
    EXPECT_EQ(told["samples"], n);
    EXPECT_DOUBLE_EQ(told["adc_rate_hz"], 4e6);
    EXPECT_DOUBLE_EQ(told["channel_width_hz"], 4e6 / 64);
    // Coarse channels lie at 1396, 1400 and 1404 MHz; fine channel 32 in the middle of each.
    const double centre_hz = 1396e6 + 4e6 * static_cast<double>(c);
    EXPECT_DOUBLE_EQ(told["first_channel_hz"], centre_hz - 2e6);
    std::uint64_t n_values = 0, expected = 2 * n;
    for (const std::uint64_t count : told["polarisations"][1]["histogram"]) n_values += count;
    EXPECT_EQ(n_values, expected);
  }
}

/// Returns the bytes of values of fp32 in a file of .npy.
std::vector<std::byte> values_of(const std::filesystem::path& file) {
  const auto content = formats::read_whole_file(file);
  std::span<const std::byte> values = content;
  static_cast<void>(formats::take_npy_header(values, "out.npy"));
  return {values.begin(), values.end()};
}

// All channels at once are those of one after another, whose frequencies adjoin.
TEST_F(channelise_complex, reads_all_coarse_channels_of_a_sequence) {
  const std::size_t n = (3 * 16 + 3) * 64;
  const channel_samples channels = noise(n);
  const cards header{{"TBIN", "2.5E-07"},   {"OBSFREQ", "1400"},   {"OBSBW", "-12"},
                     {"STT_IMJD", "60000"}, {"STT_SMJD", "43200"}, {"SRC_NAME", "J0534+2200"}};
  const std::string content = guppi(channels, n / 17, header);
  // The second file begins within a block.
  place.file("x.raw", content);
  place.file("x.0.raw", content.substr(0, content.size() / 3));
  place.file("x.1.raw", content.substr(content.size() / 3));
  std::vector<std::byte> expected;
  for (const char* const c : {"0", "1", "2"}) {
    ASSERT_EQ(run({"x.raw", "--coarse-channel", c, "-o", "out.npy"}).code, 0);
    const auto values = values_of(place.folder().path() / "out.npy");
    expected.insert(expected.end(), values.begin(), values.end());
  }
  const finished done =
      run({"--sequence", "x.0.raw", "x.1.raw", "-o", "out.npy", "--stats", "run.json"});
  ASSERT_EQ(done.code, 0) << done.err;
  EXPECT_THAT(done.err, HasSubstr("48 spectra of 192 channels"));
  EXPECT_THAT(done.err, HasSubstr("from MJD 60000.50000000, "));
  EXPECT_TRUE(values_of(place.folder().path() / "out.npy") == expected);
  const auto told = stats();
  EXPECT_EQ(told["coarse_channels"], 3);
  EXPECT_EQ(told["start_mjd"], 60000);
  EXPECT_EQ(told["start_s"], 43200);
  EXPECT_EQ(told["target"], "J0534+2200");
  EXPECT_DOUBLE_EQ(told["first_channel_hz"], 1406e6);
  EXPECT_DOUBLE_EQ(told["channel_width_hz"], -4e6 / 64);
  EXPECT_EQ(told["polarisations"][0]["samples"], 3 * n);
}

// Two channels may be polarisations.
TEST_F(channelise_complex, takes_two_channels_for_polarisations) {
  const std::size_t n = (3 * 16 + 3) * 64;
  const channel_samples channels = noise(n);
  place.file("x.raw", guppi({{channels[0][0]}, {channels[1][0]}, {channels[2][0]}}, n, {}));
  const finished done =
      run({"x.raw", "--coarse-channel", "2,0", "--adc-rate", "4e6", "-o", "out.npy"});
  ASSERT_EQ(done.code, 0) << done.err;
  expect_spectra(complex_spec(2), {.samples = {channels[2][0], channels[0][0]}});
}

// Where the bandwidth is below 0, a tone above 0 Hz lies below the middle of the sky's band.
TEST_F(channelise_complex, finds_tones_at_their_frequency_in_the_sky) {
  const samples x = phasor(64 * 16, 100, 10.0 / 64);
  for (const int sign : {1, -1}) {
    const std::string width = sign > 0 ? "8" : "-8";
    place.file("x.raw", guppi({{x}, {samples(x.size(), 1)}}, 64,
                              {{"TBIN", "2.5E-07"}, {"OBSFREQ", "100"}, {"OBSBW", width}}));
    words more{"x.raw", "--coarse-channel", "0",       "--taps",  "1",
               "-o",    "out.npy",          "--stats", "run.json"};
    if (formats::draws_charts()) {
      more.insert(more.end(), {"--spectrum", "power.png", "--waterfall", "sky.png"});
    }
    words arguments{"channelise"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    arguments.insert(arguments.end(), {"--channels", "64", "--engine", "host", "--spectra-per-heap",
                                       "16", "--output-bits", "fp32"});
    const finished done = place.run(arguments);
    ASSERT_EQ(done.code, 0) << done.err;
    const auto content = formats::read_whole_file(place.folder().path() / "out.npy");
    std::span<const std::byte> values = content;
    static_cast<void>(formats::take_npy_header(values, "out.npy"));
    std::size_t loudest = 0;
    double most = 0;
    for (std::size_t k = 0; k < 64; ++k) {
      const double power =
          std::norm(std::complex<double>{formats::load<float>(&values[8 * 16 * k]),
                                         formats::load<float>(&values[8 * 16 * k + 4])});
      if (power > most) loudest = k;
      most = std::max(most, power);
    }
    const auto told = stats();
    const double sky_hz = told["first_channel_hz"].get<double>() +
                          static_cast<double>(loudest) * told["channel_width_hz"].get<double>();
    EXPECT_DOUBLE_EQ(sky_hz, 100e6 - sign * 2e6 + sign * 10 * 4e6 / 64) << "sign " << sign;
  }
}

TEST_F(channelise_complex, flags_blocks_that_guppi_raw_leaves_out) {
  const std::size_t n = (3 * 16 + 3) * 64;
  const channel_samples channels = noise(n);
  place.file("x.raw", guppi(channels, n / 17, {}, 5));
  const words more{"x.raw", "--coarse-channel", "1",       "--adc-rate", "4e6",
                   "-o",    "out.npy",          "--stats", "run.json"};
  ASSERT_EQ(run(more).code, 0);
  EXPECT_EQ(stats()["heaps_withheld"], 2);
  EXPECT_DOUBLE_EQ(stats()["first_channel_hz"], -2e6) << "around 0 Hz, where no header says more";
  EXPECT_EQ(stats()["polarisations"][0]["samples"], n / 17 * 16);
}

// A block has more samples than a piece of a recording, which is 2^20.
TEST_F(channelise_complex, reads_large_blocks_in_pieces) {
  constexpr std::size_t n_block = 9 << 17, n = 4 * n_block;
  samples x(2 * n);
  for (std::size_t i = 0; i < x.size(); ++i)
    x[i] = static_cast<std::int16_t>(i * i / 7 % 201 - 100);
  const channel_samples channels{{x}};
  place.file("small.raw", guppi(channels, n_block / 64, {}));
  place.file("large.raw", guppi(channels, n_block, {}));
  place.file("gap.raw", guppi(channels, n_block, {}, 1));
  const auto heaps_of = [&](const std::string& name) {
    const finished done =
        run({name, "--adc-rate", "4e6", "-o", "out.heaps", "--stats", "run.json"});
    EXPECT_EQ(done.code, 0) << done.err;
    return place.folder().read("out.heaps");
  };
  EXPECT_TRUE(heaps_of("small.raw") == heaps_of("large.raw"));
  EXPECT_EQ(stats()["polarisations"][0]["samples"], n);
  static_cast<void>(heaps_of("gap.raw"));
  EXPECT_EQ(stats()["polarisations"][0]["samples"], 3 * n_block);
  EXPECT_EQ(stats()["heaps_withheld"], n_block / 1024 + 1) << "windows reach into the gap";
}

TEST_F(channelise_complex, reads_complex_vdif) {
  constexpr std::size_t n_frame = 64, n_frames = 35;
  const samples x = gaussian(2 * n_frame * n_frames, 30, 3, 127);
  std::string content;
  for (unsigned i = 0; i < n_frames; ++i) {
    std::vector<int> payload;
    for (std::size_t j = 0; j < 2 * n_frame; ++j) payload.push_back(x[2 * n_frame * i + j] + 128);
    content += text_of(vdif_frame({.number = i, .is_complex = true}, payload));
  }
  place.file("x.vdif", content);
  const finished done =
      run({"x.vdif", "--adc-rate", "4e6", "-o", "out.npy", "--stats", "run.json"});
  ASSERT_EQ(done.code, 0) << done.err;
  expect_spectra(complex_spec(1), {.samples = {x}});
  EXPECT_EQ(stats()["complex_samples"], true);
  EXPECT_DOUBLE_EQ(stats()["first_channel_hz"], -2e6);
}

TEST_F(channelise_complex, counts_the_bits_of_samples_in_vdif) {
  std::string content;
  for (unsigned i = 0; i < 8; ++i) {
    content += text_of(vdif_frame({.number = i, .bits = 2}, std::vector<int>(4096, 0xe4)));
  }
  place.file("two.vdif", content);  // each byte is -3, -1, 1 and 3
  for (const char* const bits : {"2", "3"}) {
    const finished done = run({"two.vdif", "--adc-rate", "4096000", "--sample-bits", bits,
                               "--stats", "run.json", "-o", "out.npy"});
    if (bits == std::string{"2"}) {
      ASSERT_EQ(done.code, 0) << done.err;
      EXPECT_EQ(stats()["sample_bits"], 2);
    } else {
      EXPECT_THAT(done.err, HasSubstr("two.vdif holds integers of 2 bits, not 3"));
    }
  }
}

// Levels are -3.3165, -1, 1 and 3.3165 in the results, whatever integers stand for them.
TEST_F(channelise_complex, has_levels_of_two_bits_by_choice) {
  std::string content;
  for (unsigned i = 0; i < 8; ++i) {
    content += text_of(vdif_frame({.number = i, .bits = 2}, std::vector<int>(4096, 0xff)));
  }
  place.file("two.vdif", content);
  const finished done = run({"two.vdif", "--adc-rate", "4096000", "--levels", "optimal", "-o",
                             "out.npy", "--window", "rect", "--cutoff", "0"});
  ASSERT_EQ(done.code, 0) << done.err;
  const auto values = values_of(place.folder().path() / "out.npy");
  run({"two.vdif", "--adc-rate", "4096000", "-o", "out.npy", "--window", "rect", "--cutoff", "0"});
  const auto integers = values_of(place.folder().path() / "out.npy");
  EXPECT_NEAR(formats::load<float>(values.data()) / formats::load<float>(integers.data()),
              3.316505 / 3, 1e-4);
}

TEST_F(channelise_complex, refuses_what_makes_no_channels_in_one_sentence) {
  const channel_samples channels = noise(640);
  place.file("x.raw", guppi(channels, 320, {{"TBIN", "2.5E-07"}}));
  place.file("silent.raw", guppi(channels, 320, {}));
  place.file("slow.raw", guppi(channels, 320, {{"TBIN", "1E-06"}}));
  place.file("real.vdif", text_of(vdif_frame({}, std::vector<int>(64, 128))));
  place.file("packed.raw", std::string(5000, '\x7f'));
  const auto why = [&](words more, int code = 2) {
    more.insert(more.end(), {"-o", "out.npy"});
    const finished done = run(more);
    EXPECT_EQ(done.code, code) << done.err;
    EXPECT_EQ(std::count(done.err.begin(), done.err.end(), '\n'), 1) << done.err;
    return done.err;
  };
  EXPECT_THAT(why({"x.raw"}), HasSubstr("x.raw holds 3 channels, and does not say that they adjoin "
                                        "in the sky; give --coarse-channel 0 to 2"));
  EXPECT_THAT(why({"x.raw", "--coarse-channel", "3"}),
              HasSubstr("x.raw holds 3 channels; give --coarse-channel 0 to 2"));
  EXPECT_THAT(why({"silent.raw", "--coarse-channel", "0"}),
              HasSubstr("silent.raw does not state its sample rate; give --adc-rate"));
  EXPECT_THAT(why({"x.raw", "--coarse-channel", "0", "--narrowband", "centre=1e6,decimation=4"}),
              HasSubstr("--narrowband takes real samples and x.raw has complex ones"));
  EXPECT_THAT(why({"real.vdif", "--adc-rate", "1e6", "--coarse-channel", "1"}),
              HasSubstr("real.vdif holds 1 channel; give --coarse-channel 0"));
  EXPECT_THAT(why({"packed.raw", "--adc-rate", "1e6", "--coarse-channel", "1"}),
              HasSubstr("--coarse-channel is given, and packed.raw has no headers"));
  EXPECT_THAT(why({"x.raw", "real.vdif", "--coarse-channel", "0"}),
              HasSubstr("give files of one kind"));
  EXPECT_THAT(why({"x.raw", "--coarse-channel", "0", "--sample-bits", "10"}),
              HasSubstr("x.raw holds integers of 8 bits, not 10"));
}

}  // namespace
