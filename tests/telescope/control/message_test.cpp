// SPDX-License-Identifier: Apache-2.0
// Lines of katcp by its rules: written out for each escape, and random messages there and back.
#include "control/message.hpp"

#include <gtest/gtest.h>

#include <random>
#include <string>

namespace {

using namespace wingbeat::control;
using namespace std::string_literals;

TEST(katcp_message, reads_kind_name_identifier_and_arguments) {
  EXPECT_EQ(parse_message("?gain wideband 0"),
            (message{message_kind::request, "gain", std::nullopt, {"wideband", "0"}}));
  EXPECT_EQ(parse_message("!sensor-list[12] ok 3"),
            (message{message_kind::reply, "sensor-list", 12, {"ok", "3"}}));
  EXPECT_EQ(parse_message("#log[2147483647]"),
            (message{message_kind::inform, "log", 2147483647, {}}));
  EXPECT_EQ(parse_message("?a \t b\tc  "),
            (message{message_kind::request, "a", std::nullopt, {"b", "c"}}));
}

TEST(katcp_message, unescapes_each_escape) {
  const message read = parse_message(R"(?x a\_b \\ \0 \n\r \e\t \@ \@\@)");
  const std::vector<std::string> expected{"a b", "\\", "\0"s, "\n\r", "\x1b\t", "", ""};
  EXPECT_EQ(read.arguments, expected);
}

TEST(katcp_message, writes_what_it_reads) {
  const message written{message_kind::inform, "x", 7, {"a b", "\\", "\0"s, "\n\r", "\x1b\t", ""}};
  EXPECT_EQ(line_of(written), "#x[7] a\\_b \\\\ \\0 \\n\\r \\e\\t \\@\n");
}

TEST(katcp_message, random_messages_survive_there_and_back) {
  std::mt19937 random(1);
  for (int round = 0; round < 2000; ++round) {
    message sent{message_kind::request, "r-0", std::nullopt, {}};
    if (random() % 2 == 0) sent.id = 1 + random() % 1000;
    for (unsigned n = random() % 5; n > 0; --n) {
      std::string argument;
      for (unsigned m = random() % 6; m > 0; --m) argument += static_cast<char>(random() % 256);
      sent.arguments.push_back(argument);
    }
    std::string line = line_of(sent);
    ASSERT_EQ(line.find_first_of("\r\n"), line.size() - 1);
    line.pop_back();
    ASSERT_EQ(parse_message(line), sent) << line;
  }
}

struct malformed {
  std::string line;
  std::string name;  // of the request to answer, if it is known
};

TEST(katcp_message, refuses_malformed_lines_and_names_the_request) {
  const malformed lines[] = {{"gain", ""},
                             {"?", ""},
                             {"?1a", ""},
                             {"? gain", ""},
                             {"?a.b", ""},
                             {"?gain[", "gain"},
                             {"?gain[]", "gain"},
                             {"?gain[0]", "gain"},
                             {"?gain[01]", "gain"},
                             {"?gain[2147483648]", "gain"},
                             {"?gain[1]x", "gain"},
                             {"?gain[-1]", "gain"},
                             {"?gain a\\", "gain"},
                             {"?gain a\\q", "gain"},
                             {"?gain a"s + '\0', "gain"},
                             {"?gain \x1b", "gain"},
                             {"!gain \\q", ""}};
  for (const malformed& line : lines) {
    try {
      (void)parse_message(line.line);
      ADD_FAILURE() << "accepted " << line.line;
    } catch (const message_error& error) {
      EXPECT_EQ(error.name, line.name) << line.line;
      EXPECT_NE(std::string(error.what()), "");
    }
  }
}

TEST(katcp_message, error_keeps_the_identifier) {
  try {
    (void)parse_message("?gain[5] \\q");
    FAIL();
  } catch (const message_error& error) {
    EXPECT_EQ(error.id, 5u);
  }
}

std::vector<std::string> all_lines(line_buffer& buffer) {
  std::vector<std::string> lines;
  while (const auto line = buffer.next())
    lines.push_back(line->text + (line->is_too_long ? "!" : ""));
  return lines;
}

TEST(katcp_line_buffer, cuts_the_stream_wherever_it_is_split) {
  const std::string stream = "?a 1\n\r\n \n?b\r?c 2\n?rest";
  const std::vector<std::string> expected{"?a 1", "?b", "?c 2"};
  for (std::size_t piece = 1; piece <= stream.size(); ++piece) {
    line_buffer buffer(100);
    std::vector<std::string> lines;
    for (std::size_t offset = 0; offset < stream.size(); offset += piece) {
      buffer.append(stream.substr(offset, piece));
      for (const std::string& line : all_lines(buffer)) lines.push_back(line);
    }
    EXPECT_EQ(lines, expected) << piece;
    EXPECT_EQ(buffer.size_bytes(), 5u);
  }
}

TEST(katcp_line_buffer, discards_what_is_too_long_and_reports_it_once) {
  line_buffer buffer(8);
  std::vector<std::string> lines;
  std::size_t max_bytes = 0;
  buffer.append("?12345678901");
  for (int i = 0; i < 1000; ++i) {
    buffer.append("0123456789");
    for (const std::string& line : all_lines(buffer)) lines.push_back(line);
    max_bytes = std::max(max_bytes, buffer.size_bytes());
  }
  buffer.append("\n?ok\n");
  for (const std::string& line : all_lines(buffer)) lines.push_back(line);
  EXPECT_EQ(lines, (std::vector<std::string>{"?1234567!", "?ok"}));
  EXPECT_EQ(max_bytes, 0u);
}

TEST(katcp_line_buffer, takes_lines_of_the_limit) {
  line_buffer buffer(4);
  buffer.append("?abc\n?abcd\n?a\n");
  EXPECT_EQ(all_lines(buffer), (std::vector<std::string>{"?abc", "?abc!", "?a"}));
}

}  // namespace
