// SPDX-License-Identifier: Apache-2.0
#include "convolving/product.hpp"

#include <complex>

#include "arrays/array.hpp"            // bytes_of_real
#include "formatted.hpp"               // formatted
#include "wingbeat/device/bfloat.hpp"  // bfloat
#include "wingbeat/device/half.hpp"    // half_float

namespace wingbeat::convolving {
namespace {

/// A complex number of a spectrum.
template <class Stored>
struct stored_bin {
  Stored re, im;
};

template <class Stored, class Real>
host_load callable_of(const spectrum_pairs& pairs, product times) {
  using number = std::complex<Real>;
  using bin = stored_bin<Stored>;
  return operand_reader<number>{[pairs, times](const void* in, const host_arguments& given,
                                               std::size_t row, std::size_t first,
                                               std::span<number> into) {
    const std::size_t column = row % pairs.columns, pair = row / pairs.columns;
    const std::size_t run = pair / pairs.prepared;
    const std::size_t prepared = pairs.is_pairwise ? run : pair % pairs.prepared;
    const auto offset = [&](std::size_t n_before) { return n_before * pairs.bins + first; };
    const auto* const x = static_cast<const bin*>(in) + offset(run * pairs.columns + column);
    const auto* const h =
        given.memory<const bin>(0) +
        offset(pairs.has_one_column ? prepared : prepared * pairs.columns + column);
    // Parts that are not finite need no care of their own, as operator* would take.
    const Real x_sign = times == product::conjugate_row ? Real(-1) : Real(1);
    const Real h_sign = times == product::conjugate_spectrum ? Real(-1) : Real(1);
    for (std::size_t i = 0; i < into.size(); ++i) {
      const auto a = static_cast<Real>(x[i].re), b = x_sign * static_cast<Real>(x[i].im);
      const auto c = static_cast<Real>(h[i].re), d = h_sign * static_cast<Real>(h[i].im);
      into[i] = {a * c - b * d, a * d + b * c};
    }
  }};
}

std::string_view type_of(precision stored) {
  switch (stored) {
    case precision::fp32: return "float";
    case precision::fp64: return "double";
    case precision::fp16: return "wingbeat::device::half_float";
    case precision::bf16: return "wingbeat::device::bfloat";
  }
  return "float";
}

std::string text_of(const spectrum_pairs& pairs, product times, std::string_view stored,
                    std::string_view real) {
  const auto described = [&](product conjugated, std::string_view name) {
    return times == conjugated ? formatted("conj({})", name) : std::string{name};
  };
  return formatted(R"(#include "wingbeat/device/bfloat.hpp"
#include "wingbeat/device/complex.hpp"
#include "wingbeat/device/half.hpp"
struct wingbeat_product {{
  using number = wingbeat::device::complex<{0}>;
  using size = wingbeat::device::size;
  using element = wingbeat::device::complex<{8}>;
  struct operands {{ WINGBEAT_GLOBAL const element* spectra; }};
  WINGBEAT_FN static number at(WINGBEAT_GLOBAL const element* bin) {{
    const element z = wingbeat::device::copied_from(bin);
    return {{static_cast<{0}>(z.re), static_cast<{0}>(z.im)}};
  }}
  WINGBEAT_FN static number load(WINGBEAT_GLOBAL const element* in, operands given, size row,
                                 size i) {{
    using namespace wingbeat::device;
    const size column = row % {1}, run = row / {1} / {2}, prepared = {3};
    const number x = at(in + (run * {1} + column) * {4} + i);
    const number h = at(given.spectra + ({7}) * {4} + i);
    return {5} * {6};
  }}
}};
)",
                   real, pairs.columns, pairs.prepared,
                   pairs.is_pairwise ? std::string{"run"}
                                     : formatted("row / {} % {}", pairs.columns, pairs.prepared),
                   pairs.bins, described(product::conjugate_row, "x"),
                   described(product::conjugate_spectrum, "h"),
                   pairs.has_one_column ? std::string{"prepared"}
                                        : formatted("prepared * {} + column", pairs.columns),
                   stored);
}

}  // namespace

fused_load product_load(const spectrum_pairs& pairs, product times, precision stored,
                        precision real) {
  const std::string_view computed = real == precision::fp64 ? "double" : "float";
  const std::size_t number_bytes = 2 * bytes_of_real(stored);
  fused_load load{.in_bytes = pairs.run * pairs.columns * pairs.bins * number_bytes,
                  .element_bytes = number_bytes,
                  .source = {.text = text_of(pairs, times, type_of(stored), computed),
                             .type = "wingbeat_product"},
                  .operands = {kernel_parameter::input(number_bytes)}};
  // Each signal's bins and each spectrum once, as of the spectra that a pass multiplies by.
  const std::size_t n_spectra = pairs.is_pairwise ? pairs.run : pairs.prepared;
  const std::size_t columns = pairs.has_one_column ? 1 : pairs.columns;
  load.moved_bytes = load.in_bytes + n_spectra * columns * pairs.bins * number_bytes;
  switch (stored) {
    case precision::fp32: load.callable = callable_of<float, float>(pairs, times); break;
    case precision::fp64: load.callable = callable_of<double, double>(pairs, times); break;
    case precision::fp16:
      load.callable = callable_of<device::half_float, float>(pairs, times);
      break;
    case precision::bf16: load.callable = callable_of<device::bfloat, float>(pairs, times); break;
  }
  return load;
}

}  // namespace wingbeat::convolving
