// SPDX-License-Identifier: Apache-2.0
// Where slots lie in local memory: a base and a constant apart, none on another.
#include <gtest/gtest.h>

#include <set>

#include "wingbeat/device/workgroup/exchange.hpp"  // delivered, slot_addresses
#include "wingbeat/device/workgroup/team.hpp"      // shape

namespace {

using namespace wingbeat::device::workgroup;

/// Checks the exchange after a stage of radix R after prior length P, of N slots of which T threads
/// hold every T-th.
template <unsigned N, unsigned R, unsigned P, unsigned T, class Memory>
void check() {
  constexpr slot_layout lies =
      delivered(N, entry_bytes_of<float, Memory>, Memory::bank_bytes, R, P);
  using slots = slot_addresses<shape<N, R>, float, Memory, lies.apart, false, lies.pad>;
  std::set<unsigned> entries;
  for (unsigned s = 0; s < N; ++s) entries.insert(slots::address(s));
  EXPECT_EQ(entries.size(), N) << "two slots have the same entry";
  EXPECT_LT(*entries.rbegin() * lies.entry_bytes, slots::bytes);
  for (unsigned b = 0; b < N / R; ++b) {  // what is delivered
    const unsigned first = b / P * P * R + b % P;
    for (unsigned q = 0; q < R; ++q) {
      EXPECT_EQ(slots::address(first, q * P), slots::address(first + q * P)) << b << ", " << q;
    }
  }
  for (unsigned t = 0; t < T; ++t) {  // what is read
    for (unsigned r = 0; r < N / T; ++r) {
      EXPECT_EQ(slots::address(t, r * T), slots::address(t + r * T)) << t << ", " << r;
    }
  }
}

TEST(slot_addresses, are_the_sum_of_a_base_and_a_constant) {
  using halves = memory<trade::halves>;
  using whole = memory<trade::whole>;
  check<16384, 32, 1, 512, halves>();
  check<16384, 32, 32, 512, halves>();
  check<512, 8, 1, 64, whole>();
  check<512, 8, 8, 64, whole>();
  check<64, 4, 4, 16, whole>();
  check<64, 4, 4, 16, memory<trade::whole, 0>>();
}

}  // namespace
