// SPDX-License-Identifier: Apache-2.0
// The GPU's temperature, through a library that behaves as NVML does.
#include "fengine/temperatures.hpp"

#include <dlfcn.h>  // dlopen, dlsym
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace {

using namespace wingbeat;
using fengine::thermometers;

const nvml_libraries fake{.nvml = {WINGBEAT_FAKE_NVML}, .driver = {WINGBEAT_FAKE_NVML}};

device_info gpu(int index) {
  device_info device;
  device.runs_on = engine::cuda;
  device.index = index;
  device.name = "NVIDIA H200";
  return device;
}

/// Returns the temperatures of the GPU among all that are read.
std::vector<double> of_gpu(const thermometers& sensors) {
  std::vector<double> found;
  for (const auto& each : sensors.read()) {
    if (each.label != "temperature, NVIDIA H200") continue;
    EXPECT_EQ(each.units, "°C");
    found.push_back(each.value);
  }
  return found;
}

int users() {
  void* const library = ::dlopen(WINGBEAT_FAKE_NVML, RTLD_NOW);
  return reinterpret_cast<int (*)()>(::dlsym(library, "fake_nvml_users"))();
}

TEST(temperatures, has_that_of_the_gpu_at_the_pci_address_of_the_device) {
  const thermometers sensors{gpu(0), fake};
  EXPECT_THAT(of_gpu(sensors), ::testing::ElementsAre(67));
  EXPECT_THAT(of_gpu(sensors), ::testing::ElementsAre(67));
}

TEST(temperatures, leaves_out_what_nvml_does_not_know) {
  EXPECT_TRUE(of_gpu(thermometers{gpu(1), fake}).empty()) << "no temperature";
  EXPECT_TRUE(of_gpu(thermometers{gpu(2), fake}).empty()) << "no device of this address";
  EXPECT_TRUE(of_gpu(thermometers{gpu(3), fake}).empty()) << "no device of the driver";
  device_info other = gpu(0);
  other.runs_on = engine::opencl;
  EXPECT_TRUE(of_gpu(thermometers{other, fake}).empty());
}

TEST(temperatures, needs_no_library) {
  const std::vector<std::string> none{"libnone.so.1"}, another{"libm.so.6"};
  for (const nvml_libraries& libraries :
       {nvml_libraries{none, fake.driver}, {fake.nvml, none}, {another, fake.driver}}) {
    EXPECT_TRUE(of_gpu(thermometers{gpu(0), libraries}).empty());
  }
}

TEST(temperatures, shuts_nvml_down_as_often_as_it_was_begun) {
  const int before = users();
  {
    const thermometers first{gpu(0), fake}, another{gpu(2), fake};
    EXPECT_EQ(users(), before + 1);
  }
  EXPECT_EQ(users(), before);
}

TEST(nvml, has_clocks_and_the_driver) {
  const auto device = nvml_device::open(gpu(0), fake);
  ASSERT_TRUE(device);
  EXPECT_EQ(device->sm_clock_mhz(), 1980);
  EXPECT_EQ(device->memory_clock_mhz(), 3201);
  EXPECT_EQ(device->driver_version(), "580.1");
  EXPECT_FALSE(nvml_device::open(gpu(1), fake)->sm_clock_mhz());
}

}  // namespace
