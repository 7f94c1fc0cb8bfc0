// SPDX-License-Identifier: Apache-2.0
// Products of spectra, bin by bin, as pairs re im re im ..
#pragma once

#include "backend/host/kernels.hpp"     // bin_product
#include "backend/host/lanes/simd.hpp"  // load_placed, store_placed

namespace wingbeat::backend::host::WINGBEAT_HOST_ISA {

template <bool ConjX, bool ConjSpectrum, class V>
WINGBEAT_LANES size_t multiply_from(const bin_product<typename V::Real>& what, size_t i) {
  for (; i + V::width <= what.count; i += V::width) {
    lanes<V> x = load_placed<false, V>(what.x + 2 * i);
    lanes<V> h = load_placed<false, V>(what.spectrum + 2 * i);
    if constexpr (ConjX) x = device::conj(x);
    if constexpr (ConjSpectrum) h = device::conj(h);
    store_placed<false, V>(what.out + 2 * i, x * h);
  }
  return i;
}

template <bool ConjX, bool ConjSpectrum, class Real, int Width>
[[gnu::flatten, gnu::noinline]] void multiply_all(const bin_product<Real>& what) {
  const size_t done = multiply_from<ConjX, ConjSpectrum, simd<Real, Width>>(what, 0);
  for (size_t i = done; i < what.count; ++i) {
    const device::complex<Real> a{what.x[2 * i], what.x[2 * i + 1]};
    const device::complex<Real> b{what.spectrum[2 * i], what.spectrum[2 * i + 1]};
    const device::complex<Real> c =
        (ConjX ? device::conj(a) : a) * (ConjSpectrum ? device::conj(b) : b);
    what.out[2 * i] = c.re;
    what.out[2 * i + 1] = c.im;
  }
}

/// kernels::multiply
template <class Real, int Width>
void multiply(const bin_product<Real>& what) {
  if (what.conjugates_x) return multiply_all<true, false, Real, Width>(what);
  if (what.conjugates_spectrum) return multiply_all<false, true, Real, Width>(what);
  multiply_all<false, false, Real, Width>(what);
}

}  // namespace wingbeat::backend::host::WINGBEAT_HOST_ISA
