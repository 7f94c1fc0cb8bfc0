// SPDX-License-Identifier: Apache-2.0
// Label: opencl
// Timeout: 300
// Kernels as text around what kernel_test leaves out: elements that travel through an accessor,
// two fp16 transforms at once, real transforms of both kinds, forward and back. On every device
// here that compiles kernels, checked against the long double reference.
#include <gtest/gtest.h>

#include "support/memory.hpp"     // contents, filled
#include "support/oracle.hpp"     // dft
#include "support/signal.hpp"     // noise
#include "support/tolerance.hpp"  // l2_bound
#include "wingbeat/device/half.hpp"
#include "wingbeat/device/nabla.hpp"
#include "wingbeat/device/workgroup/real.hpp"
#include "wingbeat/device/workgroup/two_real.hpp"
#include "wingbeat/roots.hpp"
#include "wingbeat/wingbeat.hpp"

namespace {

using namespace wingbeat;
using namespace device;
using namespace test;
using values = std::vector<complex<float>>;
namespace workgroup = device::workgroup;
constexpr auto forward = device::direction::forward;
constexpr auto inverse = device::direction::inverse;

/// An entry around `body`, which sees team, scratch, from, to, roots.
std::string kernel_text(const std::string& types, const std::string& body) {
  return "#include \"wingbeat/device/workgroup/real.hpp\"\n"
         "#include \"wingbeat/device/workgroup/two_real.hpp\"\n"
         "namespace wingbeat::device {\n" +
         types +
         "static_assert(sizeof(there::value_type) + sizeof(there::register_type) > 0, \"\");\n"
         "WINGBEAT_KERNEL(there::workgroup_threads)\n"
         "void entry(WINGBEAT_GLOBAL const there::value_type* in,\n"
         "           WINGBEAT_GLOBAL there::value_type* out,\n"
         "           WINGBEAT_GLOBAL const there::register_type* roots, size in_first,\n"
         "           size out_first, size batch WINGBEAT_SCRATCH_PARAMETER) {\n"
         "  if (batch == 0) return;\n"
         "  const workgroup::team<there::shape_type> team;\n"
         "  const workgroup::scratch<there::scratch_bytes> scratch{WINGBEAT_SCRATCH};\n"
         "  const auto from = in + in_first;\n"
         "  const auto to = out + out_first;\n" +
         body + "}\n}\n";
}

/// Runs one workgroup of `Fft`'s shape on every device; the output begins as a copy of the input.
template <class Fft, class Check>
void on_every_device(const std::string& text, const std::vector<typename Fft::value_type>& x,
                     std::size_t out_count, const Check& check) {
  using value = typename Fft::value_type;
  const auto roots = roots_of<Fft>();
  for (const device_info& device : devices()) {
    if (device.runs_on != engine::opencl && device.runs_on != engine::cuda) continue;
    SCOPED_TRACE(device.name);
    queue on{device};
    const kernel compiled{on,
                          {.text = text,
                           .entry = "entry",
                           .threads = Fft::workgroup_threads,
                           .scratch_bytes = Fft::scratch_bytes,
                           .in_element_bytes = sizeof(value),
                           .out_element_bytes = sizeof(value)}};
    std::vector<value> y(std::max(out_count, x.size()));
    std::copy(x.begin(), x.end(), y.begin());
    const buffer table = filled(on, roots), in = filled(on, x), out = filled(on, y);
    compiled.enqueue(on, 1, in.view(), out.view(), table.view(), 1);
    y = contents<value>(out);
    y.resize(out_count);
    check(y);
  }
}

template <class Real>
exact widely(const std::vector<complex<Real>>& x) {
  exact row;
  for (const auto& z : x) row.emplace_back(device::widen(z).re, device::widen(z).im);
  return row;
}

TEST(kernel_kinds, let_elements_travel_through_an_accessor) {
  using there = workgroup::fft<workgroup::shape<2048, 64>, float, forward, device::order::nabla>;
  const std::string text = kernel_text(
      "using there = workgroup::fft<workgroup::shape<2048, 64>, float, direction::forward,\n"
      "                             order::nabla>;\n"
      "struct row {\n"
      "  WINGBEAT_GLOBAL complex<float>* at;\n"
      "  WINGBEAT_FN void get(unsigned i, complex<float>& z) const { z = at[i]; }\n"
      "  WINGBEAT_FN void set(unsigned i, complex<float> z) const { at[i] = z; }\n"
      "  WINGBEAT_FN void memory_barrier() const {}\n"
      "};\n",
      "  row mine{to};\n"
      "  there::execute(team, mine, scratch, roots);\n");
  const values x = noise<float>(2048, 1);
  const exact natural = dft(x, forward);
  exact expected(2048);
  for (unsigned g = 0; g < 2048; ++g) {
    expected[g] = natural[device::nabla::index_map{6, 5}.dft_index(g)];
  }
  on_every_device<there>(text, x, 2048, [&](const values& y) {
    EXPECT_LT(relative_l2(widely(y), expected), test::l2_bound<float>(2048));
  });
}

TEST(kernel_kinds, make_two_fp16_transforms_at_once) {
  using there = workgroup::fft<workgroup::shape<32, 4>, half_pair, forward>;
  const std::string text = kernel_text(
      "using there = workgroup::fft<workgroup::shape<32, 4>, half_pair, direction::forward>;\n",
      "  there::register_type x[4];\n"
      "  for (unsigned l = 0; l < 4; ++l) x[l] = from[team.thread() + l * there::stride];\n"
      "  there::execute(team, x, scratch, roots);\n"
      "  for (unsigned l = 0; l < 4; ++l) to[team.thread() + l * there::stride] = x[l];\n");
  const values a = noise<float>(32, 2), b = noise<float>(32, 3);
  std::vector<complex<half_pair>> x(32);
  std::vector<complex<half_float>> first(32), second(32);
  for (unsigned i = 0; i < 32; ++i) {
    first[i] = device::narrow(a[i]);
    second[i] = device::narrow(b[i]);
    x[i] = {half_pair{first[i].re, second[i].re}, half_pair{first[i].im, second[i].im}};
  }
  on_every_device<there>(text, x, 32, [&](const std::vector<complex<half_pair>>& y) {
    std::vector<complex<half_float>> of_first, of_second;
    for (const auto& z : y) {
      of_first.push_back({z.re.first(), z.im.first()});
      of_second.push_back({z.re.second(), z.im.second()});
    }
    EXPECT_LT(relative_l2(widely(of_first), dft(widely(first), forward)), 1.5e-3L);
    EXPECT_LT(relative_l2(widely(of_second), dft(widely(second), forward)), 1.5e-3L);
  });
}

/// Expects two rows of 2M reals to become bins, and behind them the rows again, N times too large.
template <class Fft>
void check_packed_reals(const std::string& text, std::size_t bins) {
  constexpr std::size_t m = Fft::shape_type::length;
  const values z = noise<float>(2 * m, 4);
  on_every_device<Fft>(text, z, 2 * bins + 2 * m, [&](const values& y) {
    exact expected;
    for (std::size_t row = 0; row < 2; ++row) {
      exact x;
      for (std::size_t j = 0; j < m; ++j) {
        x.emplace_back(z[row * m + j].re);
        x.emplace_back(z[row * m + j].im);
      }
      exact transformed = dft(x, forward);
      if (bins == m) transformed[0] = {transformed[0].real(), transformed[m].real()};
      expected.insert(expected.end(), transformed.begin(), transformed.begin() + long(bins));
    }
    const values spectra(y.begin(), y.begin() + 2 * bins), again(y.begin() + 2 * bins, y.end());
    EXPECT_LT(relative_l2(widely(spectra), expected), test::l2_bound<float>(2 * m));
    exact scaled = widely(z);
    for (auto& value : scaled) value *= 2.0L * m;
    EXPECT_LT(relative_l2(widely(again), scaled), 2 * test::l2_bound<float>(2 * m));
  });
}

/// Two rows of 2M reals: bins, then the rows again behind them, N times too large.
template <workgroup::spectrum Spectrum>
void check_real(const std::string& spectrum) {
  constexpr std::size_t m = 256, bins = Spectrum == workgroup::spectrum::packed ? m : m + 1;
  using there = workgroup::real_fft<workgroup::shape<m, 8, 2>, float, forward, Spectrum>;
  const std::string text = kernel_text(
      "using shape = workgroup::shape<256, 8, 2>;\n"
      "using there = workgroup::real_fft<shape, float, direction::forward, " +
          spectrum +
          ">;\n"
          "using back = workgroup::real_fft<shape, float, direction::inverse, " +
          spectrum +
          ">;\n"
          "struct run {\n"
          "  WINGBEAT_GLOBAL complex<float>* at;\n"
          "  WINGBEAT_FN complex<float> operator()(unsigned i) const { return at[i]; }\n"
          "  WINGBEAT_FN void operator()(unsigned i, complex<float> z) const { at[i] = z; }\n"
          "};\n"
          "struct read {\n"
          "  WINGBEAT_GLOBAL const complex<float>* at;\n"
          "  WINGBEAT_FN complex<float> operator()(unsigned i) const { return at[i]; }\n"
          "};\n",
      "  const unsigned row = team.transform();\n"
      "  const run spectrum{to + row * there::bins}, again{to + 2 * there::bins + row * 256};\n"
      "  there::execute(team, read{from + row * 256}, spectrum, scratch, roots);\n"
      "  back::execute(team, spectrum, again, scratch, roots);\n");
  check_packed_reals<there>(text, bins);
}

TEST(kernel_kinds, transform_rows_of_reals_and_back) {
  check_real<workgroup::spectrum::unpacked>("workgroup::spectrum::unpacked");
  check_real<workgroup::spectrum::packed>("workgroup::spectrum::packed");
}

/// Two rows of two signals: the spectra, whose row k holds bin `bin_of(k)`, and behind them the
/// signals again, N times too large.
template <class Fft, class Bin>
void check_two_signals(const std::string& text, const Bin& bin_of) {
  const values z = noise<float>(512, 5);
  on_every_device<Fft>(text, z, 1024, [&](const values& got) {
    exact expected, scaled = widely(z);
    for (auto& value : scaled) value *= 256.0L;
    for (std::size_t first : {std::size_t{0}, std::size_t{256}}) {
      for (const bool is_imaginary : {false, true}) {
        exact x;
        for (std::size_t i = 0; i < 256; ++i) {
          x.emplace_back(is_imaginary ? z[first + i].im : z[first + i].re);
        }
        const exact y = dft(x, forward);
        expected.emplace_back(y[0].real(), y[128].real());
        for (unsigned row = 1; row < 128; ++row) expected.push_back(y[bin_of(row)]);
      }
    }
    const values spectra(got.begin(), got.begin() + 512), again(got.begin() + 512, got.end());
    EXPECT_LT(relative_l2(widely(spectra), expected), 2 * test::l2_bound<float>(256));
    EXPECT_LT(relative_l2(widely(again), scaled), 2 * test::l2_bound<float>(256));
  });
}

TEST(kernel_kinds, transform_two_signals_as_one_and_back) {
  using there = workgroup::two_real_fft<workgroup::shape<256, 8, 2>, float, forward>;
  const std::string text = kernel_text(
      "using shape = workgroup::shape<256, 8, 2>;\n"
      "using there = workgroup::two_real_fft<shape, float, direction::forward>;\n"
      "using back = workgroup::two_real_fft<shape, float, direction::inverse>;\n"
      "struct read {\n"
      "  WINGBEAT_GLOBAL const complex<float>* at;\n"
      "  WINGBEAT_FN complex<float> operator()(unsigned i) const { return at[i]; }\n"
      "};\n"
      "struct rows {\n"
      "  WINGBEAT_GLOBAL complex<float>* x;\n"
      "  WINGBEAT_GLOBAL complex<float>* y;\n"
      "  WINGBEAT_FN real::pair<float> operator()(unsigned row) const { return {x[row], y[row]}; "
      "}\n"
      "  WINGBEAT_FN void operator()(unsigned row, complex<float> a, complex<float> b) const {\n"
      "    x[row] = a;\n"
      "    y[row] = b;\n"
      "  }\n"
      "};\n"
      "struct write {\n"
      "  WINGBEAT_GLOBAL complex<float>* at;\n"
      "  WINGBEAT_FN void operator()(unsigned i, complex<float> z) const { at[i] = z; }\n"
      "};\n",
      "  const unsigned first = team.transform() * 256;\n"
      "  const rows kept{to + first, to + first + 128};\n"
      "  there::execute(team, read{from + first}, kept, scratch, roots);\n"
      "  back::execute(team, kept, write{to + 512 + first}, scratch, roots);\n");
  check_two_signals<there>(text, [](unsigned row) { return there::bin_of(row); });
}

TEST(kernel_kinds, transform_two_signals_in_registers_and_back) {
  constexpr auto natural = device::order::natural;
  using there = workgroup::two_real_fft<workgroup::shape<256, 8, 2>, float, forward,
                                        workgroup::memory<>, natural>;
  const std::string text = kernel_text(
      "using shape = workgroup::shape<256, 8, 2>;\n"
      "using there = workgroup::two_real_fft<shape, float, direction::forward,\n"
      "                                      workgroup::memory<>, order::natural>;\n"
      "using back = workgroup::two_real_fft<shape, float, direction::inverse,\n"
      "                                     workgroup::memory<>, order::natural>;\n",
      "  const unsigned first = team.transform() * 256 + team.thread();\n"
      "  complex<float> x[8];\n"
      "  for (unsigned r = 0; r < 8; ++r) x[r] = from[first + r * there::stride];\n"
      "  there::execute(team, x, scratch, roots);\n"
      "  for (unsigned r = 0; r < 8; ++r) to[first + r * there::stride] = x[r];\n"
      "  back::execute(team, x, scratch, roots);\n"
      "  for (unsigned r = 0; r < 8; ++r) to[512 + first + r * there::stride] = x[r];\n");
  check_two_signals<there>(text, [](unsigned row) { return row; });
}

/// Packed reals: the spectra of two rows, and behind them the rows again, N times too large.
TEST(kernel_kinds, transform_packed_reals_in_registers_and_back) {
  using there =
      workgroup::real_fft<workgroup::shape<256, 8, 2>, float, forward, workgroup::spectrum::packed>;
  const std::string text = kernel_text(
      "using shape = workgroup::shape<256, 8, 2>;\n"
      "using there = workgroup::real_fft<shape, float, direction::forward,\n"
      "                                  workgroup::spectrum::packed>;\n"
      "using back = workgroup::real_fft<shape, float, direction::inverse,\n"
      "                                 workgroup::spectrum::packed>;\n",
      "  const unsigned first = team.transform() * 256 + team.thread();\n"
      "  complex<float> x[8];\n"
      "  for (unsigned r = 0; r < 8; ++r) x[r] = from[first + r * there::stride];\n"
      "  there::execute(team, x, scratch, roots);\n"
      "  for (unsigned r = 0; r < 8; ++r) to[first + r * there::stride] = x[r];\n"
      "  back::execute(team, x, scratch, roots);\n"
      "  for (unsigned r = 0; r < 8; ++r) to[512 + first + r * there::stride] = x[r];\n");
  check_packed_reals<there>(text, 256);
}

/// Rows change into columns at the first exchange: what is stored is the spectra's transpose.
TEST(kernel_kinds, transform_rows_into_columns) {
  using there = workgroup::fft<workgroup::shape<64, 4, 4>, float, forward>;
  const std::string text = kernel_text(
      "using there = workgroup::fft<workgroup::shape<64, 4, 4>, float, direction::forward>;\n",
      "  const workgroup::team<there::shape_type, workgroup::lanes::across_transforms> after;\n"
      "  complex<float> x[4];\n"
      "  for (unsigned r = 0; r < 4; ++r) {\n"
      "    x[r] = from[team.transform() * 64 + team.thread() + r * there::stride];\n"
      "  }\n"
      "  there::execute_between(team, after, x, scratch, roots);\n"
      "  for (unsigned r = 0; r < 4; ++r) {\n"
      "    to[(after.thread() + r * there::stride) * 4 + after.transform()] = x[r];\n"
      "  }\n");
  const values z = noise<float>(256, 8);
  on_every_device<there>(text, z, 256, [&](const values& got) {
    exact expected(256);
    for (std::size_t row = 0; row < 4; ++row) {
      const exact bins = dft(values(z.begin() + row * 64, z.begin() + (row + 1) * 64), forward);
      for (std::size_t k = 0; k < 64; ++k) expected[k * 4 + row] = bins[k];
    }
    EXPECT_LT(relative_l2(widely(got), expected), test::l2_bound<float>(64));
  });
}

}  // namespace
