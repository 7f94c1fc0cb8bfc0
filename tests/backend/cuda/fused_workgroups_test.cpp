// SPDX-License-Identifier: Apache-2.0
// Timeout: 300
// Transform, product, inverse in one kernel at the recommended launch bounds spill no register: the
// shipped convolution, and a FIR whose loads are padded and whose stores are cropped.
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>
#include <string>

#include "backend/cuda/on_architecture.hpp"  // on_architecture
#include "support/full_run.hpp"              // sampled

namespace {

using namespace wingbeat::test;

constexpr const char* entry = R"(
WINGBEAT_KERNEL_RESIDENT(here::fft::workgroup_threads, here::fft::fused_workgroups_with<20>)
void entry(WINGBEAT_GLOBAL const here::in_type* in, WINGBEAT_GLOBAL here::out_type* out,
           WINGBEAT_GLOBAL const wingbeat::device::complex<float>* roots,
           wingbeat::device::size batch WINGBEAT_SCRATCH_PARAMETER) {
  here::run(wingbeat::device::group{}, in, out, roots, batch, WINGBEAT_SCRATCH);
}
static_assert(here::fft::fused_workgroups_with<20> > 1, "several workgroups overlap");
)";

/// A FIR filter by overlap-save: of each row the first half was seen before, and the last quarter
/// is wanted. in: the filter's spectrum, then rows of half; Shape, Real and Order by defines.
constexpr const char* fir = R"(#include "wingbeat/device/io.hpp"
#include "wingbeat/device/workgroup/fft.hpp"
using namespace wingbeat::device;
struct here {
  using shape = workgroup::shape<SHAPE>;
  static constexpr unsigned n = shape::length;
  using fft = workgroup::fft<shape, float, direction::forward, order::ORDER>;
  using inverse = workgroup::fft<shape, float, direction::inverse, order::ORDER>;
  using in_type = complex<float>;
  using out_type = complex<float>;

  template <class Group>
  WINGBEAT_FN static void run(Group group, const in_type* in, out_type* out, const in_type* roots,
                              size batch, char* memory) {
    const workgroup::team<shape> team{group};
    const io::member row = io::member_of(team, group.index(), batch);
    const io::padded from{io::row_of(in + n, n / 2, row), n / 2};
    const io::cropped to{io::row_of(out, n / 4, row), n - n / 4, n / 4};
    in_type x[fft::elements_per_thread];
    WINGBEAT_UNROLL
    for (unsigned l = 0; l < fft::elements_per_thread; ++l) {
      x[l] = from(team.thread() + l * fft::stride);
    }
    fft::execute(team, x, fft::scratch_type{memory}, roots);
    WINGBEAT_UNROLL
    for (unsigned l = 0; l < fft::elements_per_thread; ++l) {
      x[l] = x[l] * in[team.thread() + l * fft::stride];
    }
    inverse::execute(team, x, fft::scratch_type{memory}, roots);
    WINGBEAT_UNROLL
    for (unsigned l = 0; l < fft::elements_per_thread; ++l) {
      to(team.thread() + l * fft::stride, x[l]);
    }
  }
};
)";

/// The entry above, with room for no more registers.
std::string bare_entry() {
  std::string text = entry;
  const std::string with_room = "here::fft::fused_workgroups_with<20>";
  text.replace(text.find(with_room), with_room.size(), "here::fft::fused_workgroups");
  return text;
}

class fused_workgroups : public on_architecture {};

TEST_P(fused_workgroups, of_the_shipped_convolution_spill_nothing) {
  std::ifstream file(WINGBEAT_TESTS_FOLDER "/../examples/kernels/convolve.hpp");
  std::ostringstream text;
  text << file.rdbuf() << "using here = example::convolve;\n" << entry;
  expect_no_spills(text.str());
}

TEST_P(fused_workgroups, of_a_fir_spill_nothing) {
  for (const char* shape :
       sampled<const char*>({"4096, 16"}, {"256, 4, 2", "512, 8, 2", "1024, 8, 2"})) {
    for (const char* order : {"natural", "scrambled"}) {
      SCOPED_TRACE(std::string{shape} + ", " + order);
      const auto defines =
          std::string{"#define SHAPE "} + shape + "\n#define ORDER " + order + "\n";
      expect_no_spills(defines + fir + entry);
    }
  }
}

TEST_P(fused_workgroups, without_room_spill_nothing_where_a_thread_holds_16) {
  for (const char* shape : sampled<const char*>({"4096, 16"}, {"2048, 16"})) {
    SCOPED_TRACE(shape);
    const auto defines = std::string{"#define SHAPE "} + shape + "\n#define ORDER scrambled\n";
    expect_no_spills(defines + fir + bare_entry());
  }
}

INSTANTIATE_TEST_SUITE_P(architectures, fused_workgroups, architectures(), architecture_name);

}  // namespace
