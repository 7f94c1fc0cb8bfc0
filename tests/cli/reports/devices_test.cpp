// SPDX-License-Identifier: Apache-2.0
// Label: cli
// A device as JSON, of which each field has a value of its own.
#include "cli/reports/devices.hpp"

#include <gtest/gtest.h>

namespace {

using namespace wingbeat;

TEST(devices, are_described_by_every_field) {
  device_info device;
  // Fails to compile when a field is added: then add it here, below and to json_of.
  auto& [runs_on, index, name, architecture, version, memory_bytes, local_memory_bytes,
         max_workgroup, compute_units, has_fp64, is_gpu, capability_major, capability_minor,
         max_cluster, has_bulk_prefetch, has_early_launch, has_int64_atomics] = device;
  runs_on = engine::cuda;
  index = 3;
  name = "NVIDIA H200";
  architecture = "sm_90";
  version = "13.0";
  memory_bytes = 150000000000;
  local_memory_bytes = 232448;
  max_workgroup = 1024;
  compute_units = 132;
  has_fp64 = true;
  is_gpu = true;
  capability_major = 9;
  capability_minor = 7;
  max_cluster = 16;
  has_bulk_prefetch = true;
  has_early_launch = true;
  has_int64_atomics = true;
  const nlohmann::ordered_json expected{{"engine", "cuda"},
                                        {"index", 3},
                                        {"name", "NVIDIA H200"},
                                        {"is_gpu", true},
                                        {"architecture", "sm_90"},
                                        {"version", "13.0"},
                                        {"memory_bytes", 150000000000},
                                        {"local_memory_bytes", 232448},
                                        {"max_workgroup", 1024},
                                        {"compute_units", 132},
                                        {"precisions", {"fp32", "fp64"}},
                                        {"capability_major", 9},
                                        {"capability_minor", 7},
                                        {"max_cluster", 16},
                                        {"has_bulk_prefetch", true},
                                        {"has_early_launch", true},
                                        {"has_int64_atomics", true}};
  EXPECT_EQ(cli::json_of(device), expected);
  has_fp64 = false;
  EXPECT_EQ(cli::json_of(device)["precisions"], nlohmann::ordered_json{"fp32"});
}

}  // namespace
