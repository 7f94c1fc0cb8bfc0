// SPDX-License-Identifier: Apache-2.0
// Uses the device headers with nothing to link.
#include "wingbeat/device/complex.hpp"
#include "wingbeat/device/direction.hpp"
#include "wingbeat/device/thread/dft.hpp"

int main() {
  using namespace wingbeat::device;
  complex<float> x[4] = {{1, 0}, {1, 0}, {1, 0}, {1, 0}};
  thread::dft<direction::forward>(x);
  return x[0].re == 4 && x[1].re == 0 && x[3].im == 0 ? 0 : 1;
}
