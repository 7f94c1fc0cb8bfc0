// SPDX-License-Identifier: Apache-2.0
// flatten, on the library's own headers; the last word is a compiler's.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>     // system
#include <filesystem>  // path
#include <string>

#include "backend/device_sources.hpp"
#include "backend/sha256.hpp"  // sha256, hex
#include "support/folder.hpp"  // folder, set_content
#include "wingbeat/error.hpp"  // plan_error

namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using namespace wingbeat::test;
using namespace wingbeat::backend;

int occurrences(const std::string& word, const std::string& in) {
  int n = 0;
  for (auto position = in.find(word); position != std::string::npos;
       position = in.find(word, position + 1))
    ++n;
  return n;
}

// Preprocesses and compiles: returns what the compiler says.
std::string compiled(const std::string& text, const std::string& options = "") {
  const folder directory;
  set_content(directory / "k.cpp", text);
  const std::string command = "c++ -std=c++17 -fsyntax-only " + options + " " +
                              (directory / "k.cpp").string() + " > " +
                              (directory / "log").string() + " 2>&1";
  const int status = std::system(command.c_str());
  return status == 0 ? "compiled" : content_of(directory / "log");
}

TEST(flatten, leaves_a_text_without_includes_as_it_is) {
  EXPECT_EQ(flatten("int a;\n\nint b;\n", "k.cl"), "#line 1 \"k.cl\"\nint a;\n\nint b;\n");
}

TEST(flatten, ends_the_last_line) {
  EXPECT_EQ(flatten("int a;", "k"), "#line 1 \"k\"\nint a;\n");
}

TEST(flatten, escapes_the_path) {
  EXPECT_THAT(flatten("", "a\"b\\c"), HasSubstr("#line 1 \"a\\\"b\\\\c\"\n"));
}

TEST(flatten, makes_integral_constants_of_classes_enumerators) {
  const std::string text = "#include \"wingbeat/device/workgroup/fft.hpp\"\n";
  EXPECT_THAT(flatten(text, "k.cl"), HasSubstr("static constexpr unsigned stride = threads;"));
  const auto enumerated = flatten(text, "k.cl", constants_as::enumerators);
  EXPECT_THAT(enumerated, HasSubstr("enum : unsigned { stride = threads };"));
  // Over several lines; not templates, functions and those of other types.
  EXPECT_THAT(enumerated, HasSubstr("enum : unsigned { workgroup_barriers ="));
  EXPECT_THAT(enumerated, HasSubstr("static constexpr unsigned fused_workgroups_with ="));
  EXPECT_THAT(enumerated, HasSubstr("static constexpr direction dir = Dir;"));
  EXPECT_EQ(occurrences("\n", enumerated), occurrences("\n", flatten(text, "k.cl")));
  EXPECT_EQ(compiled(enumerated), "compiled");
}

TEST(flatten, includes_each_header_once) {
  const auto text = flatten(
      "#include \"wingbeat/device/direction.hpp\"\n"
      "#  include\t\"wingbeat/device/direction.hpp\"  // again\r\n"
      "int here;\n",
      "k.cl");
  EXPECT_EQ(occurrences("enum class direction", text), 1);
  EXPECT_THAT(text, Not(HasSubstr("#include")));
  EXPECT_THAT(text, Not(HasSubstr("pragma once")));
  EXPECT_THAT(text, HasSubstr("#line 3 \"k.cl\"\nint here;\n"));
}

TEST(flatten, includes_what_a_header_includes) {
  const auto text = flatten("#include \"wingbeat/device/thread/dft.hpp\"\n", "k.cl");
  EXPECT_EQ(occurrences("enum class direction", text), 1);
  EXPECT_EQ(occurrences("struct alignas(2 * sizeof(Real)) complex", text), 1);
  EXPECT_THAT(text, HasSubstr("#line 1 \"wingbeat/device/port.hpp\"\n"));
}

TEST(flatten, names_a_header_that_does_not_exist) {
  try {
    (void)flatten("\n#include \"wingbeat/device/nowhere.hpp\"\n", "k.cl");
    FAIL();
  } catch (const wingbeat::plan_error& refused) {
    EXPECT_THAT(refused.what(), HasSubstr("k.cl line 2"));
    EXPECT_THAT(refused.what(), HasSubstr("wingbeat/device/nowhere.hpp"));
  }
}

TEST(flatten, leaves_what_is_no_include_as_it_is) {
  const std::string text =
      "// #include \"wingbeat/device/complex.hpp\"\n"
      "/* a comment\n#include \"wingbeat/device/nowhere.hpp\"\n*/ int a; // /*\nint b;\n"
      "#define text \"#include <cmath>\"\n#pragma unroll\n#if 1\n#endif\n# 7 \"mine\"\n";
  EXPECT_EQ(flatten(text, "k"), "#line 1 \"k\"\n" + text);
}

// An included file is no part of the text, by which kernels are cached.
TEST(flatten, refuses_every_include_of_a_file) {
  for (const std::string named : {"<cmath>", "\"mine.hpp\"", "\"/tmp/mine.hpp\"", "MINE",
                                  "\"wingbeat/plan.hpp\"", "\"wingbeat/device/../plan.hpp\""}) {
    for (const std::string include : {"#include ", " # include\t", "#if 0\n#include ",
                                      "#include_next ", "#import ", "#embed "}) {
      try {
        (void)flatten("int a;\n" + include + named + "\n#if 0\n#endif\n", "k.cl");
        ADD_FAILURE() << include << named;
      } catch (const wingbeat::plan_error& refused) {
        EXPECT_THAT(refused.what(), HasSubstr(" includes " + named +
                                              "; a kernel may include the headers of "
                                              "wingbeat/device only"));
      }
    }
  }
}

TEST(may_read_files, is_true_of_directives_that_flatten_does_not_see) {
  for (const std::string directive :
       {"%:include <a>", "#\\\ninc\\ \nlude <a>", "/**/#/**/include/**/<a>", "\xC2\xA0#include <a>",
        "#\xC2\xA0include <a>", "/*\n*/#include <a>", "/* #include <a> */", "?\?=include <a>",
        "#inc?\?/\nlude <a>", "const char* a = \"/*\";\n#include <a>", "int a;\r#include <a>",
        "#if __has_include(<a>)\n#endif", "#define A __has_embed"}) {
    EXPECT_TRUE(may_read_files("int a;\n" + directive + "\nint b;\n")) << directive;
  }
  EXPECT_TRUE(may_read_files(std::string{"#\0include <a>\n", 14}));
}

TEST(may_read_files, is_false_of_device_headers_and_of_words) {
  for (const std::string text :
       {"", "#include \"wingbeat/device/complex.hpp\"\n# include <wingbeat/device/index.hpp>",
        "// to include: important\nint included = 1, embedded = 2;  // included\n"}) {
    EXPECT_FALSE(may_read_files(text)) << text;
  }
  for (const auto& header : device_sources()) EXPECT_FALSE(may_read_files(header.text));
}

TEST(flatten, takes_a_device_header_in_angle_brackets) {
  const auto text = flatten("#include <wingbeat/device/direction.hpp>\nint b;\n", "k.cl");
  EXPECT_EQ(occurrences("enum class direction", text), 1);
  EXPECT_EQ(compiled(text), "compiled");
}

TEST(flatten, keeps_a_name_of_several_lines_on_one) {
  EXPECT_EQ(flatten("int a;\n", "a\n#include <cmath>"), "#line 1 \"a?#include <cmath>\"\nint a;\n");
}

TEST(flatten, compiles_every_device_header_from_its_text_alone) {
  for (const auto& header : device_sources()) {
    if (!header.path.starts_with("wingbeat/")) continue;  // entry points expect a policy
    EXPECT_EQ(compiled(flatten(header.text, header.path)), "compiled") << header.path;
  }
}

// The first include is not read by this compiler, so the second must be.
TEST(flatten, includes_again_what_a_condition_may_have_hidden) {
  const auto text = flatten(
      "#if defined(SOME_OTHER_COMPILER)\n#include \"wingbeat/device/complex.hpp\"\n#endif\n"
      "#include \"wingbeat/device/complex.hpp\"\n"
      "static_assert(sizeof(wingbeat::device::complex<float>) == 8, \"\");\n",
      "k.cl");
  EXPECT_EQ(compiled(text), "compiled");
  EXPECT_EQ(compiled(text, "-DSOME_OTHER_COMPILER"), "compiled");
}

TEST(flatten, keeps_the_file_and_line_of_a_mistake) {
  const auto text = flatten("#include \"wingbeat/device/complex.hpp\"\n\nthis is no declaration;\n",
                            "my_kernel.cl");
  EXPECT_THAT(compiled(text), HasSubstr("my_kernel.cl:3:"));
}

TEST(flatten, counts_on_from_a_line_directive) {
  const auto text = flatten(
      "int a;\n#line 40 \"yours\"\n#include \"wingbeat/device/complex.hpp\"\nthis is none;\n"
      "#line 7\n#include \"wingbeat/device/index.hpp\"\nnor is this;\n",
      "my_kernel.cl");
  EXPECT_THAT(compiled(text), HasSubstr("yours:41:"));
  EXPECT_THAT(compiled(text), HasSubstr("yours:8:"));
}

TEST(flatten, refuses_an_include_by_the_line_a_directive_gave_it) {
  try {
    static_cast<void>(flatten("#line 5 \"yours\"\n#include \"wingbeat/plan.hpp\"\n", "k"));
    FAIL() << "nothing was refused";
  } catch (const wingbeat::plan_error& why) {
    EXPECT_THAT(why.what(), HasSubstr("yours line 5 includes \"wingbeat/plan.hpp\""));
  }
}

TEST(device_sources, have_the_lines_of_their_files_without_comments) {
  const std::filesystem::path root = std::filesystem::path{WINGBEAT_TESTS_FOLDER}.parent_path();
  for (const auto& each : device_sources()) {
    const bool is_public = each.path.starts_with("wingbeat/");
    const std::string file = content_of(root / (is_public ? "include" : "src") / each.path);
    EXPECT_EQ(occurrences("\n", std::string{each.text}), occurrences("\n", file)) << each.path;
    EXPECT_EQ(each.text.find("//"), std::string::npos) << each.path;
  }
}

TEST(device_sources_digest, is_of_every_path_and_text) {
  sha256 hash;
  std::size_t n = 0;
  for (const auto& each : device_sources()) {
    hash.add(std::to_string(each.path.size()) + " " + std::to_string(each.text.size()) + " ");
    hash.add(each.path);
    hash.add("\n");
    hash.add(each.text);
    ++n;
  }
  EXPECT_GT(n, 50u);
  EXPECT_EQ(device_sources_digest(), hex(hash.finish()));
}

}  // namespace
