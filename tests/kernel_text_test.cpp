// SPDX-License-Identifier: Apache-2.0
// Label: opencl
// What a kernel's text may not do, on every device here that compiles kernels: read files, or use
// more local memory than the kernel is launched with.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <string>

#include "support/folder.hpp"   // folder, set_content
#include "support/memory.hpp"   // contents
#include "support/refusal.hpp"  // message_of
#include "wingbeat/wingbeat.hpp"
#include "wingbeat/workgroup_fft.hpp"

namespace {

using namespace wingbeat;
using namespace test;
using ::testing::AnyOf;
using ::testing::HasSubstr;

std::vector<device_info> compiling_devices() {
  std::vector<device_info> result;
  for (const device_info& device : devices()) {
    const bool compiles = device.runs_on == engine::opencl || device.runs_on == engine::cuda;
    if (compiles) result.push_back(device);
  }
  return result;
}

/// A kernel of one thread with `body`, behind `head`.
kernel_spec lone_kernel(const std::string& head, const std::string& body) {
  return {.text =
              "#include \"wingbeat/device/workgroup/real.hpp\"\n"
              "#include \"wingbeat/device/workgroup/two_real.hpp\"\n" +
              head +
              "using namespace wingbeat::device;\n"
              "static_assert(sizeof(complex<float>) == 8, \"complete\");\n"
              "WINGBEAT_KERNEL(1)\n"
              "void entry(WINGBEAT_GLOBAL const float* in, WINGBEAT_GLOBAL float* out,\n"
              "           WINGBEAT_GLOBAL const complex<float>* table, size in_first,\n"
              "           size out_first, size batch WINGBEAT_SCRATCH_PARAMETER) {\n" +
              body + "}\n",
          .entry = "entry",
          .in_element_bytes = 4,
          .out_element_bytes = 4};
}

/// Returns what the kernel writes to out[0], or why it is refused.
std::string result_of(const device_info& device, const kernel_spec& spec) {
  try {
    queue on{device};
    const kernel compiled{on, spec};
    buffer in{on, 64}, out{on, 64};
    compiled.enqueue(on, 1, in.view(), out.view(), in.view(), 1);
    return std::to_string(int(contents<float>(out)[0]));
  } catch (const error& refused) {
    return refused.what();
  }
}

// The cache knows a kernel by its text. A file that the text includes may change, and then the
// kernel made of what it held before would run.
TEST(kernel_text, includes_no_file_that_may_change) {
  const folder directory;
  const std::string file = (directory / "factor.hpp").string();
  for (const device_info& device : compiling_devices()) {
    for (const std::string factor : {"2", "3"}) {
      set_content(file, "WINGBEAT_FN float factor() { return " + factor + "; }\n");
      const auto spec = lone_kernel("#include \"" + file + "\"\n", "out[out_first] = factor();\n");
      EXPECT_THAT(result_of(device, spec), HasSubstr("entry line 3 includes \"" + file + "\""))
          << "the file says " << factor;
    }
  }
}

TEST(kernel_text, of_a_functor_includes_no_file_that_may_change) {
  const folder directory;
  const std::string file = (directory / "factor.hpp").string();
  for (const device_info& device : compiling_devices()) {
    queue on{device};
    for (const std::string factor : {"2", "3"}) {
      set_content(file, "WINGBEAT_FN float factor() { return " + factor + "; }\n");
      plan_spec spec{.lengths = {16}, .batch = 1};
      spec.load = {.in_bytes = 64, .element_bytes = 4};
      spec.load.source = {.text = "#include \"" + file +
                                  "\"\nstruct scaled {\n"
                                  "  using element = float;\n"
                                  "  WINGBEAT_FN static wingbeat::device::complex<float> load(\n"
                                  "      WINGBEAT_GLOBAL const float* in, wingbeat::device::size,\n"
                                  "      wingbeat::device::size i) {\n"
                                  "    return {factor() * in[i], 0};\n  }\n};\n",
                          .type = "scaled"};
      try {
        const plan compiled{on, spec};
        ADD_FAILURE() << "compiled, and cached by its text, with a file that says " << factor;
      } catch (const plan_error& refused) {
        EXPECT_THAT(refused.what(), HasSubstr("your load functor line 1 includes \"" + file));
      }
    }
  }
}

/// A kernel around a transform of `type` in one thread, whose types follow it.
kernel_spec transform_of(const std::string& type, const std::string& call) {
  return lone_kernel(
      "namespace wingbeat::device {\nusing there = workgroup::" + type +
          ";\n"
          "struct load {\n"
          "  WINGBEAT_FN complex<float> operator()(unsigned) const { return {1, 0}; }\n};\n"
          "struct store {\n  WINGBEAT_GLOBAL float* to;\n"
          "  WINGBEAT_FN void operator()(unsigned i, complex<float> z) const {\n"
          "    if (i == 0) *to = z.re;\n  }\n"
          "  WINGBEAT_FN void operator()(unsigned i, complex<float> z, complex<float>) const {\n"
          "    if (i == 0) *to = z.re;\n  }\n};\n}\n",
      "const workgroup::team<there::shape_type> team;\n" + call);
}

std::string threaded(std::string text, unsigned threads) {
  const std::string entry = "WINGBEAT_KERNEL(1)";
  return text.replace(text.find(entry), entry.size(),
                      "WINGBEAT_KERNEL(" + std::to_string(threads) + ")");
}

TEST(kernel_text, needs_the_local_memory_it_is_launched_with) {
  struct {
    std::string type;
    unsigned threads;
  } const transforms[] = {
      {"fft<workgroup::shape<64, 8>, float, direction::forward>", 8},
      {"real_fft<workgroup::shape<64, 8>, float, direction::forward>", 8},
      {"real_fft<workgroup::shape<64, 8>, float, direction::inverse>", 8},
  };
  const std::string call =
      "there::execute(team, load{}, store{out + out_first},\n"
      "               there::scratch_type{WINGBEAT_SCRATCH}, table);\n";
  for (const device_info& device : compiling_devices()) {
    const queue on{device};
    for (const auto& [type, threads] : transforms) {
      SCOPED_TRACE(type);
      kernel_spec spec = transform_of(type, call);
      spec.text = threaded(spec.text, threads);
      spec.threads = threads;
      const std::size_t needed = workgroup_fft{64, 8}.scratch_bytes();
      for (const std::size_t bytes : {std::size_t{0}, needed - 1}) {
        spec.scratch_bytes = bytes;
        EXPECT_THAT(result_of(device, spec),
                    HasSubstr("the kernel is launched with too little local memory: the transform "
                              "needs"));
      }
      spec.scratch_bytes = needed;
      EXPECT_NO_THROW((kernel{on, spec})) << "of the same text, another kernel";
    }
  }
}

TEST(kernel_text, may_hand_on_local_memory_that_a_short_transform_does_not_need) {
  const std::string type = "fft<workgroup::shape<4, 4>, float, direction::forward>";
  for (const std::string scratch :
       {"there::scratch_type{WINGBEAT_SCRATCH}", "lent(WINGBEAT_SCRATCH)"}) {
    kernel_spec spec = transform_of(
        type,
        "const auto lent = [](WINGBEAT_LOCAL char* at) { return there::scratch_type{at}; };\n"
        "(void)lent;\nthere::execute(team, load{}, store{out + out_first}, " +
            scratch + ", table);\n");
    for (const device_info& device : compiling_devices()) {
      EXPECT_EQ(result_of(device, spec), "4") << scratch;
    }
  }
}

TEST(kernel_text, uses_no_local_memory_where_none_is_launched) {
  for (const device_info& device : compiling_devices()) {
    for (const std::string use : {"WINGBEAT_SCRATCH[0]", "*(WINGBEAT_SCRATCH + 4)",
                                  "*(WINGBEAT_LOCAL float*)WINGBEAT_SCRATCH",
                                  "*static_cast<WINGBEAT_LOCAL char*>(WINGBEAT_SCRATCH + 0u)"}) {
      kernel_spec spec = lone_kernel("", use + " = 7; out[out_first] = " + use + ";\n");
      EXPECT_THAT(
          result_of(device, spec),
          HasSubstr("the kernel uses WINGBEAT_SCRATCH and is launched with no local memory"))
          << use;
      spec.scratch_bytes = 16;
      EXPECT_EQ(result_of(device, spec), "7") << use;
    }
    const auto spec = lone_kernel(
        "", "out[out_first] = *reinterpret_cast<WINGBEAT_LOCAL float*>(WINGBEAT_SCRATCH);\n");
    // clang names the type it cannot convert; NVRTC 13.0 does not.
    EXPECT_THAT(result_of(device, spec), AnyOf(HasSubstr("kernel_spec_scratch_bytes_is_0"),
                                               HasSubstr("invalid type conversion")));
  }
}

TEST(kernel_text, is_launched_in_workgroups_that_a_grid_takes) {
  for (const device_info& device : compiling_devices()) {
    queue on{device};
    kernel_spec spec = lone_kernel("", "out[out_first] = 7;\n");
    spec.text = threaded(spec.text, 2);
    spec.threads = 2;
    const kernel compiled{on, spec};
    buffer in{on, 64}, out{on, 64};
    const auto refusal = [&](std::size_t workgroups) {
      return message_of<plan_error>(
          [&] { compiled.enqueue(on, workgroups, in.view(), out.view(), in.view(), 1); });
    };
    EXPECT_THAT(refusal(0), HasSubstr("the kernel 'entry' was given 0 workgroups"));
    EXPECT_THAT(refusal(std::numeric_limits<std::size_t>::max() / 2 + 1),
                HasSubstr("which takes 1 to"));
    EXPECT_EQ(refusal(1), "");
    on.wait();
  }
}

TEST(kernel_text, is_refused_an_entry_that_is_no_name) {
  for (const device_info& device : compiling_devices()) {
    kernel_spec spec = lone_kernel("", "out[out_first] = 7;\n");
    for (const std::string entry : {"entry\n#include <cmath>", "a b", "x::entry"}) {
      spec.entry = entry;
      EXPECT_THAT(result_of(device, spec), HasSubstr("'" + entry + "' is no name of a function"));
    }
  }
}

}  // namespace
