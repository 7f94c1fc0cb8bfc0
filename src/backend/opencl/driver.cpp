// SPDX-License-Identifier: Apache-2.0
#include "backend/opencl/driver.hpp"

#include <dlfcn.h>  // dlopen, dlsym

#include "formatted.hpp"  // formatted

namespace wingbeat::backend::opencl {
namespace {

// Finds symbols one after another and remembers the first that is missing.
class loader {
 public:
  explicit loader(void* library) : library_(library) {}

  template <class Function>
  void operator()(Function& to, const char* symbol) {
    optional(to, symbol);
    if (to == nullptr && missing_.empty()) missing_ = symbol;
  }

  template <class Function>
  void optional(Function& to, const char* symbol) {
    to = reinterpret_cast<Function>(::dlsym(library_, symbol));
  }

  [[nodiscard]] const std::string& missing() const { return missing_; }

 private:
  void* library_;
  std::string missing_;
};

void load_objects(loader& load, driver_api& api) {
  load(api.platforms, "clGetPlatformIDs");
  load(api.platform_info, "clGetPlatformInfo");
  load(api.devices, "clGetDeviceIDs");
  load(api.device_info, "clGetDeviceInfo");
  load(api.create_context, "clCreateContext");
  load(api.retain_context, "clRetainContext");
  load(api.release_context, "clReleaseContext");
  load(api.create_queue, "clCreateCommandQueue");
  load(api.retain_queue, "clRetainCommandQueue");
  load(api.release_queue, "clReleaseCommandQueue");
  load(api.queue_info, "clGetCommandQueueInfo");
  load(api.create_buffer, "clCreateBuffer");
  load(api.release_memory, "clReleaseMemObject");
}

void load_commands(loader& load, driver_api& api) {
  load(api.flush, "clFlush");
  load(api.finish, "clFinish");
  load(api.migrate, "clEnqueueMigrateMemObjects");
  load(api.read_buffer, "clEnqueueReadBuffer");
  load(api.write_buffer, "clEnqueueWriteBuffer");
  load(api.copy_buffer, "clEnqueueCopyBuffer");
  load(api.fill_buffer, "clEnqueueFillBuffer");
  load(api.marker, "clEnqueueMarkerWithWaitList");
  load(api.launch, "clEnqueueNDRangeKernel");
  load(api.wait_for_events, "clWaitForEvents");
  load(api.release_event, "clReleaseEvent");
  load(api.event_info, "clGetEventInfo");
  load(api.event_profile, "clGetEventProfilingInfo");
}

void load_programs(loader& load, driver_api& api) {
  load(api.program_with_source, "clCreateProgramWithSource");
  load(api.program_with_binary, "clCreateProgramWithBinary");
  load.optional(api.program_with_il, "clCreateProgramWithIL");  // since OpenCL 2.1
  load(api.build_program, "clBuildProgram");
  load(api.build_info, "clGetProgramBuildInfo");
  load(api.program_info, "clGetProgramInfo");
  load(api.release_program, "clReleaseProgram");
  load(api.create_kernel, "clCreateKernel");
  load(api.release_kernel, "clReleaseKernel");
  load(api.set_argument, "clSetKernelArg");
  load(api.kernel_info, "clGetKernelWorkGroupInfo");
}

}  // namespace

opened_driver open_driver(std::span<const std::string> candidates) {
  opened_driver result;
  for (const std::string& name : candidates) {
    // Never closed: drivers leave threads behind that run its code.
    void* const library = ::dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) {
      result.problem = ::dlerror();
      continue;
    }
    loader load{library};
    load_objects(load, result.api);
    load_commands(load, result.api);
    load_programs(load, result.api);
    if (load.missing().empty()) {
      result.problem.clear();
      return result;
    }
    result.problem = formatted("{} has no function {}", name, load.missing());
  }
  return result;
}

}  // namespace wingbeat::backend::opencl
