// SPDX-License-Identifier: Apache-2.0
#include "backend/opencl/engine.hpp"

#include <memory>   // make_unique
#include <utility>  // move

#include "backend/opencl/lifetime.hpp"  // begin_driver_use, require_usable_driver
#include "programs/transforms.hpp"      // launches_of
#include "text/formatted.hpp"           // formatted
#include "text/reject.hpp"              // reject
#include "wingbeat/error.hpp"           // absent_error, plan_error

namespace wingbeat::backend::opencl {

engine::engine(const driver_api& api, const std::string& driver_problem, kernel_cache& cache)
    : api_(api), compiler_(api, cache) {
  if (!driver_problem.empty()) {
    problem_ = formatted("OpenCL was not found: {}; install a driver, for example pocl-opencl-icd",
                         driver_problem);
    return;
  }
  auto found = find_devices(api);
  begin_driver_use();  // after the driver made its static objects
  devices_ = std::move(found.devices);
  problem_ = std::move(found.problem);
  contexts_.resize(devices_.size());
}

std::vector<device_info> engine::devices() const {
  std::vector<device_info> infos;
  for (const device& each : devices_) infos.push_back(each.info);
  return infos;
}

void engine::require_present() const {
  require_usable_driver();
  if (devices_.empty()) {
    throw absent_error(formatted("engine opencl is not available here: {}", problem_));
  }
}

context_handle engine::context_of(std::size_t index) const {
  const std::lock_guard held{mutex_};
  owned<context_handle>& context = contexts_[index];
  if (context.get() == nullptr) {
    status created = success;
    const context_handle opened =
        api_.create_context(nullptr, 1, &devices_[index].id, nullptr, nullptr, &created);
    check(created, "make a context on " + devices_[index].info.name);
    context = {opened, api_.release_context};
  }
  return context.get();
}

std::shared_ptr<backend::queue> engine::open(const device_info& device) const {
  require_present();
  const auto index = static_cast<std::size_t>(device.index);
  if (device.index < 0 || index >= devices_.size()) {
    throw absent_error(formatted("there is no opencl device {}; choose 0 to {}", device.index,
                                 devices_.size() - 1));
  }
  return std::make_shared<queue>(api_, devices_[index], context_of(index));
}

std::shared_ptr<backend::queue> engine::adopt(void* native) const {
  require_present();
  reject_if(native == nullptr, "a null OpenCL queue was given; pass a cl_command_queue of yours");
  const auto adopted = static_cast<queue_handle>(native);
  const auto id = queue_value<device_id>(api_, adopted, queue_property::device);
  for (const device& each : devices_) {
    if (each.id == id) return std::make_shared<queue>(api_, each, adopted);
  }
  reject(
      "the OpenCL queue belongs to a device that wingbeat cannot use; adopt a queue "
      "of one of the devices it lists");
}

std::shared_ptr<const backend::kernel> engine::compile(const std::shared_ptr<backend::queue>& on,
                                                       const kernel_source& source) const {
  return compiler_.compile(on, source);
}

std::optional<programs::program> engine::realise(const std::shared_ptr<backend::queue>& on,
                                                 const step_request& step) const {
  return programs::launches_of(step, on->device());
}

}  // namespace wingbeat::backend::opencl

namespace wingbeat::backend {

// Neither is ever destroyed, because queues with static storage may outlive any other object, and
// at exit a driver's static objects may be destroyed before ours.
const engine& opencl_engine() {
  static const std::vector<std::string> names{"libOpenCL.so.1"};
  static const auto* const driver =
      std::make_unique<opened<opencl::driver_api>>(opencl::open_driver(names)).release();
  static const auto* const only =
      std::make_unique<opencl::engine>(driver->api, driver->problem, kernel_cache::shared())
          .release();
  return *only;
}

}  // namespace wingbeat::backend
