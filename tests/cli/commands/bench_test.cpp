// SPDX-License-Identifier: Apache-2.0
// Label: cli
// The commands `bench` and `plan`: brief runs, their documents, and what they refuse or go without.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>  // find, min
#include <cmath>      // sqrt
#include <filesystem>
#include <string>
#include <vector>

#include "cli/program.hpp"       // workplace, json_of
#include "support/full_run.hpp"  // is_full_run

namespace {

using namespace wingbeat::test;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;
using words = std::vector<std::string>;

/// Returns how often `word` is in `text`.
std::size_t n_words(const std::string& text, const std::string& word) {
  std::size_t count = 0;
  for (auto position = text.find(word); position != std::string::npos;
       position = text.find(word, position + 1))
    ++count;
  return count;
}

class commands : public ::testing::Test {
 protected:
  /// Runs `wingbeat bench` on the host for a moment, with these words added.
  [[nodiscard]] finished bench(const words& more) const {
    words arguments{"bench", "--device", "host", "--mib", "1"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    if (std::find(more.begin(), more.end(), "--seconds") == more.end()) {
      arguments.insert(arguments.end(), {"--seconds", "0.2"});
    }
    return at_.run(arguments);
  }

  [[nodiscard]] std::string peer(const std::string& manner) const {
    const auto program = at_.folder().path() / manner;
    if (!std::filesystem::exists(program)) {
      std::filesystem::create_symlink(WINGBEAT_FAKE_PEER, program);
    }
    return "./" + manner;
  }

  workplace at_;
};

TEST_F(commands, bench_writes_a_document_with_all_it_found) {
  const finished run = bench({"--lengths", "2^4..2^6", "--json", "out.json"});
  ASSERT_EQ(run.code, 0) << run.err;
  EXPECT_EQ(n_lines(run.out), 4U) << run.out;
  const auto j = nlohmann::json::parse(at_.folder().read("out.json"));
  EXPECT_EQ(j["schema"], "wingbeat.bench/2");
  for (const std::string key : {"version", "commit", "date", "command", "device", "peers"}) {
    EXPECT_TRUE(j.contains(key)) << key;
  }
  EXPECT_EQ(j["device"]["engine"], "host");
  EXPECT_EQ(j["kind"], "forward");
  EXPECT_EQ(j["layout"], "packed");
  EXPECT_THAT(j["date"].get<std::string>(), ::testing::MatchesRegex("....-..-..T..:..:..Z"));
  ASSERT_EQ(j["results"].size(), 3U);
  for (const auto& r : j["results"]) {
    const double bytes = 8.0 * r["lengths"][0].get<double>() * r["batch"].get<double>();
    EXPECT_EQ(r["copied_bytes"], bytes);
    EXPECT_EQ(2 * bytes, 1 << 20);
    const auto& ours = r["wingbeat"];
    EXPECT_GT(ours["min_s"], 0);
    EXPECT_LE(ours["min_s"], ours["quartile1_s"]);
    EXPECT_LE(ours["quartile1_s"], ours["median_s"]);
    EXPECT_LE(ours["median_s"], ours["quartile3_s"]);
    EXPECT_LE(ours["quartile3_s"], ours["max_s"]);
    EXPECT_DOUBLE_EQ(ours["fraction"],
                     r["copy"]["median_s"].get<double>() / ours["median_s"].get<double>());
    EXPECT_GT(ours["plan_cold_s"], 0);
    EXPECT_GT(ours["plan_warm_s"], 0);
    EXPECT_GT(ours["first_call_s"], 0);
    EXPECT_GT(ours["second_call_s"], 0);
    EXPECT_GE(ours["workspace_bytes"], 0);
    EXPECT_TRUE(ours["accuracy"]["is_within"]);
    EXPECT_GT(ours["accuracy"]["relative_l2"], 0);
    EXPECT_LT(ours["accuracy"]["relative_l2"], 1e-6);
    EXPECT_EQ(r["checked_rows"], 3);
    EXPECT_EQ(r["checked_elements"], 3 * r["lengths"][0].get<int>());
    EXPECT_GE(r["rounds"], 1);
    EXPECT_GE(r["traffic_bytes"], 2 * bytes);
  }
}

TEST_F(commands, bench_keeps_what_it_has_measured_when_it_is_ended) {
  const finished run =
      bench({"--lengths", "16,32,64", "--peer", peer("kills"), "--json", "out.json"});
  EXPECT_EQ(run.code, 1009) << "the signal that the peer sent at the second problem";
  const auto j = nlohmann::json::parse(at_.folder().read("out.json"));
  ASSERT_EQ(j["results"].size(), 1U);
  EXPECT_TRUE(j["results"][0]["wingbeat"].contains("median_s"));
}

TEST_F(commands, bench_prints_the_document_alone_when_asked) {
  const finished run = bench({"--lengths", "64", "--json", "-"});
  ASSERT_EQ(run.code, 0) << run.err;
  EXPECT_EQ(json_of(run)["results"].size(), 1U);
}

TEST_F(commands, bench_draws_a_chart) {
  const finished run = bench({"--lengths", "2^4..2^5", "--plot", "out.png"});
  if (run.code == 2) GTEST_SKIP() << run.err;  // a build without charts
  ASSERT_EQ(run.code, 0) << run.err;
  EXPECT_THAT(at_.folder().read("out.png"), StartsWith("\x89PNG"));
}

TEST_F(commands, bench_runs_every_kind_in_and_out_of_place) {
  for (const std::string kind : {"c2c", "c2c-inverse", "r2c", "c2r"}) {
    for (const std::string layout : {"packed", "in-place"}) {
      for (const std::string precision : {"fp32", "fp64"}) {
        // Else each pair of a kind, a layout and a precision once.
        const bool is_sample = (kind.size() > 3) == ((layout == "packed") == (precision == "fp32"));
        if (!is_sample && !is_full_run()) continue;
        const finished run = bench({"--lengths", "2,64,2^12", "--kind", kind, "--layout", layout,
                                    "--precision", precision});
        EXPECT_EQ(run.code, 0) << kind << " " << layout << " " << precision << run.err << run.out;
        EXPECT_EQ(n_lines(run.out), 4U) << run.err;
      }
    }
  }
}

TEST_F(commands, bench_passes_healthy_transforms_of_several_axes) {
  for (const std::string kind : {"c2c", "c2c-inverse", "r2c", "c2r"}) {
    const finished run = bench({"--lengths", "128x2,2x64x2", "--kind", kind, "--rounds", "1"});
    EXPECT_EQ(run.code, 0) << kind << run.out << run.err;
  }
}

TEST_F(commands, bench_runs_as_many_rounds_as_it_is_told) {
  const finished run = bench(
      {"--lengths", "64", "--rounds", "7", "--confidence", "0", "--json", "-", "--seconds", "100"});
  ASSERT_EQ(run.code, 0) << run.err;
  EXPECT_EQ(json_of(run)["results"][0]["rounds"], 7);
  EXPECT_EQ(json_of(run)["results"][0]["ended_by"], "rounds");
}

TEST_F(commands, bench_takes_lengths_that_are_no_powers_of_two) {
  for (const std::string kind : {"c2c", "r2c", "c2r"}) {
    const finished run =
        bench({"--lengths", "75,1000,60x96,12x15x20", "--kind", kind, "--rounds", "1"});
    EXPECT_EQ(run.code, 0) << kind << run.err;
  }
}

TEST_F(commands, bench_goes_on_after_a_problem_that_is_refused) {
  const finished run = bench({"--lengths", "64,2x2x2x2,128", "--json", "-"});
  ASSERT_EQ(run.code, 0) << run.err;
  EXPECT_THAT(run.err, HasSubstr("wingbeat: 2x2x2x2 is left out: lengths has 4 axes"));
  const auto results = json_of(run)["results"];
  ASSERT_EQ(results.size(), 3U);
  EXPECT_TRUE(results[1].contains("refused"));
  EXPECT_FALSE(results[1].contains("wingbeat"));
  EXPECT_TRUE(results[2].contains("wingbeat"));
}

TEST_F(commands, bench_measures_a_peer_beside) {
  const finished run = bench({"--lengths", "16", "--peer", peer("honest"), "--json", "-"});
  ASSERT_EQ(run.code, 0) << run.err;
  const auto j = json_of(run);
  EXPECT_EQ(j["peers"][0]["version"], "Fake 1.0");
  const auto& theirs = j["results"][0]["peers"]["honest"];
  EXPECT_TRUE(theirs["accuracy"]["is_within"]);
  EXPECT_DOUBLE_EQ(theirs["ratio"], theirs["median_s"].get<double>() /
                                        j["results"][0]["wingbeat"]["median_s"].get<double>());
}

TEST_F(commands, bench_ends_with_the_mean_and_the_least_of_the_ratios) {
  const finished run =
      at_.run({"bench", "--device", "host", "--batch", "1", "--lengths", "16,31", "--seconds",
               "0.1", "--peer", peer("honest"), "--json", "out.json"});
  ASSERT_EQ(run.code, 0) << run.err;
  const auto results = nlohmann::json::parse(at_.folder().read("out.json"))["results"];
  double product = 1, least = 1e300;
  for (const auto& result : results) {
    const double ratio = result["peers"]["honest"]["ratio"];
    product *= ratio;
    least = std::min(least, ratio);
  }
  EXPECT_THAT(run.out, HasSubstr(fmt::format(
                           "\nratio to honest: geometric mean {:.2f} of 2, least {:.2f} at ",
                           std::sqrt(product), least)));
}

TEST_F(commands, bench_launches_measures_whole_runs_on_the_host) {
  const finished run = bench(
      {"--lengths", "256", "--launches", "--peer", "fftw," + peer("honest"), "--json", "out.json"});
  ASSERT_EQ(run.code, 0) << run.err;
  const auto j = nlohmann::json::parse(at_.folder().read("out.json"));
  EXPECT_THAT(j["command"].get<std::string>(), HasSubstr(" --launches"));
  const auto& result = j["results"][0];
  std::vector<nlohmann::json> libraries{result["wingbeat"]};
  for (const auto& [name, figures] : result["peers"].items()) libraries.push_back(figures);
  EXPECT_EQ(libraries.size(), 1 + j["peers"].size());
  for (const auto& library : libraries) {
    ASSERT_TRUE(library.contains("enqueue_s")) << run.err << library;
    // A call of these computes the transform. Ten times: other programs run beside this one.
    EXPECT_GT(library["enqueue_s"], library["median_s"].get<double>() / 10);
    EXPECT_LT(library["enqueue_s"], library["median_s"].get<double>() * 10);
  }
  const std::string titles = run.out.substr(0, run.out.find('\n'));
  EXPECT_EQ(n_words(titles, "enqueue"), libraries.size()) << run.out;
}

TEST_F(commands, bench_launches_measures_calls_that_return_before_their_runs_end) {
  const finished run = at_.run({"bench", "--device", "opencl", "--lengths", "2^18", "--mib", "32",
                                "--seconds", "0.2", "--launches", "--json", "-"});
  if (run.code == 3) GTEST_SKIP() << run.err;
  ASSERT_EQ(run.code, 0) << run.err;
  const auto ours = json_of(run)["results"][0]["wingbeat"];
  EXPECT_GT(ours["enqueue_s"], 0);
  EXPECT_LT(ours["enqueue_s"], ours["median_s"].get<double>() / 2);
}

TEST_F(commands, bench_times_no_calls_unless_asked) {
  const finished run = bench({"--lengths", "16", "--peer", peer("honest"), "--json", "out.json"});
  ASSERT_EQ(run.code, 0) << run.err;
  EXPECT_EQ(n_words(run.out, "enqueue"), 0U) << run.out;
  const std::string document = at_.folder().read("out.json");
  EXPECT_EQ(n_words(document, "enqueue_s"), 0U) << document;
  EXPECT_EQ(n_words(document, "--launches"), 0U) << document;
}

TEST_F(commands, bench_launches_keeps_what_peers_measured_that_do_not_time_calls) {
  for (const auto& [manner, says] : std::vector<std::pair<std::string, std::string>>{
           {"older", "without the calls of peer older: the peer older refuses: 'enqueue' is no"},
           {"instant", "without the calls of peer instant: a peer reports that "},
           {"quits", "without the calls of peer quits: the peer quits ended with code 9"}}) {
    const finished run = bench({"--lengths", "16", "--launches", "--peer",
                                peer(manner) + "," + peer("honest"), "--json", "out.json"});
    EXPECT_EQ(run.code, 0) << manner << run.err;
    EXPECT_THAT(run.err, HasSubstr("wingbeat: 16 " + says)) << manner;
    EXPECT_EQ(n_words(run.err, "calls of peer"), 1U) << run.err;
    const auto j = nlohmann::json::parse(at_.folder().read("out.json"));
    const auto& peers = j["results"][0]["peers"];
    EXPECT_TRUE(peers[manner].contains("ratio")) << manner;
    EXPECT_FALSE(peers[manner].contains("enqueue_s")) << manner;
    EXPECT_GT(peers["honest"]["enqueue_s"], 0) << manner;
  }
}

TEST_F(commands, bench_tells_a_peer_that_is_wrong) {
  const finished run = bench({"--lengths", "16", "--peer", peer("wrong")});
  EXPECT_EQ(run.code, 0) << run.err;  // ours is right
  EXPECT_THAT(run.out, HasSubstr("WRONG"));
}

TEST_F(commands, bench_goes_on_without_peers_that_fail) {
  for (const auto& [manner, says] :
       std::vector<std::pair<std::string, std::string>>{{"dies", "ended with code 7"},
                                                        {"tires", "ended with code 8"},
                                                        {"refuses", "it plans nothing like this"},
                                                        {"idle", "took 0 s"},
                                                        {"nonsense", "answered 'bananas'"},
                                                        {"nowhere", "it cannot use"},
                                                        {"hangs", "said nothing for 2 s"}}) {
    const finished run = bench({"--lengths", "16,32", "--patience", "2", "--peer",
                                peer("honest") + "," + peer(manner), "--json", "-"});
    EXPECT_EQ(run.code, 0) << manner << run.err;
    EXPECT_THAT(run.err, HasSubstr(says)) << manner;
    auto document = json_of(run);
    ASSERT_EQ(document["results"].size(), 2U) << manner;
    for (auto& result : document["results"]) {
      EXPECT_TRUE(result["peers"]["honest"].contains("ratio")) << manner;
      EXPECT_FALSE(result["peers"][manner].contains("ratio")) << manner;
    }
  }
}

TEST_F(commands, bench_goes_on_without_peers_that_are_not_here) {
  for (const std::string peer : {"cufft", "clfft", "./missing"}) {
    const finished run = bench({"--lengths", "16", "--peer", peer});
    EXPECT_EQ(run.code, 0) << run.err;
    EXPECT_THAT(run.err, HasSubstr("wingbeat: going on without peer " + peer + ": "));
  }
}

TEST_F(commands, refuse_what_makes_no_sense) {
  for (const auto& [more, says] : std::vector<std::pair<words, std::string>>{
           {{"--lengths", "ten"}, "is not a length"},
           {{"--lengths", "2x2x2x2"}, "lengths has 4 axes"},
           {{"--kind", "dct"}, "there is no kind 'dct'"},
           {{"--precision", "fp8"}, "--precision is 'fp8'; choose fp32, fp64, fp16 or bf16"},
           {{"--layout", "odd"}, "there is no layout 'odd'"},
           {{"--peer", "mkl"}, "there is no peer 'mkl'"},
           {{"--peer", "./missing,"}, "--peer './missing,' has an empty part"},
           {{"--rounds", "0"}, "--rounds 0 is not a whole number from 1 to 1000000"},
           {{"--seconds", "0"}, "--seconds 0 is not a number above 0 and up to 1000000"},
           {{"--confidence", "-1"}, "--confidence -1 is not a number from 0 to 100"},
           {{"--patience", "0"}, "--patience 0 is not a number above 0 and up to 1000000"},
           {{"--batch", "-1"}, "-1"},
           {{"--launches=3"}, "--launches=3 takes no value; write --launches alone"},
           {{"--plot", "out.jpg"}, "must end in .png"}}) {
    const finished run = bench(more);
    EXPECT_EQ(run.code, 2) << fmt::format("{}", fmt::join(more, " ")) << run.err;
    EXPECT_THAT(run.err, HasSubstr(says));
    EXPECT_EQ(run.out, "");
  }
  EXPECT_EQ(at_.run({"bench", "--device", "host:99"}).code, 3);
  EXPECT_EQ(bench({"--lengths", "8", "--json", "/proc/x.json"}).code, 4);
}

TEST_F(commands, plan_says_what_would_run_and_what_planning_takes) {
  const finished run =
      at_.run({"plan", "--device", "host", "--lengths", "2^20", "--kind", "r2c", "--batch", "2"});
  ASSERT_EQ(run.code, 0) << run.err;
  EXPECT_THAT(run.out, StartsWith("host: "));
  for (const std::string part :
       {"forward_from_real of 1048576 in fp32, batch 2: 8.0 MiB in, 8.0 MiB out", "radices",
        "workspace ", "moves ", "planned in "}) {
    EXPECT_THAT(run.out, HasSubstr(part));
  }
  EXPECT_THAT(run.out, Not(HasSubstr("warm"))) << "which only kernels are";
}

TEST_F(commands, plan_writes_a_document) {
  const finished run =
      at_.run({"plan", "--device", "host", "--lengths", "64,2x2x2x2,1009", "--json"});
  ASSERT_EQ(run.code, 0) << run.err;
  EXPECT_THAT(run.err, HasSubstr("2x2x2x2 is left out"));
  const auto j = json_of(run);
  EXPECT_EQ(j["schema"], "wingbeat.plan/1");
  ASSERT_EQ(j["plans"].size(), 2U);
  for (const auto& entry : j["plans"]) {
    EXPECT_GT(entry["plan_cold_s"], 0);
    EXPECT_EQ(entry["plan_warm_s"], entry["plan_cold_s"]) << "planned once";
    EXPECT_GE(entry["traffic_bytes"], entry["input_bytes"]);
    EXPECT_EQ(entry["kernels"].size(), 0U);  // the host's are compiled with the library
    EXPECT_THAT(entry["plan"].get<std::string>(), HasSubstr("points"));
  }
  EXPECT_EQ(at_.run({"plan", "--device", "host", "--lengths", "536870912"}).code, 2);
}

}  // namespace
