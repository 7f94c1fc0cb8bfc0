// SPDX-License-Identifier: Apache-2.0
// Kernels at the advised parameters, as a user would write them, compiled without a GPU.
#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>  // max
#include <atomic>
#include <string>
#include <thread>
#include <vector>

#include "backend/cuda/nvrtc.hpp"      // compile_for
#include "programs/catalogue.hpp"      // sample_device
#include "wingbeat/error.hpp"          // error
#include "wingbeat/workgroup_fft.hpp"  // workgroup_fft, with_device_headers

namespace wingbeat::test {

/// A transform inside a kernel, and what an assembler says it takes.
struct advised_kernel {
  workgroup_fft shape;
  std::string architecture;
  backend::cuda::ptxas_figures figures;
  std::string problem;  ///< Why there are no figures; empty when there are.

  [[nodiscard]] std::string name() const {
    return fmt::format("{} on {}", shape.type_text(), architecture);
  }
};

inline bool has_advice(unsigned length, unsigned real_bytes) {
  return device::workgroup::advise(length, real_bytes, limits_of(programs::sample_device("sm_90")))
      .is_valid();
}

/// Returns all of them for lengths 2 .. 2^14, in fp64 as far as there is advice; nabla begins at
/// 64, two elements for each thread of a subgroup. And scrambled order of some other lengths.
inline std::vector<advised_kernel> all_advised(const std::vector<std::string>& architectures) {
  std::vector<advised_kernel> result;
  for (unsigned bits = 1; bits <= 14; ++bits) {
    for (const scalar real : {scalar::fp32, scalar::fp64, scalar::fp16, scalar::fp16_pair}) {
      for (const auto how :
           {device::order::natural, device::order::nabla, device::order::scrambled}) {
        if (how == device::order::nabla && bits < 6) continue;
        if (real == scalar::fp64 && bits == 14 && !has_advice(1U << bits, 8)) continue;
        for (const std::string& architecture : architectures) {
          const auto shape = workgroup_fft::advised(
              1U << bits, real, limits_of(programs::sample_device(architecture)), how);
          shape.validate(limits_of(programs::sample_device(architecture)));
          result.push_back({shape, architecture, {}, {}});
        }
      }
    }
  }
  for (const unsigned n : {12U, 100U, 343U, 720U, 1000U, 2197U, 3600U}) {
    for (const std::string& architecture : architectures) {
      const auto limits = limits_of(programs::sample_device(architecture));
      const auto shape = workgroup_fft::advised(n, scalar::fp32, limits, device::order::scrambled);
      result.push_back({shape, architecture, {}, {}});
    }
  }
  return result;
}

inline std::string plain_kernel_text(const workgroup_fft& shape) {
  return with_device_headers(fmt::format(R"(#include "wingbeat/device/workgroup/fft.hpp"
using namespace wingbeat::device;
using fft = {};

WINGBEAT_KERNEL((fft::workgroup_threads))
void plain(const fft::value_type* in, fft::value_type* out, const fft::register_type* table,
           size batch) {{
  const workgroup::team<fft::shape_type> team;
  const size row = group::index() * fft::transforms + team.transform();
  const bool is_there = row < batch;
  fft::execute(
      team,
      [&](unsigned i) {{ return is_there ? in[row * fft::length + i] : fft::value_type{{}}; }},
      [&](unsigned i, fft::value_type z) {{
        if (is_there) out[row * fft::length + i] = z;
      }},
      fft::scratch_type{{WINGBEAT_SCRATCH}}, table);
}}
)",
                                         shape.type_text()));
}

/// Fills in the figures, on all cores.
inline void compile_all(std::vector<advised_kernel>& kernels) {
  std::atomic<std::size_t> next = 0;
  const auto work = [&] {
    for (std::size_t i = next++; i < kernels.size(); i = next++) {
      advised_kernel& kernel = kernels[i];
      try {
        kernel.figures = backend::cuda::compile_for({.text = plain_kernel_text(kernel.shape),
                                                     .entry = "plain",
                                                     .threads = kernel.shape.workgroup_threads(),
                                                     .scratch_bytes = kernel.shape.scratch_bytes()},
                                                    kernel.architecture)
                             .figures;
      } catch (const error& refused) {
        kernel.problem = refused.what();
      }
    }
  };
  std::vector<std::jthread> threads(std::max(2U, std::thread::hardware_concurrency()));
  for (auto& each : threads) each = std::jthread{work};
}

inline void expect_no_spills(const std::vector<advised_kernel>& kernels) {
  for (const advised_kernel& kernel : kernels) {
    EXPECT_EQ(kernel.problem, "") << kernel.name();
    EXPECT_EQ(kernel.figures.spill_bytes, 0) << kernel.name();
    EXPECT_EQ(kernel.figures.stack_bytes, 0) << kernel.name();
    EXPECT_GT(kernel.figures.registers, 0) << kernel.name();
    // What launches must fit: the register file of one multiprocessor holds 65536.
    EXPECT_LE(kernel.figures.registers * static_cast<int>(kernel.shape.workgroup_threads()), 65536)
        << kernel.name();
  }
}

}  // namespace wingbeat::test
