// SPDX-License-Identifier: Apache-2.0
// Oracle: the symbols of a cubin. NVRTC makes a variable of each constant of a class, used or not.
#include <elf.h>
#include <gtest/gtest.h>

#include <algorithm>  // count_if
#include <cstring>    // memcpy
#include <vector>

#include "backend/cuda/nvrtc.hpp"     // compile_for
#include "kernel_text/pass_text.hpp"  // pass_text, entry_name
#include "programs/catalogue.hpp"     // sample_device
#include "programs/transforms.hpp"    // make_program
#include "wingbeat/wingbeat.hpp"

namespace {

using namespace wingbeat;

/// Returns how many variables of device memory a cubin has.
std::ptrdiff_t variables_of(const std::vector<char>& cubin) {
  Elf64_Ehdr head;
  std::memcpy(&head, cubin.data(), sizeof head);
  std::ptrdiff_t count = 0;
  for (unsigned i = 0; i < head.e_shnum; ++i) {
    Elf64_Shdr section;
    std::memcpy(&section, cubin.data() + head.e_shoff + i * sizeof section, sizeof section);
    if (section.sh_type != SHT_SYMTAB) continue;
    std::vector<Elf64_Sym> symbols(section.sh_size / sizeof(Elf64_Sym));
    std::memcpy(symbols.data(), cubin.data() + section.sh_offset, section.sh_size);
    count += std::count_if(symbols.begin(), symbols.end(), [](const Elf64_Sym& each) {
      return ELF64_ST_TYPE(each.st_info) == STT_OBJECT;
    });
  }
  return count;
}

TEST(constants, are_hardly_ever_variables_of_a_cubin) {
  if (!backend::cuda::process_nvrtc().problem.empty()) {
    GTEST_SKIP() << backend::cuda::process_nvrtc().problem;
  }
  // Before constants became enumerators and functions: 140, 146, 202 and 172.
  constexpr std::ptrdiff_t most = 36;
  for (const plan_spec& spec :
       {plan_spec{.lengths = {64}, .batch = 64}, plan_spec{.lengths = {1 << 20}},
        plan_spec{.lengths = {1009}, .batch = 64},
        plan_spec{.lengths = {4096}, .batch = 64, .kind = transform::forward_from_real}}) {
    const auto steps = programs::make_program(spec, programs::sample_device("sm_90"));
    const auto report =
        backend::cuda::compile_for({.text = kernel_text::pass_text(steps.passes().front()),
                                    .entry = std::string{kernel_text::entry_name},
                                    .path = "pass.cpp"},
                                   "sm_90");
    EXPECT_LE(variables_of(report.binary), most) << spec.lengths.front();
    EXPECT_GT(variables_of(report.binary), 0) << "the test counts nothing";
  }
}

}  // namespace
