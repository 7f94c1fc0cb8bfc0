// SPDX-License-Identifier: Apache-2.0
// Which devices are taken, how they are described, and why the others are not: on a fake driver.
#include "backend/opencl/device.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>  // setenv

#include "backend/opencl/engine.hpp"       // engine
#include "backend/opencl/fake_driver.hpp"  // fake, fake_api, some_gpu
#include "support/folder.hpp"              // folder, set_content
#include "wingbeat/error.hpp"              // absent_error

namespace {

using ::testing::HasSubstr;
using namespace wingbeat::test;
using namespace wingbeat::backend::opencl;
namespace property = device_property;

class opencl_device : public ::testing::Test {
 protected:
  void SetUp() override {
    fake() = {};
    ::setenv("PATH", tools_.path().c_str(), 1);
    ::unsetenv("WINGBEAT_CLANG");
  }
  void TearDown() override { ::setenv("PATH", path_.c_str(), 1); }

  void add_tool(const char* name) {
    set_content(tools_ / name, "#!/bin/sh\n");
    std::filesystem::permissions(tools_ / name, std::filesystem::perms::owner_all);
  }
  static void add(fake_device device, const std::string& platform = "Some Platform") {
    fake().platforms.push_back({platform, "OpenCL 3.0 PoCL 3.1  Linux, LLVM 15.0.6, X", {device}});
  }
  static discovery find() { return find_devices(fake_api()); }

 private:
  folder tools_;
  std::string path_ = std::getenv("PATH");
};

TEST_F(opencl_device, is_absent_without_a_platform) {
  EXPECT_THAT(find().problem, HasSubstr("knows no platform"));
  fake().platforms_status = no_platform;
  EXPECT_THAT(find().problem, HasSubstr("knows no platform"));
  fake().platforms_status = -6;
  EXPECT_THAT(find().problem, HasSubstr("CL_OUT_OF_HOST_MEMORY"));
}

TEST_F(opencl_device, is_absent_without_a_cpu_or_gpu) {
  fake().platforms.push_back({});
  EXPECT_THAT(find().problem, HasSubstr("no CPU or GPU device"));
  auto accelerator = some_gpu("Accelerator");
  accelerator.set(property::type, std::uint64_t{1} << 3);
  add(accelerator);
  EXPECT_THAT(find().problem, HasSubstr("no CPU or GPU device"));
}

TEST_F(opencl_device, is_described) {
  auto gpu = some_gpu("Some GPU");
  gpu.set(property::fp64_config, std::uint64_t{63});
  add(gpu);
  const auto found = find();
  EXPECT_EQ(found.problem, "");
  ASSERT_EQ(found.devices.size(), 1u);
  const auto& info = found.devices[0].info;
  EXPECT_EQ(info.name, "Some GPU");
  EXPECT_EQ(info.architecture, "Maker/Some GPU");
  EXPECT_EQ(info.version, "OpenCL 3.0, Some Platform 1.2.3");
  EXPECT_EQ(info.memory_bytes, std::size_t{1} << 32);
  EXPECT_EQ(info.local_memory_bytes, 65536u);
  EXPECT_EQ(info.max_workgroup, 512u);
  EXPECT_EQ(info.compute_units, 8u);
  EXPECT_TRUE(info.has_fp64);
  EXPECT_TRUE(info.is_gpu);
  EXPECT_EQ(info.max_cluster, 1U);
  EXPECT_FALSE(info.has_bulk_prefetch);
  EXPECT_EQ(info.runs_on, wingbeat::engine::opencl);
  EXPECT_EQ(found.devices[0].max_allocation_bytes, std::size_t{1} << 30);
}

TEST_F(opencl_device, has_no_fp64_when_it_does_not_say_so) {
  auto silent = some_gpu("Silent");
  silent.properties.erase(property::fp64_config);
  add(silent);
  add(some_gpu("Says zero"));
  for (const auto& each : find().devices) EXPECT_FALSE(each.info.has_fp64) << each.info.name;
}

TEST_F(opencl_device, has_atomic_operations_on_64_bits_where_it_names_both_extensions) {
  for (const bool is_whole : {false, true}) {
    auto gpu = some_gpu("Some GPU");
    gpu.set_text(property::extensions,
                 std::string{"cl_ext_cxx_for_opencl cl_khr_int64_base_atomics"} +
                     (is_whole ? " cl_khr_int64_extended_atomics" : ""));
    add(gpu);
  }
  const auto found = find();
  ASSERT_EQ(found.devices.size(), 2U);
  EXPECT_FALSE(found.devices[0].info.has_int64_atomics);
  EXPECT_TRUE(found.devices[1].info.has_int64_atomics);
}

TEST_F(opencl_device, is_counted_over_all_platforms) {
  add(some_gpu("First"));
  auto silent = some_gpu("Silent");
  silent.properties.erase(property::memory_bytes);
  add(silent);
  auto asleep = some_gpu("Asleep");
  asleep.set(property::is_available, std::uint32_t{0});
  add(asleep);
  add(some_gpu("Second"));
  const auto found = find();
  ASSERT_EQ(found.devices.size(), 2u);
  EXPECT_EQ(found.devices[0].info.name, "First");
  EXPECT_EQ(found.devices[1].info.name, "Second");
  EXPECT_EQ(found.devices[1].info.index, 1);
  EXPECT_EQ(found.problem, "");
}

TEST_F(opencl_device, takes_the_text_where_it_can) {
  add(some_gpu("GPU"));
  EXPECT_EQ(find().devices.at(0).takes, route::source);
}

TEST_F(opencl_device, takes_bitcode_when_it_is_pocl_and_clang_is_there) {
  auto cpu = some_gpu("pthread");
  cpu.set(property::type, device_type_cpu);
  cpu.set_text(property::extensions, "cl_khr_spir");
  add(cpu, "Portable Computing Language");
  EXPECT_THAT(find().problem, HasSubstr("pthread cannot run our kernels, because clang was not"));
  add_tool("clang-16");
  add_tool("clang-15");
  add_tool("ld");
  const auto found = find();
  ASSERT_EQ(found.devices.size(), 1u);
  EXPECT_EQ(found.devices[0].takes, route::bitcode);
  EXPECT_TRUE(found.devices[0].is_pocl);
  EXPECT_EQ(found.devices[0].info.architecture, "pocl-cpu");
  EXPECT_THAT(found.devices[0].tools->clang(), HasSubstr("clang-15")) << "of the driver's LLVM";
}

// PoCL ends the program where it does not find its linker.
TEST_F(opencl_device, leaves_out_a_pocl_that_finds_no_linker) {
  auto cpu = some_gpu("pthread");
  cpu.set_text(property::extensions, "cl_khr_spir");
  add(cpu, "Portable Computing Language");
  add_tool("clang-15");
  EXPECT_THAT(find().problem, HasSubstr("PoCL links them with ld, and no absolute folder of PATH"));
  add_tool("ld");
  EXPECT_EQ(find().devices.size(), 1u);
  ::setenv("WINGBEAT_CLANG", (std::string{::getenv("PATH")} + "/clang-15").c_str(), 1);
  ::setenv("PATH", "", 1);
  EXPECT_THAT(find().problem, HasSubstr("(now empty) holds it; set PATH to folders that hold ld"));
  ::unsetenv("PATH");  // our own tools are then sought in /usr/bin and /bin, PoCL's are not
  EXPECT_THAT(find().problem, HasSubstr("(now not set) holds it; set PATH to folders that hold"));
}

TEST_F(opencl_device, takes_spirv_when_both_tools_are_there) {
  auto gpu = some_gpu("GPU");
  gpu.set_text(property::extensions, "cl_khr_spir");  // but it is not PoCL
  EXPECT_TRUE(fake().platforms.empty());
  add(gpu);
  EXPECT_THAT(find().problem, HasSubstr("neither C++ for OpenCL nor SPIR-V"));
  fake().platforms[0].devices[0].set_text(property::il_version, "SPIR-V_1.2");
  EXPECT_THAT(find().problem, HasSubstr("clang was not found"));
  add_tool("clang-15");
  EXPECT_THAT(find().problem, HasSubstr("llvm-spirv was not found"));
  add_tool("llvm-spirv-15");
  EXPECT_EQ(find().devices.at(0).takes, route::spirv);
  auto old_loader = fake_api();
  old_loader.program_with_il = nullptr;
  EXPECT_TRUE(find_devices(old_loader).devices.empty());
}

TEST_F(opencl_device, of_an_absent_engine_is_refused_in_one_sentence) {
  const auto api = fake_api();
  wingbeat::backend::kernel_cache cache{""};
  const std::vector<std::string> nowhere{"libnowhere-1.so", "libnowhere-2.so"};
  const auto driver = open_driver(nowhere);
  EXPECT_THAT(driver.problem, HasSubstr("libnowhere-2.so"));
  const engine absent{api, driver.problem, cache};
  EXPECT_TRUE(absent.devices().empty());
  EXPECT_THAT(absent.why_absent(), HasSubstr("OpenCL was not found"));
  EXPECT_THROW((void)absent.open({}), wingbeat::absent_error);
  EXPECT_THROW((void)absent.adopt(nullptr), wingbeat::absent_error);
}

TEST_F(opencl_device, is_not_looked_for_in_a_library_that_lacks_functions) {
  const std::vector<std::string> other{"libm.so.6"};
  EXPECT_THAT(open_driver(other).problem, HasSubstr("libm.so.6 lacks clGetPlatformIDs"));
}

}  // namespace
