// SPDX-License-Identifier: Apache-2.0
// The kernels of direct sums of one instruction set. CMake compiles this file once per set.
#include "backend/host/sum_kernels.hpp"

#include "backend/host/lanes/sums.hpp"  // sum_rows

namespace wingbeat::backend::host::WINGBEAT_HOST_ISA {

extern const sum_kernels sums_set;
const sum_kernels sums_set = {sum_rows<widest<float>, 1>, sum_rows<widest<double>, 1>,
                              sum_rows<widest<float>, 2>, sum_rows<widest<double>, 2>,
                              sum_rows<widest<unsigned long long>, 1>};

}  // namespace wingbeat::backend::host::WINGBEAT_HOST_ISA
