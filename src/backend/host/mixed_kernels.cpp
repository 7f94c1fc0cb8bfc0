// SPDX-License-Identifier: Apache-2.0
// The kernels of lengths that are no powers of two, of one instruction set. CMake compiles this
// file once for each.
#include "backend/host/matrix.hpp"       // strip_of_lanes, columns_of, blocks_of
#include "backend/host/mixed_entry.hpp"  // mixed_strip_of, matrix_columns, matrix_blocks

namespace wingbeat::backend::host::WINGBEAT_HOST_ISA {
namespace {

template <class Real>
constexpr int widest = vector_bytes / int{sizeof(Real)};

}  // namespace

void mixed_strip_of(const chain& how, const float* roots, const strip<float>& what) {
  strip_of_lanes<simd<float, widest<float>>>(how, roots, what);
}
void mixed_strip_of(const chain& how, const double* roots, const strip<double>& what) {
  strip_of_lanes<simd<double, widest<double>>>(how, roots, what);
}

void matrix_columns(const matrix<float>& how, const tiles<float>& what) {
  columns_of<simd<float, widest<float>>>(how, what);
}
void matrix_columns(const matrix<double>& how, const tiles<double>& what) {
  columns_of<simd<double, widest<double>>>(how, what);
}

void matrix_blocks(const matrix<float>& how, const tiles<float>& what) {
  blocks_of<simd<float, widest<float>>>(how, what);
}
void matrix_blocks(const matrix<double>& how, const tiles<double>& what) {
  blocks_of<simd<double, widest<double>>>(how, what);
}

}  // namespace wingbeat::backend::host::WINGBEAT_HOST_ISA
