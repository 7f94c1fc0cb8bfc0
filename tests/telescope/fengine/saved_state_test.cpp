// SPDX-License-Identifier: Apache-2.0
// The file of gains and delays: what is written is read, bit by bit; whatever is damaged, or of
// another engine, is refused in one sentence.
#include "fengine/saved_state.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>  // fmod
#include <filesystem>
#include <fstream>

#include "formats/temporary_folder.hpp"  // temporary_folder
#include "support/refusal.hpp"           // message_of
#include "wingbeat/error.hpp"            // file_error

namespace {

using namespace wingbeat;
using namespace wingbeat::fengine;
using ::testing::HasSubstr;

using gain_list = std::vector<std::complex<float>>;

saved_state some_state() {
  saved_state state{.engine = 7};
  output_state wide{.name = "wide", .channels = 4};
  wide.gains = {gain_list{{0.1F, -1e-30F}, {3, 4}, {1e30F, 0}, {0.3F, 0.7F}},
                gain_list(4, {0.05F, 0.0F})};
  wide.delays = {{1.7e9 + 1.0 / 3, {{1e-9, -2.5e-12, 0.5, 49.0}, {-3e-6, 0, -3.1, 1.0 / 7}}},
                 {1.7e9 + 20, {{}, {}}}};
  state.outputs = {wide, {.name = "narrow", .channels = 2, .gains = {2, gain_list(2, 1)}}};
  return state;
}

std::string refusal(const std::string& text) {
  return wingbeat::test::message_of<file_error>(
      [&] { static_cast<void>(parse_state(text, "state.json")); });
}

TEST(saved_state, is_read_as_it_was_written) {
  const test::temporary_folder folder;
  const std::string file = (folder.path() / "state.json").string();
  EXPECT_EQ(read_state(file), std::nullopt);
  for (int i = 0; i < 2; ++i) {
    write_state(file, some_state());
    EXPECT_EQ(read_state(file), some_state());
  }
  EXPECT_EQ(folder.n_files(), 1);
}

// As a process that was killed while it wrote leaves them.
TEST(saved_state, leaves_no_temporary_files_of_former_runs) {
  const test::temporary_folder folder;
  const std::string file = (folder.path() / "state.json").string();
  write_state(file, some_state());
  for (const char* end : {".tmp-0123abcd", ".tmp-ffffffff", ".tmp-notours0", ".tmp-0", ".old"}) {
    std::ofstream(file + end) << "half";
  }
  EXPECT_EQ(read_state(file), some_state());
  EXPECT_EQ(folder.n_files(), 4);
  std::filesystem::remove(file);
  std::ofstream(file + ".tmp-0123abcd") << "half";
  EXPECT_EQ(read_state(file), std::nullopt);
  EXPECT_EQ(folder.n_files(), 3);
}

TEST(saved_state, of_one_gain_for_all_channels_is_short) {
  saved_state state = some_state();
  state.outputs = {{.name = "wide", .channels = 65536}};
  state.outputs[0].gains = {2, std::vector<std::complex<float>>(65536, {0.5F, 0.25F})};
  EXPECT_LT(text_of(state).size(), 500U);
  EXPECT_EQ(parse_state(text_of(state), ""), state);
}

// Each byte changed, and each length cut: no change goes unseen.
TEST(saved_state, is_refused_where_a_byte_is_another_or_missing) {
  const std::string text = text_of(some_state());
  for (std::size_t i = 0; i < text.size(); ++i) {
    std::string changed = text;
    changed[i] = changed[i] == '1' ? '2' : '1';
    const std::string sentence = refusal(changed);
    // The blanks that a reader skips do not matter.
    if (std::isspace(static_cast<unsigned char>(text[i])) != 0 && sentence.empty()) continue;
    EXPECT_THAT(sentence, HasSubstr("the state state.json ")) << i;
    EXPECT_THAT(sentence, HasSubstr("; remove the file to begin with")) << i;
  }
  for (std::size_t n = 0; n + 1 < text.size(); ++n) {
    EXPECT_THAT(refusal(text.substr(0, n)), HasSubstr("is damaged")) << n;
  }
  EXPECT_THAT(refusal("{}"), HasSubstr("is no state of an F-engine"));
  std::string later = text;
  later.replace(later.find("state/1"), 7, "state/2");
  EXPECT_THAT(refusal(later), HasSubstr("has the form wingbeat.fengine.state/2, and this version"));
}

TEST(saved_state, is_refused_of_another_engine) {
  const auto refusal_of = [](const auto& change) -> std::string {
    saved_state own = some_state();
    change(own);
    return wingbeat::test::message_of<file_error>(
        [&] { require_same_shape(some_state(), own, "s"); });
  };
  EXPECT_EQ(refusal_of([](saved_state&) {}), "");
  EXPECT_THAT(refusal_of([](saved_state& s) { s.engine = 8; }), HasSubstr("--feng-id is 7, and"));
  EXPECT_THAT(refusal_of([](saved_state& s) { s.outputs.pop_back(); }),
              HasSubstr("the outputs are 2, and here 1"));
  EXPECT_THAT(refusal_of([](saved_state& s) { s.outputs[1].name = "n"; }),
              HasSubstr("the name of an output is narrow, and here n"));
  EXPECT_THAT(refusal_of([](saved_state& s) { s.outputs[0].channels = 8; }),
              HasSubstr("the channels of 'wide' are 4, and here 8"));
  EXPECT_THAT(refusal_of([](saved_state& s) { s.outputs[0].gains.pop_back(); }),
              HasSubstr("the polarisations of 'wide' are 2, and here 1"));
}

TEST(saved_state, delays_stated_from_later_are_the_same_functions_of_time) {
  const timed_delays first{100, {{1e-6, 2e-9, 0.5, 3}}};
  const control::delay_setting later = stated_from(110, first).settings[0];
  EXPECT_DOUBLE_EQ(later.delay_s, 1e-6 + 10 * 2e-9);
  EXPECT_DOUBLE_EQ(later.delay_rate, 2e-9);
  EXPECT_NEAR(later.phase_rad, std::fmod(30.5, 2 * M_PI) - 2 * M_PI, 1e-12);
  EXPECT_DOUBLE_EQ(later.phase_rate_rad_per_s, 3);
}

}  // namespace
