// SPDX-License-Identifier: Apache-2.0
// What docs/device.md and its neighbours show and no example has: bodies of kernels, run here in
// the emulated workgroup against the long double reference. The pages quote this file.
#include <gtest/gtest.h>

#include "device/workgroup/fft_probe.hpp"  // local_memory
#include "support/oracle.hpp"              // dft, relative_l2
#include "support/signal.hpp"              // noise
#include "wingbeat/device/io.hpp"
#include "wingbeat/device/nabla.hpp"      // index_map, optimal_parameters
#include "wingbeat/device/scrambled.hpp"  // index_map
#include "wingbeat/device/workgroup/advise.hpp"
#include "wingbeat/device/workgroup/fft.hpp"
#include "wingbeat/device/workgroup/real.hpp"
#include "wingbeat/workgroup_fft.hpp"

namespace {

using namespace wingbeat::device;
using namespace wingbeat;
using namespace wingbeat::test;

/// Runs `body(group, local memory, roots)` in every workgroup of a grid, for the transform `Fft`.
template <class Fft, class Body>
void run(std::size_t workgroups, const Body& body) {
  const auto roots = roots_of<Fft>();
  const auto memory = wingbeat::test::local_memory(Fft::scratch_bytes);
  run_grid(workgroups, Fft::workgroup_threads,
           [&](emulated_group group) { body(group, memory.get(), roots.data()); });
}

template <class Value>
exact row_of(const std::vector<Value>& x, std::size_t row, std::size_t n) {
  exact values;
  for (std::size_t i = 0; i < n; ++i)
    values.push_back(wingbeat::test::widened(widen(x[row * n + i])));
  return values;
}

// fp16: stored in 16 bits, computed in 32.

using half_fft = workgroup::fft<workgroup::shape<1024, 8>, half_float, direction::forward>;

template <class Group>
WINGBEAT_FN void half_rows(Group group, WINGBEAT_GLOBAL const complex<half_float>* in,
                           WINGBEAT_GLOBAL complex<half_float>* out,
                           WINGBEAT_GLOBAL const complex<float>* roots, size batch,
                           WINGBEAT_LOCAL char* memory) {
  using fft = half_fft;
  const workgroup::team<fft::shape_type, workgroup::lanes::along_transform, Group> team{group};
  const io::member row = io::member_of(team, group.index(), batch);
  const auto load = io::row_of(in, fft::length, row);
  const auto store = io::row_of(out, fft::length, row);
  complex<float> x[fft::elements_per_thread];  // fft::register_type
  for (unsigned l = 0; l < fft::elements_per_thread; ++l) {
    x[l] = widen(load(team.thread() + l * fft::stride));
  }
  fft::execute(team, x, fft::scratch_type{memory}, roots);
  for (unsigned l = 0; l < fft::elements_per_thread; ++l) {  // scaled before it is rounded
    store(team.thread() + l * fft::stride, narrow<half_float>(scaled(x[l], 1.0F / fft::length)));
  }
}

std::vector<complex<half_float>> half_noise(std::size_t count) {
  std::vector<complex<half_float>> x;
  for (const auto& z : noise<float>(count, 1)) x.push_back(narrow(z));
  return x;
}

TEST(device_docs, half_rows) {
  const auto x = half_noise(2 * 1024);
  auto y = x;
  run<half_fft>(2, [&](auto group, char* memory, const auto* roots) {
    half_rows(group, x.data(), y.data(), roots, 2, memory);
  });
  for (unsigned row = 0; row < 2; ++row) {
    exact expected = dft(row_of(x, row, 1024), direction::forward);
    for (auto& z : expected) z /= 1024;
    EXPECT_LT(relative_l2(row_of(y, row, 1024), expected), 3e-4L);
  }
}

// Two fp16 transforms in one set of registers.

using pair_fft = workgroup::fft<workgroup::shape<256, 8>, half_pair, direction::forward>;

template <class Group>
WINGBEAT_FN void paired_rows(Group group, WINGBEAT_GLOBAL const complex<half_float>* in,
                             WINGBEAT_GLOBAL complex<half_float>* out,
                             WINGBEAT_GLOBAL const complex<half_pair>* roots, size batch,
                             WINGBEAT_LOCAL char* memory) {
  constexpr unsigned n = pair_fft::length;
  const workgroup::team<pair_fft::shape_type, workgroup::lanes::along_transform, Group> team{group};
  const io::member_pair rows = io::pair_of(team, group.index(), batch);
  const io::paired load{io::row_of(in, n, rows.first), io::row_of(in, n, rows.second)};
  const io::paired store{io::row_of(out, n, rows.first), io::row_of(out, n, rows.second)};
  pair_fft::execute(team, load, store, pair_fft::scratch_type{memory}, roots);
}

TEST(device_docs, paired_rows) {
  const auto x = half_noise(3 * 256);
  auto y = x;
  run<pair_fft>(2, [&](auto group, char* memory, const auto* roots) {
    paired_rows(group, x.data(), y.data(), roots, 3, memory);
  });
  for (unsigned row = 0; row < 3; ++row) {
    const exact expected = dft(row_of(x, row, 256), direction::forward);
    EXPECT_LT(relative_l2(row_of(y, row, 256), expected), 2e-3L);
  }
}

// Real rows to half spectra, and back.

using half_length = workgroup::shape<512, 8>;  // 1024 reals are 512 complex numbers
using analysis = workgroup::real_fft<half_length, float, direction::forward>;
using synthesis = workgroup::real_fft<half_length, float, direction::inverse>;

template <class Group>
WINGBEAT_FN void analyse(Group group, WINGBEAT_GLOBAL const float* in,
                         WINGBEAT_GLOBAL complex<float>* bins,
                         WINGBEAT_GLOBAL const complex<float>* roots, size batch,
                         WINGBEAT_LOCAL char* memory) {
  const workgroup::team<half_length, workgroup::lanes::along_transform, Group> team{group};
  const io::member row = io::member_of(team, group.index(), batch);
  const io::packed load{io::row_of(in, analysis::length, row)};  // x[2j] + i x[2j + 1]
  const auto store = io::row_of(bins, analysis::bins, row);      // 0 .. 512
  analysis::execute(team, load, store, analysis::scratch_type{memory}, roots);
}

template <class Group>
WINGBEAT_FN void synthesise(Group group, WINGBEAT_GLOBAL const complex<float>* bins,
                            WINGBEAT_GLOBAL float* out, WINGBEAT_GLOBAL const complex<float>* roots,
                            size batch, WINGBEAT_LOCAL char* memory) {
  const workgroup::team<half_length, workgroup::lanes::along_transform, Group> team{group};
  const io::member row = io::member_of(team, group.index(), batch);
  const auto load = io::row_of(bins, synthesis::bins, row);
  const io::scaled store{io::packed{io::row_of(out, synthesis::length, row)},
                         1.0F / synthesis::length};
  synthesis::execute(team, load, store, synthesis::scratch_type{memory}, roots);
}

TEST(device_docs, real_rows_there_and_back) {
  constexpr unsigned n = analysis::length, batch = 2;
  std::vector<float> x(n * batch), y(n * batch);
  wingbeat::test::fill_noise(x.data(), x.size(), 3);
  std::vector<complex<float>> bins(analysis::bins * batch);
  run<analysis>(batch, [&](auto group, char* memory, const auto* roots) {
    analyse(group, x.data(), bins.data(), roots, batch, memory);
  });
  run<synthesis>(batch, [&](auto group, char* memory, const auto* roots) {
    synthesise(group, bins.data(), y.data(), roots, batch, memory);
  });
  exact row(x.begin(), x.begin() + n);
  row = dft(row, direction::forward);
  row.resize(analysis::bins);
  EXPECT_LT(relative_l2(row_of(bins, 0, analysis::bins), row), 2e-7L);
  for (unsigned i = 0; i < x.size(); ++i) ASSERT_NEAR(y[i], x[i], 1e-6F) << i;
}

// Scratch that becomes something else.

using tone_fft = workgroup::fft<workgroup::shape<256, 8, 4>, float, direction::forward>;

/// Finds the loudest bin of each row.  in: [row][256];  loudest: [row]
template <class Group>
WINGBEAT_FN void loudest_bins(Group group, WINGBEAT_GLOBAL const complex<float>* in,
                              WINGBEAT_GLOBAL unsigned* loudest,
                              WINGBEAT_GLOBAL const complex<float>* roots, size batch,
                              WINGBEAT_LOCAL char* memory) {
  using fft = tone_fft;
  const workgroup::team<fft::shape_type, workgroup::lanes::along_transform, Group> team{group};
  const io::member row = io::member_of(team, group.index(), batch);
  const auto load = io::row_of(in, fft::length, row);
  complex<float> x[fft::elements_per_thread];
  for (unsigned l = 0; l < fft::elements_per_thread; ++l) {
    x[l] = load(team.thread() + l * fft::stride);
  }
  fft::execute(team, x, fft::scratch_type{memory}, roots);

  team.workgroup_barrier();  // from here on the scratch is this kernel's own
  const auto power =
      reinterpret_cast<WINGBEAT_LOCAL float*>(memory) + team.transform() * fft::length;
  for (unsigned l = 0; l < fft::elements_per_thread; ++l) {
    power[team.thread() + l * fft::stride] = x[l].re * x[l].re + x[l].im * x[l].im;
  }
  team.barrier();
  if (team.thread() != 0 || !row.exists) return;  // no barrier follows
  unsigned best = 0;
  for (unsigned k = 1; k < fft::length; ++k) best = power[k] > power[best] ? k : best;
  loudest[row.number] = best;
}

TEST(device_docs, loudest_bins) {
  constexpr unsigned n = tone_fft::length, batch = 6;
  std::vector<complex<float>> x(n * batch);
  for (unsigned i = 0; i < x.size(); ++i) {
    const auto w = wingbeat::root(std::size_t{n} - (40 * (i / n) + 7) * (i % n) % n, n);
    x[i] = {float(w.real()), float(w.imag())};
  }
  std::vector<unsigned> got(batch, 999), expected;
  for (unsigned row = 0; row < batch; ++row) expected.push_back(40 * row + 7);
  run<tone_fft>(2, [&](auto group, char* memory, const auto* roots) {
    loudest_bins(group, x.data(), got.data(), roots, batch, memory);
  });
  EXPECT_EQ(got, expected);
}

// Loads and stores, composed.

using small_fft = workgroup::fft<workgroup::shape<64, 8>, float, direction::forward>;

/// Real and imaginary parts lie apart, 50 of each; bins 8 .. 23 are kept, conjugated.
template <class Group>
WINGBEAT_FN void some_bins(Group group, WINGBEAT_GLOBAL const float* re,
                           WINGBEAT_GLOBAL const float* im, WINGBEAT_GLOBAL complex<float>* out,
                           WINGBEAT_GLOBAL const complex<float>* roots,
                           WINGBEAT_LOCAL char* memory) {
  const workgroup::team<small_fft::shape_type, workgroup::lanes::along_transform, Group> team{
      group};
  const io::padded load{io::planar{io::contiguous{re}, io::contiguous{im}}, 50U};
  const io::cropped store{io::conjugated{io::contiguous{out}}, 8U, 16U};
  small_fft::execute(team, load, store, small_fft::scratch_type{memory}, roots);
}

TEST(device_docs, some_bins) {
  std::vector<float> re(50), im(50);
  wingbeat::test::fill_noise(re.data(), 50, 5);
  wingbeat::test::fill_noise(im.data(), 50, 6);
  std::vector<complex<float>> out(16);
  run<small_fft>(1, [&](auto group, char* memory, const auto* roots) {
    some_bins(group, re.data(), im.data(), out.data(), roots, memory);
  });
  exact x(64);
  for (unsigned i = 0; i < 50; ++i) x[i] = {re[i], im[i]};
  x = dft(x, direction::forward);
  exact expected;
  for (unsigned k = 8; k < 24; ++k) expected.push_back(conj(x[k]));
  EXPECT_LT(relative_l2(row_of(out, 0, 16), expected), 3e-7L);
}

// Parameters.

constexpr unsigned n = 8192;
constexpr workgroup::limits h200{/*max_workgroup=*/1024, /*local_memory_bytes=*/227 * 1024,
                                 /*subgroup=*/32};
constexpr workgroup::advice good = workgroup::advise(n, sizeof(float), h200);
static_assert(good.is_valid(), "no workgroup of this device transforms that length");
using advised_shape = workgroup::shape<n, good.elements_per_thread, good.transforms>;
using advised_fft = workgroup::fft<advised_shape, float, direction::forward, order::natural,
                                   workgroup::memory<good.trades>>;
static_assert(advised_fft::scratch_bytes <= h200.local_memory_bytes);

static_assert(nabla::optimal_parameters(512, 2049, 32).elements_log2 == 3);
static_assert(nabla::optimal_parameters(512, 2049, 32).workgroup_log2 == 9);

constexpr nabla::index_map lies{/*elements_log2=*/2, /*workgroup_log2=*/2};
static_assert(lies.dft_index(6) == 10);          // element 6 holds frequency 10
static_assert(lies.nabla_index(10) == 6);        // and the other way
static_assert(lies.nabla_mirror_index(6) == 3);  // frequency -10 mod 16 = 6 lies in element 3
static_assert(lies.dft_index(3) == 6);

TEST(device_docs, parameters_at_run_time) {
  using wingbeat::scalar;
  using wingbeat::workgroup_fft;
  const workgroup::limits limits = h200;  // wingbeat::limits_of(queue.device())
  const auto shape = workgroup_fft::advised(2048, scalar::fp32, limits, order::scrambled);
  shape.validate(limits);
  const std::string first_line = "using fft = " + shape.type_text() + ";\n";
  const std::vector<std::byte> roots = shape.table();
  EXPECT_EQ(roots.size(), shape.table_entries() * sizeof(complex<float>));
  EXPECT_NE(first_line.find("shape<2048, "), std::string::npos);
}

}  // namespace
