// SPDX-License-Identifier: Apache-2.0
// The host kernels of one instruction set. CMake compiles this file once per set.
#include "backend/host/kernels.hpp"

#include "backend/host/lanes/direct.hpp"        // direct
#include "backend/host/lanes/matrix.hpp"        // columns, blocks
#include "backend/host/lanes/mirror.hpp"        // mirror_row
#include "backend/host/lanes/move.hpp"          // gather, scatter
#include "backend/host/lanes/product.hpp"       // multiply
#include "backend/host/lanes/real_numbers.hpp"  // single_reals
#include "backend/host/lanes/single.hpp"        // single
#include "backend/host/lanes/strip.hpp"         // strip_of, chirped_strip
#include "backend/host/lanes/tiny.hpp"          // codelet
#include "backend/host/lanes/transposed.hpp"    // transposed

namespace wingbeat::backend::host::WINGBEAT_HOST_ISA {
namespace {

#if defined(__AVX512F__)
constexpr int max_radix = 16;
#elif defined(__AVX2__)
constexpr int max_radix = 8;
#else
constexpr int max_radix = 16;
#endif

template <class Real>
constexpr kernels<Real> all_kernels() {
  constexpr int width = vector_bytes / int{sizeof(Real)};
  return {width,
          max_radix,
          codelet<Real, width>,
          single<Real, width>,
          single_reals<Real>,
          direct<Real>,
          transposed<Real>,
          columns<Real>,
          blocks<Real>,
          strip_of<Real>,
          chirped_strip<Real>,
          gather<Real>,
          scatter<Real>,
          mirror_row<false, Real>,
          mirror_row<true, Real>,
          multiply<Real, width>};
}

}  // namespace

extern const instruction_set set;
const instruction_set set = {all_kernels<float>(), all_kernels<double>()};

}  // namespace wingbeat::backend::host::WINGBEAT_HOST_ISA
