// SPDX-License-Identifier: Apache-2.0
// Two fp16 transforms in one set of registers, with batches even and odd.
#include "wingbeat/device/io/paired.hpp"

#include <gtest/gtest.h>

#include "device/io/places.hpp"  // lone_team
#include "wingbeat/device/half.hpp"
#include "wingbeat/device/io.hpp"

namespace {

using namespace wingbeat::test;
namespace io = wingbeat::device::io;
using namespace wingbeat::device;
using wingbeat::device::workgroup::shape;

using stored = std::vector<complex<half_float>>;
using two_teams = shape<4, 2, 2>;
constexpr unsigned n = 4;

// Number k of transform b is b + k/8 - i (b + 1), exact in fp16; NaN lies behind the batch.
complex<half_float> value(std::size_t b, unsigned k) {
  const auto transform = static_cast<float>(b);
  return narrow(complex<float>{transform + static_cast<float>(k) / 8, -(transform + 1)});
}
stored batch_of(std::size_t batch) {
  stored memory((batch + 3) * n, narrow(complex<float>{no_number, no_number}));
  for (std::size_t b = 0; b < batch; ++b) {
    for (unsigned k = 0; k < n; ++k) memory[b * n + k] = value(b, k);
  }
  return memory;
}

TEST(paired, puts_the_first_into_the_lower_lane) {
  const auto memory = batch_of(2);
  const io::paired both{io::contiguous{memory.data()}, io::contiguous{memory.data() + n}};
  const complex<half_pair> z = both(3);
  EXPECT_EQ(z.re.first(), 0.375f);
  EXPECT_EQ(z.im.first(), -1.0f);
  EXPECT_EQ(z.re.second(), 1.375f);
  EXPECT_EQ(z.im.second(), -2.0f);
}

// Loads every pair of a batch, and stores it 2 places on, through every team of every workgroup.
void copy(const stored& in, stored& out, std::size_t batch) {
  const std::size_t workgroups = (batch + 3) / 4 + 1;  // one more than needed
  for (std::size_t workgroup = 0; workgroup < workgroups; ++workgroup) {
    for (unsigned id = 0; id < two_teams::workgroup_threads; ++id) {
      const lone_team<two_teams> team{{id}};
      const io::member_pair who = io::pair_of(team, workgroup, batch);
      const io::paired load{io::row_of(in.data(), n, who.first),
                            io::row_of(in.data(), n, who.second)};
      const io::paired store{io::row_of(out.data() + 2, n, who.first),
                             io::row_of(out.data() + 2, n, who.second)};
      for (unsigned l = 0; l < 2; ++l) store(team.thread() + 2 * l, load(team.thread() + 2 * l));
    }
  }
}

TEST(paired, copies_any_batch_and_nothing_beside_it) {
  for (std::size_t batch = 0; batch <= 9; ++batch) {
    const auto in = batch_of(batch);
    const auto untouched = half_float(-7);
    stored out(batch * n + 8, {untouched, untouched});
    copy(in, out, batch);
    for (std::size_t k = 0; k < out.size(); ++k) {
      const bool is_ours = k >= 2 && k < 2 + batch * n;
      EXPECT_EQ(out[k].re.bits, (is_ours ? in[k - 2].re : untouched).bits) << batch << " " << k;
      EXPECT_EQ(out[k].im.bits, (is_ours ? in[k - 2].im : untouched).bits) << batch << " " << k;
    }
  }
}

TEST(paired, an_absent_second_transform_is_zero) {
  const auto memory = batch_of(1);
  const io::member_pair who = io::pair_of(lone_team<two_teams>{{0}}, 0, 1);
  EXPECT_TRUE(who.first.exists);
  EXPECT_FALSE(who.second.exists);
  const io::paired load{io::row_of(memory.data(), n, who.first),
                        io::row_of(memory.data(), n, who.second)};
  for (unsigned i = 0; i < n; ++i) {
    EXPECT_EQ(load(i).re.second(), 0.0f);
    EXPECT_EQ(load(i).im.second(), 0.0f);
    EXPECT_EQ(load(i).re.first(), value(0, i).re);
  }
}

}  // namespace
