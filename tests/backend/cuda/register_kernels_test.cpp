// SPDX-License-Identifier: Apache-2.0
// Timeout: 300
// Kernels around the forms with registers, compiled for each architecture: two signals and back,
// rows into columns, packed reals of rows into columns of spectra. None spills a register.
#include <gtest/gtest.h>

#include <string>

#include "backend/cuda/on_architecture.hpp"  // on_architecture
#include "support/full_run.hpp"              // sampled

namespace {

using namespace wingbeat::test;

/// A kernel that loads registers as `team` holds them, runs `body` and stores them as `after` does.
std::string kernel_text(const std::string& types, const std::string& after_lanes,
                        const std::string& body) {
  return "#include \"wingbeat/device/workgroup/real.hpp\"\n"
         "#include \"wingbeat/device/workgroup/two_real.hpp\"\n"
         "using namespace wingbeat::device;\n" +
         types +
         "WINGBEAT_KERNEL(there::workgroup_threads)\n"
         "void entry(const complex<float>* in, complex<float>* out, const complex<float>* roots\n"
         "           WINGBEAT_SCRATCH_PARAMETER) {\n"
         "  const workgroup::team<shape> team;\n"
         "  const workgroup::team<shape, workgroup::lanes::" +
         after_lanes +
         "> after;\n"
         "  const there::scratch_type scratch{WINGBEAT_SCRATCH};\n"
         "  const size first = group::index() * (shape::length * shape::transforms);\n"
         "  complex<float> x[shape::elements_per_thread];\n"
         "  WINGBEAT_UNROLL\n"
         "  for (unsigned r = 0; r < shape::elements_per_thread; ++r) {\n"
         "    x[r] = in[first + team.slot(team.thread() + r * shape::threads)];\n"
         "  }\n" +
         body +
         "  WINGBEAT_UNROLL\n"
         "  for (unsigned r = 0; r < shape::elements_per_thread; ++r) {\n"
         "    out[first + after.slot(after.thread() + r * shape::threads)] = x[r];\n"
         "  }\n}\n";
}

class register_kernels : public on_architecture {
 protected:
  static void expect_fits(const std::string& text) {
    EXPECT_LE(expect_no_spills(text).registers, 128);
  }
};

TEST_P(register_kernels, of_two_signals_spill_nothing) {
  for (const char* shape : sampled<const char*>({"4096, 16, 1"}, {"256, 8, 2", "1024, 8, 1"})) {
    SCOPED_TRACE(shape);
    const auto types = std::string{"using shape = workgroup::shape<"} + shape +
                       ">;\n"
                       "using there = workgroup::two_real_fft<shape, float, direction::forward,\n"
                       "                                      workgroup::memory<>,\n"
                       "                                      order::natural>;\n"
                       "using back = workgroup::two_real_fft<shape, float, direction::inverse,\n"
                       "                                     workgroup::memory<>,\n"
                       "                                     order::natural>;\n";
    expect_fits(kernel_text(types, "along_transform",
                            "  there::execute(team, x, scratch, roots);\n"
                            "  back::execute(team, x, scratch, roots);\n"));
  }
}

TEST_P(register_kernels, of_rows_into_columns_spill_nothing) {
  const std::string fft = "using there = workgroup::fft<shape, float, direction::forward>;\n";
  const std::string reals =
      "using there = workgroup::real_fft<shape, float, direction::forward,\n"
      "                                  workgroup::spectrum::packed>;\n";
  for (const char* shape : sampled<const char*>({"256, 16, 8"}, {"64, 4, 16"})) {
    for (const auto& transform : {fft, reals}) {
      SCOPED_TRACE(std::string{shape} + "\n" + transform);
      const auto types =
          std::string{"using shape = workgroup::shape<"} + shape + ">;\n" + transform;
      expect_fits(kernel_text(types, "across_transforms",
                              "  there::execute_between(team, after, x, scratch, roots);\n"));
    }
  }
}

INSTANTIATE_TEST_SUITE_P(architectures, register_kernels, architectures(), architecture_name);

}  // namespace
