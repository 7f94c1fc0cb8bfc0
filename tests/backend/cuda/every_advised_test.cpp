// SPDX-License-Identifier: Apache-2.0
// Label: slow
// Timeout: 1800
// Every length, scalar, order and architecture at the advised parameters: no spills. The table of
// what they take goes to the file that WINGBEAT_RESOURCES names:
//     WINGBEAT_RESOURCES=bench/evidence/registers.md backend_cuda_every_advised_test
#include <cstdlib>  // getenv
#include <fstream>

#include "backend/cuda/advised_kernels.hpp"

namespace {

using namespace wingbeat;
using namespace wingbeat::test;

constexpr const char* head = R"(# What a transform inside a kernel takes

A kernel that loads a row, transforms it forward and stores it, at the advised parameters, compiled
by NVRTC without a GPU. Written by

    WINGBEAT_RESOURCES=bench/evidence/registers.md build/.../backend_cuda_every_advised_test

`shape`: elements per thread x transforms per workgroup, `h` where exchanges go in halves;
`threads` and `scratch` (bytes): of one workgroup; `exchanges`: all, and in brackets those that
cross the workgroup; `estimate`: `fft::registers`; `sm_80` and so on: registers of one thread, and
`+` the bytes it spills, if any. In all, {} bytes are spilled.

| N | scalar | order | shape | threads | scratch | exchanges | estimate | sm_80 | sm_90 | sm_100 |
|---|---|---|---|---|---|---|---|---|---|---|
)";

std::string text_of(const backend::cuda::ptxas_figures& figures) {
  if (figures.spill_bytes == 0) return fmt::format("{}", figures.registers);
  return fmt::format("{}+{}", figures.registers, figures.spill_bytes);
}

std::string table_of(const std::vector<advised_kernel>& kernels) {
  int spill_bytes = 0;
  std::string rows;
  for (std::size_t i = 0; i + 2 < kernels.size(); i += 3) {  // the three architectures of one shape
    const workgroup_fft& shape = kernels[i + 1].shape;
    rows += fmt::format("| {} | {} | {} | {}x{}{} | {} | {} | {} ({}) | {} | {} | {} | {} |\n",
                        shape.length, name_of(shape.real), name_of(shape.spectrum_order),
                        shape.elements_per_thread, shape.transforms,
                        shape.trades == device::workgroup::trade::whole ? "" : "h",
                        shape.workgroup_threads(), shape.scratch_bytes(), shape.exchanges(),
                        shape.workgroup_exchanges(), shape.registers(), text_of(kernels[i].figures),
                        text_of(kernels[i + 1].figures), text_of(kernels[i + 2].figures));
    for (std::size_t a = i; a < i + 3; ++a) spill_bytes += kernels[a].figures.spill_bytes;
  }
  return fmt::format(fmt::runtime(head), spill_bytes) + rows;
}

TEST(every_advised_kernel, compiles_without_spills) {
  const std::string& problem = wingbeat::backend::cuda::process_nvrtc().problem;
  if (!problem.empty()) GTEST_SKIP() << problem;
  auto kernels = all_advised({"sm_80", "sm_90", "sm_100"});
  ASSERT_GE(kernels.size(), (14U + 14 + 9) * 4 * 3 - 9);  // fp64 may end at 8192
  ASSERT_EQ(kernels.size() % 3, 0U);
  for (std::size_t i = 0; i < kernels.size(); i += 3) {
    ASSERT_EQ(kernels[i].shape.type_text(), kernels[i + 1].shape.type_text())
        << "one row of the table";
    ASSERT_EQ(kernels[i].shape.type_text(), kernels[i + 2].shape.type_text())
        << "one row of the table";
  }
  compile_all(kernels);
  expect_no_spills(kernels);
  if (const char* path = std::getenv("WINGBEAT_RESOURCES"); path != nullptr) {
    std::ofstream table{path};
    table << table_of(kernels);
    EXPECT_TRUE(table.good()) << path;
  }
}

}  // namespace
