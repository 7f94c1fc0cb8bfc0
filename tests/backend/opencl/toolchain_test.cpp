// SPDX-License-Identifier: Apache-2.0
// Label: opencl
// Which compilers are found, and what their mistakes look like to a user.
#include "backend/opencl/toolchain.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>  // setenv

#include "support/child.hpp"   // start_child, exit_code_of
#include "support/folder.hpp"  // folder, set_content
#include "wingbeat/error.hpp"  // device_error

namespace {

using ::testing::HasSubstr;
using namespace wingbeat::test;
using wingbeat::backend::opencl::toolchain;

void set_script(const std::filesystem::path& file, std::string_view text) {
  set_content(file, text);
  std::filesystem::permissions(file, std::filesystem::perms::owner_all);
}

// The environment belongs to the process, so each search has its own.
std::string found(const folder& directory, int llvm_major, const char* chosen) {
  const pid_t child = start_child([&] {
    ::setenv("PATH", directory.path().c_str(), 1);
    ::unsetenv("WINGBEAT_CLANG");
    if (chosen != nullptr) ::setenv("WINGBEAT_CLANG", chosen, 1);
    const toolchain tools{llvm_major};
    const auto name = [](const std::string& path) { return path.substr(path.rfind('/') + 1); };
    set_content(directory / "answer",
                name(tools.clang()) + "|" + name(tools.llvm_spirv()) + "|" + tools.problem());
    return 0;
  });
  EXPECT_EQ(exit_code_of(child), 0);
  return content_of(directory / "answer");
}

TEST(toolchain, prefers_the_chosen_then_the_drivers_then_the_oldest) {
  const folder directory;
  EXPECT_THAT(found(directory, 0, nullptr), HasSubstr("||clang was not found; install clang-15"));
  set_script(directory / "clang", "");
  EXPECT_EQ(found(directory, 0, nullptr), "clang||");
  set_script(directory / "clang-17", "");
  set_script(directory / "llvm-spirv", "");
  EXPECT_EQ(found(directory, 0, nullptr), "clang-17|llvm-spirv|");
  set_script(directory / "clang-15", "");
  set_script(directory / "llvm-spirv-15", "");
  set_script(directory / "clang-14", "");
  EXPECT_EQ(found(directory, 0, nullptr), "clang-15|llvm-spirv-15|");
  EXPECT_EQ(found(directory, 17, nullptr), "clang-17|llvm-spirv|");
  EXPECT_EQ(found(directory, 14, nullptr), "clang-14|llvm-spirv|");
  EXPECT_EQ(found(directory, 99, nullptr), "clang-15|llvm-spirv-15|");
  EXPECT_EQ(found(directory, 17, "clang-14"), "clang-14|llvm-spirv|");
  EXPECT_EQ(found(directory, 17, ""), "clang-17|llvm-spirv|") << "set but empty: not set";
  EXPECT_EQ(found(directory, 17, (directory / "clang").c_str()), "clang|llvm-spirv|");
  EXPECT_THAT(found(directory, 15, "/nowhere/clang"),
              HasSubstr("||WINGBEAT_CLANG names /nowhere/clang, which is not a program"));
}

TEST(toolchain, names_what_it_sought_and_where) {
  const auto problem = [](const char* path) {
    const folder directory;
    const pid_t child = start_child([&] {
      ::unsetenv("WINGBEAT_CLANG");
      ::setenv("PATH", path, 1);
      set_content(directory / "answer", toolchain{16}.problem());
      return 0;
    });
    EXPECT_EQ(exit_code_of(child), 0);
    return content_of(directory / "answer");
  };
  const std::string names = "(none of clang-16, clang-15, clang-17, clang-18, clang-19, clang is ";
  const std::string relative = "bin:.:../usr/bin";
  EXPECT_THAT(problem(""), HasSubstr("name one in WINGBEAT_CLANG " + names));
  EXPECT_THAT(problem(""), HasSubstr("in an absolute folder of PATH, now empty)"));
  EXPECT_THAT(problem("/nowhere"), HasSubstr("folder of PATH, now '/nowhere')"));
  EXPECT_THAT(problem(relative.c_str()), HasSubstr("folder of PATH, now '" + relative + "')"));
}

class toolchain_here : public ::testing::Test {
 protected:
  void SetUp() override {
    if (tools.clang().empty()) GTEST_SKIP() << tools.problem();
  }
  toolchain tools;
};

TEST_F(toolchain_here, makes_bitcode) {
  const auto bitcode = tools.bitcode_of("kernel void entry(global float* x) { *x = sin(*x); }");
  ASSERT_GE(bitcode.size(), 4u);
  EXPECT_EQ(std::string(bitcode.data(), 2), "BC");
}

TEST_F(toolchain_here, makes_the_same_bitcode_of_the_same_text) {
  const char text[] = "kernel void entry(global float* x) { *x *= 2; }";
  EXPECT_EQ(tools.bitcode_of(text), tools.bitcode_of(text));
}

TEST_F(toolchain_here, shows_what_the_compiler_says_and_where) {
  try {
    (void)tools.bitcode_of("#line 41 \"wingbeat/device/some.hpp\"\n\nthis is wrong;\n");
    FAIL();
  } catch (const wingbeat::device_error& refused) {
    EXPECT_THAT(refused.what(), HasSubstr("could not compile a kernel (exit code 1)"));
    EXPECT_THAT(refused.what(), HasSubstr("wingbeat/device/some.hpp:42:"));
  }
}

TEST_F(toolchain_here, knows_its_version) {
  EXPECT_THAT(tools.version(), HasSubstr("clang"));
}

// A compiler that is killed, or delivers nothing, must not pass for one that works.
TEST(toolchain, does_not_trust_a_compiler_that_delivers_nothing) {
  const folder directory;
  const auto refused = [&](std::string_view script) {
    set_script(directory / "clang", script);
    const pid_t child = start_child([&] {
      ::setenv("WINGBEAT_CLANG", (directory / "clang").c_str(), 1);
      try {
        (void)toolchain{}.bitcode_of("kernel void entry() {}");
      } catch (const wingbeat::device_error& failed) {
        set_content(directory / "answer", failed.what());
      }
      return 0;
    });
    EXPECT_EQ(exit_code_of(child), 0);
    return content_of(directory / "answer");
  };
  EXPECT_THAT(refused("#!/bin/sh\nexit 0\n"), HasSubstr("(exit code 0)"));
  EXPECT_THAT(refused("#!/bin/sh\nprintf half; kill -9 $$\n"), HasSubstr("(exit code 137)"));
  EXPECT_THAT(refused("not a program"), HasSubstr("cannot start"));
}

}  // namespace
