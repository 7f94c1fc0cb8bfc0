// SPDX-License-Identifier: Apache-2.0
// Label: cli
// Where `wingbeat channelise` and `wingbeat fengine` begin: what delays keep from being made, and
// --early-start, which makes it of zeros.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/program.hpp"            // workplace
#include "fengine/channel_heaps.hpp"  // heap_catcher
#include "fengine/saved_state.hpp"    // write_state

namespace {

using namespace wingbeat;
using namespace wingbeat::test;
using ::testing::HasSubstr;
using ::testing::Not;
using words = std::vector<std::string>;

// 64 channels, windows of 4 * 128 samples, heaps of 16 spectra or 2,048 samples.
class beginning : public ::testing::Test {
 protected:
  beginning() {
    simulate("x.raw", 8192);
    simulate("few.raw", 3000);
    simulate("least.raw", 1000);
  }

  void simulate(const std::string& name, std::size_t n) const {
    const finished done = at_.run({"simulate", "wgn(0.1, 1)", "--adc-rate", "1e6", "--samples",
                                   std::to_string(n), "-o", name});
    EXPECT_EQ(done.code, 0) << done.err;
  }

  [[nodiscard]] finished channelise(const std::string& name, const words& more) const {
    words arguments{"channelise", name,     "--adc-rate",         "1e6",  "--channels", "64",
                    "--taps",     "4",      "--engine",           "host", "--output",   "heaps.raw",
                    "--stats",    "s.json", "--spectra-per-heap", "16"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return at_.run(arguments);
  }

  [[nodiscard]] nlohmann::json heaps() const {
    return nlohmann::json::parse(at_.folder().read("s.json")).at("heaps");
  }

  workplace at_;
};

TEST_F(beginning, says_which_spectra_delays_leave_out) {
  const finished plain = channelise("x.raw", {});
  EXPECT_THAT(plain.err, Not(HasSubstr("the delays need")));
  EXPECT_THAT(channelise("x.raw", {"--delay=-3e-6"}).err, Not(HasSubstr("the delays need")));
  const finished run = channelise("x.raw", {"--delay", "3e-6"});
  EXPECT_EQ(run.code, 0);
  EXPECT_THAT(run.err, HasSubstr("the delays need 3 samples before the first one, so that heaps "
                                 "begin at sample 2048, not 0: 16 spectra are left out; --missing "
                                 "zero-fill --early-start has zeros for these samples\n"));
  EXPECT_THAT(channelise("x.raw", {"--delay", "3e-6", "--first-sample", "2048"}).err,
              HasSubstr("begin at sample 4096, not 2048: 16 spectra"));
}

TEST_F(beginning, counts_what_is_left_out_of_the_recording_alone) {
  const finished run = channelise("x.raw", {"--delay", "3"});
  EXPECT_EQ(run.code, 0) << run.err;
  EXPECT_THAT(run.err, HasSubstr("begin at sample 3000320, not 0: 16 spectra are left out;"));
}

TEST_F(beginning, of_a_short_recording_is_explained_by_the_delay) {
  EXPECT_EQ(channelise("few.raw", {}).code, 0);
  for (const auto& [file, sentence] :
       {std::pair{"few.raw", "heaps.raw would be empty: the recording has 12 spectra"},
        std::pair{"least.raw", "least.raw holds 1000 samples from sample 0 on, too few"}}) {
    const finished run = channelise(file, {"--delay", "1e-3"});
    EXPECT_EQ(run.code, 2);
    EXPECT_THAT(run.err, HasSubstr(sentence));
    EXPECT_THAT(
        run.err,
        HasSubstr("the delays need 1000 samples before the first one, so that heaps begin at "));
    EXPECT_THAT(run.err, HasSubstr("; --missing zero-fill --early-start has zeros for these"));
    EXPECT_EQ(n_lines(run.err), 1U);
  }
}

TEST_F(beginning, early_loses_nothing_and_flags_what_is_missing) {
  ASSERT_EQ(channelise("x.raw", {"--delay", "3e-6"}).code, 0);
  const std::string late = at_.folder().read("heaps.raw");
  const finished run =
      channelise("x.raw", {"--delay", "3e-6", "--missing", "zero-fill", "--early-start"});
  EXPECT_EQ(run.code, 0);
  EXPECT_THAT(run.err, Not(HasSubstr("the delays need")));
  const std::string early = at_.folder().read("heaps.raw");
  const std::size_t heap = std::size_t{64} * 16 * 2;
  ASSERT_EQ(early.size(), late.size() + heap);
  EXPECT_EQ(early.substr(heap), late);
  const auto started = heaps();
  EXPECT_EQ(started.at(0).at("timestamp"), 0);
  EXPECT_EQ(started.at(0).at("complete"), nlohmann::json::array({false}));
  EXPECT_EQ(started.at(1).at("complete"), nlohmann::json::array({true}));
  EXPECT_THAT(channelise("x.raw", {"--early-start"}).err,
              HasSubstr("--early-start is of no use without --missing zero-fill"));
}

TEST_F(beginning, of_an_engine_is_the_same) {
  // A delay of 3 samples that holds from the start.
  fengine::saved_state state;
  state.outputs = {{.name = "wide", .channels = 64}};
  state.outputs[0].gains = {std::vector<std::complex<float>>(64, 1.0F)};
  state.outputs[0].delays = {{0, {{.delay_s = 3e-6}}}};
  const std::string file = (at_.folder().path() / "state.json").string();
  for (const bool is_early : {false, true}) {
    fengine::write_state(file, state);
    const heap_catcher caught;
    words arguments{"fengine",
                    "x.raw",
                    "--adc-sample-rate",
                    "1e6",
                    "--sync-time",
                    "0",
                    "--polarisations",
                    "1",
                    "--recv-chunk-samples",
                    "4096",
                    "--engine",
                    "host",
                    "--katcp-port",
                    "0",
                    "--send-rate-factor",
                    "0",
                    "--send-interface",
                    "lo",
                    "--state",
                    "state.json",
                    "--wideband=name=wide,channels=64,taps=4,jones_per_batch=1024,dst=" +
                        net::to_string(caught.place())};
    if (is_early) arguments.insert(arguments.end(), {"--missing", "zero-fill", "--early-start"});
    const finished run = at_.run(arguments);
    EXPECT_EQ(run.code, 0) << run.err;
    const std::string sentence =
        "output 'wide' begins at 2048, 1 batch later than at 0, because its delays need samples "
        "before the first one, 0;";
    EXPECT_EQ(run.err.find(sentence) == std::string::npos, is_early) << run.err;
    const auto heaps = caught.caught();
    ASSERT_GE(heaps.size(), 2U);
    EXPECT_EQ(heaps.begin()->first.first, is_early ? 0U : 2048U);
    EXPECT_EQ(heaps.begin()->second.missing, is_early ? 1U : 0U);
    EXPECT_EQ(heaps.rbegin()->second.missing, 0U);
  }
}

}  // namespace
