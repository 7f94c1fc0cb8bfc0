// SPDX-License-Identifier: Apache-2.0
// Label: cli
// Timeout: 300
// No file that a command writes is one that it reads, or that it writes twice, by whatever name.
#include <fcntl.h>  // open
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>  // dup, dup2

#include <filesystem>
#include <string>
#include <vector>

#include "cli/listed_options.hpp"  // listed_option, listed_options
#include "cli/program.hpp"         // workplace

namespace {

using namespace wingbeat::test;
using ::testing::HasSubstr;
using ::testing::Not;
using words = std::vector<std::string>;

bool is_read_alone(const listed_option& option) {
  return option.type == "INPUT" || option.type == "PROGRAMS";
}

bool is_written(const listed_option& option) {
  return option.type.starts_with("OUTPUT") || option.type == "STATE";
}

class files : public ::testing::Test {
 protected:
  files() : all_(listed_options(at_)) {
    at_.file("kept.npy", "# as it was\n");  // a configuration too, of nothing
    std::filesystem::create_symlink("kept.npy", at_.folder().path() / "soft.npy");
    std::filesystem::create_hard_link(at_.folder().path() / "kept.npy",
                                      at_.folder().path() / "hard.npy");
  }

  /// Returns a value that the option takes when its words are read.
  static std::string value_of(const listed_option& option) {
    if (option.type == "COUNT") return option.most;
    return option.type == "NUMBER" ? "1" : "other-" + option.name.substr(option.name.size() - 2);
  }

  /// Returns a command line of two options, and of those that the command requires.
  [[nodiscard]] words line_of(const listed_option& a, const std::string& value_of_a,
                              const listed_option& b, const std::string& value_of_b) const {
    words line{a.command};
    for (const listed_option& option : all_) {
      const bool is_a = &option == &a, is_b = &option == &b;
      if (option.command != a.command || !(is_a || is_b || option.is_required)) continue;
      if (!option.is_positional) line.push_back(option.name);
      line.push_back(is_a ? value_of_a : is_b ? value_of_b : value_of(option));
    }
    return line;
  }

  /// Expects one sentence that names both options, before anything is read or written.
  void expect_refusal(const words& line, const listed_option& a, const listed_option& b,
                      const std::string& why) const {
    const std::string text = fmt::format("{}", fmt::join(line, " "));
    const finished run = at_.run(line);
    EXPECT_EQ(run.code, 2) << text << "\n" << run.err;
    EXPECT_EQ(n_lines(run.err), 1U) << text << "\n" << run.err;
    EXPECT_THAT(run.err, HasSubstr(a.name)) << text;
    EXPECT_THAT(run.err, HasSubstr(b.name)) << text;
    EXPECT_THAT(run.err, HasSubstr(why)) << text;
    EXPECT_EQ(at_.folder().read("kept.npy"), "# as it was\n") << text;
    EXPECT_EQ(at_.folder().n_files(), 3) << text;
  }

  workplace at_;
  std::vector<listed_option> all_;
};

TEST_F(files, that_are_read_are_not_written) {
  std::size_t n_pairs = 0;
  for (const listed_option& input : all_) {
    for (const listed_option& output : all_) {
      if (input.command != output.command || !is_read_alone(input) || !is_written(output)) continue;
      ++n_pairs;
      for (const std::string name : {"kept.npy", "./soft.npy", "hard.npy"}) {
        expect_refusal(
            line_of(input, "kept.npy", output, name), input, output,
            fmt::format("kept.npy is an input, and {} {} would replace it", output.name, name));
      }
      expect_refusal(line_of(input, "soft.npy", output, "kept.npy"), input, output,
                     "soft.npy is an input");
    }
  }
  EXPECT_GE(n_pairs, 35U);
}

TEST_F(files, that_are_written_are_written_once) {
  std::size_t n_pairs = 0;
  for (const listed_option& first : all_) {
    for (const listed_option& second : all_) {
      const bool are_two = &first < &second && first.command == second.command;
      if (!are_two || !is_written(first) || !is_written(second)) continue;
      ++n_pairs;
      for (const std::string name : {"kept.npy", "soft.npy", "hard.npy"}) {
        expect_refusal(line_of(first, "./kept.npy", second, name), first, second,
                       "both write " + name);
      }
      expect_refusal(line_of(first, "x.npy", second, "./x.npy"), first, second, "both write");
    }
  }
  EXPECT_GE(n_pairs, 20U);
}

TEST_F(files, that_a_link_is_to_create_are_written_once) {
  std::filesystem::create_symlink("later.npy", at_.folder().path() / "ahead.npy");
  const finished run =
      at_.run({"match", "kept.npy", "kept.npy", "--map", "ahead.npy", "--mean", "later.npy"});
  EXPECT_EQ(run.code, 2);
  EXPECT_THAT(run.err, HasSubstr("--map and --mean both write later.npy"));
}

TEST_F(files, that_come_from_stdin_are_inputs_too) {
  const std::string name = (at_.folder().path() / "kept.npy").string();
  const int held = ::dup(STDIN_FILENO), given = ::open(name.c_str(), O_RDONLY | O_CLOEXEC);
  ::dup2(given, STDIN_FILENO);
  for (const std::string input : {"-", "/dev/stdin"}) {
    const finished run = at_.run({"transform", input, "--output", "kept.npy"});
    EXPECT_EQ(run.code, 2) << run.err;
    EXPECT_THAT(run.err, HasSubstr("is an input, and --output kept.npy would replace it"));
  }
  const finished twice = at_.run({"filter", "-", "-", "--output", "x.npy"});
  ::dup2(held, STDIN_FILENO);
  ::close(held);
  ::close(given);
  EXPECT_EQ(twice.code, 2) << twice.err;
  EXPECT_THAT(twice.err, HasSubstr("SIGNAL and TAPS both read stdin"));
  EXPECT_EQ(at_.folder().read("kept.npy"), "# as it was\n");
}

TEST_F(files, that_are_devices_are_read_and_written) {
  at_.file("x.txt", "1\n2\n");
  const finished run = at_.run({"match", "/dev/null", "kept.npy", "--map", "/dev/null"});
  EXPECT_THAT(run.err, Not(HasSubstr("is an input")));
}

}  // namespace
