// SPDX-License-Identifier: Apache-2.0
// Subgroups of 32 threads, as on an NVIDIA GPU: several transforms share a workgroup, each of one
// subgroup, and only a barrier of the workgroup joins them. Different transforms follow one another
// on the same scratch with no barrier of the caller's; the thread sanitizer watches.
#include <gtest/gtest.h>

#include "device/workgroup/fft_probe.hpp"  // local_memory
#include "support/oracle.hpp"              // dft, relative_l2
#include "support/signal.hpp"              // noise
#include "support/tolerance.hpp"           // is_accurate
#include "wingbeat/device/workgroup/real.hpp"
#include "wingbeat/device/workgroup/two_real.hpp"

namespace {

using namespace wingbeat;
using namespace wingbeat::device;
using namespace wingbeat::device::workgroup;
using namespace wingbeat::test;

constexpr auto forward = direction::forward;
constexpr auto inverse = direction::inverse;

/// Forward and back in one order, in registers.
template <order Order, class Shape, class Team, class Scratch>
void there_and_back(const Team& threads, complex<float> (&x)[Shape::elements_per_thread],
                    const Scratch& lent) {
  using there = fft<Shape, float, forward, Order>;
  using back = fft<Shape, float, inverse, Order>;
  static const auto roots = roots_of<there>();
  there::execute(threads, x, lent, roots.data());
  back::execute(threads, x, lent, roots.data());
}

/// A row of reals to its bins and back; a pair of rows the same way.
template <class Shape, class Team, class Scratch>
void real_there_and_back(const Team& threads, complex<float>* row, complex<float>* bins,
                         const Scratch& lent) {
  using there = real_fft<Shape, float, forward>;
  using back = real_fft<Shape, float, inverse>;
  static const auto roots = roots_of<there>();
  const auto load = [&](unsigned i) { return row[i]; };
  const auto store = [&](unsigned i, complex<float> z) { row[i] = z; };
  const auto keep = [&](unsigned k, complex<float> z) { bins[k] = z; };
  const auto reload = [&](unsigned k) { return bins[k]; };
  there::execute(threads, load, keep, lent, roots.data());
  threads.workgroup_barrier();  // bins travel through memory
  back::execute(threads, reload, store, lent, roots.data());
}

template <class Shape, class Team, class Scratch>
void two_there_and_back(const Team& threads, complex<float>* row,
                        wingbeat::device::real::pair<float>* rows, const Scratch& lent) {
  using there = two_real_fft<Shape, float, forward>;
  using back = two_real_fft<Shape, float, inverse>;
  static const auto roots = roots_of<there>();
  const auto load = [&](unsigned i) { return row[i]; };
  const auto store = [&](unsigned i, complex<float> z) { row[i] = z; };
  const auto keep = [&](unsigned r, complex<float> x, complex<float> y) { rows[r] = {x, y}; };
  const auto reload = [&](unsigned r) { return rows[r]; };
  there::execute(threads, load, keep, lent, roots.data());
  back::execute(threads, reload, store, lent, roots.data());
}

template <unsigned Length, unsigned Elements, unsigned Transforms>
void check() {
  using shape_type = shape<Length, Elements, Transforms>;
  constexpr std::size_t n = std::size_t{Length} * Transforms;
  constexpr unsigned bytes = 2 * n * sizeof(complex<float>);  // enough for each of them
  auto x = noise<float>(n, 31);
  const auto given = x;
  std::vector<complex<float>> bins(n + Transforms);
  std::vector<wingbeat::device::real::pair<float>> rows(n / 2);
  const auto memory = local_memory(bytes);
  run_workgroup<32>(shape_type::workgroup_threads, [&](emulated_group_of<32> group) {
    const team<shape_type, lanes::along_transform, emulated_group_of<32>> threads{group};
    const scratch<bytes> lent{memory.get()};
    complex<float>* const row = &x[threads.transform() * std::size_t{Length}];
    complex<float> z[Elements];
    for (unsigned l = 0; l < Elements; ++l) {
      z[l] = row[threads.thread() + l * shape_type::threads];
    }
    there_and_back<order::natural, shape_type>(threads, z, lent);
    there_and_back<order::scrambled, shape_type>(threads, z, lent);
    there_and_back<order::nabla, shape_type>(threads, z, lent);
    for (unsigned l = 0; l < Elements; ++l) {
      const float scale = 1.0f / float(Length) / float(Length) / float(Length);
      row[threads.thread() + l * shape_type::threads] = scaled(z[l], scale);
    }
    real_there_and_back<shape_type>(threads, row, &bins[threads.transform() * (Length + 1)], lent);
    two_there_and_back<shape_type>(threads, row, &rows[threads.transform() * (Length / 2)], lent);
  });
  exact expected;
  for (const auto& z : given) {
    expected.push_back(widened(z) * (2.0L * Length * Length));  // of the two pairs of real ones
  }
  EXPECT_LT(relative_l2(x, expected), 8e-7L) << Length << " " << Elements;
}

/// The element that a thread holds as its l-th, in rows of `Length`.
template <unsigned Length, class Team>
std::size_t element(const Team& team, unsigned l) {
  return team.transform() * std::size_t{Length} + team.thread() + l * Team::shape_type::threads;
}

/// Columns of a matrix become rows, or rows columns: threads hold neighbouring columns before and
/// one column after, or the reverse. Twice on the same scratch, so that nothing may still be read
/// when the second time begins.
template <unsigned Length, unsigned Elements, unsigned Transforms, trade Trade, lanes Before>
void check_handed_over() {
  SCOPED_TRACE(::testing::Message()
               << Length << ", " << Elements << " elements, lanes " << int(Before));
  using shape_type = shape<Length, Elements, Transforms>;
  using transform = fft<shape_type, float, forward, order::natural, memory<Trade>>;
  constexpr lanes after_lanes =
      Before == lanes::along_transform ? lanes::across_transforms : lanes::along_transform;
  const auto roots = roots_of<transform>();
  const auto x = noise<float>(std::size_t{Length} * Transforms, 41);
  std::vector<complex<float>> y(x.size());
  const auto local = local_memory(transform::scratch_bytes);
  run_workgroup<32>(shape_type::workgroup_threads, [&](emulated_group_of<32> group) {
    const team<shape_type, Before, emulated_group_of<32>> before{group};
    const team<shape_type, after_lanes, emulated_group_of<32>> after{group};
    complex<float> z[Elements];
    for (int time = 0; time < 2; ++time) {
      for (unsigned l = 0; l < Elements; ++l) z[l] = x[element<Length>(before, l)];
      transform::execute_between(before, after, z, typename transform::scratch_type{local.get()},
                                 roots.data());
    }
    for (unsigned l = 0; l < Elements; ++l) y[element<Length>(after, l)] = z[l];
  });
  for (std::size_t f = 0; f < Transforms; ++f) {
    const std::vector<complex<float>> row(x.begin() + f * Length, x.begin() + (f + 1) * Length);
    const std::vector<complex<float>> got(y.begin() + f * Length, y.begin() + (f + 1) * Length);
    ASSERT_TRUE(is_accurate<float>(got, dft(row, forward), Length)) << "row " << f;
  }
}

template <lanes Before>
void check_all_handed_over() {
  check_handed_over<64, 8, 4, trade::whole, Before>();
  check_handed_over<64, 4, 8, trade::whole, Before>();  // one exchange more, among a subgroup
  check_handed_over<64, 4, 8, trade::halves, Before>();
  check_handed_over<256, 16, 4, trade::halves, Before>();
  check_handed_over<256, 8, 4, trade::whole, Before>();
}

TEST(workgroup_subgroups, columns_are_handed_over_without_a_race) {
  check_all_handed_over<lanes::across_transforms>();
}

TEST(workgroup_subgroups, rows_are_handed_over_without_a_race) {
  check_all_handed_over<lanes::along_transform>();
}

/// Packed reals to their spectra and back, twice on the same scratch: threads hold rows at both
/// ends and columns of spectra between, or the reverse.
template <unsigned M, unsigned Elements, unsigned Transforms, trade Trade, lanes Before>
void check_reals_handed_over() {
  SCOPED_TRACE(::testing::Message() << M << ", " << Elements << " elements, lanes " << int(Before));
  using shape_type = shape<M, Elements, Transforms>;
  using there = real_fft<shape_type, float, forward, spectrum::packed, memory<Trade>>;
  using back = real_fft<shape_type, float, inverse, spectrum::packed, memory<Trade>>;
  constexpr lanes after_lanes =
      Before == lanes::along_transform ? lanes::across_transforms : lanes::along_transform;
  const auto roots = roots_of<there>();
  const auto x = noise<float>(std::size_t{M} * Transforms, 43);
  std::vector<complex<float>> bins(x.size()), again(x.size());
  const auto local = local_memory(there::scratch_bytes);
  run_workgroup<32>(shape_type::workgroup_threads, [&](emulated_group_of<32> group) {
    const team<shape_type, Before, emulated_group_of<32>> before{group};
    const team<shape_type, after_lanes, emulated_group_of<32>> after{group};
    const typename there::scratch_type lent{local.get()};
    complex<float> z[Elements];
    for (int time = 0; time < 2; ++time) {
      for (unsigned l = 0; l < Elements; ++l) z[l] = x[element<M>(before, l)];
      there::execute_between(before, after, z, lent, roots.data());
      for (unsigned l = 0; l < Elements; ++l) bins[element<M>(after, l)] = z[l];
      back::execute_between(after, before, z, lent, roots.data());
    }
    for (unsigned l = 0; l < Elements; ++l) again[element<M>(before, l)] = z[l];
  });
  for (std::size_t f = 0; f < Transforms; ++f) {
    std::vector<complex<float>> reals;
    exact scaled;
    for (std::size_t j = 0; j < M; ++j) {
      const complex<float> z = x[f * M + j];
      reals.insert(reals.end(), {{z.re, 0}, {z.im, 0}});
      scaled.push_back(widened(z) * (2.0L * M));
    }
    const exact row = dft(reals, forward);
    exact expected(row.begin(), row.begin() + M);
    expected[0] = {row[0].real(), row[M].real()};
    const std::vector<complex<float>> got(bins.begin() + f * M, bins.begin() + (f + 1) * M);
    const std::vector<complex<float>> end(again.begin() + f * M, again.begin() + (f + 1) * M);
    ASSERT_TRUE(is_accurate<float>(got, expected, 2 * M)) << "row " << f;
    ASSERT_TRUE(is_accurate<float>(end, scaled, 4 * M)) << "row " << f;
  }
}

TEST(workgroup_subgroups, packed_reals_are_handed_over_without_a_race) {
  check_reals_handed_over<64, 8, 4, trade::whole, lanes::across_transforms>();
  check_reals_handed_over<64, 8, 4, trade::whole, lanes::along_transform>();
  check_reals_handed_over<64, 4, 8, trade::halves, lanes::along_transform>();
  check_reals_handed_over<256, 8, 4, trade::whole, lanes::along_transform>();
}

/// Scrambled order of other lengths: exchanges among 16, 8, 4 and 2 neighbours are a subgroup's.
template <unsigned Length, unsigned Elements, unsigned Transforms>
void check_scrambled() {
  using shape_type = shape<Length, Elements, Transforms>;
  using there = fft<shape_type, float, forward, order::scrambled>;
  static_assert(there::plan.exchanges_beyond(32) < there::exchanges, "some are a subgroup's");
  auto x = noise<float>(std::size_t{Length} * Transforms, 47);
  const auto given = x;
  const auto memory = local_memory(there::scratch_bytes);
  run_workgroup<32>(shape_type::workgroup_threads, [&](emulated_group_of<32> group) {
    const team<shape_type, lanes::along_transform, emulated_group_of<32>> threads{group};
    complex<float> z[Elements];
    for (unsigned l = 0; l < Elements; ++l) z[l] = x[element<Length>(threads, l)];
    for (int time = 0; time < 2; ++time) {
      there_and_back<order::scrambled, shape_type>(threads, z,
                                                   typename there::scratch_type{memory.get()});
    }
    for (unsigned l = 0; l < Elements; ++l) {
      x[element<Length>(threads, l)] = scaled(z[l], 1.0f / (float(Length) * float(Length)));
    }
  });
  exact expected;
  for (const auto& z : given) expected.push_back(widened(z));
  EXPECT_LT(relative_l2(x, expected), 8e-7L) << Length << " " << Elements;
}

TEST(workgroup_subgroups, trade_among_themselves_in_scrambled_order) {
  check_scrambled<96, 6, 2>();
  check_scrambled<96, 6, 4>();
  check_scrambled<192, 6, 1>();
  check_scrambled<640, 10, 1>();
}

TEST(workgroup_subgroups, of_32_threads_share_scratch_without_a_race) {
  check<64, 2, 2>();
  check<128, 4, 4>();
  check<256, 8, 2>();
  check<512, 8, 2>();
  check<256, 2, 1>();
}

}  // namespace
