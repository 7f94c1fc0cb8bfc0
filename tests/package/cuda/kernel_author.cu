// SPDX-License-Identifier: Apache-2.0
// A kernel that transforms four numbers a thread; compiled and linked, for there may be no GPU.
#include "wingbeat/device/complex.hpp"
#include "wingbeat/device/direction.hpp"
#include "wingbeat/device/thread/dft.hpp"

__global__ void transform(wingbeat::device::complex<float>* rows) {
  using namespace wingbeat::device;
  complex<float>(&x)[4] = *reinterpret_cast<complex<float>(*)[4]>(rows + 4 * threadIdx.x);
  thread::dft<direction::forward>(x);
}

int main() {}
