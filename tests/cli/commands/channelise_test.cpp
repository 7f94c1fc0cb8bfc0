// SPDX-License-Identifier: Apache-2.0
// Label: cli
// `wingbeat channelise`: the spectra it writes against the reference channeliser, from every kind
// of file, and what it refuses.
#include <fcntl.h>  // open
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>  // dup, dup2, lseek

#include <fstream>

#include "channelising/arithmetic/packed_samples.hpp"  // pack_samples
#include "cli/program.hpp"                             // workplace
#include "formats/charts/chart.hpp"                    // draws_charts
#include "formats/files/byte_order.hpp"                // load
#include "formats/files/npy_header.hpp"                // npy_prefix, take_npy_header
#include "formats/files/whole_file.hpp"                // read_whole_file
#include "formats/voltages/bytes.hpp"                  // vdif_frame
#include "reference/channeliser_check.hpp"             // gaussian, stored_value

namespace {

using namespace wingbeat;
using namespace wingbeat::test;
using ::testing::HasSubstr;
using words = std::vector<std::string>;

std::string_view text_of(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

std::string packed(const samples& values, unsigned bits) {
  std::vector<std::byte> bytes(channelising::packed_bytes(values.size(), bits));
  channelising::pack_samples(values, bits, 0, bytes);
  return std::string(text_of(bytes));
}

std::string array(const std::vector<samples>& rows, bool is_table) {
  std::vector<std::size_t> shape{rows[0].size()};
  if (is_table) shape.insert(shape.begin(), rows.size());
  std::string content = formats::npy_prefix("<i2", shape);
  for (const samples& row : rows) content += text_of(std::as_bytes(std::span(row)));
  return content;
}

/// What the program is compared with: 2 polarisations, in fp32, with heaps of 16 spectra.
struct sky {
  channeliser_spec spec;
  reference::recording input;

  /// As many samples as `n_spectra` need, and some more.
  explicit sky(std::size_t n_spectra, std::size_t channels = 64) : spec(small_spec(channels)) {
    spec.polarisations = 2;
    spec.taps = 4;
    spec.output = heap_sample::fp32;
    const std::size_t n = (n_spectra + 3) * 2 * channels + (channels < 41 ? 0 : 41);
    input.samples = {gaussian(n, 40, 1), gaussian(n, 60, 2)};
  }

  [[nodiscard]] words arguments(const words& files, const words& more) const {
    words command{"channelise"};
    command.insert(command.end(), files.begin(), files.end());
    for (const char* word : {"--adc-rate", "1712e6", "--taps", "4", "--engine", "host",
                             "--spectra-per-heap", "16", "--channels"}) {
      command.emplace_back(word);
    }
    command.push_back(std::to_string(spec.channels));
    command.insert(command.end(), more.begin(), more.end());
    return command;
  }

  /// Returns [channel][spectrum][polarisation] of the reference, with zeros behind the recording.
  [[nodiscard]] std::vector<std::complex<double>> spectra(std::size_t n_spectra) const {
    reference::recording longer = input;
    for (auto& row : longer.samples) row.resize(row.size() + sizes_of(spec).heap_samples);
    const auto heaps = reference::channelise(spec, longer).heaps;
    std::vector<std::complex<double>> result;
    for (std::size_t k = 0; k < spec.channels; ++k) {
      for (std::size_t s = 0; s < n_spectra; ++s) {
        for (std::size_t p = 0; p < 2; ++p) {
          result.push_back(stored_value(spec, heaps.at(s / 16), place_of(spec, k, s % 16, p)));
        }
      }
    }
    return result;
  }

  /// Compares OUT.npy with the reference.
  void expect_spectra(const workplace& place, const std::string& name,
                      std::size_t n_spectra) const {
    const auto content = formats::read_whole_file(place.folder().path() / name);
    std::span<const std::byte> rest = content;
    const auto header = formats::take_npy_header(rest, name);
    EXPECT_EQ(header.descr, "<f4");
    ASSERT_EQ(header.shape, (std::vector<std::size_t>{spec.channels, n_spectra, 2, 2}));
    const auto expected = spectra(n_spectra);
    ASSERT_EQ(rest.size(), expected.size() * 8);
    for (std::size_t i = 0; i < expected.size(); ++i) {
      const std::complex<double> value{formats::load<float>(&rest[8 * i]),
                                       formats::load<float>(&rest[8 * i + 4])};
      ASSERT_LT(std::abs(value - expected[i]), 0.05) << "value " << i << " of " << name;
    }
  }
};

TEST(channelise, writes_every_whole_spectrum_of_every_kind_of_file) {
  const workplace place;
  const sky sky{37};
  const auto& pols = sky.input.samples;
  place.file("a.raw", packed(pols[0], 10));
  place.file("b.raw", packed(pols[1], 10));
  place.file("a.npy", array({pols[0]}, false));
  place.file("b.npy", array({pols[1]}, true));
  place.file("both.npy", array(pols, true));
  for (const words& files : {words{"a.raw", "b.raw"}, {"a.npy", "b.npy"}, {"both.npy"}}) {
    const finished run =
        place.run(sky.arguments(files, {"--output-bits", "fp32", "-o", "out.npy"}));
    ASSERT_EQ(run.code, 0) << run.err;
    EXPECT_THAT(run.err, HasSubstr("37 spectra of 64 channels"));
    EXPECT_THAT(run.err, HasSubstr("times real time"));
    sky.expect_spectra(place, "out.npy", 37);
  }
  expect_refusal(place, sky.arguments({"a.npy", "b.raw"}, {"-o", "out.npy"}), 2,
                 "a.npy and b.raw are of different formats");
}

TEST(channelise, makes_counts_of_channels_that_are_no_powers_of_two) {
  for (const std::size_t channels : {15, 1000, 1536}) {
    const workplace place;
    const sky sky{21, channels};
    place.file("both.npy", array(sky.input.samples, true));
    words more{"--output-bits", "fp32", "-o", "out.npy"};
    if (formats::draws_charts()) more.insert(more.end(), {"--waterfall", "sky.png"});
    const finished run = place.run(sky.arguments({"both.npy"}, more));
    ASSERT_EQ(run.code, 0) << run.err;
    EXPECT_THAT(run.err, HasSubstr("21 spectra of " + std::to_string(channels) + " channels"));
    sky.expect_spectra(place, "out.npy", 21);
  }
}

TEST(channelise, reads_a_pipe) {
  const workplace place;
  const sky sky{33};
  place.file("a.raw", packed(sky.input.samples[0], 10));
  place.file("b.raw", packed(sky.input.samples[1], 10));
  const auto path = (place.folder().path() / "pipe").string();
  ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
  const pid_t process = place.start(
      sky.arguments({"pipe", "b.raw"}, {"--output-bits", "fp32", "--output", "out.npy"}));
  std::ofstream{path, std::ios::binary} << place.folder().read("a.raw");
  const finished run = place.wait(process);
  ASSERT_EQ(run.code, 0) << run.err;
  sky.expect_spectra(place, "out.npy", 33);
}

TEST(channelise, follows_delays_gains_and_dither) {
  const workplace place;
  sky sky{20};
  sky.spec.delays = {{{.delay_samples = -30.25}},
                     {{.delay_samples = -8.5, .rate = 1e-6, .phase_rad = 0.5},
                      {.start_samples = 1000, .delay_samples = -9, .phase_rate = 1e-4}}};
  std::vector<std::complex<float>> steps(64, {0, 2});
  steps[5] = 3;
  sky.spec.gains = {{.start_samples = 500, .gains = {steps, std::vector(64, steps[5] / 3.0F)}}};
  place.file("both.npy", array(sky.input.samples, true));
  place.file(
      "delays.txt",
      "# in samples of 1 us\n0 0 -30.25e-6\n0 1 -8.5e-6 1e-6 0.5\n1e-3 1 -9e-6 0 0 100 # later\n");
  place.file("gains.txt", "5e-4 0 * 0 2\n5e-4 0 5-5 3\n");
  sky.spec.adc_rate_hz = 1e6;
  words arguments = sky.arguments({"both.npy"}, {"--output-bits", "fp32", "--delays", "delays.txt",
                                                 "--gains", "gains.txt", "-o", "out.npy"});
  arguments[3] = "1e6";
  const finished run = place.run(arguments);
  ASSERT_EQ(run.code, 0) << run.err;
  sky.expect_spectra(place, "out.npy", 20);
  sky.spec.delays = {{{.delay_samples = -30.25}}, {{.delay_samples = -7}}};
  sky.spec.gains = {};
  arguments = sky.arguments({"both.npy"},
                            {"--output-bits", "fp32", "--delay=-30.25e-6,-7e-6", "-o", "out.npy"});
  arguments[3] = "1e6";
  ASSERT_EQ(place.run(arguments).code, 0);
  sky.expect_spectra(place, "out.npy", 20);
}

TEST(channelise, withholds_heaps_that_miss_frames) {
  const workplace place;
  std::string content;
  for (unsigned i = 0; i < 40; ++i) {  // 40 frames of 128 samples, number 20 left out
    std::vector<int> payload(128);
    for (int j = 0; j < 128; ++j) payload[static_cast<std::size_t>(j)] = (j * 37 + 11) % 256;
    if (i != 20) content += text_of(vdif_frame({.number = i}, payload));
  }
  place.file("a.vdif", content);
  const sky sky{37};
  for (const auto& [missing, spectra] : {std::pair{"withhold", 21}, {"zero-fill", 37}}) {
    const finished run = place.run(
        sky.arguments({"a.vdif"}, {"-o", "out.npy", "--stats", "run.json", "--missing", missing}));
    ASSERT_EQ(run.code, 0) << run.err;
    const auto stats = nlohmann::json::parse(place.folder().read("run.json"));
    EXPECT_EQ(stats["sample_bits"], 8);
    EXPECT_EQ(stats["spectra"], spectra);
    EXPECT_EQ(stats["heaps_withheld"], spectra == 21 ? 1 : 0);
    EXPECT_EQ(stats["polarisations"][0]["samples"], 39 * 128);
    EXPECT_EQ(stats["heaps"].size(), spectra == 21 ? 2U : 3U);
  }
}

TEST(channelise, writes_heaps_statistics_and_a_spectrum) {
  const workplace place;
  const sky sky{37};
  place.file("both.npy", array(sky.input.samples, true));
  words more{"--dither", "none", "--output-bits", "4", "-o", "heaps.raw", "--stats", "run.json"};
  if (formats::draws_charts()) {
    more.emplace_back("--spectrum");
    more.emplace_back("power.png");
    more.emplace_back("--waterfall");
    more.emplace_back("sky.png");
  }
  const finished run = place.run(sky.arguments({"both.npy"}, more));
  ASSERT_EQ(run.code, 0) << run.err;
  EXPECT_THAT(run.err, HasSubstr("heaps.raw has whole heaps alone: 5 behind them are left out"));
  channeliser_spec spec = sky.spec;
  spec.output = heap_sample::int4;
  const auto expected = reference::channelise(spec, sky.input);
  ASSERT_EQ(expected.heaps.size(), 2U);
  const std::string got = place.folder().read("heaps.raw");
  ASSERT_EQ(got.size(), 2 * expected.heaps[0].bytes.size());
  const std::string wanted =
      std::string(text_of(expected.heaps[0].bytes)) + std::string(text_of(expected.heaps[1].bytes));
  std::size_t n_other = 0;
  for (std::size_t i = 0; i < got.size(); ++i) n_other += got[i] != wanted[i] ? 1 : 0;
  EXPECT_LE(n_other, 2U);
  const auto stats = nlohmann::json::parse(place.folder().read("run.json"));
  EXPECT_EQ(stats["schema"], "wingbeat.channelise/1");
  EXPECT_EQ(stats["heaps_sent"], 3);
  ASSERT_EQ(stats["heaps"].size(), 3U);
  EXPECT_EQ(stats["heaps"][2]["spectra"], 5);
  EXPECT_EQ(stats["heaps"][1]["timestamp"], expected.heaps[1].timestamp);
  EXPECT_DOUBLE_EQ(stats["channel_width_hz"], 856e6 / 64);
  for (std::size_t p = 0; p < 2; ++p) {
    const auto& pol = stats["polarisations"][p];
    EXPECT_EQ(pol["sum_of_squares"], expected.levels[p].sum_of_squares);
    EXPECT_EQ(pol["histogram"], expected.levels[p].histogram);
    EXPECT_NEAR(pol["dbfs"], expected.levels[p].dbfs(), 1e-9);
    EXPECT_NEAR(stats["heaps"][0]["saturated"][p], expected.heaps[0].saturated[p], 1);
  }
  EXPECT_GT(stats["real_time_factor"], 0);
  if (formats::draws_charts()) {
    EXPECT_EQ(place.folder().read("power.png").substr(1, 3), "PNG");
    EXPECT_EQ(place.folder().read("sky.png").substr(1, 3), "PNG");
  }
}

class channelise_refuses : public ::testing::Test {
 protected:
  std::string why(const words& arguments, int code = 2) {
    words command{"channelise", "--adc-rate", "1e6", "--channels", "64", "--engine", "host"};
    command.insert(command.begin() + 1, arguments.begin(), arguments.end());
    const std::ptrdiff_t n_before = place.folder().n_files();
    const finished run = place.run(command);
    EXPECT_EQ(run.code, code) << run.err;
    EXPECT_EQ(n_lines(run.err), 1U) << run.err;
    EXPECT_EQ(place.folder().n_files(), n_before);
    return run.err;
  }

  workplace place;
};

TEST_F(channelise_refuses, files_that_hold_no_samples_of_a_digitiser) {
  place.file("a.raw", std::string(5000, 'x'));
  place.file("short.raw", std::string(500, 'x'));
  place.file("real.npy", formats::npy_prefix("<f4", {1}) + std::string("\0\0\0\x3F", 4));
  place.file("three.npy", array({samples(5), samples(5), samples(5)}, true));
  place.file("large.npy", array({samples(5000, 600)}, false));
  EXPECT_THAT(why({"none.raw", "-o", "x.npy"}, 4), HasSubstr("none.raw: cannot be opened"));
  EXPECT_THAT(why({"real.npy", "-o", "x.npy"}, 4),
              HasSubstr("has 0.5 in sample 0; integers of 16 bits"));
  EXPECT_THAT(why({"three.npy", "-o", "x.npy"}), HasSubstr("three.npy: 3 polarisations"));
  EXPECT_THAT(why({"a.raw", "short.raw", "-o", "x.npy"}), HasSubstr("give equally many"));
  EXPECT_THAT(why({"a.raw", "a.raw", "a.raw", "-o", "x.npy"}), HasSubstr("at most 2"));
  EXPECT_THAT(why({"short.raw", "-o", "x.npy"}), HasSubstr("too few for a spectrum"));
  EXPECT_THAT(why({"large.npy", "-o", "x.npy"}), HasSubstr("which 10 bits do not hold"));
  EXPECT_THAT(why({"a.raw", "--storage", "fp16", "-o", "x.npy"}),
              HasSubstr("--storage is of no use on host"));
  EXPECT_THAT(why({"a.raw", "-o", "x.heaps"}),
              HasSubstr("x.heaps would be empty: the recording has 16 spectra, and a heap has "));
}

TEST_F(channelise_refuses, frames_of_other_times) {
  const auto frames = [](unsigned first) {
    std::string content;
    for (unsigned i = first; i < first + 4; ++i) {
      content += text_of(vdif_frame({.number = i}, std::vector<int>(1000, 7)));
    }
    return content;
  };
  place.file("a.vdif", frames(0));
  place.file("b.vdif", frames(5));
  EXPECT_THAT(why({"a.vdif", "b.vdif", "-o", "x.npy"}),
              HasSubstr("the first packet of a.vdif is number 0, and that of b.vdif 5; cut them"));
  place.file("cut.vdif", frames(0).substr(0, 4 * 1032 - 10));
  EXPECT_THAT(why({"cut.vdif", "-o", "x.npy", "--strict"}, 4),
              HasSubstr("the first: is truncated: frame 3"));
  place.file("c.vdif", text_of(vdif_frame({}, std::vector<int>(24, 7))));
  EXPECT_THAT(why({"c.vdif", "-o", "x.npy"}, 4),
              HasSubstr("24 samples, of which 1000000 samples a second make no whole number"));
}

TEST_F(channelise_refuses, counts_of_channels_with_large_primes) {
  place.file("a.raw", std::string(5000, 'x'));
  for (const auto& [channels, part] :
       {std::pair{"67",
                  "channels is 67, which has a prime factor above 13; the nearest counts "
                  "without are 66 and 70"},
        {"1", "--channels 1 is not a whole number from 2 to 2^16"}}) {
    const finished run = place.run(
        {"channelise", "a.raw", "--adc-rate", "1e6", "--channels", channels, "-o", "x.npy"});
    EXPECT_EQ(run.code, 2);
    EXPECT_EQ(n_lines(run.err), 1U) << run.err;
    EXPECT_THAT(run.err, HasSubstr(part));
  }
}

// They are read from several places; a file named `stdin` must not be read in their stead.
TEST_F(channelise_refuses, stdin_that_holds_another_format) {
  place.file("stdin", std::string(5000, 'x'));
  const std::string name =
      (place.folder().path() / place.file("a.npy", array({samples(500)}, false)));
  const int held = ::dup(STDIN_FILENO), given = ::open(name.c_str(), O_RDONLY | O_CLOEXEC);
  for (const std::string format : {"auto", "npy", "vdif", "guppi"}) {
    ::lseek(given, 0, SEEK_SET);
    ::dup2(given, STDIN_FILENO);
    EXPECT_THAT(why({"-", "--format", format, "-o", "x.npy"}),
                HasSubstr("raw samples alone come from stdin; name the file"));
  }
  std::string frames;
  for (unsigned i = 0; i < 4; ++i) {
    frames += text_of(vdif_frame({.number = i}, std::vector<int>(1000, 7)));
  }
  int pipe[2];
  ASSERT_EQ(::pipe2(pipe, O_CLOEXEC), 0);
  EXPECT_EQ(::write(pipe[1], frames.data(), frames.size()), std::ssize(frames));
  ::close(pipe[1]);
  ::dup2(pipe[0], STDIN_FILENO);
  EXPECT_THAT(why({"-", "-o", "x.npy"}),
              HasSubstr("the format vdif, and raw samples alone come from stdin; name the file, or "
                        "give --format raw"));
  ::close(pipe[0]);
  ::dup2(held, STDIN_FILENO);
  ::close(held);
  ::close(given);
}

TEST_F(channelise_refuses, options_that_make_no_channeliser) {
  place.file("a.raw", std::string(5000, 'x'));
  place.file("d.txt", "0 0 1e-6\n0 5 1e-6\n");
  place.file("late.txt", "5 0 0\n4 0 0\n");
  place.file("g.txt", "# none\n0 0 3-99 1\n");
  place.file("words.txt", "0 0 one\n");
  place.file("blank.txt", "\n");
  const auto run_with = [&](words more) {
    more.insert(more.begin(), {"a.raw", "-o", "x.npy"});
    return why(more, more[3] == "--delays" || more[3] == "--gains" ? 4 : 2);
  };
  EXPECT_THAT(why({"a.raw"}), HasSubstr("give --output, --spectrum, --waterfall or --stats"));
  EXPECT_THAT(run_with({"--output-bits", "4"}), HasSubstr("4 bits, which .npy does not know"));
  EXPECT_THAT(run_with({"--output-bits", "5"}), HasSubstr("choose 4, 8, 16, fp16 or fp32"));
  EXPECT_THAT(run_with({"--window", "hamming"}), HasSubstr("choose hann or rect"));
  EXPECT_THAT(run_with({"--cutoff", "5"}), HasSubstr("--cutoff 5 is not a number from 0 to 4"));
  EXPECT_THAT(run_with({"--dither", "uniform", "--output-bits", "fp16"}), HasSubstr("dither"));
  EXPECT_THAT(run_with({"--delay", "1e-6,2e-6"}), HasSubstr("--delay has 2 delays"));
  EXPECT_THAT(run_with({"--narrowband", "centre=1e5"}), HasSubstr("has no decimation"));
  EXPECT_THAT(run_with({"--narrowband", "width=5"}), HasSubstr("holds 'width=5'"));
  EXPECT_THAT(run_with({"--narrowband", "centre=1e5,decimation=3"}), HasSubstr("even"));
  EXPECT_THAT(run_with({"--narrowband", "centre=1e5,decimation=4,taps=9"}),
              HasSubstr("above -40; give more taps than 9, or --allow-alias"));
  EXPECT_THAT(run_with({"--allow-alias"}), HasSubstr("--allow-alias is of no use without"));
  EXPECT_THAT(run_with({"--delays", "d.txt"}), HasSubstr("d.txt: line 2: the polarisation is '5'"));
  EXPECT_THAT(run_with({"--delays", "late.txt"}), HasSubstr("late.txt: line 2: "));
  EXPECT_THAT(run_with({"--delays", "words.txt"}), HasSubstr("line 1: the delay is 'one'"));
  EXPECT_THAT(run_with({"--delays", "blank.txt"}), HasSubstr("holds no line of numbers"));
  EXPECT_THAT(run_with({"--gains", "g.txt"}), HasSubstr("g.txt: line 2: the last channel is '99'"));
  EXPECT_THAT(run_with({"--seed", "5", "--dither", "none"}),
              HasSubstr("--seed is of no use without"));
  EXPECT_THAT(run_with({"--seed", "5", "--output-bits", "fp32"}), HasSubstr("--seed is of no use"));
  EXPECT_THAT(run_with({"--evaluate", "centre"}),
              HasSubstr("--evaluate is of no use without delays"));
  EXPECT_THAT(
      run_with({"--waterfall", "sky.jpg"}),
      HasSubstr("--waterfall: cannot draw to sky.jpg; the name of a chart must end in .png, .svg "
                "or .pdf"));
  EXPECT_THAT(run_with({"--spectrum", "power"}), HasSubstr("--spectrum: cannot draw to power"));
  EXPECT_THAT(run_with({"--stats", "x.npy"}), HasSubstr("both write x.npy"));
  EXPECT_THAT(run_with({"--stats", "a.raw"}),
              HasSubstr("a.raw is an input, and --stats a.raw would"));
}

}  // namespace
