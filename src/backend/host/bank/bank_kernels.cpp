// SPDX-License-Identifier: Apache-2.0
// The filter bank's kernels of one instruction set. CMake compiles this file once per set, without
// fusing products and sums.
#include "backend/host/bank/bank_kernels.hpp"

#include "backend/host/bank/bank_lanes.hpp"    // filter, dither, finish
#include "backend/host/bank/sample_lanes.hpp"  // read

namespace wingbeat::backend::host::WINGBEAT_HOST_ISA {

extern const bank_kernels bank_set;
const bank_kernels bank_set = {read, filter, dither, finish};

}  // namespace wingbeat::backend::host::WINGBEAT_HOST_ISA
