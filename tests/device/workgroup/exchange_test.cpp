// SPDX-License-Identifier: Apache-2.0
// Where slots lie in local memory: a base and a constant apart, none on another.
#include <gtest/gtest.h>

#include <algorithm>  // max, min
#include <set>
#include <vector>

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

/// The busiest bank in each access of W threads in sequence, W entries wide, and how many accesses
/// there are: what is written after a stage and read before the next.
struct bank_waits {
  unsigned waits = 0, accesses = 0;

  template <class Entry>
  void add(unsigned threads, unsigned banks, const Entry& entry_of) {
    for (unsigned first = 0; first < threads; first += banks) {
      std::vector<unsigned> touched(banks);
      unsigned busiest = 0;
      for (unsigned t = first; t < std::min(first + banks, threads); ++t) {
        busiest = std::max(busiest, ++touched[entry_of(t) % banks]);
      }
      waits += busiest;
      ++accesses;
    }
  }
};

/// All exchanges between the stages of a length that is no power of two: no two slots share an
/// entry, and banks are seldom waited for.
void check_mixed(unsigned n, unsigned elements, unsigned transforms, unsigned entry_bytes) {
  SCOPED_TRACE(::testing::Message() << n << " by " << elements << ", " << transforms
                                    << " transforms, entries of " << entry_bytes);
  const schedule stages{wingbeat::device::order::natural, n, elements};
  const unsigned banks = 128 / entry_bytes, threads = stages.threads() * transforms;
  bank_waits waits;
  for (unsigned s = 0; s + 1 < stages.count(); ++s) {
    const slot_layout lies = delivered_after(stages, s, transforms, entry_bytes, 128);
    const auto address = [&](unsigned i) { return i + i / lies.pad_every() * lies.pad; };
    EXPECT_LT(address(n * transforms - 1) * entry_bytes,
              delivered_bytes(stages, transforms, entry_bytes, 128));
    const unsigned radix = stages.radix(s), prior = stages.place_value(s) * transforms;
    for (unsigned q = 0; q < radix; ++q) {
      waits.add(std::min(threads, n * transforms / radix), banks, [&](unsigned b) {
        return address(b / prior * prior * radix + b % prior + q * prior);
      });
    }
    const unsigned taken = stages.butterflies(s + 1) * transforms;
    for (unsigned q = 0; q < stages.radix(s + 1); ++q) {
      // what the kernel relies on: inputs of a butterfly lie a constant apart
      EXPECT_TRUE(lies.pad == 0 || q * taken % lies.pad_every() == 0) << "stage " << s;
      waits.add(std::min(threads, taken), banks,
                [&](unsigned b) { return address(b + q * taken); });
    }
  }
  EXPECT_LE(waits.waits, waits.accesses * 3 / 2) << "of " << waits.accesses << " accesses";
}

TEST(delivered, seldom_waits_for_banks_in_lengths_that_are_no_powers_of_two) {
  for (const unsigned entry_bytes : {4u, 8u, 16u}) {
    for (const unsigned transforms : {1u, 4u, 16u}) {
      check_mixed(1000, 10, transforms, entry_bytes);
      check_mixed(1200, 10, transforms, entry_bytes);
      check_mixed(1536, 16, transforms, entry_bytes);
      check_mixed(2187, 9, transforms, entry_bytes);
      check_mixed(2400, 15, transforms, entry_bytes);
      check_mixed(3600, 15, transforms, entry_bytes);
      check_mixed(4095, 15, transforms, entry_bytes);
      check_mixed(720, 12, transforms, entry_bytes);
      check_mixed(5000, 20, transforms, entry_bytes);
    }
  }
}

/// Rows of threads in sequence whose subgroups hold ends of two of them.
TEST(row_pitch, lets_threads_of_two_rows_meet_different_banks) {
  for (const unsigned threads : {10u, 12u, 20u, 24u, 100u}) {
    const unsigned pitch = row_pitch(16 * threads + 3, threads, 16);
    bank_waits reads;
    reads.add(8 * threads, 16, [&](unsigned p) { return p / threads * pitch + p % threads; });
    EXPECT_EQ(reads.waits, reads.accesses) << threads;
    EXPECT_GE(pitch, 16 * threads + 3);
  }
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
