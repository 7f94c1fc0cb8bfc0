// SPDX-License-Identifier: Apache-2.0
// directives_of finds what a compiler would obey, and nothing that it would not.
#include "backend/directives.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace {

using wingbeat::backend::directive;
using wingbeat::backend::directives_of;
using wingbeat::backend::reading;

/// Returns "line: name rest" of each directive.
std::vector<std::string> found(const std::string& text, reading how = {}) {
  std::vector<std::string> all;
  for (const directive& each : directives_of(text, how)) {
    const std::string kind = each.is_raw_string ? "raw string " : "";
    all.push_back(std::to_string(each.line) + ": " + kind + each.name + " " + each.rest);
  }
  return all;
}
using lines = std::vector<std::string>;

TEST(directives_of, finds_every_spelling) {
  const lines one{"1: include \"x\""};
  EXPECT_EQ(found("#include \"x\""), one);
  EXPECT_EQ(found(" \t# \t include\t\"x\"  \r\n"), one);
  EXPECT_EQ(found("\v\f#\finclude\v\"x\""), one);
  EXPECT_EQ(found("%:include \"x\"\n"), one);
  EXPECT_EQ(found("/* a */ # /* b */ include /* c */ \"x\" // d\n"), one);
  EXPECT_EQ(found("#inc\\\nlude \"x\"\n"), one);
  EXPECT_EQ(found("\\\n#\\\r\ninclude\\\n \"x\"\n"), lines{"2: include \"x\""});
  EXPECT_EQ(found("%\\\n:include \"x\"\n"), one);
  EXPECT_EQ(found("/* a\n\n*/ # include \"x\"\n"), lines{"3: include \"x\""});
  EXPECT_EQ(found("#/* a\n*/include \"x\"\n"), one);
  EXPECT_EQ(found("\xC2\xA0#\xC2\xA0include \"x\"\n"), one) << "blanks of Unicode";
  EXPECT_EQ(found("#include <x>\n#include_next <y>\n#import <z>\n#embed \"w\"\n#include MACRO"),
            (lines{"1: include <x>", "2: include_next <y>", "3: import <z>", "4: embed \"w\"",
                   "5: include MACRO"}));
  EXPECT_EQ(found("#include\"x\"\n#include<y>\n"), (lines{"1: include \"x\"", "2: include <y>"}));
}

TEST(directives_of, is_not_misled_by_what_hides_nothing) {
  const lines third{"3: include \"x\""};
  const auto after = [](const std::string& two_lines) {
    return found(two_lines + "\n#include \"x\"\n");
  };
  EXPECT_EQ(after("// /*\n"), third);
  EXPECT_EQ(after("const char* a = \"/*\";\n"), third);
  EXPECT_EQ(after("const char* a = \"\\\"/*\";\n"), third);
  EXPECT_EQ(after("char a = '\"', b = '\\'';\n/* */"), third);
  EXPECT_EQ(after("int a = 1'000'000; /* ' */ int b = 0xa'b;\n"), third);
  EXPECT_EQ(after("an apostrophe's line, /* within it\n"), third) << "ends with its line";
  EXPECT_EQ(after("a \"quote /* within it\n"), third);
  EXPECT_EQ(after("auto a = R\"(/*)\";\n"), third);
  EXPECT_EQ(after("auto a = u8R\"b()\" /* )b\";\n"), third);
  EXPECT_EQ(after("auto a = XR\"( /*\";\n"), third) << "no raw string";
  EXPECT_EQ(after("int a = b / *c;\n"), third);
}

TEST(directives_of, finds_nothing_in_comments_and_strings) {
  const lines none;
  EXPECT_EQ(found("// #include \"x\"\n"), none);
  EXPECT_EQ(found("// a \\\n#include \"x\"\n"), none);
  EXPECT_EQ(found("/*\n#include \"x\"\n*/"), none);
  EXPECT_EQ(found("/* // */ /*\n#include \"x\"\n*/"), none);
  EXPECT_EQ(found("auto a = R\"(\n#include \"x\"\n)\";\n"), none);
  EXPECT_EQ(found("auto a = LR\"b(\n)\"\n#include \"x\"\n)b\";\n"), none);
  EXPECT_EQ(found("auto a = \"\\\n#include <x>\\\n\";\n"), none);
  EXPECT_EQ(found("int a; #include \"x\"\n"), none);
  EXPECT_EQ(found("a %\n: b\n"), none);
}

TEST(directives_of, finds_tests_for_files_anywhere) {
  EXPECT_EQ(found("#if defined(A) && \\\n __has_include(<x>)\n#endif\n"),
            (lines{"2: __has_include ", "1: if defined(A) &&  __has_include(<x>)", "3: endif "}));
  EXPECT_EQ(found("int a = __has_include_next(<x>) + __has_embed(\"y\") + __has_includes;"),
            (lines{"1: __has_include_next ", "1: __has_embed "}));
  EXPECT_EQ(found("// __has_include\nauto a = \"__has_include\";"), lines{});
}

TEST(directives_of, points_out_raw_strings_that_compilers_end_elsewhere) {
  EXPECT_EQ(found("#define A R\"(a)\"\n"), lines{"1: define A R"});
  EXPECT_EQ(found("#define A R\"(\n)\"\n"), (lines{"1: raw string R ", "1: define A R"}));
  EXPECT_EQ(found("auto a = R\"(\n"), lines{"1: raw string R "});
  EXPECT_EQ(found("auto a = R\"a b(\n#include \"x\"\n"),
            (lines{"1: raw string R ", "2: include \"x\""}));
}

TEST(directives_of, reads_as_it_is_told) {
  const reading of_blanks{.continues_over_blanks = true}, strict{.continues_over_blanks = false};
  EXPECT_EQ(found("// a \\ \n#include \"x\"\n", of_blanks), lines{});
  EXPECT_EQ(found("// a \\ \n#include \"x\"\n", strict), lines{"2: include \"x\""});
  EXPECT_EQ(found("// a \\\r\n#include \"x\"\n", strict), lines{});
  const reading old{.has_trigraphs = true};
  EXPECT_EQ(found("?\?=inc?\?/\nlude \"x\"\n", old), lines{"1: include \"x\""});
  EXPECT_EQ(found("?\?=include \"x\"\n"), lines{});
  EXPECT_EQ(found("// a ?\?/\n#include \"x\"\n"), lines{"2: include \"x\""});
  EXPECT_EQ(found("// a ?\?/\n#include \"x\"\n", old), lines{});
}

TEST(directives_of, says_where_each_begins_and_ends) {
  const std::string text = "a\n  #include \\\n\"x\"\nb";
  const auto all = directives_of(text);
  ASSERT_EQ(all.size(), 1u);
  EXPECT_EQ(text.substr(all[0].begin, all[0].end - all[0].begin), "#include \\\n\"x\"\n");
  EXPECT_EQ(all[0].next_line, 4u);
}

}  // namespace
