// SPDX-License-Identifier: Apache-2.0
// Products of spectra, bin by bin, as pairs re im re im ..
#pragma once

#include "backend/host/kernels.hpp"     // bin_product
#include "backend/host/lanes/simd.hpp"  // load_placed, store_placed

namespace wingbeat::backend::host::WINGBEAT_HOST_ISA {

template <bool ConjX, bool ConjSpectrum, class V>
WINGBEAT_LANES size_t multiply_from(const bin_product<typename V::Real>& bins, size_t i) {
  for (; i + V::width <= bins.count; i += V::width) {
    lanes<V> x = load_placed<false, V>(bins.x + 2 * i);
    lanes<V> h = load_placed<false, V>(bins.spectrum + 2 * i);
    if constexpr (ConjX) x = device::conj(x);
    if constexpr (ConjSpectrum) h = device::conj(h);
    store_placed<false, V>(bins.out + 2 * i, x * h);
  }
  return i;
}

template <bool ConjX, bool ConjSpectrum, class Real, int Width>
[[gnu::flatten, gnu::noinline]] void multiply_all(const bin_product<Real>& bins) {
  const size_t done = multiply_from<ConjX, ConjSpectrum, simd<Real, Width>>(bins, 0);
  for (size_t i = done; i < bins.count; ++i) {
    const device::complex<Real> a{bins.x[2 * i], bins.x[2 * i + 1]};
    const device::complex<Real> b{bins.spectrum[2 * i], bins.spectrum[2 * i + 1]};
    const device::complex<Real> c =
        (ConjX ? device::conj(a) : a) * (ConjSpectrum ? device::conj(b) : b);
    bins.out[2 * i] = c.re;
    bins.out[2 * i + 1] = c.im;
  }
}

/// kernels::multiply
template <class Real, int Width>
void multiply(const bin_product<Real>& bins) {
  if (bins.conjugates_x) return multiply_all<true, false, Real, Width>(bins);
  if (bins.conjugates_spectrum) return multiply_all<false, true, Real, Width>(bins);
  multiply_all<false, false, Real, Width>(bins);
}

}  // namespace wingbeat::backend::host::WINGBEAT_HOST_ISA
