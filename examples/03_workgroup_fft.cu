// SPDX-License-Identifier: Apache-2.0
// A CUDA kernel of your own around wingbeat's transform: the spectrogram of a signal.
// Overlapping frames are read where they lie and windowed in registers (load), transformed, and
// squared in registers (store): neither the frames nor their spectra ever exist in memory.
//     nvcc -std=c++17 -arch=sm_90 -I include examples/03_workgroup_fft.cu && ./a.out
#include <cmath>   // cos, acos
#include <cstdio>  // printf
#include <vector>

#include "wingbeat/device/workgroup/fft.hpp"  // fft, team
#include "wingbeat/roots.hpp"                 // roots_of

namespace {

using namespace wingbeat::device;
using value = complex<float>;

constexpr unsigned n = 1024, hop = 256, n_frames = 100, n_bins = n / 2 + 1, tone = 200;

using shape = workgroup::shape<n, /*elements per thread*/ 8>;
using fft = workgroup::fft<shape, float, direction::forward>;

/// Returns sample i of frame `source`, under a Hann window.
struct load_frame {
  const float* source;
  __device__ value operator()(unsigned i) const {
    const float window = 0.5F - 0.5F * cospif(2.0F * i / n);
    return {window * source[i], 0};
  }
};

/// Keeps the power of bins 0 .. n/2; the others mirror them.
struct store_power {
  float* target;
  __device__ void operator()(unsigned k, value z) const {
    if (k < n_bins) target[k] = z.re * z.re + z.im * z.im;
  }
};

/// One frame a workgroup.  signal: [hop (n_frames - 1) + n];  power: [frame][bin]
__global__ __launch_bounds__(shape::workgroup_threads) void spectrogram(const float* signal,
                                                                        float* power,
                                                                        const value* roots) {
  __shared__ fft::storage_type scratch;
  const size_t frame = group::index();
  fft::execute(workgroup::team<shape>{}, load_frame{signal + frame * hop},
               store_power{power + frame * n_bins}, scratch.lent(), roots);
}

template <class T>
T* on_device(const std::vector<T>& source) {
  T* copy = nullptr;
  cudaMalloc(&copy, source.size() * sizeof(T));
  cudaMemcpy(copy, source.data(), source.size() * sizeof(T), cudaMemcpyHostToDevice);
  return copy;
}

}  // namespace

int main() {
  int n_devices = 0;
  if (cudaGetDeviceCount(&n_devices) != cudaSuccess || n_devices == 0) {
    std::printf("no GPU here: nothing was run\n");
    return 77;  // CTest counts this as skipped
  }
  std::vector<float> signal(hop * (n_frames - 1) + n);
  for (unsigned i = 0; i < signal.size(); ++i) {
    signal[i] = static_cast<float>(std::cos(2 * std::acos(-1.0) * (tone * i % n) / n));
  }
  std::vector<float> power(n_frames * n_bins);
  float* const power_there = on_device(power);

  spectrogram<<<n_frames, shape::workgroup_threads>>>(on_device(signal), power_there,
                                                      on_device(wingbeat::roots_of<fft>()));
  if (cudaMemcpy(power.data(), power_there, power.size() * sizeof(float), cudaMemcpyDeviceToHost) !=
      cudaSuccess) {
    std::printf("the kernel did not run: %s\n", cudaGetErrorString(cudaGetLastError()));
    return 1;
  }

  // A cosine of whole turns under a Hann window: n/4 at its bin, half of that beside it.
  float largest_error = 0;
  for (unsigned i = 0; i < power.size(); ++i) {
    const unsigned k = i % n_bins;
    const float magnitude = k == tone ? n / 4 : k + 1 == tone || k == tone + 1 ? n / 8 : 0;
    largest_error = std::fmax(largest_error, std::fabs(std::sqrt(power[i]) - magnitude));
  }
  std::printf("%u frames: no bin off by more than %g of %u\n", n_frames, largest_error, n / 4);
  return largest_error < 1e-3F ? 0 : 1;
}
