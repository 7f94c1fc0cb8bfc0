// SPDX-License-Identifier: Apache-2.0
// cuFFTDx as a peer inside a kernel: what a unit (one length, one precision) offers the program.
#pragma once

#include <cuda_runtime.h>  // cudaError_t, cudaStream_t

#include <cstddef>  // size_t
#include <vector>

namespace peer {

/// One block FFT at the elements per thread and transforms per block that cuFFTDx suggests.
struct block_fft {
  unsigned length = 0;
  const char* precision = "";     ///< "fp32", "fp64" or "fp16".
  std::size_t element_bytes = 0;  ///< Of one complex number in memory.
  unsigned elements_per_thread = 0;
  unsigned transforms = 0;  ///< Of one block.
  unsigned threads = 0;     ///< Of one block.
  unsigned scratch_bytes = 0;
  int registers = 0;       ///< Of one thread of `convolve`.
  int stack_bytes = 0;     ///< Of one thread of `convolve`: local memory, so spills too.
  int blocks_at_once = 0;  ///< Of `forward`, on one multiprocessor.
  cudaError_t (*prepare)(block_fft&) = nullptr;  ///< Allows the shared memory, reads the figures.
  /// Queues the transform of `batch` rows, a multiple of `transforms`.
  void (*forward)(const void* in, void* out, std::size_t batch, cudaStream_t on) = nullptr;
  /// Queues inverse(forward(row) * filter) of each row; no scale.
  void (*convolve)(const void* in, void* out, const void* filter, std::size_t batch,
                   cudaStream_t on) = nullptr;
};

/// Returns what the units that were linked have to offer. Each adds itself before main begins.
inline std::vector<block_fft>& all_block_ffts() {
  static std::vector<block_fft> all;
  return all;
}

}  // namespace peer
