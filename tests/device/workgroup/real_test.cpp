// SPDX-License-Identifier: Apache-2.0
// Real transforms inside a workgroup against the long double reference: packed rows both ways and
// in both spectra, registers, mirror trades.
#include "wingbeat/device/workgroup/real.hpp"

#include <gtest/gtest.h>

#include <atomic>

#include "device/workgroup/fft_probe.hpp"  // local_memory
#include "support/oracle.hpp"              // dft
#include "support/signal.hpp"              // noise
#include "support/tolerance.hpp"           // is_accurate
#include "wingbeat/device/workgroup/mirror.hpp"

namespace {

using namespace wingbeat;
using namespace wingbeat::device;
using namespace wingbeat::device::workgroup;
using namespace wingbeat::test;

constexpr auto forward = direction::forward;
constexpr auto inverse = direction::inverse;

/// Reads elements of `x` in rows of `pitch`, and counts what is stored where in rows of another.
template <class Fft, class Value>
std::vector<Value> run(const std::vector<Value>& x, std::size_t pitch, std::size_t out_pitch) {
  using shape_type = typename Fft::shape_type;
  const auto table = roots_of<Fft>();
  const auto memory = local_memory(Fft::scratch_bytes);
  std::vector<Value> y(shape_type::transforms * out_pitch);
  std::vector<std::atomic<unsigned>> loaded(x.size());  // two threads may load one element
  std::vector<unsigned> stored(y.size());
  run_workgroup(shape_type::workgroup_threads, [&](emulated_group group) {
    const team<shape_type, lanes::along_transform, emulated_group> threads{group};
    const auto load = [&](unsigned i) {
      ++loaded[threads.transform() * pitch + i];
      return x[threads.transform() * pitch + i];
    };
    const auto store = [&](unsigned i, Value z) {
      y[threads.transform() * out_pitch + i] = z;
      ++stored[threads.transform() * out_pitch + i];
    };
    const scratch<Fft::scratch_bytes, reuse::after_barrier> lent{memory.get()};
    Fft::execute(threads, load, store, lent, table.data());
  });
  // Of an odd number of elements a thread, its own and the opposite bin's thread load a bin.
  const bool is_twice = Fft::complex_fft::dir == inverse && Fft::elements_per_thread % 2 == 1;
  for (const unsigned count : loaded) EXPECT_TRUE(count == 1 || (count == 2 && is_twice));
  EXPECT_EQ(stored, std::vector<unsigned>(y.size(), 1)) << "each element is stored once";
  return y;
}

/// Real signals, as complex numbers whose imaginary parts are 0.
template <class Real>
std::vector<complex<Real>> reals(std::size_t count, int seed) {
  auto x = noise<Real>(count, seed);
  for (auto& z : x) z.im = 0;
  return x;
}

template <class Real>
std::vector<complex<Real>> in_pairs(const std::vector<complex<Real>>& x) {
  std::vector<complex<Real>> z(x.size() / 2);
  for (std::size_t j = 0; j < z.size(); ++j) z[j] = {x[2 * j].re, x[2 * j + 1].re};
  return z;
}

template <unsigned M, unsigned Elements, unsigned Transforms, class Real, spectrum Spectrum,
          trade Trade = trade::whole, twiddling Twiddles = twiddling::apart>
void check_packed() {
  SCOPED_TRACE(::testing::Message() << "M " << M << ", " << Elements << " elements");
  using shape_type = shape<M, Elements, Transforms>;
  constexpr std::size_t n = 2 * M;
  constexpr bool is_half = Spectrum == spectrum::unpacked;
  constexpr std::size_t bins = is_half ? M + 1 : M;
  const auto x = reals<Real>(n * Transforms, 3);
  const auto y = run<real_fft<shape_type, Real, forward, Spectrum, memory<Trade>, Twiddles>>(
      in_pairs(x), M, bins);
  std::vector<complex<Real>> given(bins * Transforms);  // rounded, for the inverse
  std::vector<complex<Real>> expected_back;
  for (std::size_t f = 0; f < Transforms; ++f) {
    const exact row = dft(std::vector(x.begin() + f * n, x.begin() + (f + 1) * n), forward);
    exact expected(row.begin(), row.begin() + bins);
    if (!is_half) expected[0] = {row[0].real(), row[M].real()};
    const std::vector got(y.begin() + f * bins, y.begin() + (f + 1) * bins);
    EXPECT_TRUE(is_accurate<Real>(got, expected, n));
    for (std::size_t k = 0; k < bins; ++k) {
      given[f * bins + k] = {Real(expected[k].real()), Real(expected[k].imag())};
    }
    if (is_half) given[f * bins].im = given[f * bins + M].im = Real(77);  // must not be used
  }
  const auto back =
      run<real_fft<shape_type, Real, inverse, Spectrum, memory<Trade>, Twiddles>>(given, bins, M);
  auto scaled = in_pairs(x);
  for (auto& z : scaled) z = {z.re * Real(n), z.im * Real(n)};
  EXPECT_TRUE(is_accurate<Real>(back, widened_row(scaled), 2 * n));
}

TEST(workgroup_real_fft, packs_two_reals_into_a_complex_number) {
  check_packed<1, 1, 4, float, spectrum::unpacked>();
  check_packed<2, 2, 1, float, spectrum::unpacked>();
  check_packed<4, 2, 2, float, spectrum::unpacked>();
  check_packed<4, 4, 2, float, spectrum::packed>();
  check_packed<16, 16, 1, float, spectrum::unpacked>();
  check_packed<64, 4, 4, float, spectrum::unpacked>();
  check_packed<64, 2, 1, float, spectrum::packed>();
  check_packed<512, 8, 2, double, spectrum::unpacked>();
  check_packed<512, 16, 1, double, spectrum::packed, trade::halves>();
  check_packed<2048, 16, 1, float, spectrum::unpacked>();
  check_packed<4096, 32, 1, float, spectrum::unpacked, trade::halves>();
}

TEST(workgroup_real_fft, has_roots_in_its_butterflies) {
  constexpr twiddling fused = twiddling::fused;
  check_packed<4, 4, 2, float, spectrum::packed, trade::whole, fused>();
  check_packed<64, 4, 4, float, spectrum::unpacked, trade::whole, fused>();
  check_packed<512, 16, 1, double, spectrum::packed, trade::halves, fused>();
  check_packed<2048, 16, 1, float, spectrum::unpacked, trade::whole, fused>();
  check_packed<2048, 8, 1, float, spectrum::unpacked, trade::whole, fused>();
}

TEST(workgroup_real_fft, packs_rows_whose_lengths_are_no_powers_of_two) {
  check_packed<6, 6, 4, float, spectrum::unpacked>();
  check_packed<12, 4, 2, float, spectrum::unpacked>();
  check_packed<60, 6, 4, float, spectrum::packed>();
  check_packed<96, 16, 2, double, spectrum::unpacked>();
  check_packed<210, 10, 2, float, spectrum::unpacked, trade::halves>();
  check_packed<500, 10, 1, double, spectrum::packed>();
  check_packed<1200, 20, 1, float, spectrum::unpacked>();
  check_packed<15, 15, 4, float, spectrum::unpacked>();
  check_packed<15, 3, 4, double, spectrum::packed>();
  check_packed<105, 7, 2, float, spectrum::unpacked, trade::halves>();
  check_packed<1125, 15, 1, float, spectrum::packed>();
  check_packed<60, 15, 2, float, spectrum::unpacked>();
  check_packed<1536, 16, 1, float, spectrum::packed>();
}

TEST(workgroup_real_fft, leaves_out_padding) {
  constexpr unsigned m = 256, live = 3;
  using there = real_fft<shape<m, 8, 2>, float, forward, spectrum::packed>;
  auto x = reals<float>(2 * m * 2, 6);
  for (std::size_t j = 0; j < x.size(); ++j) {
    if (j % (2 * m) >= 2 * live * there::threads) x[j] = {};
  }
  const auto y = run_fft<there, lanes::along_transform, live>(in_pairs(x));
  for (std::size_t f = 0; f < 2; ++f) {
    const exact row = dft(std::vector(x.begin() + f * 2 * m, x.begin() + (f + 1) * 2 * m), forward);
    exact expected(row.begin(), row.begin() + m);
    expected[0] = {row[0].real(), row[m].real()};
    EXPECT_TRUE(is_accurate<float>(std::vector(y.begin() + f * m, y.begin() + (f + 1) * m),
                                   expected, 2 * m));
  }
}

/// A round trip in registers: the spectrum is that of the form with loads and stores, and thread t
/// holds slots t + r threads of it.
template <unsigned M, unsigned Elements, unsigned Transforms, class Real, lanes Lanes,
          trade Trade = trade::whole, reuse Reuse = reuse::at_once>
void check_registers() {
  SCOPED_TRACE(::testing::Message() << "M " << M << ", " << Elements << " elements");
  using shape_type = shape<M, Elements, Transforms>;
  using there = real_fft<shape_type, Real, forward, spectrum::packed, memory<Trade>>;
  using back = real_fft<shape_type, Real, inverse, spectrum::packed, memory<Trade>>;
  const auto x = in_pairs(reals<Real>(2 * M * Transforms, 5));
  const auto expected = run<there>(x, M, M);
  const auto table = roots_of<there>();
  const auto memory = local_memory(there::scratch_bytes);
  std::vector<complex<Real>> bins(x.size()), again(x.size());
  run_workgroup(shape_type::workgroup_threads, [&](emulated_group group) {
    const team<shape_type, Lanes, emulated_group> threads{group};
    const scratch<there::scratch_bytes, Reuse> lent{memory.get()};
    const auto element = [&](unsigned r) {
      return threads.transform() * std::size_t{M} + threads.thread() + r * there::stride;
    };
    complex<Real> z[Elements];
    for (unsigned r = 0; r < Elements; ++r) z[r] = x[element(r)];
    there::execute(threads, z, lent, table.data());
    for (unsigned r = 0; r < Elements; ++r) bins[element(r)] = z[r];
    if constexpr (Reuse == reuse::after_barrier) group.barrier();
    back::execute(threads, z, lent, table.data());
    for (unsigned r = 0; r < Elements; ++r) again[element(r)] = z[r];
  });
  EXPECT_TRUE(is_accurate<Real>(bins, widened_row(expected), 2 * M));
  auto scaled = x;
  for (auto& z : scaled) z = {z.re * Real(2 * M), z.im * Real(2 * M)};
  EXPECT_TRUE(is_accurate<Real>(again, widened_row(scaled), 4 * M * M));  // two transforms
}

TEST(workgroup_real_fft, transforms_registers_in_natural_order) {
  check_registers<1, 1, 4, float, lanes::along_transform>();
  check_registers<2, 2, 1, float, lanes::along_transform>();
  check_registers<16, 16, 2, float, lanes::across_transforms>();
  check_registers<4, 2, 2, float, lanes::along_transform>();
  check_registers<64, 4, 4, float, lanes::along_transform>();
  check_registers<64, 4, 4, float, lanes::across_transforms>();
  check_registers<64, 2, 2, double, lanes::along_transform, trade::halves>();
  check_registers<512, 16, 1, double, lanes::along_transform, trade::whole, reuse::after_barrier>();
  check_registers<256, 8, 2, float, lanes::across_transforms, trade::halves,
                  reuse::after_barrier>();
  check_registers<60, 6, 2, float, lanes::along_transform>();
  check_registers<45, 9, 2, float, lanes::along_transform>();
  check_registers<45, 5, 4, double, lanes::across_transforms, trade::halves>();
  check_registers<120, 10, 4, double, lanes::across_transforms, trade::halves,
                  reuse::after_barrier>();
}

/// Bins of which a half is fetched, and both of a pair are then made.
struct halved_bins {
  static constexpr bool in_steps = true;
  const complex<float>* x;
  std::atomic<unsigned>* n_pairs;

  complex<float> fetched(unsigned i) const { return {x[i].re / 2, x[i].im / 2}; }
  void make_pair(unsigned, complex<float>& z, complex<float>& mirrored) const {
    ++*n_pairs;
    z = z + z;
    mirrored = mirrored + mirrored;
  }
  complex<float> operator()(unsigned i) const { return x[i]; }
};

TEST(workgroup_real_fft, loads_bins_in_two_steps) {
  constexpr unsigned m = 256;
  using back = real_fft<shape<m, 8>, float, inverse>;
  const auto x = noise<float>(m + 1, 4);
  const auto expected = run<back>(x, m + 1, m);
  const auto table = roots_of<back>();
  const auto memory = local_memory(back::scratch_bytes);
  std::vector<complex<float>> y(m);
  std::atomic<unsigned> n_pairs{0};
  run_workgroup(back::workgroup_threads, [&](emulated_group group) {
    const team<shape<m, 8>, lanes::along_transform, emulated_group> threads{group};
    const auto store = [&](unsigned i, complex<float> z) { y[i] = z; };
    const scratch<back::scratch_bytes, reuse::after_barrier> lent{memory.get()};
    back::execute(threads, halved_bins{x.data(), &n_pairs}, store, lent, table.data());
  });
  EXPECT_EQ(n_pairs, m / 2);
  for (unsigned i = 0; i < m; ++i) {
    EXPECT_EQ(y[i].re, expected[i].re) << i;
    EXPECT_EQ(y[i].im, expected[i].im) << i;
  }
}

template <class Fft>
auto trades_of(const std::vector<complex<float>>& x) {
  using shape_type = typename Fft::shape_type;
  using trades = mirror_trade<Fft>;
  std::vector<complex<float>> got(x.size());
  const auto memory = local_memory(trades::scratch_bytes);
  run_workgroup(shape_type::workgroup_threads, [&](emulated_group group) {
    const team<shape_type, lanes::along_transform, emulated_group> threads{group};
    complex<float> mine[Fft::elements_per_thread];
    const auto index = [&](unsigned l) {
      return threads.transform() * Fft::length + l * Fft::threads + threads.thread();
    };
    for (unsigned l = 0; l < Fft::elements_per_thread; ++l) mine[l] = x[index(l)];
    for (unsigned l = 0; l < Fft::elements_per_thread; ++l) {
      got[index(l)] = trades::of(threads, mine, l, typename trades::scratch_type{memory.get()});
    }
  });
  return got;
}

TEST(workgroup_mirror_trade, brings_every_element_its_opposite) {
  using eight = fft<shape<256, 8, 2>, float, forward, order::nabla>;
  const auto x = noise<float>(512, 5);
  const auto got = trades_of<eight>(x);
  constexpr auto map = mirror_trade<eight>::map();
  for (unsigned g = 0; g < 512; ++g) {
    const auto expected = x[g - g % 256 + map.nabla_mirror_index(g % 256)];
    EXPECT_EQ(got[g].re, expected.re) << g;
    EXPECT_EQ(got[g].im, expected.im) << g;
  }
}

}  // namespace
