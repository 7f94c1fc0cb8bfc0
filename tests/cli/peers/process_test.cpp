// SPDX-License-Identifier: Apache-2.0
// Label: cli
// A peer in another process: one that is honest, and every way in which one is not.
#include "cli/peers/process.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <string>

#include "formats/message.hpp"           // message_of
#include "formats/temporary_folder.hpp"  // temporary_folder
#include "verify/judge.hpp"              // judge
#include "wingbeat/error.hpp"            // absent_error, device_error, plan_error

namespace {

using namespace wingbeat;
using namespace wingbeat::cli;
using ::testing::HasSubstr;

class peer_processes : public ::testing::Test {
 protected:
  /// Starts the fake peer by a name that says how it behaves.
  [[nodiscard]] std::unique_ptr<peer_process> started(const std::string& manner,
                                                      double patience_s = 20) const {
    const auto program = folder_.path() / manner;
    std::filesystem::create_symlink(WINGBEAT_FAKE_PEER, program);
    return std::make_unique<peer_process>(program, first_device(engine::host), patience_s);
  }

  template <class Error, class Work>
  static std::string said(const Work& work) {
    return test::message_of<Error>(work);
  }

  const plan_spec spec_{.lengths = {16}, .batch = 5};
  test::temporary_folder folder_;
};

verify::agreement judged(measure::library_run& run, const plan_spec& spec) {
  const auto block = verify::noise_block(spec);
  verify::judge truth{{spec, verify::reader_of(block), spec.real}, verify::check_extent::few};
  run.fill(block);
  EXPECT_GT(run.time(1), 0);
  return truth(
      [&](std::size_t offset_bytes, std::span<std::byte> into) { run.read(offset_bytes, into); });
}

TEST_F(peer_processes, plan_run_and_hand_over_what_they_computed) {
  const auto peer = started("honest");
  EXPECT_EQ(peer->library(), "Fake 1.0");
  const auto run = make_process_run(*peer, spec_);
  EXPECT_TRUE(judged(*run, spec_).is_within);
  EXPECT_GE(run->prepared().cold_s, 0);
  EXPECT_GT(run->prepared().first_call_s, 0);
  EXPECT_EQ(run->prepared().warm_s, -1);
  EXPECT_EQ(run->prepared().workspace_bytes, -1);
}

TEST_F(peer_processes, plan_one_problem_after_another) {
  const auto peer = started("honest");
  for (const std::size_t n : {4U, 32U}) {
    const plan_spec spec{.lengths = {n}, .batch = 2, .kind = transform::inverse};
    EXPECT_TRUE(judged(*make_process_run(*peer, spec), spec).is_within) << n;
  }
}

TEST_F(peer_processes, are_found_out_when_wrong) {
  const auto peer = started("wrong");
  const auto found = judged(*make_process_run(*peer, spec_), spec_);
  EXPECT_FALSE(found.is_within);
  EXPECT_GT(found.relative_l2, 0.1);
}

TEST_F(peer_processes, may_refuse_a_problem_and_take_the_next) {
  const auto peer = started("honest");
  const plan_spec square{.lengths = {4, 4}};
  EXPECT_THAT(said<plan_error>([&] { static_cast<void>(make_process_run(*peer, square)); }),
              HasSubstr("the peer honest refuses: it plans nothing like this"));
  EXPECT_TRUE(judged(*make_process_run(*peer, spec_), spec_).is_within);
}

TEST_F(peer_processes, that_cannot_open_the_device_are_absent) {
  EXPECT_THAT(said<absent_error>([&] { static_cast<void>(started("nowhere")); }),
              HasSubstr("it cannot use"));
}

TEST_F(peer_processes, that_do_not_exist_are_absent) {
  EXPECT_THAT(said<absent_error>(
                  [&] { peer_process(folder_.path() / "missing", first_device(engine::host), 1); }),
              HasSubstr("missing cannot be started"));
}

TEST_F(peer_processes, that_die_are_told_with_their_exit_code_from_then_on) {
  const auto peer = started("dies");
  const auto run = make_process_run(*peer, spec_);
  EXPECT_THAT(said<device_error>([&] { static_cast<void>(run->time(1)); }),
              HasSubstr("the peer dies ended with code 7 before it answered"));
  EXPECT_THAT(said<device_error>([&] { static_cast<void>(make_process_run(*peer, spec_)); }),
              HasSubstr("ended with code 7"));
}

TEST_F(peer_processes, that_hang_are_ended_when_patience_is) {
  const auto peer = started("hangs", 0.3);
  const auto run = make_process_run(*peer, spec_);
  const auto begin = std::chrono::steady_clock::now();
  EXPECT_THAT(said<device_error>([&] { static_cast<void>(run->time(1)); }),
              HasSubstr("the peer hangs said nothing for 0.3 s"));
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(60));
}

TEST_F(peer_processes, that_never_greet_are_ended) {
  EXPECT_THAT(said<device_error>([&] { static_cast<void>(started("mute", 0.3)); }),
              HasSubstr("said nothing for 0.3 s"));
}

TEST_F(peer_processes, that_talk_nonsense_are_ended) {
  EXPECT_THAT(said<device_error>([&] { static_cast<void>(started("nonsense")); }),
              HasSubstr("answered 'bananas' to 'open'"));
  EXPECT_THAT(said<device_error>([&] { static_cast<void>(started("endless")); }),
              HasSubstr("answered a line that does not end"));
}

TEST_F(peer_processes, that_take_no_time_are_not_believed) {
  const auto peer = started("idle");
  const auto run = make_process_run(*peer, spec_);
  EXPECT_THAT(said<device_error>([&] { static_cast<void>(run->time(3)); }),
              HasSubstr("runs took 0 s"));
}

TEST_F(peer_processes, time_their_calls) {
  const auto peer = started("honest");
  const auto run = make_process_run(*peer, spec_);
  run->fill(verify::noise_block(spec_));
  EXPECT_GT(run->time_calls(3), 0);
}

TEST_F(peer_processes, that_do_not_time_their_calls_go_on) {
  const auto peer = started("older");
  const auto run = make_process_run(*peer, spec_);
  EXPECT_THAT(said<plan_error>([&] { static_cast<void>(run->time_calls(3)); }),
              HasSubstr("the peer older refuses: 'enqueue' is no question"));
  EXPECT_TRUE(judged(*run, spec_).is_within);
}

TEST_F(peer_processes, whose_calls_take_no_time_are_not_believed) {
  const auto peer = started("instant");
  const auto run = make_process_run(*peer, spec_);
  EXPECT_THAT(said<device_error>([&] { static_cast<void>(run->time_calls(3)); }),
              HasSubstr("3 calls took 0 s"));
}

TEST(words_of, state_a_problem_in_full) {
  const plan_spec spec{
      .lengths = {4, 8}, .batch = 3, .kind = transform::forward_from_real, .real = precision::fp64};
  EXPECT_EQ(words_of(spec),
            "kind=forward_from_real precision=fp64 lengths=4x8 batch=3 in_place=0"
            " in_strides=8x1 in_distance=32 in_imaginary=0 in_bytes=768"
            " out_strides=5x1 out_distance=20 out_imaginary=0 out_bytes=960");
}

}  // namespace
