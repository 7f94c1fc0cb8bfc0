// SPDX-License-Identifier: Apache-2.0
#include "backend/cuda/engine.hpp"

#include <array>
#include <memory>   // make_unique
#include <utility>  // move

#include "backend/cuda/context.hpp"  // check, describe
#include "backend/cuda/kernel.hpp"   // kernel_compiler
#include "backend/cuda/nvrtc.hpp"    // version_of
#include "backend/cuda/queue.hpp"    // queue
#include "programs/transforms.hpp"   // launches_of
#include "text/formatted.hpp"        // formatted
#include "wingbeat/error.hpp"        // absent_error, device_error

namespace wingbeat::backend::cuda {
namespace {

/// Most workgroups of a cluster whose kernel allows more than the portable 8, as ours do
/// (kernel.cpp).
constexpr unsigned max_cluster = 16;

int attribute(const driver_api& api, int key, device_ordinal device) {
  int value = 0;
  check(api, api.device_attribute(&value, key, device), "describe a device");
  return value;
}

device_ordinal ordinal_of(const driver_api& api, int index) {
  device_ordinal found = 0;
  check(api, api.device_get(&found, index), formatted("open device {}", index));
  return found;
}

device_info describe_device(const driver_api& api, int index, std::string version) {
  using namespace device_attribute;
  const device_ordinal device = ordinal_of(api, index);
  const auto ask = [&](int key) { return attribute(api, key, device); };
  device_info found;
  found.runs_on = wingbeat::engine::cuda;
  found.index = index;
  std::array<char, 256> name{};
  check(api, api.device_name(name.data(), static_cast<int>(name.size()) - 1, device),
        "name a device");
  found.name = name.data();
  found.capability_major = ask(compute_capability_major);
  found.capability_minor = ask(compute_capability_minor);
  found.architecture = formatted("sm_{}{}", found.capability_major, found.capability_minor);
  found.version = std::move(version);
  check(api, api.device_memory(&found.memory_bytes, device), "measure a device's memory");
  found.local_memory_bytes = static_cast<std::size_t>(ask(max_shared_memory_per_block_optin));
  found.max_workgroup = static_cast<std::size_t>(ask(max_threads_per_block));
  found.compute_units = static_cast<unsigned>(ask(multiprocessor_count));
  found.has_fp64 = true;
  found.is_gpu = true;
  if (found.capability_major >= 9) {
    if (ask(cluster_launch) != 0) found.max_cluster = max_cluster;
    found.has_bulk_prefetch = true;  // PTX: cp.async.bulk.prefetch
    int driver = 0;
    const bool knows_version = api.driver_version(&driver) == success;
    found.has_early_launch = api.launch_configured != nullptr && knows_version &&
                             driver >= first_driver_of_early_launches;
  }
  return found;
}

}  // namespace

engine::engine(const driver_api& driver, const std::string& driver_problem,
               const opened<nvrtc_api>& nvrtc, kernel_cache& cache)
    : api_(driver) {
  if (!driver_problem.empty()) {
    problem_ =
        formatted("no NVIDIA driver was found: {}; install one to use a GPU", driver_problem);
    return;
  }
  const result started = api_.init(0);
  if (started != success) {
    problem_ = formatted("the NVIDIA driver did not start: {}", describe(api_, started));
    return;
  }
  if (!nvrtc.problem.empty()) {
    problem_ = formatted(
        "the NVIDIA driver is there, NVRTC is not: {}; install it or set CUDA_HOME to a toolkit",
        nvrtc.problem);
    return;
  }
  try {
    find_devices(nvrtc.api);
  } catch (const error& failed) {
    problem_ = failed.what();
    devices_.clear();
    return;
  }
  compiler_ = std::make_unique<cuda::kernel_compiler>(api_, nvrtc.api, driver_version_, cache);
}

void engine::find_devices(const nvrtc_api& nvrtc) {
  int version = 0;
  check(api_, api_.driver_version(&version), "report its version");
  driver_version_ = formatted("{}.{}", version / 1000, version % 1000 / 10);
  int n_devices = 0;
  check(api_, api_.device_count(&n_devices), "count its devices");
  for (int index = 0; index < n_devices; ++index) {
    devices_.push_back(describe_device(
        api_, index, formatted("CUDA {}, NVRTC {}", driver_version_, version_of(nvrtc))));
  }
  if (devices_.empty()) problem_ = "the NVIDIA driver is there and finds no GPU";
}

void engine::require_present() const {
  if (devices_.empty()) {
    throw absent_error(formatted("engine cuda is not available here: {}", problem_));
  }
}

context_handle engine::primary_context(int index) const {
  require_present();
  if (index < 0 || static_cast<std::size_t>(index) >= devices_.size()) {
    throw absent_error(
        formatted("there is no cuda device {}; choose 0 to {}", index, devices_.size() - 1));
  }
  // Never released, as in the CUDA runtime: later queues find the context warm, and no object with
  // static storage outlives it.
  context_handle context = nullptr;
  check(api_, api_.primary_context_retain(&context, ordinal_of(api_, index)),
        "make a context on " + devices_[static_cast<std::size_t>(index)].name);
  return context;
}

std::shared_ptr<backend::queue> engine::open(const device_info& device) const {
  const context_handle context = primary_context(device.index);
  return std::make_shared<queue>(api_, context, devices_[static_cast<std::size_t>(device.index)]);
}

std::shared_ptr<backend::queue> engine::adopt_of_device(void* native, int index) const {
  const context_handle context = primary_context(index);
  return std::make_shared<queue>(api_, context, devices_[static_cast<std::size_t>(index)],
                                 static_cast<stream_handle>(native));
}

std::shared_ptr<backend::queue> engine::adopt(void* native) const {
  require_present();
  context_handle context = nullptr;
  check(api_, api_.context_current(&context), "find the current context");
  if (context == nullptr) {
    throw device_error(
        "the calling thread has no current CUDA context to adopt a stream of; make one current "
        "with cudaSetDevice or cuCtxSetCurrent first");
  }
  device_ordinal ordinal = 0;
  check(api_, api_.context_device(&ordinal), "find the current device");
  for (const auto& candidate : devices_) {
    if (ordinal_of(api_, candidate.index) != ordinal) continue;
    return std::make_shared<queue>(api_, context, candidate, static_cast<stream_handle>(native));
  }
  throw device_error(
      formatted("the current CUDA context is of device {}, which was not there when wingbeat "
                "looked; adopt a stream of one of its {} devices",
                ordinal, devices_.size()));
}

std::shared_ptr<const backend::kernel> engine::compile(const std::shared_ptr<backend::queue>& on,
                                                       const kernel_source& source) const {
  require_present();
  return compiler_->compile(on, source);
}

std::optional<programs::program> engine::realise(const std::shared_ptr<backend::queue>& on,
                                                 const step_request& step) const {
  require_present();
  return programs::launches_of(step, on->device());
}

}  // namespace wingbeat::backend::cuda

namespace wingbeat::backend {

// Nothing is ever destroyed, because queues with static storage may outlive any other object.
const engine& cuda_engine() {
  static const auto& driver = *std::make_unique<const opened<cuda::driver_api>>([] {
                                 const std::vector<std::string> names{"libcuda.so.1"};
                                 return cuda::open_driver(names);
                               }())
                                   .release();
  static const auto& only =
      *std::make_unique<const cuda::engine>(driver.api, driver.problem, cuda::process_nvrtc(),
                                            kernel_cache::shared())
           .release();
  return only;
}

}  // namespace wingbeat::backend
