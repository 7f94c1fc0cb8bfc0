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

/// What threads across transforms read of rows that threads along them wrote: each phase of an
/// access, of as many threads as the banks have entries, touches every bank once.
template <unsigned N, unsigned R, unsigned Transforms, class Memory>
void check_rows() {
  SCOPED_TRACE(::testing::Message() << N << ", radix " << R << ", " << Transforms << " rows");
  constexpr unsigned entry_bytes = entry_bytes_of<float, Memory>;
  constexpr unsigned banks = Memory::bank_bytes / entry_bytes;
  constexpr unsigned pitch =
      delivered_entries({wingbeat::device::order::natural, N, R}, entry_bytes, Memory::bank_bytes);
  constexpr slot_layout lies = delivered(N, entry_bytes, Memory::bank_bytes, R, 1);
  using slots = slot_addresses<shape<N, R>, float, Memory, lies.apart, false, lies.pad>;
  const auto entry = [](unsigned row, unsigned i) {
    return (row * pitch + slots::address(i)) ^ row_fold(row, Transforms, pitch, banks);
  };
  std::set<unsigned> entries;
  for (unsigned row = 0; row < Transforms; ++row) {
    for (unsigned i = 0; i < N; ++i) {
      EXPECT_EQ(entry(row, i) / pitch, row) << "an entry of another row";
      entries.insert(entry(row, i));
    }
  }
  EXPECT_EQ(entries.size(), N * Transforms) << "two slots have the same entry";
  for (unsigned first = 0; first < Transforms * (N / R); first += banks) {
    std::set<unsigned> touched;
    for (unsigned p = first; p < first + banks; ++p) {
      touched.insert(entry(p % Transforms, p / Transforms) % banks);
    }
    EXPECT_EQ(touched.size(), banks) << "threads from " << first;
  }
}

TEST(row_fold, spreads_neighbouring_rows_over_the_banks) {
  using halves = memory<trade::halves>;
  using whole = memory<trade::whole>;
  check_rows<256, 16, 8, whole>();
  check_rows<256, 8, 16, whole>();
  check_rows<512, 16, 4, halves>();
  check_rows<256, 16, 2, whole>();
}

}  // namespace
