// SPDX-License-Identifier: Apache-2.0
// Label: cli
// Timeout: 300
// What the program refuses: one sentence on stderr, the right exit code, no file left behind.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>  // setrlimit

#include <filesystem>
#include <string>
#include <vector>

#include "cli/program.hpp"  // workplace

namespace {

using namespace wingbeat::test;
using ::testing::HasSubstr;
using ::testing::StartsWith;

struct refusal {
  std::vector<std::string> arguments;
  int code;
  std::string says;
};

class refusals : public ::testing::Test {
 protected:
  refusals() {
    at_.file("good.txt", "1\n2\n3\n4\n");
    at_.file("complex.txt", "1 2\n3 4\n");
    at_.file("empty.txt", "");
    at_.file("one.txt", "1\n");
    at_.file("word.txt", "1\n2\nthree\n");
    at_.file("nan.txt", "1\nnan\n");
    at_.file("huge.txt", "1e39\n0\n");
    at_.file("tiny.txt", "1e-50\n0\n");
    at_.file("least.txt", "0\n1e-320\n");
    at_.file("cut.wav", std::string("RIFF\x24\0\0\0WAVEfmt ", 16));
    at_.file("cut.npy", "\x93NUMPY\x01");
    std::filesystem::create_directory(at_.folder().path() / "folder.txt");
  }

  void expect(const refusal& r) const {
    const std::ptrdiff_t n_before = at_.folder().n_files();
    const finished run = at_.run(r.arguments);
    const std::string command = fmt::format("{}", fmt::join(r.arguments, " "));
    EXPECT_EQ(run.code, r.code) << command << "\n" << run.err;
    EXPECT_THAT(run.err, StartsWith("wingbeat: ")) << command;
    EXPECT_THAT(run.err, HasSubstr(r.says)) << command;
    EXPECT_EQ(n_lines(run.err), 1) << command << "\n" << run.err;
    EXPECT_EQ(run.out, "") << command;
    EXPECT_EQ(at_.folder().n_files(), n_before) << command;
  }

  workplace at_;
};

/// This process, and those that it starts, have no more memory than this.
class scarce_memory {
 public:
  explicit scarce_memory(rlim_t bytes) {
    ::getrlimit(RLIMIT_AS, &before_);
    const rlimit less{bytes, before_.rlim_max};
    ::setrlimit(RLIMIT_AS, &less);
  }
  ~scarce_memory() { ::setrlimit(RLIMIT_AS, &before_); }
  scarce_memory(const scarce_memory&) = delete;
  scarce_memory& operator=(const scarce_memory&) = delete;

 private:
  rlimit before_{};
};

TEST_F(refusals, what_takes_more_memory_than_there_is) {
  const scarce_memory limited{300'000'000};
  const finished run =
      at_.run({"speedtest", "--engine", "host", "--min-log2", "24", "--max-log2", "24"});
  EXPECT_EQ(run.code, 5) << run.err;
  EXPECT_THAT(run.err, HasSubstr("this machine has too little memory for that; use fewer rows"));
}

TEST_F(refusals, words_that_make_no_command) {
  for (const refusal& r : std::vector<refusal>{
           {{}, 2, "say what to do: "},
           {{"tranform", "good.txt"},
            2,
            "there is no command 'tranform'; did you mean transform? else"},
           {{"fliter"}, 2, "did you mean filter?"},
           {{"sim"}, 2, "did you mean simulate?"},
           {{"xyzzy"}, 2, "there is no command 'xyzzy'; choose bench, channelise"},
           {{"transform", "good.txt", "--outptu", "x.npy"}, 2, "did you mean --output?"},
           {{"match", "a.npy", "b.npy", "--norm"}, 2, "mean --normalised?"},
           {{"transform"}, 2, "FILE is required"},
           {{"transform", "good.txt", "--bogus"}, 2, "--bogus"},
           {{"devices", "extra"}, 2, "extra"},
           {{"transform", "good.txt", "--length", "four"}, 2, "four"},
           {{"transform", "good.txt", "--length", "-4"}, 2, "-4"},
           {{"transform", "good.txt", "--top", "-1"}, 2, "-1"}}) {
    expect(r);
  }
}

TEST_F(refusals, requests_that_cannot_be_planned) {
  for (const refusal& r : std::vector<refusal>{
           {{"transform", "good.txt", "--engine", "gpu"}, 2, "there is no engine 'gpu'"},
           {{"transform", "good.txt", "--engine", "host:x"}, 2, "'host:x' is not a device"},
           {{"transform", "good.txt", "--length", "536870912"}, 2, "a whole number from 1 to"},
           {{"transform", "good.txt", "--pad", "zeros"}, 2, "choose none, good or power-of-two"},
           {{"verify", "--engine", "host", "--lengths", "0"}, 2, "a whole number from 1 to"},
           {{"verify", "--engine", "host", "--lengths", "1", "--kind", "dct2,dct1"},
            2,
            "dct1 of length 1 does not exist; choose one from 2 to"},
           {{"verify", "--kind", "all,dct9"}, 2, "no kind 'dct9'; choose all, or some of c2c,"},
           {{"speedtest", "--engine", "host", "--lengths", "0"}, 2, "a whole number from 1 to"},
           {{"speedtest", "--kind", "dct2,dct3"}, 2, "--kind names 2 kinds; give that of one axis"},
           {{"plan", "--lengths", "37", "--kind", "dct2,dct3"},
            2,
            "--kind names 2 kinds and --lengths 37 has not as many axes"},
           {{"bench", "--lengths", "37", "--kind", "dct2", "--layout", "planar"},
            2,
            "--layout planar sets imaginary parts apart, and --kind dct2 has none"},
           {{"order", "--order", "natural", "--kind", "dct1", "--length", "1"},
            2,
            "--length is 1 and dct1 has 2 points at least"},
           {{"transform", "good.txt", "--kind", "dct9"},
            2,
            "there is no kind 'dct9'; choose dct1 to dct4, dst1 to dst4 or dht\n"},
           {{"transform", "good.txt", "--kind", "dht", "--orthogonalize"},
            2,
            "orthogonalize was given and kind is dht"},
           {{"transform", "one.txt", "--kind", "dct1"}, 2, "dct1 of length 1 does not exist"},
           {{"verify", "--lengths", "10", "--max-log2", "4"}, 2, "--max-log2"},
           {{"transform", "good.txt", "--precision", "fp16"}, 2, "choose fp32 or fp64"},
           {{"transform", "good.txt", "--scale", "half"},
            2,
            "--scale is 'half'; choose none, by_length or by_sqrt_length"},
           {{"transform", "good.txt", "--channel", "1"}, 2, "has rows and no channels"},
           {{"transform", "good.txt", "--sample-rate", "0"}, 2, "is not a number above 0"},
           {{"transform", "good.txt", "--sample-rate", "nan"}, 2, "nan is not a number above 0"},
           {{"transform", "good.txt", "--output", "x.doc"},
            2,
            "must end in .txt, .csv, .npy, .wav"},
           {{"transform", "good.txt", "--plot", "x.jpg"}, 2, "must end in .png"},
           {{"transform", "good.txt", "--inverse", "--plot", "x.png"}, 2, "drop one"},
           {{"transform", "good.txt", "--inverse", "--top", "1"}, 2, "drop one"},
           {{"transform", "complex.txt", "--half"}, 2, "drop --half"},
           {{"transform", "huge.txt"}, 2, "range of fp32"},
           {{"transform", "tiny.txt"}, 2, "below the range of fp32, which begins at 1.18e-38"},
           {{"transform", "least.txt", "--precision", "fp64"}, 2, "below the range of fp64"},
           {{"speedtest", "--max-log2", "25"},
            2,
            "--max-log2 25 is not a whole number from 1 to 24"},
           {{"speedtest", "--min-log2", "0"}, 2, "--min-log2 0 is not a whole number from 1 to 24"},
           {{"speedtest", "--min-log2", "5", "--max-log2", "4"},
            2,
            "2^5 to 2^4 cannot be timed; choose 1 <= --min-log2 <= --max-log2 <= 24"},
           {{"speedtest", "--runs", "0"}, 2, "--runs 0 is not a whole number from 1 to 1000000"}}) {
    expect(r);
  }
}

TEST_F(refusals, files_that_cannot_be_read) {
  for (const refusal& r : std::vector<refusal>{{{"transform", "missing.txt"}, 4, "missing.txt"},
                                               {{"transform", "folder.txt"}, 4, "folder.txt"},
                                               {{"transform", "empty.txt"}, 4, "empty"},
                                               {{"transform", "word.txt"}, 4, "line 3"},
                                               {{"transform", "nan.txt"}, 4, "line 2"},
                                               {{"transform", "cut.wav"}, 4, "cut.wav"},
                                               {{"transform", "cut.npy"}, 4, "cut.npy"}}) {
    expect(r);
  }
}

TEST_F(refusals, an_engine_or_device_that_is_not_here) {
  expect({{"transform", "good.txt", "--engine", "host:99"}, 3, "counted from 0"});
  const auto told = json_of(at_.run({"devices", "--json"}));
  for (const auto& absent : told["absent"]) {
    expect({{"transform", "good.txt", "--engine", absent["engine"]}, 3, absent["why"]});
    expect({{"speedtest", "--engine", absent["engine"]}, 3, absent["why"]});
  }
}

TEST_F(refusals, files_that_cannot_be_written) {
  std::filesystem::create_directory(at_.folder().path() / "folder.npy");
  std::filesystem::create_directory(at_.folder().path() / "folder.png");
  const std::ptrdiff_t n_before = at_.folder().n_files();
  for (const auto& [option, file] :
       std::vector<std::pair<std::string, std::string>>{{"--output", "/proc/x.npy"},
                                                        {"--output", "no/such/folder/x.txt"},
                                                        {"--output", "folder.npy"},
                                                        {"--plot", "/proc/x.png"},
                                                        {"--plot", "folder.png"}}) {
    const finished run = at_.run({"transform", "good.txt", "--engine", "host", option, file});
    EXPECT_EQ(run.code, 4) << option << " " << file << "\n" << run.err;
    EXPECT_THAT(run.err, HasSubstr(file)) << option;
    EXPECT_EQ(at_.folder().n_files(), n_before) << option << " " << file;
  }
}

// A command that has begun says which of its steps it is at.
TEST_F(refusals, files_that_cannot_be_written_before_anything_is_measured) {
  at_.file("kept.csv", "as it was");
  std::filesystem::create_directory(at_.folder().path() / "t-per-element.png");
  const std::vector<std::string> transforms{"transform", "good.txt", "--engine", "host"};
  const std::vector<std::string> times{"speedtest", "--engine", "host", "--max-log2", "2"};
  const std::vector<std::string> benches{"bench", "--device", "host", "--lengths", "8"};
  const auto command_with = [](std::vector<std::string> arguments,
                               const std::vector<std::string>& more) {
    arguments.insert(arguments.end(), more.begin(), more.end());
    return arguments;
  };
  for (const refusal& r : std::vector<refusal>{
           {command_with(transforms, {"--output", "/proc/x.npy"}), 4,
            "/proc/x.npy cannot be created"},
           {command_with(transforms, {"--plot", "no/folder/x.png"}), 4,
            "no/folder/x.png cannot be"},
           {command_with(transforms, {"--output", "kept.csv", "--plot", "/proc/x.png"}), 4,
            "/proc/x.png"},
           {command_with(times, {"--csv", "/proc/x"}), 4, "/proc/x cannot be created"},
           {command_with(times, {"--csv", "folder.txt"}), 4, "folder.txt: it is a directory"},
           {command_with(times, {"--csv", "kept.csv", "--plot", "/proc/x"}), 4, "/proc/x-time.png"},
           {command_with(times, {"--plot", "t"}), 4, "t-per-element.png: it is a directory"},
           {command_with(times, {"--csv", "./s-time.png", "--plot", "s"}), 2,
            "both write s-time.png"},
           {command_with(benches, {"--json", "/proc/x"}), 4, "/proc/x cannot be created"},
           {command_with(benches, {"--plot", "/proc/x.png"}), 4, "/proc/x.png cannot be created"},
           {command_with(benches, {"--json", "x.png", "--plot", "x.png"}), 2,
            "both write x.png"}}) {
    expect(r);  // one line on stderr: no step was announced
  }
  EXPECT_EQ(at_.folder().read("kept.csv"), "as it was");
}

TEST_F(refusals, numbers_that_vanish_beside_larger_ones_are_told) {
  at_.file("mixed.txt", "1\n1e-50\n0\n-1e-60\n");
  const finished single = at_.run({"transform", "mixed.txt", "--engine", "host"});
  EXPECT_EQ(single.code, 0) << single.err;
  EXPECT_THAT(single.err, HasSubstr("2 numbers of mixed.txt became 0 in fp32"));
  const finished both =
      at_.run({"transform", "mixed.txt", "--engine", "host", "--precision", "fp64"});
  EXPECT_EQ(both.code, 0) << both.err;
  EXPECT_THAT(both.err, ::testing::Not(HasSubstr("became 0")));
  const finished tiny =
      at_.run({"transform", "tiny.txt", "--engine", "host", "--precision", "fp64"});
  EXPECT_EQ(tiny.code, 0) << tiny.err;
}

TEST_F(refusals, a_failed_write_keeps_the_older_file) {
  at_.file("kept.npy", "as it was");
  const finished run = at_.run({"transform", "word.txt", "--output", "kept.npy"});
  EXPECT_EQ(run.code, 4);
  EXPECT_EQ(at_.folder().read("kept.npy"), "as it was");
}

}  // namespace
