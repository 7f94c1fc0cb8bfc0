// SPDX-License-Identifier: Apache-2.0
#include "convolving/product.hpp"

#include "functors/device_functor.hpp"  // device_functor

namespace wingbeat::convolving {
namespace {

using device::functors::product;
using device::functors::product_numbers;

fused_load load_of(const product_numbers& pairs, precision stored) {
  switch (stored) {
    case precision::fp32: return device_functor<product<float, float>>{pairs}.load();
    case precision::fp64: return device_functor<product<double, double>>{pairs}.load();
    case precision::fp16: return device_functor<product<device::half_float, float>>{pairs}.load();
    case precision::bf16: return device_functor<product<device::bfloat, float>>{pairs}.load();
  }
  return {};
}

}  // namespace

fused_load product_load(const product_numbers& pairs, std::size_t count, precision stored) {
  fused_load load = load_of(pairs, stored);
  const std::size_t column_bytes = pairs.bins * load.element_bytes;
  load.in_bytes = count * pairs.columns * column_bytes;
  // Counts each signal's bins and each spectrum once, as passes that multiply by spectra do.
  const std::size_t n_spectra = pairs.is_pairwise ? count : pairs.prepared;
  load.moved_bytes =
      load.in_bytes + n_spectra * (pairs.has_one_column ? 1 : pairs.columns) * column_bytes;
  return load;
}

}  // namespace wingbeat::convolving
