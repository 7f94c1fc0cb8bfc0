// SPDX-License-Identifier: Apache-2.0
// VkFFT as a peer, built for OpenCL (VKFFT_BACKEND=3) or CUDA (VKFFT_BACKEND=1).
#if VKFFT_BACKEND == 1
#include "cuda_device.hpp"
#else
#include "opencl_device.hpp"
#endif

#include <vkFFT.h>

#include <algorithm>  // any_of
#include <memory>     // unique_ptr
#include <string>

#include "device_job.hpp"  // device_job
#include "serve.hpp"       // library, server

namespace {

using namespace peers;

#if VKFFT_BACKEND == 1
using device = cuda_device;
#else
using device = opencl_device;
#endif

void require(VkFFTResult result, const char* doing) {
  if (result == VKFFT_SUCCESS) return;
  throw refusal(std::string{"VkFFT could not "} + doing + " (VkFFTResult " +
                std::to_string(result) + ")");
}

/// Sets VkFFT's strides. Its axes are in order of speed, fastest first, and the fastest has no
/// stride: stride i is the distance of neighbours on axis i + 1, the last one that of transforms.
template <std::size_t n>  // 3 in VkFFT 1.2, 4 since 1.3
void set_strides(uint64_t (&to)[n], const problem& spec, const side& from) {
  const std::size_t axes = spec.lengths.size();
  if (from.strides.back() != 1 || from.imaginary != 0) {
    throw refusal("VkFFT has packed rows of pairs alone");
  }
  for (std::size_t i = 1; i < axes; ++i) to[i - 1] = from.strides[axes - 1 - i];
  to[axes - 1] = from.distance;
}

/// Sets VkFFT's kind, one for all axes; it has no Hartley transform, and DST since version 1.3.
template <class Configuration>
void choose_kind(Configuration& how, const std::vector<real_kind>& kinds) {
  if (std::any_of(kinds.begin(), kinds.end(), [&](real_kind k) { return k != kinds.front(); })) {
    throw refusal("VkFFT has one kind for all axes");
  }
  const int kind = static_cast<int>(kinds.front());
  if (kind < 4) {
    how.performDCT = static_cast<uint64_t>(kind + 1);
    return;
  }
  if constexpr (requires { how.performDST; }) {
    if (kind < 8) {
      how.performDST = static_cast<uint64_t>(kind - 3);
      return;
    }
  }
  throw refusal("this VkFFT has DCT, since 1.3 DST, and no transform of Hartley");
}

class vkfft_job final : public device_job<device> {
 public:
  vkfft_job(device& on, const problem& spec) : device_job(on, spec) {
    VkFFTConfiguration how{};
    how.FFTdim = spec.lengths.size();
    for (std::size_t i = 0; i < spec.lengths.size(); ++i) {
      how.size[i] = spec.lengths[spec.lengths.size() - 1 - i];
    }
    how.numberBatches = spec.batch;
    how.doublePrecision = spec.real == precision::fp64 ? 1 : 0;
    how.performR2C = spec.is_real() ? 1 : 0;
    if (spec.does == kind::reals_to_reals) choose_kind(how, spec.axis_kinds);
    (spec.is_inverse() ? how.makeInversePlanOnly : how.makeForwardPlanOnly) = 1;
    place(how, on);
    require(initializeVkFFT(&app_, how), "plan");
  }
  ~vkfft_job() override { deleteVkFFT(&app_); }

 protected:
  void queue_run() override {
    VkFFTLaunchParams parameters{};
#if VKFFT_BACKEND == 3
    parameters.commandQueue = const_cast<cl_command_queue*>(&on_.queue);
#endif
    require(VkFFTAppend(&app_, spec_.is_inverse() ? 1 : -1, &parameters), "queue a run");
  }

 private:
  /// Sets the buffers. Bins are in the main buffer. Reals, or the complex input of a run out of
  /// place, are in its "formatted" input, where c2r puts its result.
  void place(VkFFTConfiguration& how, device& on) {
    const bool is_c2r = spec_.does == kind::inverse_to_real;
    how.device = &on.id;
#if VKFFT_BACKEND == 1
    how.stream = &on.stream;
    how.num_streams = 1;
#else
    how.platform = &on.platform;
    how.context = &on.context;
#endif
    bins_ = is_c2r ? in_ : out_;
    others_ = is_c2r ? out_ : in_;
    size_ = size_bytes_;
    how.buffer = &bins_;
    how.bufferSize = &size_;
    set_strides(how.bufferStride, spec_, is_c2r ? spec_.in : spec_.out);
    if (spec_.in_place) return;
    how.isInputFormatted = 1;
    how.inverseReturnToInputBuffer = is_c2r ? 1 : 0;
    how.inputBuffer = &others_;
    how.inputBufferSize = &size_;
    set_strides(how.inputBufferStride, spec_, is_c2r ? spec_.out : spec_.in);
  }

  VkFFTApplication app_{};
  memory bins_{}, others_{};
  uint64_t size_ = 0;
};

class vkfft final : public library {
 public:
  std::string open(int index, int, const std::string& device_name) override {
    on_.open(index, device_name);
    const int version = VkFFTGetVersion();
    return "VkFFT " + std::to_string(version / 10000) + "." + std::to_string(version / 100 % 100) +
           "." + std::to_string(version % 100);
  }

  std::unique_ptr<job> plan(const problem& spec) override {
    if (spec.real != precision::fp32 && spec.real != precision::fp64) {
      throw refusal("this peer plans fp32 and fp64");
    }
    return std::make_unique<vkfft_job>(on_, spec);
  }

 private:
  device on_;
};

}  // namespace

int main() {
  vkfft library;
  return server{library}.run();
}
