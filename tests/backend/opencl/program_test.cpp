// SPDX-License-Identifier: Apache-2.0
// What each kind of driver is given, and what comes from the cache: on a fake driver and fake
// compilers that say what they were asked.
#include "backend/opencl/program.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>  // setenv

#include "backend/opencl/fake_driver.hpp"  // fake, fake_api
#include "support/folder.hpp"              // folder, set_content
#include "wingbeat/error.hpp"              // device_error

namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using namespace wingbeat::test;
using namespace wingbeat::backend::opencl;
using wingbeat::backend::kernel_cache;

class opencl_program : public ::testing::Test {
 protected:
  void SetUp() override {
    fake() = {};
    add_tool("clang-15",
             "#!/bin/sh\nif test \"$1\" = --version; then echo clang 15; "
             "else printf bitcode-of-; /bin/cat; fi\n");
    add_tool("llvm-spirv-15",
             "#!/bin/sh\nif test \"$1\" = --version; then echo spirv 15; "
             "else printf spirv-of-; /bin/cat; fi\n");
    ::setenv("PATH", tools_.path().c_str(), 1);
    ::unsetenv("WINGBEAT_CLANG");
    where_.tools = std::make_shared<const toolchain>();
    where_.driver = "driver 1";
    where_.info.name = "device 1";
  }
  void TearDown() override { ::setenv("PATH", path_.c_str(), 1); }

  // With a cache object of its own each time: only the disk remembers.
  void build(const std::string& text = "text") {
    fake().programs.clear();
    fake().build_options.clear();
    kernel_cache cache{tools_ / "cache"};
    (void)build_program(api_, where_, nullptr, {.text = text, .entry = "entry"}, cache);
  }

  void add_tool(const char* name, std::string_view script) {
    set_content(tools_ / name, script);
    std::filesystem::permissions(tools_ / name, std::filesystem::perms::owner_all);
  }

  driver_api api_ = fake_api();
  device where_;
  folder tools_;
  std::string path_ = std::getenv("PATH");
};

TEST_F(opencl_program, gives_the_text_to_a_driver_that_takes_it) {
  where_.takes = route::source;
  build();
  EXPECT_THAT(fake().programs, ElementsAre("source:text"));
  EXPECT_THAT(fake().build_options, ElementsAre("-cl-std=CLC++2021"));
}

TEST_F(opencl_program, gives_bitcode_to_pocl) {
  where_.takes = route::bitcode;
  where_.is_pocl = true;
  build();
  EXPECT_THAT(fake().programs, ElementsAre("binary:bitcode-of-text"));
  EXPECT_THAT(fake().build_options, ElementsAre("-x spir -spir-std=1.2"));
}

TEST_F(opencl_program, gives_spirv_to_a_driver_that_takes_it) {
  where_.takes = route::spirv;
  build();
  EXPECT_THAT(fake().programs, ElementsAre("il:spirv-of-bitcode-of-text"));
  EXPECT_THAT(fake().build_options, ElementsAre(""));
}

TEST_F(opencl_program, starts_no_compiler_for_bitcode_that_is_in_the_cache) {
  where_.takes = route::bitcode;
  where_.is_pocl = true;
  build();
  add_tool("clang-15", "#!/bin/sh\nif test \"$1\" = --version; then echo clang 15; fi; exit 1\n");
  build();
  EXPECT_THAT(fake().programs, ElementsAre("binary:bitcode-of-text"));
  EXPECT_THROW(build("other text"), wingbeat::device_error);
}

TEST_F(opencl_program, gives_a_driver_its_own_binary_back) {
  for (const route takes : {route::source, route::spirv}) {
    where_.takes = takes;
    where_.driver = "driver " + std::to_string(static_cast<int>(takes));
    build();
    build();
    EXPECT_THAT(fake().programs, ElementsAre("binary:machine code"));
    EXPECT_THAT(fake().build_options, ElementsAre(""));
  }
}

TEST_F(opencl_program, gives_no_binary_of_another_driver_device_or_route) {
  where_.takes = route::source;
  build();
  where_.driver = "driver 2";
  build();
  EXPECT_THAT(fake().programs, ElementsAre("source:text"));
  where_.info.name = "device 2";
  build();
  EXPECT_THAT(fake().programs, ElementsAre("source:text"));
  where_.takes = route::spirv;
  build();
  EXPECT_THAT(fake().programs, ElementsAre("il:spirv-of-bitcode-of-text"));
}

TEST_F(opencl_program, compiles_again_when_a_driver_refuses_its_binary) {
  where_.takes = route::source;
  build();
  fake().binary_status = -42;
  build();
  EXPECT_THAT(fake().programs, ElementsAre("binary:machine code", "source:text"));
}

TEST_F(opencl_program, works_when_a_driver_tells_no_binary) {
  where_.takes = route::source;
  fake().device_binary = "";
  build();
  build();
  EXPECT_THAT(fake().programs, ElementsAre("source:text"));
}

TEST_F(opencl_program, shows_what_the_driver_says) {
  where_.takes = route::source;
  fake().build_status = -11;
  fake().build_log = "wingbeat/device/some.hpp:42: no";
  try {
    build();
    FAIL();
  } catch (const wingbeat::device_error& refused) {
    EXPECT_THAT(refused.what(), HasSubstr("device 1 could not compile a kernel"));
    EXPECT_THAT(refused.what(), HasSubstr("CL_BUILD_PROGRAM_FAILURE (-11)"));
    EXPECT_THAT(refused.what(), HasSubstr("wingbeat/device/some.hpp:42: no"));
  }
}

}  // namespace
