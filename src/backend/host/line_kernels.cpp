// SPDX-License-Identifier: Apache-2.0
// The kernels of lines of reals of one instruction set. CMake compiles this file once per set.
#include "backend/host/line_kernels.hpp"

#include "backend/host/lanes/axis_product.hpp"  // multiply_beside, multiply_alone
#include "backend/host/lanes/line.hpp"          // load_lines, store_lines
#include "backend/host/lanes/real_matrix.hpp"   // product
#include "backend/host/lanes/real_stages.hpp"   // staged_rows

namespace wingbeat::backend::host::WINGBEAT_HOST_ISA {
namespace {

template <class Reduction, class V>
constexpr line_kernel<Reduction, typename V::Real> kernel_of = {load_lines<Reduction, V>,
                                                                store_lines<Reduction, V>};

template <class V>
constexpr line_kernels<typename V::Real> all_kernels() {
  namespace functors = device::functors;
  return {kernel_of<functors::even_extension, V>,
          kernel_of<functors::odd_extension, V>,
          kernel_of<functors::folded_samples, V>,
          kernel_of<functors::folded_bins, V>,
          kernel_of<functors::half_turned, V>,
          kernel_of<functors::odd_places, V>,
          kernel_of<functors::cas_bins, V>,
          product<typename V::Real>,
          staged_rows<false, staged_vector<typename V::Real>>,
          staged_rows<true, staged_vector<typename V::Real>>,
          multiply_beside<V>,
          multiply_alone<V>};
}

}  // namespace

extern const line_set lines_set;
const line_set lines_set = {all_kernels<widest<float>>(), all_kernels<widest<double>>()};

}  // namespace wingbeat::backend::host::WINGBEAT_HOST_ISA
