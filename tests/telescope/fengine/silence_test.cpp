// SPDX-License-Identifier: Apache-2.0
// Samples that stop and come again: one sentence each time, whatever the polarisations do; and the
// age of what an engine shows.
#include <gtest/gtest.h>

#include <array>

#include "fengine/engine_run.hpp"
#include "fengine/silence_watch.hpp"

namespace {

using namespace wingbeat;
using namespace wingbeat::test;
using fengine::silence_watch;
using namespace std::chrono_literals;

/// Looks each 100 ms; a polarisation's samples come when `arrives` says so.
template <class Arrives>
std::vector<std::string> sentences_of(double duration_s, Arrives arrives) {
  silence_watch watch{2, 1.0};
  std::array<double, 2> ages_s{};
  std::vector<std::string> sentences;
  auto time = silence_watch::clock::time_point{} + 1h;
  for (int tick = 0; tick < duration_s * 10; ++tick, time += 100ms) {
    for (std::size_t pol = 0; pol < 2; ++pol) {
      ages_s[pol] = arrives(pol, tick) ? 0 : ages_s[pol] + 0.1;
    }
    for (const auto& change : watch.look(ages_s, time)) sentences.push_back(change.sentence);
  }
  return sentences;
}

TEST(silence_watch, a_digitiser_that_stops_and_starts_is_a_sentence_each) {
  // The second polarisation follows the first by two looks.
  const auto sentences = sentences_of(20, [](std::size_t pol, int tick) {
    const int begin = 50 + 2 * static_cast<int>(pol);
    return tick < begin || tick >= begin + 93;
  });
  EXPECT_EQ(sentences, (std::vector<std::string>{"no samples for 1.3 s",
                                                 "samples arrive again, after 9.3 s"}));
}

TEST(silence_watch, one_polarisation_is_named) {
  const auto sentences = sentences_of(
      20, [](std::size_t pol, int tick) { return pol == 0 || tick < 50 || tick >= 80; });
  EXPECT_EQ(sentences,
            (std::vector<std::string>{"no samples of polarisation 1 for 1.6 s",
                                      "samples of polarisation 1 arrive again, after 3.0 s"}));
}

TEST(silence_watch, the_second_polarisation_may_stop_later) {
  const auto sentences = sentences_of(
      20, [](std::size_t pol, int tick) { return tick < (pol == 0 ? 50 : 100) || tick >= 150; });
  EXPECT_EQ(sentences, (std::vector<std::string>{"no samples of polarisation 0 for 1.6 s",
                                                 "no samples of polarisation 1 for 1.1 s",
                                                 "samples arrive again, after 10.0 s"}));
}

TEST(silence_watch, short_gaps_are_no_silence) {
  EXPECT_TRUE(sentences_of(20, [](std::size_t, int tick) { return tick % 10 == 0; }).empty());
}

TEST(fengine_silence, is_in_the_log_once_and_in_what_is_shown) {
  engine_run run;
  run.send(0, 128);
  EXPECT_TRUE(wait_until([&] { return run.engine->snapshot().spectra.size() == 2; }));
  const control::monitor_snapshot fresh = run.engine->snapshot();
  EXPECT_TRUE(wait_until([&] { return !run.logged("no samples").empty(); }));
  std::this_thread::sleep_for(2500ms);  // time for further lines, one a second
  const control::monitor_snapshot old = run.engine->snapshot();
  EXPECT_TRUE(run.engine->is_silent(0) && run.engine->is_silent(1));
  EXPECT_GT(old.data_age_s.value_or(0), fresh.data_age_s.value_or(0) + 2.4);
  EXPECT_GT(old.data_age_s.value_or(0), old.silent_after_s);
  EXPECT_EQ(old.silent_after_s, 1);
  for (const auto& spectrum : old.spectra) EXPECT_GT(spectrum.age_s, spectrum.stale_after_s);
  const std::string text = run.metrics->text(), name = "fgpu_input_age_seconds{pol=\"1\"} ";
  ASSERT_NE(text.find(name), std::string::npos);
  EXPECT_GT(std::stod(text.substr(text.find(name) + name.size())), 2.4);
  EXPECT_EQ(run.logged("sample").size(), 1U);

  run.send(128, 256);
  EXPECT_TRUE(wait_until([&] { return !run.logged("samples arrive again, after").empty(); }));
  EXPECT_FALSE(run.engine->is_silent(0));
  run.finish();
  EXPECT_EQ(run.logged("sample").size(), 2U);
}

TEST(fengine_silence, says_that_packets_come_which_cannot_be_placed) {
  engine_run run;
  loopback_sender other;
  for (int i = 0; i < 5; ++i) {
    other.send(run.engine->endpoints().front(), std::vector<std::byte>(100));
    ++run.n_sent;
  }
  EXPECT_TRUE(wait_until([&] { return !run.logged("no samples").empty(); }));
  EXPECT_NE(run.logged("no samples")[0].find("5 packets arrived, none of which"), std::string::npos)
      << run.logged("no samples")[0];
  run.engine->stop();
}

}  // namespace
