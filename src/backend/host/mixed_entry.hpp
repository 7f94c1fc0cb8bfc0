// SPDX-License-Identifier: Apache-2.0
// The kernels of lengths that are no powers of two, compiled apart in mixed_kernels.cpp.
#pragma once

#include "backend/host/kernels.hpp"  // chain, strip, matrix, tiles

namespace wingbeat::backend::host::WINGBEAT_HOST_ISA {

/// mixed_kernels::strip_of
void mixed_strip_of(const chain& how, const float* roots, const strip<float>& what);
void mixed_strip_of(const chain& how, const double* roots, const strip<double>& what);

/// mixed_kernels::columns
void matrix_columns(const matrix<float>& how, const tiles<float>& what);
void matrix_columns(const matrix<double>& how, const tiles<double>& what);

/// mixed_kernels::blocks
void matrix_blocks(const matrix<float>& how, const tiles<float>& what);
void matrix_blocks(const matrix<double>& how, const tiles<double>& what);

}  // namespace wingbeat::backend::host::WINGBEAT_HOST_ISA
