// SPDX-License-Identifier: Apache-2.0
// Timeout: 900
// Passes with functors, compiled for three architectures without a GPU: no register may spill, and
// the compiler names the functor's own lines.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "backend/cuda/on_architecture.hpp"  // on_architecture
#include "backend/fused_text_check.hpp"      // names_line, sound_load
#include "backend/fusion_check.hpp"          // fused_case
#include "kernel_text/pass_text.hpp"         // pass_text, entry_name
#include "support/full_run.hpp"              // is_full_run, sampled
#include "wingbeat/error.hpp"                // device_error

namespace {

using namespace wingbeat;
using namespace wingbeat::test;

backend::cuda::compile_report compiled(const pass& planned, const std::string& architecture) {
  return backend::cuda::compile_for({.text = kernel_text::pass_text(planned),
                                     .entry = std::string{kernel_text::entry_name},
                                     .threads = planned.shape().threads(),
                                     .scratch_bytes = planned.shape().scratch_bytes(),
                                     .path = "wingbeat_pass.cpp"},
                                    architecture);
}

class cuda_fusion : public on_architecture {
 protected:
  /// Compiles every pass that a functor is part of.
  static void expect_no_spills(const plan_spec& spec) {
    SCOPED_TRACE(described(spec));
    for (const pass& each :
         programs::make_program(spec, programs::sample_device(GetParam())).passes()) {
      if (!each.in.fused && !each.out.fused) continue;
      // Clusters fill the register file, see every_shape_test.cpp; yours takes two registers more.
      expect_few_spills(compiled(each, GetParam()).figures, each.shape().workgroups >= 8 ? 32 : 0,
                        each.describe());
    }
  }
};

TEST_P(cuda_fusion, compiles_without_spills) {
  for (const transform kind : every_kind) {
    for (const std::size_t n : sampled<std::size_t>({8192}, {16, 1024, 1 << 16})) {
      // The input of a load alone is prefetched.
      for (const fuse fused : sampled<fuse>({fuse::load}, {fuse::both})) {
        expect_no_spills(
            fused_case<float>{{.lengths = {n}, .batch = 1, .kind = kind}, fused}.spec());
      }
    }
    const bool is_sample = GetParam() == "sm_90" && kind == transform::forward_from_real;
    if (!is_sample && !is_full_run()) continue;
    expect_no_spills(
        fused_case<float>{{.lengths = {225}, .batch = 100, .kind = kind}, fuse::both}.spec());
    expect_no_spills(
        fused_case<float>{{.lengths = {59049}, .batch = 1, .kind = kind}, fuse::both}.spec());
    expect_no_spills(fused_case<double>{
        {.lengths = {4096}, .batch = 1, .kind = kind, .real = precision::fp64}, fuse::both}
                         .spec());
  }
}

INSTANTIATE_TEST_SUITE_P(architectures, cuda_fusion, architectures(), architecture_name);

std::string message_of_pass(const plan_spec& spec) {
  const std::string said = message_of<device_error>([&] {
    static_cast<void>(compiled(
        programs::make_program(spec, programs::sample_device("sm_90")).passes().front(), "sm_90"));
  });
  return said.empty() ? nothing_refused : said;
}

TEST_F(cuda_fusion, names_the_line_that_is_wrong) {
  const auto wrong = replaced(sound_load, "fixed.gain * in", "fixed.gain * im");
  EXPECT_EQ(message_of_pass(with_load(sound_load)), "nothing was refused");
  EXPECT_THAT(message_of_pass(with_load(wrong)), names_line("your load functor", 8));
  EXPECT_THAT(message_of_pass(with_load("#include \"wingbeat/device/twiddle.hpp\"\n\n" + wrong)),
              names_line("your load functor", 10));
  EXPECT_THAT(message_of_pass(with_load(sound_load, "no_such_type")),
              names_line("type of your load functor", 1));
}

TEST_F(cuda_fusion, names_the_part_that_is_missing) {
  check_parts(message_of_pass);
}

}  // namespace
