// SPDX-License-Identifier: Apache-2.0
// Label: opencl
// Oracle: the definition, of the whole signal.
#include "wingbeat/short_time_stream.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "short_time/short_time_check.hpp"  // short_time_problem, expect_near
#include "support/dice.hpp"                 // dice
#include "support/on_engine.hpp"            // on_engine, all_engines
#include "support/refusal.hpp"              // refusal

namespace {

using namespace wingbeat;
using namespace wingbeat::test;
using ::testing::HasSubstr;

short_time_spec streamed(std::size_t length, border edge) {
  return {.length = length,
          .n_fft = 12,
          .hop = 5,
          .window = std::vector<double>(12, 0.5),
          .before = 6,
          .edge = edge,
          .samples = sample_type::fp64};
}

class short_time_stream_on : public on_engine {
 protected:
  /// Returns the frames of a signal in random pieces.
  static std::vector<double> in_pieces(short_time_stream<double>& stream,
                                       const std::vector<double>& samples, std::uint64_t seed) {
    dice draw{seed};
    std::vector<double> results;
    const auto add = [&](const std::vector<double>& more) {
      results.insert(results.end(), more.begin(), more.end());
    };
    for (std::size_t i = 0; i < samples.size();) {
      const std::size_t count = std::min(draw.below(40), samples.size() - i);
      add(stream.push(std::span{samples}.subspan(i, count)));
      i += count;
    }
    add(stream.flush());
    return results;
  }

  void check(const short_time_spec& spec, std::size_t group) {
    const short_time_problem problem{spec, 5};
    std::vector<double> samples;
    for (const auto& each : problem.x) samples.push_back(static_cast<double>(each.real()));
    short_time_stream<double> stream{*on, spec, group};
    const std::vector<double> at_once = in_pieces(stream, samples, 1);
    for (std::uint64_t seed = 2; seed < 5; ++seed) {
      EXPECT_EQ(in_pieces(stream, samples, seed), at_once) << "pieces change bits";
    }
    short_time_oracle::numbers got;
    const bool has_bins = spec.features.exponent == 0;
    for (std::size_t i = 0; i < at_once.size(); i += has_bins ? 2 : 1) {
      got.emplace_back(at_once[i], has_bins ? at_once[i + 1] : 0);
    }
    expect_near(got, problem.results, 1e-13L, "streamed");
    EXPECT_EQ(got, short_time_runs(*on, problem).run()) << "frames have other bits at once";
  }
};

TEST_P(short_time_stream_on, gives_the_frames_of_the_whole_signal) {
  for (const border edge :
       cases<border>({border::reflect}, {border::zero, border::mirror, border::clamp})) {
    for (const std::size_t length : cases<std::size_t>({100}, {1, 3, 7, 12, 13, 60, 333})) {
      check(streamed(length, edge), 4);
    }
  }
}

TEST_P(short_time_stream_on, takes_other_rules_and_features) {
  if (leaves_out()) return;
  short_time_spec spec = streamed(200, border::mirror);
  spec.slack = -5;  // the last frame is dropped
  check(spec, 1);
  spec.slack = -30;  // and more, although all their samples are there
  check(spec, 3);
  spec.slack = 40;  // beyond the end
  spec.features = {.exponent = 2, .has_log = true, .floor = 1e-3};
  check(spec, 7);
  spec.hop = 20;  // longer than a frame
  check(spec, 2);
}

TEST_P(short_time_stream_on, begins_again_and_has_no_frames_of_nothing) {
  short_time_stream<double> stream{*on, streamed(50, border::zero), 2};
  EXPECT_TRUE(stream.flush().empty());
  const std::vector<double> samples(50, 1);
  const auto first = in_pieces(stream, samples, 1);
  EXPECT_EQ(in_pieces(stream, samples, 9), first);
  EXPECT_EQ(stream.numbers(), 14U);
}

/// Returns the samples from the first of a frame on, those before the signal among them, until it
/// is returned, of the frame that waits longest.
std::size_t longest_wait(short_time_stream<double>& stream, const short_time_spec& spec) {
  std::size_t longest = 0, n_frames = 0;
  for (std::size_t n = 1; n <= spec.length; ++n) {
    const double sample = 1;
    const std::size_t n_more = stream.push({&sample, 1}).size() / stream.numbers();
    if (n_more != 0) longest = std::max(longest, spec.before + n - n_frames * spec.hop);
    n_frames += n_more;
  }
  EXPECT_GT(n_frames, 0U);
  return longest;
}

TEST_P(short_time_stream_on, states_its_latency) {
  const auto check_latency = [&](const short_time_spec& spec, std::size_t group) {
    short_time_stream<double> stream{*on, spec, group};
    EXPECT_EQ(longest_wait(stream, spec), stream.latency()) << "slack " << spec.slack;
  };
  const auto spaced = [](std::size_t hop, std::size_t before, std::ptrdiff_t slack) {
    short_time_spec spec = streamed(300, border::zero);
    spec.hop = hop;
    spec.before = before;
    spec.slack = slack;
    return spec;
  };
  check_latency(spaced(5, 6, 0), 4);      // the group's samples are there last
  check_latency(spaced(9, 8, -40), 3);    // its last frame is sure last
  check_latency(spaced(5, 40, 0), 1);     // the samples before the signal are there last
  check_latency(spaced(5, 40, 60), 2);    // also with frames beyond the end
  check_latency(spaced(30, 0, -200), 2);  // hops longer than a frame
}

INSTANTIATE_TEST_SUITE_P(engines, short_time_stream_on, all_engines(), engine_name);

TEST(short_time_stream_request, refuses_what_depends_on_the_whole_signal) {
  queue on{first_device(engine::host)};
  const auto refused = [&](const short_time_spec& spec, std::size_t group = 4) {
    return refusal([&] { short_time_stream<double>{on, spec, group}; });
  };
  EXPECT_THAT(refused(streamed(9, border::repeat)), HasSubstr("edge is repeat"));
  EXPECT_THAT(refused(streamed(9, border::zero), 0), HasSubstr("group is 0"));
  short_time_spec spec = streamed(9, border::zero);
  spec.features = {.exponent = 2, .range = 3};
  EXPECT_THAT(refused(spec), HasSubstr("features.range"));
  spec = streamed(9, border::zero);
  spec.window = {};
  EXPECT_THAT(refused(spec), HasSubstr("window is empty"));
}

}  // namespace
