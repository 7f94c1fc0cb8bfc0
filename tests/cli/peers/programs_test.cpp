// SPDX-License-Identifier: Apache-2.0
// Label: cli
// Timeout: 300
// The peers of bench/peers/ that this build has, each on every problem it says it plans: what they
// compute is judged as in the bench, so that no ratio is taken against a transform of other data.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "cli/peers/process.hpp"  // peer_process
#include "cli/sweep.hpp"          // problems_of
#include "support/full_run.hpp"   // is_full_run, sampled
#include "verify/judge.hpp"       // judge
#include "wingbeat/error.hpp"     // plan_error

namespace {

using namespace wingbeat;
using namespace wingbeat::cli;
using wingbeat::test::is_full_run;

/// A peer's program, and the engine whose device it is given.
struct candidate {
  std::string program;
  engine on;
  int min_planned;  ///< Of the 48 problems below.
  int min_kinds;    ///< Of the nine kinds from reals to reals.
};

class peers : public ::testing::TestWithParam<candidate> {
 protected:
  void SetUp() override {
    program_ = std::filesystem::path{WINGBEAT_PEERS_FOLDER} / GetParam().program;
    if (!std::filesystem::exists(program_)) GTEST_SKIP() << GetParam().program << " is not built";
    if (const auto why = why_absent(GetParam().on); !why.empty()) GTEST_SKIP() << why;
  }

  std::filesystem::path program_;
};

/// Runs a problem twice on fresh input; returns whether the peer planned it.
bool is_planned(peer_process& peer, const plan_spec& spec, const std::string& words) {
  std::unique_ptr<measure::library_run> run;
  try {
    run = make_process_run(peer, spec);
  } catch (const plan_error&) {
    return false;
  }
  const auto block = verify::noise_block(spec);
  verify::judge truth{{spec, verify::reader_of(block), spec.real}, verify::check_extent::few};
  run->fill(block);
  EXPECT_GT(run->time(2), 0) << words;
  run->fill(block);
  EXPECT_GT(run->time(1), 0) << words;
  const verify::agreement found = truth(
      [&](std::size_t offset_bytes, std::span<std::byte> into) { run->read(offset_bytes, into); });
  // Other libraries owe nothing to our accuracy table: a wrong transform is off by about 1.
  EXPECT_LT(found.relative_l2, 10 * found.relative_l2_bound) << words;
  return true;
}

TEST_P(peers, compute_what_they_plan) {
  const device_info device = first_device(GetParam().on);
  peer_process peer{program_, device, 100};
  int n_planned = 0;
  unsigned number = 0;
  for (const auto& lengths : test::sampled<std::string>({"64", "16x32"}, {"4x8x16"})) {
    for (const std::string kind : {"c2c", "c2c-inverse", "r2c", "c2r"}) {
      for (const std::string layout : {"packed", "in-place", "interleaved", "planar"}) {
        const bool is_sample = number % 2 == number / 4 % 2;  // two layouts of each kind
        ++number;
        if (!is_sample && !is_full_run()) continue;
        const std::string precision = lengths == "64" ? "fp64" : "fp32";
        const auto spec = problems_of({.lengths = lengths,
                                       .kind = kind,
                                       .precision = precision,
                                       .layout = layout,
                                       .batch = 3},
                                      device);
        const std::string words = lengths + " " + kind + " " + layout;
        n_planned += is_planned(peer, spec.front(), words) ? 1 : 0;
      }
    }
  }
  EXPECT_GE(n_planned, GetParam().min_planned / (is_full_run() ? 1 : 4));
}

TEST_P(peers, transform_in_the_calls_that_they_time) {
  const device_info device = first_device(GetParam().on);
  peer_process peer{program_, device, 100};
  for (const std::string layout : {"packed", "in-place"}) {
    const auto spec =
        problems_of({.lengths = "64", .kind = "c2r", .layout = layout, .batch = 3}, device).front();
    const auto run = make_process_run(peer, spec);
    const auto block = verify::noise_block(spec);
    verify::judge truth{{spec, verify::reader_of(block), spec.real}, verify::check_extent::few};
    run->fill(block);
    EXPECT_GT(run->time_calls(10), 0) << layout;
    EXPECT_GT(run->time_calls(1), 0) << layout;  // on the input of the first
    const verify::agreement found = truth([&](std::size_t offset_bytes, std::span<std::byte> into) {
      run->read(offset_bytes, into);
    });
    EXPECT_LT(found.relative_l2, 10 * found.relative_l2_bound) << layout;
  }
}

TEST_P(peers, transform_reals_to_reals) {
  const device_info device = first_device(GetParam().on);
  peer_process peer{program_, device, 100};
  int n_planned = 0;
  for (const std::string kind :
       {"dct1", "dct2", "dct3", "dct4", "dst1", "dst2", "dst3", "dst4", "dht"}) {
    const auto spec = problems_of({.lengths = "16", .kind = kind, .batch = 3}, device);
    n_planned += is_planned(peer, spec.front(), kind) ? 1 : 0;
  }
  EXPECT_GE(n_planned, GetParam().min_kinds);
  const auto mixed = problems_of({.lengths = "16x32", .kind = "dct2,dst3", .batch = 3}, device);
  EXPECT_EQ(is_planned(peer, mixed.front(), "mixed"), GetParam().min_kinds == 9);
}

INSTANTIATE_TEST_SUITE_P(programs, peers,
                         ::testing::Values(candidate{"wingbeat-peer-fftw", engine::host, 48, 9},
                                           candidate{"wingbeat-peer-clfft", engine::opencl, 24, 0},
                                           candidate{"wingbeat-peer-vkfft-opencl", engine::opencl,
                                                     24, 3}),
                         [](const auto& tested) {
                           std::string name =
                               tested.param.program.substr(tested.param.program.find("peer-") + 5);
                           for (char& c : name) c = c == '-' ? '_' : c;
                           return name;
                         });

}  // namespace
