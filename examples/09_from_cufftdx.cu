// SPDX-License-Identifier: Apache-2.0
// The kernel that users of cuFFTDx write first, in wingbeat's words: fill registers, execute,
// empty registers; two transforms in a workgroup, more local memory than a kernel may declare.
// docs/from_cufftdx.md sets both side by side.
//     nvcc -std=c++17 -arch=sm_90 -I include examples/09_from_cufftdx.cu && ./a.out
#include <cmath>   // acos, cos, sin, hypot
#include <cstdio>  // printf
#include <vector>

#include "wingbeat/device/io.hpp"             // member_of, row_of
#include "wingbeat/device/workgroup/fft.hpp"  // fft, team
#include "wingbeat/roots.hpp"                 // roots_of

namespace {

using namespace wingbeat::device;

using shape = workgroup::shape</*length*/ 4096, /*elements per thread*/ 16, /*transforms*/ 2>;
using fft = workgroup::fft<shape, float, direction::forward>;

/// Replaces rows by their spectra divided by their length.  data: [batch][length]
__global__ __launch_bounds__(fft::workgroup_threads) void spectra(complex<float>* data,
                                                                  const complex<float>* roots,
                                                                  size_t batch) {
  extern __shared__ double2 memory[];  // aligned to 16
  const workgroup::team<shape> team;
  const io::member row = io::member_of(team, group::index(), batch);
  const auto row_data = io::row_of(data, fft::length, row);

  fft::register_type x[fft::elements_per_thread];
  WINGBEAT_UNROLL
  for (unsigned l = 0; l < fft::elements_per_thread; ++l) {
    x[l] = row_data(team.thread() + l * fft::stride);
  }
  fft::execute(team, x, fft::scratch_type{reinterpret_cast<char*>(memory)}, roots);
  WINGBEAT_UNROLL
  for (unsigned l = 0; l < fft::elements_per_thread; ++l) {
    row_data(team.thread() + l * fft::stride, scaled(x[l], 1.0F / fft::length));
  }
}

template <class T>
T* on_device(const std::vector<T>& values) {
  T* copy = nullptr;
  cudaMalloc(&copy, values.size() * sizeof(T));
  cudaMemcpy(copy, values.data(), values.size() * sizeof(T), cudaMemcpyHostToDevice);
  return copy;
}

/// Row b is a tone of bin 100 b + 1.
constexpr unsigned tone_of(unsigned b) {
  return 100 * b + 1;
}

}  // namespace

int main() {
  int n_devices = 0;
  if (cudaGetDeviceCount(&n_devices) != cudaSuccess || n_devices == 0) {
    std::printf("no GPU here: nothing was run\n");
    return 77;  // CTest counts this as skipped
  }
  constexpr unsigned batch = 5;  // the last workgroup has one row, not two
  std::vector<complex<float>> x(batch * fft::length);
  for (unsigned i = 0; i < x.size(); ++i) {
    const double turns = double(tone_of(i / fft::length)) * (i % fft::length) / fft::length;
    const double angle = 2 * std::acos(-1.0) * turns;
    x[i] = {float(std::cos(angle)), float(std::sin(angle))};
  }
  complex<float>* const data = on_device(x);
  complex<float>* const roots = on_device(wingbeat::roots_of<fft>());

  cudaFuncSetAttribute(spectra, cudaFuncAttributeMaxDynamicSharedMemorySize, fft::scratch_bytes);
  const unsigned workgroups = (batch + fft::transforms - 1) / fft::transforms;
  spectra<<<workgroups, fft::workgroup_threads, fft::scratch_bytes>>>(data, roots, batch);
  cudaMemcpy(x.data(), data, x.size() * sizeof(x[0]), cudaMemcpyDeviceToHost);
  const cudaError_t failed = cudaGetLastError();
  if (failed != cudaSuccess) {
    std::printf("the kernel did not run: %s\n", cudaGetErrorString(failed));
    return 1;
  }

  double largest_error = 0;
  for (unsigned i = 0; i < x.size(); ++i) {
    const bool is_tone = i % fft::length == tone_of(i / fft::length);
    const double error = std::hypot(x[i].re - (is_tone ? 1.0 : 0.0), x[i].im);
    largest_error = std::fmax(largest_error, error);
  }
  std::printf("%u rows: no bin off by more than %g of 1\n", batch, largest_error);
  return largest_error < 1e-6 ? 0 : 1;
}
