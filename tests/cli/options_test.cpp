// SPDX-License-Identifier: Apache-2.0
// Label: cli
// Timeout: 300
// Every option of every command, as the help texts list them: what its value may be.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>  // min
#include <regex>
#include <set>
#include <string>
#include <vector>

#include "cli/listed_options.hpp"  // listed_option, listed_options
#include "cli/program.hpp"         // workplace, json_of
#include "support/full_run.hpp"    // is_full_run, sampled

namespace {

using namespace wingbeat::test;
using ::testing::AnyOf;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;
using words = std::vector<std::string>;

class options : public ::testing::Test {
 protected:
  options() {
    for (listed_option& option : listed_options(at_)) {
      (option.is_positional ? positionals_ : all_).push_back(std::move(option));
    }
  }

  [[nodiscard]] std::vector<listed_option> of_type(const std::set<std::string>& types) const {
    std::vector<listed_option> found;
    for (const listed_option& option : all_) {
      if (types.contains(option.type)) found.push_back(option);
    }
    EXPECT_FALSE(found.empty());  // a walk over an empty list would show nothing
    return found;
  }

  /// Expects a refusal in one sentence that names the option, before anything is done.
  void expect_refusal(const listed_option& option, const words& more,
                      const std::string& sentence) const {
    words arguments{option.command};
    arguments.insert(arguments.end(), more.begin(), more.end());
    arguments.push_back("--no-such-option");  // ends the run where the value is taken
    const std::string line = fmt::format("{}", fmt::join(arguments, " "));
    const finished run = at_.run(arguments);
    EXPECT_EQ(run.code, 2) << line << "\n" << run.err;
    EXPECT_THAT(run.err, StartsWith("wingbeat: ")) << line;
    EXPECT_THAT(run.err, HasSubstr(option.name)) << line;
    EXPECT_THAT(run.err, HasSubstr(sentence)) << line;
    EXPECT_EQ(n_lines(run.err), 1U) << line << "\n" << run.err;
    EXPECT_LT(run.err.size(), 250U) << line;
    EXPECT_EQ(run.out, "") << line;
    EXPECT_EQ(at_.folder().n_files(), 0) << line;
  }

  /// Expects the value to be read as a number of the range.
  void expect_in_range(const listed_option& option, const std::string& value) const {
    const finished run = at_.run({option.command, option.name, value, "--no-such-option"});
    EXPECT_EQ(run.code, 2) << option.command << " " << option.name << " " << value;
    EXPECT_THAT(run.err, Not(HasSubstr("is not a"))) << option.command;
  }

  /// Expects that each option refuses the values: those of a type are read by one function, so
  /// that each takes every eighth, another one than the option before it; all in full runs.
  void expect_refusals(const std::set<std::string>& types, const words& values,
                       const std::string& sentence) {
    const std::size_t step = is_full_run() ? 1 : std::min<std::size_t>(8, values.size());
    for (const listed_option& option : of_type(types)) {
      for (std::size_t i = n_refused_++ % step; i < values.size(); i += step) {
        expect_refusal(option, {option.name, values[i]}, sentence);
      }
    }
  }

  workplace at_;
  std::vector<listed_option> all_, positionals_;
  std::size_t n_refused_ = 0;
};

const std::set<std::string> given_once{"COUNT",  "NUMBER", "TEXT",     "INPUT",
                                       "OUTPUT", "STATE",  "PROGRAMS", "PREFIX"};
const std::set<std::string> texts{"TEXT",  "INPUT",    "OUTPUT", "OUTPUTS", "LIST",
                                  "STATE", "PROGRAMS", "PREFIX", "WORDS"};

TEST_F(options, are_read_by_the_functions_of_option_hpp) {
  for (const listed_option& option : all_) {
    EXPECT_THAT(option.type, AnyOf("", "COUNT", "NUMBER", "TEXT", "INPUT", "OUTPUT", "OUTPUTS",
                                   "STATE", "PROGRAMS", "PREFIX", "LIST", "WORDS"))
        << option.command << " " << option.name;
    if (option.type == "COUNT" || option.type == "NUMBER") {
      EXPECT_NE(option.most, "") << option.command << " " << option.name << " states no range";
    }
  }
  EXPECT_GE(of_type({"COUNT"}).size(), 16U);
  EXPECT_GE(of_type({"NUMBER"}).size(), 4U);
  EXPECT_GE(of_type({"TEXT", "OUTPUT", "LIST"}).size(), 25U);
  EXPECT_GE(of_type({""}).size(), 9U);
}

// files_test.cpp shows what follows from the types INPUT, OUTPUT and so on.
TEST_F(options, that_name_files_state_their_use) {
  const std::regex speaks_of_a_file{
      "\\b(FILE|[Ff]ile|[Ff]ilename|[Ww]rites?|[Dd]raws?)\\b|\\.(txt|csv|npy|png|json|toml|wav)"
      "\\b"};
  std::vector<listed_option> unstated = of_type({"TEXT", "LIST", "WORDS"});
  unstated.insert(unstated.end(), positionals_.begin(), positionals_.end());
  for (const listed_option& option : unstated) {
    if (option.type == "INPUT") continue;
    EXPECT_FALSE(std::regex_search(option.about, speaks_of_a_file))
        << option.command << " " << option.name << option.about;
  }
}

TEST_F(options, counts_are_whole_decimal_numbers) {
  expect_refusals({"COUNT"},
                  {"",
                   " ",
                   "-1",
                   "+5",
                   " 5",
                   "5 ",
                   "5x",
                   "0x10",
                   "0X8",
                   "0b11",
                   "1e3",
                   "4.0",
                   "4,8",
                   "1'000",
                   "nan",
                   "inf",
                   "four",
                   "--json",
                   "18446744073709551616",
                   "99999999999999999999999"},
                  "give one");
}

TEST_F(options, counts_with_leading_zeros_are_decimal) {
  for (const listed_option& option : of_type({"COUNT"})) {
    // Read as octal, the last of the range has other digits than 0 to 7 or is less than it is.
    const std::size_t most = std::stoull(option.most);
    expect_in_range(option, fmt::format("00{}", most));
    expect_refusal(option, {option.name, fmt::format("00{}", most + 1)}, option.name + " 00");
  }
}

TEST_F(options, counts_are_within_the_range_that_the_help_states) {
  for (const listed_option& option : of_type({"COUNT"})) {
    const std::size_t least = std::stoull(option.least), most = std::stoull(option.most);
    expect_in_range(option, option.least);
    expect_in_range(option, option.most);
    if (least > 0) expect_refusal(option, {option.name, fmt::format("{}", least - 1)}, "give one");
    expect_refusal(option, {option.name, fmt::format("{}", most + 1)}, "give one");
  }
}

TEST_F(options, numbers_are_finite_and_within_the_range_that_the_help_states) {
  expect_refusals({"NUMBER"},
                  {"", " ", "--1", "+5", " 5", "5 ", "5s", "0x10", "nan", "-nan", "inf", "-inf",
                   "infinity", "1e16", "1e308", "1e400", "1e-400", "--json"},
                  "give one");
  for (const listed_option& option : of_type({"NUMBER"})) {
    if (!option.least.starts_with("-")) {
      expect_refusal(option, {option.name, "-1"}, "give one");
    }
    for (const auto& value : sampled<std::string>({option.most}, {"0.5", "5e-1", "00.7"})) {
      expect_in_range(option, value);
    }
    if (option.excludes_least) expect_refusal(option, {option.name, option.least}, "give one");
    if (!option.excludes_least) expect_in_range(option, option.least);
  }
}

TEST_F(options, texts_are_neither_empty_nor_options) {
  expect_refusals(texts, {""}, "is empty; give it a value or leave it out");
  expect_refusals(texts, {"--json"}, "has '--json' for its value");
  for (const listed_option& option : of_type({"OUTPUT", "STATE"})) {
    if (option.about.find("- prints") != std::string::npos) continue;
    expect_refusal(option, {option.name, "-"}, "is no file's name");
  }
  expect_refusals({"LIST", "OUTPUTS"}, {"host,,opencl", ",host", "host,", ","},
                  "has an empty part");
  expect_refusal({"transform", "FILE", "INPUT", {}, {}}, {""}, "FILE is empty");
}

TEST_F(options, have_a_value_behind_the_equals_sign_or_none) {
  for (const listed_option& option :
       of_type({"COUNT", "NUMBER", "TEXT", "INPUT", "OUTPUT", "OUTPUTS", "STATE", "PROGRAMS",
                "PREFIX", "LIST", "WORDS"})) {
    expect_refusal(option, {option.name + "="}, "= has no value; write " + option.name + " VALUE");
    if (is_full_run()) expect_refusal(option, {option.name + "=", "8"}, "has no value");
  }
  const auto values = sampled<std::string>({"false"}, {"", "1", "0x1"});
  for (const listed_option& option : of_type({""})) {
    for (const auto& value : values) {
      expect_refusal(option, {option.name + "=" + value}, "takes no value");
    }
  }
}

TEST_F(options, that_are_not_lists_are_given_once) {
  for (const listed_option& option : of_type(given_once)) {
    expect_refusal(option, {option.name, "8", option.name, "16"}, "received 2");
  }
  const finished twice = at_.run({"devices", "--json", "--json"});
  EXPECT_EQ(twice.code, 2) << twice.err;
}

TEST_F(options, are_what_their_decimal_digits_say) {
  const auto plan = json_of(at_.run(
      {"plan", "--device", "reference", "--lengths", "010,2^04", "--batch", "0100", "--json"}));
  ASSERT_EQ(plan["plans"].size(), 2U);
  EXPECT_EQ(plan["plans"][0]["lengths"][0], 10);
  EXPECT_EQ(plan["plans"][1]["lengths"][0], 16);
  EXPECT_EQ(plan["plans"][0]["batch"], 100);
  at_.file("x.txt", "1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n11\n12\n13\n14\n15\n16\n17\n18\n");
  const auto document =
      json_of(at_.run({"transform", "x.txt", "--engine", "host", "--length", "0032", "--top", "010",
                       "--sample-rate", "010", "--json"}));
  EXPECT_EQ(document["top"].size(), 10U);
  EXPECT_EQ(document["length"], 32);
  EXPECT_EQ(document["sample_rate_hz"], 10);
}

TEST_F(options, that_others_make_void_are_refused) {
  at_.file("x.txt", "1\n2\n");
  for (const auto& [arguments, sentence] : std::vector<std::pair<words, std::string>>{
           {{"plan", "--batch", "4", "--mib", "1"}, "--batch excludes --mib"},
           {{"bench", "--batch", "4", "--mib", "1"}, "--batch excludes --mib"},
           {{"bench", "--patience", "4"}, "--patience requires --peer"},
           {{"transform", "x.txt", "--sample-rate", "4"}, "add one of them or drop it"},
           {{"plan", "--device", "all"}, "--device all means several devices"},
           {{"bench", "--engine", "all"}, "--device all means several devices"}}) {
    const finished run = at_.run(arguments);
    EXPECT_EQ(run.code, 2) << run.err;
    EXPECT_THAT(run.err, HasSubstr(sentence));
    EXPECT_EQ(n_lines(run.err), 1U) << run.err;
    EXPECT_EQ(run.out, "");
  }
}

TEST_F(options, name_the_longest_length_as_it_is) {
  EXPECT_THAT(at_.run({"transform", "--help"}).out, HasSubstr("of the transform (from 1 to 2^28)"));
  EXPECT_THAT(at_.run({"verify", "--help"}).out, HasSubstr("Last length is 2^this (from 1 to 28)"));
  EXPECT_THAT(at_.run({"bench", "--help"}).out, HasSubstr("a range 2^1..2^28,"));
}

}  // namespace
