// SPDX-License-Identifier: Apache-2.0
// The run-time twin says of every shape what the template says, and refuses what it refuses.
#include "wingbeat/workgroup_fft.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>  // memcmp

#include "support/refusal.hpp"            // refusal
#include "wingbeat/device/nabla.hpp"      // index_map
#include "wingbeat/device/scrambled.hpp"  // index_map
#include "wingbeat/device/workgroup/fft.hpp"
#include "wingbeat/error.hpp"  // plan_error
#include "wingbeat/roots.hpp"  // roots_of

namespace {

using namespace wingbeat;
using namespace device;
using namespace device::workgroup;
using test::refusal;

template <class Fft>
void expect_twin(const workgroup_fft& twin) {
  SCOPED_TRACE(twin.type_text());
  EXPECT_NO_THROW(twin.validate());
  EXPECT_EQ(twin.threads(), Fft::threads);
  EXPECT_EQ(twin.workgroup_threads(), Fft::workgroup_threads);
  EXPECT_EQ(twin.stride(), Fft::stride);
  EXPECT_EQ(twin.scratch_bytes(), Fft::scratch_bytes);
  EXPECT_EQ(twin.table_entries(), Fft::table_entries);
  EXPECT_EQ(twin.exchanges(), Fft::exchanges);
  EXPECT_EQ(twin.workgroup_exchanges(device::subgroup_size), Fft::workgroup_exchanges);
  EXPECT_EQ(twin.workgroup_barriers(device::subgroup_size), Fft::workgroup_barriers);
  EXPECT_EQ(twin.registers(), Fft::registers);
  const auto table = roots_of<Fft>();
  const auto bytes = twin.table();
  ASSERT_EQ(bytes.size(), table.size() * sizeof(table[0]));
  EXPECT_EQ(std::memcmp(bytes.data(), table.data(), bytes.size()), 0);
}

TEST(workgroup_fft, says_what_the_template_says) {
  constexpr auto forward = direction::forward;
  constexpr auto inverse = direction::inverse;
  expect_twin<fft<shape<4096, 8>, float, forward>>({4096, 8});
  expect_twin<fft<shape<2, 2, 64>, float, inverse>>(
      {.length = 2, .elements_per_thread = 2, .transforms = 64, .dir = inverse});
  expect_twin<fft<shape<1024, 16, 2>, double, forward, order::scrambled>>(
      {1024, 16, 2, scalar::fp64, forward, order::scrambled});
  expect_twin<fft<shape<1000, 10, 2>, float, inverse, order::scrambled>>(
      {1000, 10, 2, scalar::fp32, inverse, order::scrambled});
  expect_twin<fft<shape<512, 4>, half_float, forward, order::nabla>>(
      {512, 4, 1, scalar::fp16, forward, order::nabla});
  expect_twin<fft<shape<2048, 8>, half_pair, inverse, order::nabla, memory<trade::halves>>>(
      {2048, 8, 1, scalar::fp16_pair, inverse, order::nabla, trade::halves});
  expect_twin<fft<shape<4096, 32>, double, forward, order::natural, memory<trade::halves, 0>>>(
      {4096, 32, 1, scalar::fp64, forward, order::natural, trade::halves, 0});
  expect_twin<fft<shape<1200, 10>, float, forward>>({1200, 10});
  expect_twin<fft<shape<240, 15, 4>, double, inverse, order::natural, memory<trade::halves>>>(
      {240, 15, 4, scalar::fp64, inverse, order::natural, trade::halves});
  expect_twin<fft<shape<4096, 128>, half_float, forward, order::nabla>>(
      {4096, 128, 1, scalar::fp16, forward, order::nabla});
}

TEST(workgroup_fft, says_which_bin_an_element_of_each_order_holds) {
  workgroup_fft shape{256, 4};
  for (unsigned g = 0; g < 256; ++g) {
    shape.spectrum_order = order::natural;
    EXPECT_EQ(shape.dft_index(g), g);
    shape.spectrum_order = order::nabla;
    EXPECT_EQ(shape.dft_index(g), (device::nabla::index_map{2, 6}.dft_index(g)));
    shape.spectrum_order = order::scrambled;
    EXPECT_EQ(shape.dft_index(g), (device::scrambled::index_map{2, 6}.dft_index(g)));
  }
}

TEST(workgroup_fft, writes_a_type_that_names_every_parameter) {
  const workgroup_fft shape{512, 4, 2, scalar::fp16_pair, direction::inverse, order::nabla};
  EXPECT_EQ(shape.type_text(),
            "wingbeat::device::workgroup::fft<wingbeat::device::workgroup::shape<512, 4, 2>, "
            "wingbeat::device::half_pair, wingbeat::device::direction::inverse, "
            "wingbeat::device::order::nabla, wingbeat::device::workgroup::memory<"
            "wingbeat::device::workgroup::trade::whole, 128>>");
}

TEST(workgroup_fft, advice_is_given_and_valid_wherever_a_workgroup_has_the_room) {
  using device::workgroup::limits;
  for (const scalar real : {scalar::fp16, scalar::fp16_pair, scalar::fp32, scalar::fp64}) {
    for (const order how : {order::natural, order::nabla, order::scrambled}) {
      for (const limits bounds : {limits{}, limits{1024, 227 * 1024}, limits{256, 32 * 1024, 8}}) {
        const unsigned shortest = how == order::nabla ? 2 * bounds.subgroup : 1;
        const unsigned longest = bounds.max_workgroup == 256               ? 2048
                                 : bounds.local_memory_bytes == 227 * 1024 ? 8192
                                                                           : 4096;
        for (unsigned n = shortest; n <= longest; n *= 2) {
          SCOPED_TRACE(::testing::Message() << n << " in " << bounds.local_memory_bytes);
          const auto shape = workgroup_fft::advised(n, real, bounds, how);
          EXPECT_NO_THROW(shape.validate(bounds));
          EXPECT_EQ(shape.length, n);
          EXPECT_EQ(shape.spectrum_order, how);
        }
      }
    }
  }
  unsigned lengths = 0;
  for (unsigned n = 3; n <= 4096; ++n) {
    if (!device::is_product_of_radices(n)) continue;
    ++lengths;
    EXPECT_NO_THROW(workgroup_fft::advised(n, scalar::fp32).validate()) << n;
    if (n <= 2048 && device::greatest_factor(n) <= 13) {  // larger ones take too many registers
      EXPECT_NO_THROW(workgroup_fft::advised(n, scalar::fp64).validate()) << n;
    }
  }
  EXPECT_GT(lengths, 400u);
  EXPECT_THROW((void)workgroup_fft::advised(96, scalar::fp32, {}, order::nabla), plan_error);
  // Limits of no device: what is advised fits them all the same.
  unsigned state = 1;
  const auto any = [&state](unsigned below) {
    return (state = state * 1664525u + 1u) / 4096 % below;
  };
  for (int i = 0; i < 20000; ++i) {
    const limits bounds{any(2048), any(1u << 18), 1u << any(7), any(1u << 17)};
    unsigned n = 1u << any(16);
    if (i % 2 == 1) {
      for (const unsigned prime : {3u, 5u, 7u, 11u, 13u, 17u, 31u})
        n = n < 4096 && any(3) == 0 ? n * prime : n;
    }
    const auto real = static_cast<scalar>(any(4));
    const auto how = static_cast<order>(any(3));
    const unsigned real_bytes = real == scalar::fp64 ? 8 : 4;
    if (!device::workgroup::advise(n, real_bytes, bounds, how).is_valid()) continue;
    ASSERT_NO_THROW(workgroup_fft::advised(n, real, bounds, how).validate(bounds)) << n;
  }
  const limits h200{1024, 227 * 1024};
  EXPECT_NO_THROW((void)workgroup_fft::advised(16384, scalar::fp32, h200));
  EXPECT_THROW((void)workgroup_fft::advised(16384, scalar::fp64, h200), plan_error);
  EXPECT_THROW((void)workgroup_fft::advised(32, scalar::fp32, {}, order::nabla), plan_error);
}

TEST(workgroup_fft, advice_for_scrambled_order_is_given_where_it_exists) {
  unsigned scrambled = 0;
  for (unsigned n = 3; n <= 2048; ++n) {
    if (!device::workgroup::advise(n, 4, {}, order::scrambled).is_valid()) continue;
    ++scrambled;
    const auto shape = workgroup_fft::advised(n, scalar::fp32, {}, order::scrambled);
    EXPECT_NO_THROW(shape.validate()) << n;
    EXPECT_EQ(shape.dft_index(0), 0u);
  }
  EXPECT_GT(scrambled, 120u);
  EXPECT_THROW((void)workgroup_fft::advised(77, scalar::fp32, {}, order::scrambled), plan_error);
}

TEST(workgroup_fft, refuses_in_one_sentence) {
  using ::testing::HasSubstr;
  const auto valid = [](workgroup_fft what) { return refusal([&] { what.validate(); }); };
  EXPECT_THAT(valid({74, 2}), HasSubstr("length 74 is no product of primes up to 31"));
  EXPECT_THAT(valid({0, 4}), HasSubstr("length 0 is no product of primes up to 31"));
  EXPECT_THAT(refusal([] { (void)workgroup_fft::advised(37, scalar::fp32); }),
              HasSubstr("length 37 is no product of primes up to 31"));
  EXPECT_THAT(valid({100, 3}), HasSubstr("choose a divisor of 100 from 2 to 32"));
  EXPECT_THAT(valid({100, 50}), HasSubstr("choose a divisor of 100 from 2 to 32"));
  EXPECT_THAT(valid({64, 5}), HasSubstr("choose a power of two from 2 to 32"));
  EXPECT_THAT(valid({96, 4, 1, scalar::fp32, direction::forward, order::scrambled}),
              HasSubstr("4 elements per thread and 24 threads were asked for in scrambled order"));
  EXPECT_THAT(valid({96, 6, 1, scalar::fp32, direction::forward, order::nabla}),
              HasSubstr("length 96 was asked for in nabla order"));
  EXPECT_THAT(valid({64, 4, 1, scalar{9}}), HasSubstr("real is 9"));
  EXPECT_THAT(valid({64, 4, 1, scalar::fp32, direction{3}}), HasSubstr("dir is 3"));
  EXPECT_THAT(valid({64, 4, 1, scalar::fp32, direction::forward, order{7}}),
              HasSubstr("spectrum_order is 7"));
  EXPECT_THAT(valid({64, 0}), HasSubstr("0 elements per thread"));
  EXPECT_THAT(valid({64, 1}), HasSubstr("1 elements per thread"));
  EXPECT_THAT(valid({64, 64}), HasSubstr("from 2 to 32"));
  EXPECT_THAT(valid({64, 4, 3}), HasSubstr("3 transforms per workgroup"));
  EXPECT_THAT(valid({8192, 4}), HasSubstr("2048 threads per workgroup"));
  EXPECT_THAT(valid({8192, 8}), HasSubstr("bytes of local memory"));
  EXPECT_THAT(valid({16384, 16, 1, scalar::fp64}), HasSubstr("registers"));
  workgroup_fft small{64, 4};
  small.spectrum_order = order::nabla;
  EXPECT_THAT(valid(small), HasSubstr("subgroup of 32 threads"));
  EXPECT_THAT(refusal([] { (void)workgroup_fft::advised(1u << 20, scalar::fp32); }),
              HasSubstr("length 1048576"));
  EXPECT_THAT(refusal([] { (void)with_device_headers("#include \"wingbeat/plan.hpp\"\n"); }),
              HasSubstr("wingbeat/plan.hpp"));
}

}  // namespace
