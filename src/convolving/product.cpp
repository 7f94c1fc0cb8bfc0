// SPDX-License-Identifier: Apache-2.0
#include "convolving/product.hpp"

#include "device_functor.hpp"  // device_functor

namespace wingbeat::convolving {
namespace {

using device::functors::product_numbers;

template <class Stored, class Real>
fused_load load_of(const product_numbers& pairs) {
  return device_functor<device::functors::product, Stored, Real>{"product", pairs}.load();
}

fused_load load_of(const product_numbers& pairs, precision stored) {
  switch (stored) {
    case precision::fp32: return load_of<float, float>(pairs);
    case precision::fp64: return load_of<double, double>(pairs);
    case precision::fp16: return load_of<device::half_float, float>(pairs);
    case precision::bf16: return load_of<device::bfloat, float>(pairs);
  }
  return {};
}

}  // namespace

fused_load product_load(const product_numbers& pairs, std::size_t count, precision stored) {
  fused_load load = load_of(pairs, stored);
  const std::size_t column_bytes = pairs.bins * load.element_bytes;
  load.in_bytes = count * pairs.columns * column_bytes;
  // Each signal's bins and each spectrum once, as of the spectra that a pass multiplies by.
  const std::size_t n_spectra = pairs.is_pairwise ? count : pairs.prepared;
  load.moved_bytes =
      load.in_bytes + n_spectra * (pairs.has_one_column ? 1 : pairs.columns) * column_bytes;
  return load;
}

}  // namespace wingbeat::convolving
