// SPDX-License-Identifier: Apache-2.0
// Small transforms of reals along one axis, by its matrix:  y[k] = sum_t F[k][t] x[term t].
#pragma once

#include "backend/host/lanes/simd.hpp"    // simd, load, store
#include "backend/host/line_kernels.hpp"  // axis_product, transforms_beside

namespace wingbeat::backend::host::WINGBEAT_HOST_ISA {

/// Calls work(the first point) for each line of the axis.
template <class Real, class Work>
WINGBEAT_LANES void by_lines(const axis_product<Real>& axis, const Work& work) {
  for (size_t line = 0; line < axis.points / axis.length; ++line) {
    work(line / axis.inside * axis.inside * axis.length + line % axis.inside);
  }
}

/// Returns the sum of factor(t) x(t, i), vector i of `Vectors`, over all terms.
template <class V, int Vectors, class Factor, class Input>
WINGBEAT_LANES void sum_products(size_t n_terms, const Factor& factor, const Input& x,
                                 V (&sums)[Vectors]) {
  WINGBEAT_UNROLL
  for (int i = 0; i < Vectors; ++i) sums[i] = V{0.0};
  for (size_t t = 0; t < n_terms; ++t) {
    WINGBEAT_UNROLL
    for (int i = 0; i < Vectors; ++i) sums[i] = sums[i] + factor(t, i) * x(t, i);
  }
}

/// line_kernels::along_axis: lanes are transforms.
template <class V>
[[gnu::flatten]] void multiply_beside(const axis_product<typename V::Real>& axis,
                                      const typename V::Real* from, typename V::Real* to) {
  constexpr size_t w = V::width, beside = transforms_beside<typename V::Real>;
  by_lines(axis, [&](size_t first) {
    for (size_t k = 0; k < axis.length; ++k) {
      const auto factor = [&](size_t t, int) {
        return V{axis.factors[k * axis.length + t] - typename V::vector{}};
      };
      const auto x = [&](size_t t, int i) {
        return load<V>(from + beside * (first + axis.terms[t] * axis.inside) + w * i);
      };
      V sums[beside / w];
      sum_products(axis.length, factor, x, sums);
      WINGBEAT_UNROLL
      for (size_t i = 0; i < beside / w; ++i) {
        store(to + beside * (first + k * axis.inside) + w * i, sums[i]);
      }
    }
  });
}

/// line_kernels::along_axis_of_one: lanes are elements of a line.
template <class V>
[[gnu::flatten]] void multiply_alone(const axis_product<typename V::Real>& axis,
                                     const typename V::Real* from, typename V::Real* to) {
  using Real = typename V::Real;
  constexpr size_t w = V::width, beside = transforms_beside<Real>;
  const size_t pitch = (axis.length + beside - 1) / beside * beside;
  by_lines(axis, [&](size_t first) {
    for (size_t begin = 0; begin < axis.length; begin += beside) {
      const auto factor = [&](size_t t, int i) {
        return load<V>(axis.columns + pitch * t + begin + w * i);
      };
      const auto x = [&](size_t t, int) {
        return V{from[first + axis.terms[t] * axis.inside] - typename V::vector{}};
      };
      V sums[beside / w];
      sum_products(axis.length, factor, x, sums);
      Real bins[beside];
      WINGBEAT_UNROLL
      for (size_t i = 0; i < beside / w; ++i) store(bins + w * i, sums[i]);
      for (size_t k = begin; k < axis.length && k < begin + beside; ++k) {
        to[first + k * axis.inside] = bins[k - begin];
      }
    }
  });
}

}  // namespace wingbeat::backend::host::WINGBEAT_HOST_ISA
