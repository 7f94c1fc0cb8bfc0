// SPDX-License-Identifier: Apache-2.0
// Runs a body that works on registers by itself on the host: no tile, no ends, no twiddles.
#pragma once

#include <gtest/gtest.h>

#include "device/grid/pass_probe.hpp"     // body_of, run_threads, rounded_table
#include "wingbeat/device/index.hpp"      // log2_of
#include "wingbeat/device/scrambled.hpp"  // index_map

namespace wingbeat::test {

/// Returns the transforms of a body's lanes. Element x[lane][offset] goes into the register whose
/// offset on the way in the body states, and comes back the same way.
template <class Policy>
values<typename Policy::real> transformed(const values<typename Policy::real>& x) {
  using body_type = body_of<Policy>;
  using complex_type = complex<typename Policy::real>;
  constexpr pass_numbers numbers = Policy::numbers();
  constexpr size length = numbers.shape.length;
  expect_sizes_of_types<Policy>();
  const auto table = rounded_table<typename Policy::real>(numbers);
  values<typename Policy::real> y(x.size(), poison<complex_type>());
  run_threads<Policy>([&](const auto& group, char* scratch) {
    const body_type subject(table.data(), scratch, group);
    complex_type held[body_type::e];
    for (unsigned r = 0; r < body_type::e; ++r) {
      held[r] = x[subject.lane_in() * length + subject.offset_in(r)];
    }
    subject.run(held);
    for (unsigned r = 0; r < body_type::e; ++r) {
      y[subject.lane_out() * length + subject.offset_out(r)] = held[r];
    }
  });
  return y;
}

/// Returns the bin in the place of element `number` of a row that is convolved: of powers of two
/// they are scrambled.
template <class Policy>
size bin_at(unsigned number) {
  constexpr tile_shape shape = Policy::numbers().shape;
  if constexpr (shape.is_in_place()) {
    constexpr unsigned n = unsigned(shape.length), e = shape.elements_per_thread;
    constexpr device::scrambled::index_map bins{device::log2_of(e), device::log2_of(n / e)};
    return bins.dft_index(number);
  }
  return number;
}

/// The entries in which bins of a real transform meet, on the way in or out: every register has
/// one, and at its opposite entry is what the register of the opposite bin put there.
/// is_opposite(subject, r, label): of label(subject, r), which differs from register to register.
template <class Policy, bool IsOut, class Label, class IsOpposite>
void check_opposites(const Label& label, const IsOpposite& is_opposite) {
  using body_type = body_of<Policy>;
  const auto table = rounded_table<typename Policy::real>(Policy::numbers());
  run_threads<Policy>([&](const auto& group, char* scratch) {
    const body_type subject(table.data(), scratch, group);
    const unsigned column = label(subject, 0).second;
    for (unsigned r = 0; r < body_type::e; ++r) {
      const unsigned entry = IsOut ? subject.entry_out(r) : subject.entry_in(r);
      subject.entries()[entry].re = static_cast<typename Policy::real>(label(subject, r).first);
    }
    subject.team().workgroup_barrier();
    for (unsigned r = 0; r < body_type::e; ++r) {
      size offset = 0;
      if constexpr (IsOut) {
        offset = subject.opposite_out(column, r);
      } else {
        offset = subject.opposite_in(column, r);
      }
      const auto other = static_cast<size>(subject.entries()[offset].re);
      EXPECT_TRUE(is_opposite(label(subject, r).first, other))
          << label(subject, r).first << " meets " << other;
    }
  });
}

}  // namespace wingbeat::test
