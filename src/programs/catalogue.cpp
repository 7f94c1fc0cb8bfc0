// SPDX-License-Identifier: Apache-2.0
#include "programs/catalogue.hpp"

#include <utility>  // move

#include "request/traits.hpp"  // traits, kinds
#include "text/formatted.hpp"  // formatted
#include "text/reject.hpp"     // reject

namespace wingbeat::programs {
namespace {

constexpr std::size_t batch = 1024;

void add_rows(std::vector<plan_spec>& requests, const request::traits& kind, precision real) {
  for (std::size_t n = 2; n <= max_length; n *= 2) {
    requests.push_back({.lengths = {n}, .batch = batch, .kind = kind.kind, .real = real});
    if (kind.is_real()) continue;
    requests.push_back({.lengths = {n},
                        .batch = batch,
                        .kind = kind.kind,
                        .real = real,
                        .bins = bin_order::scrambled});
  }
  if (real != precision::fp32) return;
  for (std::size_t n = 2; n <= (1U << 15); n *= 2) {
    requests.push_back(
        {.lengths = {n}, .batch = batch, .kind = kind.kind, .real = precision::fp16});
  }
}

/// Adds requests whose shapes depend on how many transforms a call makes.
void add_counts(std::vector<plan_spec>& requests, transform kind) {
  for (std::size_t n = 1 << 13; n <= (1U << 20); n *= 2) {
    requests.push_back({.lengths = {n}, .kind = kind});
  }
  requests.push_back({.lengths = {1024}, .batch = 2 * batch, .kind = kind});
  for (std::size_t n = 128; n <= 1024; n *= 2) {
    requests.push_back({.lengths = {n, n}, .batch = 64, .kind = kind});
  }
}

void add_planes_and_volumes(std::vector<plan_spec>& requests, transform kind, precision real) {
  for (std::size_t n = 16; n <= 8192; n *= 2) {
    requests.push_back({.lengths = {n, n}, .kind = kind, .real = real});
  }
  for (std::size_t n = 16; n <= 512; n *= 2) {
    requests.push_back({.lengths = {n, n, n}, .kind = kind, .real = real});
  }
}

}  // namespace

device_info sample_device(std::string_view architecture) {
  device_info device;
  if (architecture == "sm_80") {
    device.capability_major = 8;
    device.local_memory_bytes = 163 << 10;
  } else if (architecture == "sm_90" || architecture == "sm_100") {
    device.capability_major = architecture == "sm_90" ? 9 : 10;
    device.local_memory_bytes = 227 << 10;
    device.max_cluster = 16;
    device.has_bulk_prefetch = true;
    device.has_early_launch = true;
  } else {
    reject("there is no sample device '{}'; choose sm_80, sm_90 or sm_100", architecture);
  }
  device.runs_on = engine::cuda;
  device.name = formatted("a GPU of {}", architecture);
  device.architecture = architecture;
  device.max_workgroup = 1024;
  device.is_gpu = true;
  return device;
}

std::vector<plan_spec> every_request() {
  std::vector<plan_spec> requests;
  for (const precision real : {precision::fp32, precision::fp64}) {
    for (const request::traits& each : request::kinds) {
      if (each.is_real_to_real()) continue;  // made by the other kinds
      add_rows(requests, each, real);
      add_planes_and_volumes(requests, each.kind, real);
      if (real == precision::fp32) add_counts(requests, each.kind);
    }
  }
  return requests;
}

std::vector<plan_spec> mixed_requests() {
  constexpr std::size_t lengths[] = {
      3,     5,     6,     7,     9,     10,    12,    15,    24,     30,      48,
      60,    96,    100,   120,   125,   192,   243,   360,   384,    480,     500,
      625,   720,   768,   1000,  1200,  1536,  1920,  2187,  2400,   3000,    3072,
      3125,  3600,  3840,  4000,  5000,  5120,  6000,  6144,  6561,   7168,    8000,
      10000, 12288, 15360, 20000, 24576, 30720, 46080, 65610, 100000, 1000000, 10000000};
  const std::vector<std::size_t> axes[] = {{480, 640},      {1080, 1920},    {2250, 2250},
                                           {3600, 3600},    {5760, 4096},    {96, 96, 96},
                                           {100, 100, 100}, {120, 120, 120}, {200, 200, 200},
                                           {240, 240, 240}, {384, 384, 384}};
  std::vector<plan_spec> requests;
  for (const precision real : {precision::fp32, precision::fp64}) {
    for (const request::traits& kind : request::kinds) {
      if (kind.is_real_to_real()) continue;
      for (const std::size_t n : lengths) {
        requests.push_back({.lengths = {n}, .batch = batch, .kind = kind.kind, .real = real});
      }
      for (const auto& each : axes) {
        requests.push_back({.lengths = each, .kind = kind.kind, .real = real});
      }
    }
  }
  return requests;
}

std::vector<pass> passes_of(const std::vector<plan_spec>& requests, const device_info& device) {
  std::vector<pass> passes;
  for (const plan_spec& spec : requests) {
    program planned = make_program(spec, device);
    for (pass& each : planned.passes()) passes.push_back(std::move(each));
  }
  return passes;
}

}  // namespace wingbeat::programs
