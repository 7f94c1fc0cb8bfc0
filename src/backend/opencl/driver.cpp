// SPDX-License-Identifier: Apache-2.0
#include "backend/opencl/driver.hpp"

#include "system/shared_library.hpp"  // shared_library, open_first

namespace wingbeat::backend::opencl {
namespace {

void bind_objects(shared_library& library, driver_api& api) {
  library.bind(api.platforms, "clGetPlatformIDs");
  library.bind(api.platform_info, "clGetPlatformInfo");
  library.bind(api.devices, "clGetDeviceIDs");
  library.bind(api.device_info, "clGetDeviceInfo");
  library.bind(api.create_context, "clCreateContext");
  library.bind(api.retain_context, "clRetainContext");
  library.bind(api.release_context, "clReleaseContext");
  library.bind(api.create_queue, "clCreateCommandQueue");
  library.bind(api.retain_queue, "clRetainCommandQueue");
  library.bind(api.release_queue, "clReleaseCommandQueue");
  library.bind(api.queue_info, "clGetCommandQueueInfo");
  library.bind(api.create_buffer, "clCreateBuffer");
  library.bind(api.release_memory, "clReleaseMemObject");
}

void bind_commands(shared_library& library, driver_api& api) {
  library.bind(api.flush, "clFlush");
  library.bind(api.finish, "clFinish");
  library.bind(api.migrate, "clEnqueueMigrateMemObjects");
  library.bind(api.read_buffer, "clEnqueueReadBuffer");
  library.bind(api.write_buffer, "clEnqueueWriteBuffer");
  library.bind(api.copy_buffer, "clEnqueueCopyBuffer");
  library.bind(api.fill_buffer, "clEnqueueFillBuffer");
  library.bind(api.marker, "clEnqueueMarkerWithWaitList");
  library.bind(api.launch, "clEnqueueNDRangeKernel");
  library.bind(api.wait_for_events, "clWaitForEvents");
  library.bind(api.release_event, "clReleaseEvent");
  library.bind(api.event_info, "clGetEventInfo");
  library.bind(api.event_profile, "clGetEventProfilingInfo");
}

void bind_programs(shared_library& library, driver_api& api) {
  library.bind(api.program_with_source, "clCreateProgramWithSource");
  library.bind(api.program_with_binary, "clCreateProgramWithBinary");
  library.bind_if_there(api.program_with_il, "clCreateProgramWithIL");  // since OpenCL 2.1
  library.bind(api.build_program, "clBuildProgram");
  library.bind(api.build_info, "clGetProgramBuildInfo");
  library.bind(api.program_info, "clGetProgramInfo");
  library.bind(api.release_program, "clReleaseProgram");
  library.bind(api.create_kernel, "clCreateKernel");
  library.bind(api.release_kernel, "clReleaseKernel");
  library.bind(api.set_argument, "clSetKernelArg");
  library.bind(api.kernel_info, "clGetKernelWorkGroupInfo");
}

void bind_driver(shared_library& library, driver_api& api) {
  bind_objects(library, api);
  bind_commands(library, api);
  bind_programs(library, api);
}

}  // namespace

opened<driver_api> open_driver(std::span<const std::string> candidates) {
  std::string path;
  return open_first<driver_api>(candidates, bind_driver, path);
}

}  // namespace wingbeat::backend::opencl
