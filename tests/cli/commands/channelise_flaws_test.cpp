// SPDX-License-Identifier: Apache-2.0
// Label: cli
// `wingbeat channelise` of recordings of which a part is damaged, missing, or to be chosen.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>  // exists
#include <utility>     // pair

#include "cli/program.hpp"             // workplace
#include "formats/voltages/bytes.hpp"  // guppi_card, vdif_frame

namespace {

using namespace wingbeat::test;
using ::testing::HasSubstr;
using words = std::vector<std::string>;

std::string text_of(const file_bytes& bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

/// A block of 512 complex times of two antennas with one frequency each, of one polarisation.
file_bytes block(const std::string& index) {
  file_bytes cards;
  for (const auto& [key, value] :
       std::vector<std::pair<std::string, std::string>>{{"BLOCSIZE", "2048"},
                                                        {"OBSNCHAN", "2"},
                                                        {"NANTS", "2"},
                                                        {"NPOL", "1"},
                                                        {"NBITS", "8"},
                                                        {"PKTSIZE", "1024"},
                                                        {"TBIN", "1e-6"},
                                                        {"OBSFREQ", "100"},
                                                        {"OBSBW", "1"},
                                                        {"PKTIDX", index}}) {
    cards = cards + guppi_card(key, value);
  }
  std::vector<int> values(2048);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<int>(i * i % 251);
  return cards + guppi_end() + bytes_of(values);
}

class channelise_flaws : public ::testing::Test {
 protected:
  [[nodiscard]] finished run(const std::string& file, const words& more,
                             const std::string& spectra_per_heap = "16") const {
    words line{"channelise",
               file,
               "--channels",
               "16",
               "--taps",
               "2",
               "--engine",
               "host",
               "-o",
               "out.npy",
               "--stats",
               "run.json",
               "--spectra-per-heap",
               spectra_per_heap};
    line.insert(line.end(), more.begin(), more.end());
    return at_.run(line);
  }
  [[nodiscard]] nlohmann::json stats() const {
    return nlohmann::json::parse(at_.folder().read("run.json"));
  }
  [[nodiscard]] bool has(const std::string& name) const {
    return std::filesystem::exists(at_.folder().path() / name);
  }

  workplace at_;
};

TEST_F(channelise_flaws, are_said_in_one_line_or_refused) {
  file_bytes cut = block("0") + block("2") + block("4");
  cut.pop_back();
  at_.file("cut", text_of(cut));
  const finished told = run("cut", {"--coarse-channel", "1"});
  EXPECT_EQ(told.code, 0) << told.err;
  EXPECT_THAT(told.err, HasSubstr("wingbeat: cut: 1 block of the file is left out; the first: is "
                                  "truncated: block 2 claims 2048 bytes but 2047 follow"));
  EXPECT_EQ(stats()["samples"], 1024);
  EXPECT_DOUBLE_EQ(stats()["first_channel_hz"], 99.5e6) << "of the second antenna, too";
  const finished strict = run("cut", {"--coarse-channel", "1", "--strict"});
  EXPECT_EQ(strict.code, 4);
  EXPECT_EQ(n_lines(strict.err), 1U) << strict.err;
  EXPECT_THAT(run("cut", {}).err, HasSubstr("cut holds 2 channels (1 of each of 2 antennas)"));
  at_.file("x.raw", std::string(8000, '\x5a'));
  EXPECT_THAT(run("x.raw", {"--adc-rate", "1e6", "--strict"}).err,
              HasSubstr("--strict is of formats of which damaged parts may be left out"));
}

// PKTSIZE alone states that a block is lost between the two.
TEST_F(channelise_flaws, withhold_what_misses_a_block) {
  at_.file("gap.raw", text_of(block("0") + block("4")));
  const finished filled = run("gap.raw", {"--coarse-channel", "0", "--missing", "zero-fill"});
  EXPECT_EQ(filled.code, 0) << filled.err;
  EXPECT_THAT(filled.err, HasSubstr("gap.raw: 1 of 3 packets of 512 samples are missing, and zeros "
                                    "in their place"));
  EXPECT_EQ(stats()["samples"], 1536);
  EXPECT_EQ(stats()["polarisations"][0]["samples"], 1024);
  EXPECT_EQ(run("gap.raw", {"--coarse-channel", "0"}).code, 0);
  EXPECT_GE(stats()["heaps_withheld"], 2);
}

TEST_F(channelise_flaws, of_all_heaps_leave_nothing_to_write) {
  at_.file("gap.raw", text_of(block("0") + block("4")));
  const finished none = run("gap.raw", {"--coarse-channel", "0"}, "128");
  EXPECT_EQ(none.code, 2);
  EXPECT_EQ(n_lines(none.err), 1U) << none.err;
  EXPECT_THAT(none.err, HasSubstr("gap.raw misses samples of every heap (1 withheld), so that no "
                                  "spectrum is left to write; use less --spectra-per-heap, or"));
  EXPECT_FALSE(has("out.npy"));
  EXPECT_EQ(stats()["heaps_withheld"], 1);
}

TEST_F(channelise_flaws, have_no_part_in_threads_and_rates_that_headers_state) {
  std::string content;
  for (unsigned i = 0; i < 8; ++i) {
    for (unsigned thread = 0; thread < 3; ++thread) {
      content += text_of(vdif_frame(
          {.number = i, .thread = thread, .extended = {3u << 24 | 1u << 23 | 1, 0xacabfeed, 0, 0}},
          std::vector<int>(200, static_cast<int>(128 + thread))));
    }
  }
  at_.file("three", content);
  EXPECT_EQ(run("three", {}).code, 4);
  EXPECT_THAT(run("three", {}).err,
              HasSubstr("has 3 threads, 0, 1 and 2; give one or two of them"));
  const finished two = run("three", {"--vdif-threads", "2,0", "--strict"});
  EXPECT_EQ(two.code, 0) << two.err;
  EXPECT_DOUBLE_EQ(stats()["adc_rate_hz"], 2e6);
  EXPECT_EQ(stats()["polarisations"].size(), 2U);
  EXPECT_THAT(run("three", {"--vdif-threads", "1", "--adc-rate", "1e6"}).err,
              HasSubstr("three states 2000000 samples a second; --adc-rate 1000000 is used"));
  EXPECT_EQ(run("three", {"--vdif-threads", "1,1"}).code, 2);
  EXPECT_EQ(run("three", {"--vdif-threads", "1024"}).code, 2);
}

}  // namespace
