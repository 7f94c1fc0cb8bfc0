// SPDX-License-Identifier: Apache-2.0
// The same kernels, compiled by nvcc with the rest of your program.
//     nvcc -std=c++17 -arch=sm_90 -I include -I examples examples/07_nvcc.cu && ./a.out
#include <vector>

#include "kernels/jobs.hpp"
#include "wingbeat/roots.hpp"  // roots_of

namespace {

using namespace wingbeat::device;

template <class Body>
__global__ __launch_bounds__(Body::fft::workgroup_threads) void entry(
    const typename Body::in_type* in, typename Body::out_type* out, const complex<float>* roots,
    size_t batch) {
  __shared__ typename Body::fft::storage_type memory;
  Body::run(group{}, in, out, roots, batch, memory.bytes);
}

/// Device memory of its own size.
template <class T>
class device_copy {
 public:
  explicit device_copy(const std::vector<T>& values) {
    cudaMalloc(&at_, values.size() * sizeof(T));
    cudaMemcpy(at_, values.data(), values.size() * sizeof(T), cudaMemcpyHostToDevice);
  }
  device_copy(const device_copy&) = delete;
  device_copy& operator=(const device_copy&) = delete;
  ~device_copy() { cudaFree(at_); }
  template <class U = T>
  U* as() const {
    return reinterpret_cast<U*>(at_);
  }

 private:
  T* at_ = nullptr;
};

struct launch {
  template <class Body>
  std::vector<float> operator()(Body, const example::job& given) const {
    using fft = typename Body::fft;
    std::vector<float> out(given.expected.size());
    const device_copy<float> in{given.in}, there{out};
    const device_copy<complex<float>> roots{wingbeat::roots_of<fft>()};
    entry<Body><<<unsigned(given.workgroups), fft::workgroup_threads>>>(
        in.template as<const typename Body::in_type>(),
        there.template as<typename Body::out_type>(), roots.as(), given.batch);
    cudaMemcpy(out.data(), there.as(), out.size() * sizeof(float), cudaMemcpyDeviceToHost);
    const cudaError_t failed = cudaGetLastError();
    if (failed != cudaSuccess) std::printf("%s\n", cudaGetErrorString(failed));
    return out;
  }
};

}  // namespace

int main() {
  int n_devices = 0;
  if (cudaGetDeviceCount(&n_devices) != cudaSuccess || n_devices == 0) {
    std::printf("no GPU here: nothing was run\n");
    return 77;  // CTest counts this as skipped
  }
  return example::check_all(launch{});
}
