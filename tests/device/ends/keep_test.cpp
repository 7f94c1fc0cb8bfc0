// SPDX-License-Identifier: Apache-2.0
// A store that keeps, behind rows of reals, in registers and memory of emulated threads: of each
// place what the functor makes of the values of all rows of the batch, in their order, to the bit;
// each place is started and finished once.
#include "wingbeat/device/ends/keep.hpp"

#include <gtest/gtest.h>

#include "device/ends/fixed_rows.hpp"  // as
#include "device/grid/pass_probe.hpp"  // run_tiles, from_bins
#include "support/signal.hpp"          // noise

namespace {

using namespace wingbeat::test;

/// Of a place: what depends on the values and on their order, and how many changed it.
struct history {
  float folded;
  unsigned changed, started, finished;
  bool operator==(const history&) const = default;
};

/// Negative values change nothing.
struct folding {
  using element = history;
  struct kept {
    float folded;
    unsigned char changed;
  };
  template <class Kept, class Visit>
  static void each_member(Kept& state, Visit visit) {
    visit(state.folded);
    visit(state.changed);
  }
  static kept started(history* out, size row, size i) {
    EXPECT_EQ(row, 0U);
    out[i].started += 1;
    return {out[i].folded, 0};
  }
  static bool changes(const kept&, history*, size, size, float x) { return x > 0; }
  static void keep(kept& state, history*, size row, size, float x) {
    state.folded = 0.5F * state.folded + x * static_cast<float>(row + 1);
    state.changed += 1;
  }
  static history before(history* out, size, size i) { return out[i]; }
  static void finish(history* out, size row, size i, const kept& state, const history& found) {
    EXPECT_EQ(row, 0U);
    EXPECT_EQ(found, out[i]);
    out[i].folded = state.folded;
    out[i].changed += state.changed;
    out[i].finished += 1;
  }
  static void store(history* out, size row, size i, float x) {
    kept state{out[i].folded, 0};
    if (changes(state, out, row, i, x)) keep(state, out, row, i, x), out[i].changed += 1;
    out[i].folded = state.folded;
  }
};

constexpr size n_lines = 7;  // of a row of the batch: tiles of 2 and 4 leave one

/// Lines of 2 n reals, of which those from First to Last are wanted.
template <class Base, size First, size Last>
struct lines : from_bins<Base> {
  static constexpr size wanted = Last - First;
  static constexpr pass_numbers numbers() {
    pass_numbers n = from_bins<Base>::numbers();
    n.in.distance = n_lines * (n.total + 1);
    n.out = {};
    n.out.base = size{0} - First;
    n.out.distance = n_lines * wanted;
    n.out.stride = n.out.unit = 2;
    n.out.is_pairs = true;
    n.out.is_limited = true;
    n.out.valid_begin = First;
    n.out.valid_end = Last;
    add_loop(n, {n_lines, size(n.total + 1), wanted});
    return n;
  }
};

/// In local memory, or the sums in registers.
template <class Base, unsigned HeldBytes>
struct keeping : Base {
  static constexpr pass_numbers numbers() {
    pass_numbers n = Base::numbers();
    n.shape.kept = unsigned(n.out.valid_end + 1) / 2;
    n.shape.kept_bytes = 2 * (5 - HeldBytes);
    n.shape.held_bytes = HeldBytes;
    return n;
  }
};

template <class Base>
struct fused : Base {
  static constexpr pass_numbers numbers() {
    pass_numbers n = Base::numbers();
    n.shape.twiddles = wingbeat::device::workgroup::twiddling::fused;
    return n;
  }
};

/// Line y of a row of the batch begins y % Block + y / Block * (n + 1) Block elements behind the
/// first, and its elements lie Block apart.
template <class Base, size Block>
struct in_blocks : Base {
  static constexpr pass_numbers numbers() {
    pass_numbers n = Base::numbers();
    n.in.stride = n.in.unit = Block;
    n.loops[0].in = 1;
    n.loops[0].block = Block;
    n.loops[0].block_in = Block * (n.total + 1);
    n.in.distance = (n_lines + Block - 1) / Block * Block * (n.total + 1);
    return n;
  }
};

template <size Wanted>
using functor = ends::of_signals<folding, n_lines, Wanted>;
template <size Wanted>
using taken =
    as<ends::fused_numbers{.length = Wanted, .is_real = true, .taken = ends::reals::one_by_one}>;
template <size Wanted>
struct storing : ends::fused_store<functor<Wanted>, taken<Wanted>> {
  storing(history* out) : ends::fused_store<functor<Wanted>, taken<Wanted>>(out, nullptr) {}
};
template <size Wanted>
struct keeping_store : ends::fused_keep<functor<Wanted>, taken<Wanted>> {
  keeping_store(history* out) : ends::fused_keep<functor<Wanted>, taken<Wanted>>(out, nullptr) {}
};

constexpr size batch = 3;

template <class Policy, class Store>
std::vector<history> histories(const values<float>& x) {
  std::vector<history> out(n_lines * Policy::wanted + 1, {0.25F, 0, 0, 0});
  run_tiles<Policy, plain_load<Policy>, Store>(x.data(), out.data(), batch);
  return out;
}

/// Compares with one value after another, from lines that lie one behind another.
template <class Plain, class Policy>
void check(const values<float>& x, const values<float>& placed) {
  constexpr size wanted = Plain::wanted;
  std::vector<history> expected = histories<Plain, storing<wanted>>(x);
  for (size i = 0; i + 1 < expected.size(); ++i) expected[i].started = expected[i].finished = 1;
  EXPECT_EQ((histories<keeping<Policy, 0>, keeping_store<wanted>>(placed)), expected);
  EXPECT_EQ((histories<keeping<Policy, 4>, keeping_store<wanted>>(placed)), expected);
}

template <class Base, size First, size Last>
void check() {
  using plain = lines<Base, First, Last>;
  const size bins = plain::numbers().total + 1;
  const auto x = noise<float>(batch * n_lines * bins, 1);
  check<plain, plain>(x, x);
  check<plain, across<plain>>(x, x);
  constexpr size block = 4;
  const size blocks = (n_lines + block - 1) / block;
  values<float> placed(batch * blocks * block * bins, poison<complex<float>>());
  for (size row = 0; row < batch; ++row) {
    for (size y = 0; y < n_lines; ++y) {
      for (size k = 0; k < bins; ++k) {
        placed[((row * blocks + y / block) * bins + k) * block + y % block] =
            x[(row * n_lines + y) * bins + k];
      }
    }
  }
  check<plain, in_blocks<plain, block>>(x, placed);
  check<plain, in_blocks<across<plain>, block>>(x, placed);
}

TEST(ends_keep, folds_all_rows_of_the_batch_in_order) {
  check<whole_rows<1, 1, 4>, 0, 2>();
  check<whole_rows<16, 16, 2>, 0, 31>();
  check<whole_rows<64, 8, 4>, 3, 100>();
  check<in_halves<whole_rows<64, 8, 4>>, 0, 128>();
  check<fused<whole_rows<64, 8, 4>>, 3, 100>();
}

}  // namespace
