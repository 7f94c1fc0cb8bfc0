// SPDX-License-Identifier: Apache-2.0
// clFFT as a peer, on any OpenCL device.
#include "opencl_device.hpp"

#include <clFFT.h>

#include <memory>  // unique_ptr
#include <string>
#include <vector>

#include "device_job.hpp"  // device_job
#include "serve.hpp"       // library, server

namespace {

using namespace peers;

void require(clfftStatus status, const char* doing) {
  if (status == CLFFT_SUCCESS) return;
  throw refusal(std::string{"clFFT could not "} + doing + " (clfftStatus " +
                std::to_string(status) + ")");
}

/// Returns axes in clFFT's order, fastest first.
std::vector<std::size_t> reversed(const std::vector<std::size_t>& axes) {
  return {axes.rbegin(), axes.rend()};
}

class clfft_job final : public device_job<opencl_device> {
 public:
  clfft_job(const opencl_device& on, const problem& spec) : device_job(on, spec), queue_(on.queue) {
    if (spec.in.imaginary != 0 || spec.out.imaginary != 0) {
      throw refusal("this peer gives clFFT one buffer a side, without planar numbers");
    }
    const auto lengths = reversed(spec.lengths);
    const auto axes = static_cast<clfftDim>(lengths.size());
    if (spec.does == kind::reals_to_reals) throw refusal("clFFT has none from reals to reals");
    require(clfftCreateDefaultPlan(&plan_, on.context, axes, lengths.data()), "make a plan");
    try {
      describe(axes);
      require(clfftBakePlan(plan_, 1, &queue_, nullptr, nullptr), "plan");
      require(clfftGetTmpBufSize(plan_, &workspace_bytes_), "tell its workspace");
    } catch (...) {
      clfftDestroyPlan(&plan_);
      throw;
    }
  }
  ~clfft_job() override { clfftDestroyPlan(&plan_); }

  [[nodiscard]] long long workspace_bytes() const override {
    return static_cast<long long>(workspace_bytes_);
  }

 protected:
  void queue_run() override {
    require(clfftEnqueueTransform(plan_, spec_.is_inverse() ? CLFFT_BACKWARD : CLFFT_FORWARD, 1,
                                  &queue_, 0, nullptr, nullptr, &in_,
                                  spec_.in_place ? nullptr : &out_, nullptr),
            "queue a run");
  }

 private:
  void describe(clfftDim axes) {
    constexpr clfftLayout bins = CLFFT_HERMITIAN_INTERLEAVED;
    constexpr clfftLayout pairs = CLFFT_COMPLEX_INTERLEAVED;
    const clfftLayout in_layout = spec_.does == kind::forward_from_real ? CLFFT_REAL
                                  : spec_.is_real()                     ? bins
                                                                        : pairs;
    const clfftLayout out_layout = spec_.does == kind::inverse_to_real ? CLFFT_REAL
                                   : spec_.is_real()                   ? bins
                                                                       : pairs;
    const bool is_fp64 = spec_.real == precision::fp64;
    require(clfftSetPlanPrecision(plan_, is_fp64 ? CLFFT_DOUBLE : CLFFT_SINGLE), "set precision");
    require(clfftSetLayout(plan_, in_layout, out_layout), "set a layout");
    require(clfftSetResultLocation(plan_, spec_.in_place ? CLFFT_INPLACE : CLFFT_OUTOFPLACE),
            "set a place");
    require(clfftSetPlanBatchSize(plan_, spec_.batch), "set a batch");
    require(clfftSetPlanScale(plan_, CLFFT_BACKWARD, 1), "set a scale");
    auto in = reversed(spec_.in.strides), out = reversed(spec_.out.strides);
    require(clfftSetPlanInStride(plan_, axes, in.data()), "set strides");
    require(clfftSetPlanOutStride(plan_, axes, out.data()), "set strides");
    require(clfftSetPlanDistance(plan_, spec_.in.distance, spec_.out.distance), "set distances");
  }

  cl_command_queue queue_;
  clfftPlanHandle plan_ = 0;
  std::size_t workspace_bytes_ = 0;
};

class clfft final : public library {
 public:
  ~clfft() override { clfftTeardown(); }

  std::string open(int index, int, const std::string& device_name) override {
    on_.open(index, device_name);
    clfftSetupData setup{};
    require(clfftInitSetupData(&setup), "start");
    require(clfftSetup(&setup), "start");
    return "clFFT " + std::to_string(setup.major) + "." + std::to_string(setup.minor) + "." +
           std::to_string(setup.patch);
  }

  std::unique_ptr<job> plan(const problem& spec) override {
    if (spec.real != precision::fp32 && spec.real != precision::fp64) {
      throw refusal("clFFT computes in fp32 and fp64");
    }
    return std::make_unique<clfft_job>(on_, spec);
  }

 private:
  opencl_device on_;
};

}  // namespace

int main() {
  clfft library;
  return server{library}.run();
}
