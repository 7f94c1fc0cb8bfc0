// SPDX-License-Identifier: Apache-2.0
// One CUDA device with a stream, for the peers that run on CUDA's runtime.
#pragma once

#include <cuda.h>
#include <cuda_runtime.h>

#include <cstddef>  // size_t
#include <string>

#include "problem.hpp"  // refusal

namespace peers {

inline void check(cudaError_t status, const char* doing) {
  if (status == cudaSuccess) return;
  throw refusal(std::string{"CUDA could not "} + doing + ": " + cudaGetErrorString(status));
}

class cuda_device {
 public:
  using memory = void*;

  cuda_device() = default;
  cuda_device(const cuda_device&) = delete;
  cuda_device& operator=(const cuda_device&) = delete;
  ~cuda_device() {
    if (stream != nullptr) cudaStreamDestroy(stream);
  }

  /// Opens a device by its index, which is the same for all CUDA programs; the name is not needed.
  void open(int index, const std::string&) {
    check(cudaSetDevice(index), "choose a device");
    check(cudaFree(nullptr), "make a context");
    if (cuDeviceGet(&id, index) != CUDA_SUCCESS) throw refusal("CUDA knows no such device");
    check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "make a stream");
    check(cudaEventCreate(&begin_), "make an event");
    check(cudaEventCreate(&end_), "make an event");
  }

  [[nodiscard]] memory allocate(std::size_t size_bytes) const {
    void* address = nullptr;
    check(cudaMalloc(&address, size_bytes), "allocate memory");
    return address;
  }

  static void release(memory released) { cudaFree(released); }

  void write(memory to, std::size_t offset, const char* from, std::size_t size_bytes) const {
    check(cudaStreamSynchronize(stream), "finish");
    check(cudaMemcpy(static_cast<char*>(to) + offset, from, size_bytes, cudaMemcpyHostToDevice),
          "write memory");
  }

  void read(memory from, std::size_t offset, char* to, std::size_t size_bytes) const {
    check(cudaStreamSynchronize(stream), "finish");
    const char* const address = static_cast<const char*>(from) + offset;
    check(cudaMemcpy(to, address, size_bytes, cudaMemcpyDeviceToHost), "read memory");
  }

  void copy(memory to, memory from, std::size_t size_bytes) const {
    check(cudaMemcpyAsync(to, from, size_bytes, cudaMemcpyDeviceToDevice, stream), "copy");
  }

  /// Returns once all that was queued has finished.
  void wait() const { check(cudaStreamSynchronize(stream), "finish"); }

  /// Returns the device's seconds for all that `work` queues.
  template <class Work>
  double timed(const Work& work) const {
    check(cudaEventRecord(begin_, stream), "mark the stream");
    work();
    check(cudaEventRecord(end_, stream), "mark the stream");
    check(cudaEventSynchronize(end_), "finish");
    float ms = 0;
    check(cudaEventElapsedTime(&ms, begin_, end_), "tell the time");
    return 1e-3 * double(ms);
  }

  CUdevice id = 0;
  cudaStream_t stream = nullptr;

 private:
  cudaEvent_t begin_ = nullptr, end_ = nullptr;
};

}  // namespace peers
