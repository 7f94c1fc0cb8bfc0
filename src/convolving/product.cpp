// SPDX-License-Identifier: Apache-2.0
#include "convolving/product.hpp"

#include <complex>

#include "formatted.hpp"  // formatted

namespace wingbeat::convolving {
namespace {

template <class Real>
host_load callable_of(const spectrum_pairs& pairs, product times) {
  using number = std::complex<Real>;
  return operand_reader<number>{[pairs, times](const void* in, const host_arguments& given,
                                               std::size_t row, std::size_t first,
                                               std::span<number> into) {
    const std::size_t column = row % pairs.columns, pair = row / pairs.columns;
    const std::size_t run = pair / pairs.prepared;
    const std::size_t prepared = pairs.is_pairwise ? run : pair % pairs.prepared;
    const auto at = [&](std::size_t n_before) { return n_before * pairs.bins + first; };
    const auto* const x = static_cast<const number*>(in) + at(run * pairs.columns + column);
    const auto* const h = given.memory<const number>(0) +
                          at(pairs.has_one_column ? prepared : prepared * pairs.columns + column);
    // Parts that are not finite need no care of their own, as operator* would take.
    const Real x_sign = times == product::conjugate_row ? Real(-1) : Real(1);
    const Real h_sign = times == product::conjugate_spectrum ? Real(-1) : Real(1);
    for (std::size_t i = 0; i < into.size(); ++i) {
      const Real a = x[i].real(), b = x_sign * x[i].imag();
      const Real c = h[i].real(), d = h_sign * h[i].imag();
      into[i] = {a * c - b * d, a * d + b * c};
    }
  }};
}

std::string text_of(const spectrum_pairs& pairs, product times, std::string_view real) {
  const auto of = [&](product conjugated, std::string_view name) {
    return times == conjugated ? formatted("conj({})", name) : std::string{name};
  };
  return formatted(R"(#include "wingbeat/device/complex.hpp"
struct wingbeat_product {{
  using number = wingbeat::device::complex<{0}>;
  using size = wingbeat::device::size;
  using element = number;
  struct operands {{ WINGBEAT_GLOBAL const number* spectra; }};
  WINGBEAT_FN static number load(WINGBEAT_GLOBAL const element* in, operands given, size row,
                                 size i) {{
    using namespace wingbeat::device;
    const size column = row % {1}, run = row / {1} / {2}, prepared = {3};
    const number x = copied_from(in + (run * {1} + column) * {4} + i);
    const number h = copied_from(given.spectra + ({7}) * {4} + i);
    return {5} * {6};
  }}
}};
)",
                   real, pairs.columns, pairs.prepared,
                   pairs.is_pairwise ? std::string{"run"}
                                     : formatted("row / {} % {}", pairs.columns, pairs.prepared),
                   pairs.bins, of(product::conjugate_row, "x"),
                   of(product::conjugate_spectrum, "h"),
                   pairs.has_one_column ? std::string{"prepared"}
                                        : formatted("prepared * {} + column", pairs.columns));
}

}  // namespace

fused_load product_load(const spectrum_pairs& pairs, product times, precision real) {
  const bool is_wide = real == precision::fp64;
  const std::size_t number_bytes =
      is_wide ? sizeof(std::complex<double>) : sizeof(std::complex<float>);
  fused_load load{.in_bytes = pairs.run * pairs.columns * pairs.bins * number_bytes,
                  .element_bytes = number_bytes,
                  .source = {.text = text_of(pairs, times, is_wide ? "double" : "float"),
                             .type = "wingbeat_product"},
                  .operands = {kernel_parameter::input(number_bytes)}};
  if (is_wide) {
    load.callable = callable_of<double>(pairs, times);
  } else {
    load.callable = callable_of<float>(pairs, times);
  }
  return load;
}

}  // namespace wingbeat::convolving
