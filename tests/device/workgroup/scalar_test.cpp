// SPDX-License-Identifier: Apache-2.0
// fp16 in both forms, elements that travel through an accessor, accessors in place, scratch that
// is part of a larger array, transforms one after another on the same scratch.
#include "wingbeat/device/workgroup/scalar.hpp"

#include <gtest/gtest.h>

#include "device/workgroup/fft_probe.hpp"  // run_fft
#include "support/oracle.hpp"              // dft, relative_l2
#include "support/signal.hpp"              // noise
#include "support/tolerance.hpp"           // is_accurate
#include "wingbeat/device/nabla.hpp"       // index_map

namespace {

using namespace wingbeat;
using namespace wingbeat::device;
using namespace wingbeat::device::workgroup;
using namespace wingbeat::test;

constexpr auto forward = direction::forward;
constexpr auto inverse = direction::inverse;

exact exactly(const std::vector<complex<half_float>>& x) {
  exact row;
  for (const auto& z : x) row.push_back(widened(widen(z)));
  return row;
}

std::vector<complex<half_float>> half_noise(std::size_t n, int seed) {
  std::vector<complex<half_float>> x;
  for (const auto& z : noise<float>(n, seed)) x.push_back(narrow(z));
  return x;
}

TEST(workgroup_fft_fp16, stores_in_16_bits_and_computes_in_32) {
  const auto x = half_noise(1024, 1);
  const auto expected = dft(exactly(x), forward);
  const auto natural = run_fft<fft<shape<1024, 8>, half_float, forward>>(x);
  EXPECT_LT(relative_l2(exactly(natural), expected), 2.6e-4L);
  const auto y = run_fft<fft<shape<1024, 16>, half_float, forward, order::nabla>>(x);
  exact ordered(1024);
  for (unsigned g = 0; g < 1024; ++g) {
    ordered[g] = expected[wingbeat::device::nabla::index_map{4, 6}.dft_index(g)];
  }
  EXPECT_LT(relative_l2(exactly(y), ordered), 2.6e-4L);
}

/// The transform of `first` alone is told from that of both by a second of another size.
TEST(workgroup_fft_fp16, makes_two_transforms_at_once) {
  for (const unsigned n : {64u, 1024u}) {
    const auto first = half_noise(n, 2), second = half_noise(n, 3);
    std::vector<complex<half_pair>> x(n);
    for (unsigned i = 0; i < n; ++i) {
      x[i] = {half_pair{first[i].re, second[i].re}, half_pair{first[i].im, second[i].im}};
    }
    const auto y = n == 64 ? run_fft<fft<shape<64, 8, 1>, half_pair, forward>>(x)
                           : run_fft<fft<shape<1024, 16>, half_pair, forward>>(x);
    std::vector<complex<half_float>> of_first(n), of_second(n);
    for (unsigned i = 0; i < n; ++i) {
      of_first[i] = {y[i].re.first(), y[i].im.first()};
      of_second[i] = {y[i].re.second(), y[i].im.second()};
    }
    // The docs promise 2e-3 up to the longest; at 1024 points 1.0e-3 comes.
    EXPECT_LT(relative_l2(exactly(of_first), dft(exactly(first), forward)), 1.5e-3L) << n;
    EXPECT_LT(relative_l2(exactly(of_second), dft(exactly(second), forward)), 1.5e-3L) << n;
  }
}

/// Memory that counts how far from home a thread reaches.
struct row_accessor {
  complex<float>* values;
  unsigned thread, threads;
  bool* is_owner;
  unsigned* barriers;

  void get(unsigned i, complex<float>& z) const {
    *is_owner = *is_owner && i % threads == thread;
    z = values[i];
  }
  void set(unsigned i, complex<float> z) const {
    *is_owner = *is_owner && i % threads == thread;
    values[i] = z;
  }
  void memory_barrier() const { ++*barriers; }
};

template <unsigned Length, unsigned Elements>
void check_travel() {
  using there = fft<shape<Length, Elements>, float, forward, order::nabla>;
  using back = fft<shape<Length, Elements>, float, inverse, order::nabla>;
  constexpr wingbeat::device::nabla::index_map map{wingbeat::device::log2_of(Elements),
                                                   wingbeat::device::log2_of(Length / Elements)};
  const auto x = noise<float>(Length, 4);
  const auto natural = dft(x, forward);
  auto row = x;
  const auto table = roots_of<there>();
  const auto memory = local_memory(there::scratch_bytes + 32);
  bool is_owner[there::threads];
  unsigned barriers[there::threads] = {};
  std::vector<complex<float>> spectrum;
  run_workgroup(there::workgroup_threads, [&](emulated_group group) {
    const team<typename there::shape_type, lanes::along_transform, emulated_group> threads{group};
    is_owner[threads.thread()] = true;
    row_accessor mine{row.data(), threads.thread(), there::threads, &is_owner[threads.thread()],
                      &barriers[threads.thread()]};
    const scratch<there::scratch_bytes> lent{memory.get() + 16};  // part of a larger array
    there::execute(threads, mine, lent, table.data());
    threads.barrier();
    if (threads.thread() == 0) spectrum = row;
    threads.barrier();
    back::execute(threads, mine, lent, table.data());
  });
  exact expected(Length), scaled(Length);
  for (unsigned g = 0; g < Length; ++g) expected[g] = natural[map.dft_index(g)];
  for (unsigned i = 0; i < Length; ++i)
    scaled[i] = widened(x[i]) * static_cast<long double>(Length);
  EXPECT_TRUE(is_accurate<float>(spectrum, expected, Length));
  EXPECT_TRUE(is_accurate<float>(row, scaled, std::size_t{Length} * Length));
  for (const bool owner : is_owner) EXPECT_TRUE(owner) << "a thread reached for another's element";
  for (const unsigned n : barriers) EXPECT_EQ(n, Elements > 32 ? 2u : 0u);
}

TEST(workgroup_fft_accessor, serves_in_place_and_lets_elements_travel) {
  check_travel<256, 8>();
  check_travel<512, 32>();
  check_travel<1024, 64>();
  check_travel<2048, 64>();
  check_travel<4096, 128>();
}

/// Forward, product, inverse on one scratch and no barrier of the caller's: circular convolution.
template <order Order>
void check_convolution() {
  constexpr unsigned n = 256;
  using there = fft<shape<n, 8, 2>, float, forward, Order>;
  using back = fft<shape<n, 8, 2>, float, inverse, Order>;
  const auto x = noise<float>(2 * n, 6), h = noise<float>(2 * n, 7);
  std::vector<complex<float>> y(2 * n);
  const auto table = roots_of<there>();
  const auto memory = local_memory(there::scratch_bytes);
  run_workgroup(there::workgroup_threads, [&](emulated_group group) {
    const team<typename there::shape_type, lanes::along_transform, emulated_group> threads{group};
    const auto index = [&](unsigned l) {
      return threads.transform() * n + threads.thread() + l * there::threads;
    };
    complex<float> a[8], b[8];
    for (unsigned l = 0; l < 8; ++l) {
      a[l] = x[index(l)];
      b[l] = h[index(l)];
    }
    const typename there::scratch_type lent{memory.get()};
    there::execute(threads, a, lent, table.data());
    there::execute(threads, b, lent, table.data());
    for (unsigned l = 0; l < 8; ++l) a[l] = a[l] * b[l];
    back::execute(threads, a, lent, table.data());
    for (unsigned l = 0; l < 8; ++l) y[index(l)] = a[l];
  });
  for (unsigned f = 0; f < 2; ++f) {
    exact expected(n), got(n);
    for (unsigned i = 0; i < n; ++i) {
      got[i] = widened(y[f * n + i]) / static_cast<long double>(n);
      for (unsigned j = 0; j < n; ++j) {
        expected[(i + j) % n] += widened(x[f * n + i]) * widened(h[f * n + j]);
      }
    }
    EXPECT_LT(relative_l2(got, expected), 4e-7L);
  }
}

TEST(workgroup_fft_convolution, needs_no_order_and_no_barrier_between_transforms) {
  check_convolution<order::natural>();
  check_convolution<order::nabla>();
  check_convolution<order::scrambled>();
}

}  // namespace
