// SPDX-License-Identifier: Apache-2.0
#include "backend/cuda/driver.hpp"

#include <dlfcn.h>  // dlopen

#include <memory>  // make_unique

#include "backend/cuda/toolkit.hpp"   // toolkit_candidates
#include "system/shared_library.hpp"  // shared_library, open_first
#include "text/formatted.hpp"         // formatted

namespace wingbeat::backend::cuda {
namespace {

void bind_devices(shared_library& library, driver_api& api) {
  library.bind(api.error_name, "cuGetErrorName");
  library.bind(api.error_text, "cuGetErrorString");
  library.bind(api.init, "cuInit");
  library.bind(api.driver_version, "cuDriverGetVersion");
  library.bind(api.device_count, "cuDeviceGetCount");
  library.bind(api.device_get, "cuDeviceGet");
  library.bind(api.device_name, "cuDeviceGetName");
  library.bind(api.device_memory, "cuDeviceTotalMem_v2");
  library.bind(api.device_attribute, "cuDeviceGetAttribute");
  library.bind(api.primary_context_retain, "cuDevicePrimaryCtxRetain");
  library.bind(api.context_push, "cuCtxPushCurrent_v2");
  library.bind(api.context_pop, "cuCtxPopCurrent_v2");
  library.bind(api.context_current, "cuCtxGetCurrent");
  library.bind(api.context_device, "cuCtxGetDevice");
  library.bind(api.context_synchronize, "cuCtxSynchronize");
  library.bind(api.context_enable_peer, "cuCtxEnablePeerAccess");
}

void bind_queues(shared_library& library, driver_api& api) {
  library.bind(api.memory_allocate, "cuMemAlloc_v2");
  library.bind(api.memory_free, "cuMemFree_v2");
  library.bind(api.memory_info, "cuMemGetInfo_v2");
  library.bind(api.pinned_allocate, "cuMemHostAlloc");
  library.bind(api.pinned_free, "cuMemFreeHost");
  library.bind(api.copy_to_device, "cuMemcpyHtoDAsync_v2");
  library.bind(api.copy_to_host, "cuMemcpyDtoHAsync_v2");
  library.bind(api.copy_on_device, "cuMemcpyDtoDAsync_v2");
  library.bind(api.copy_rows, "cuMemcpy2DAsync_v2");
  library.bind_if_there(api.memory_share, "cuIpcGetMemHandle");
  library.bind_if_there(api.memory_open, "cuIpcOpenMemHandle_v2");
  library.bind_if_there(api.memory_close, "cuIpcCloseMemHandle");
  library.bind(api.set_words, "cuMemsetD32Async");
  library.bind(api.stream_create, "cuStreamCreateWithPriority");
  library.bind(api.stream_destroy, "cuStreamDestroy_v2");
  library.bind(api.stream_synchronize, "cuStreamSynchronize");
  library.bind(api.stream_wait_event, "cuStreamWaitEvent");
  library.bind(api.event_create, "cuEventCreate");
  library.bind(api.event_destroy, "cuEventDestroy_v2");
  library.bind(api.event_record, "cuEventRecord");
  library.bind(api.event_synchronize, "cuEventSynchronize");
  library.bind(api.event_query, "cuEventQuery");
  // CUDA 12.8 added a _v2; drivers keep this one, with the same result.
  library.bind(api.event_elapsed_ms, "cuEventElapsedTime");
}

void bind_kernels(shared_library& library, driver_api& api) {
  library.bind(api.module_load, "cuModuleLoadData");
  library.bind(api.module_unload, "cuModuleUnload");
  library.bind(api.module_function, "cuModuleGetFunction");
  library.bind(api.function_attribute, "cuFuncGetAttribute");
  library.bind(api.function_set_attribute, "cuFuncSetAttribute");
  library.bind(api.resident_workgroups, "cuOccupancyMaxActiveBlocksPerMultiprocessor");
  library.bind(api.launch, "cuLaunchKernel");
  library.bind_if_there(api.launch_configured, "cuLaunchKernelEx");
}

void bind_graphs(shared_library& library, driver_api& api) {
  library.bind_if_there(api.graph_create, "cuGraphCreate");
  library.bind_if_there(api.graph_destroy, "cuGraphDestroy");
  library.bind_if_there(api.graph_add_kernel, "cuGraphAddKernelNode_v2");
  library.bind_if_there(api.graph_add_edges, "cuGraphAddDependencies_v2");
  library.bind_if_there(api.graph_make_runnable, "cuGraphInstantiateWithFlags");
  library.bind_if_there(api.runnable_destroy, "cuGraphExecDestroy");
  library.bind_if_there(api.runnable_set_kernel, "cuGraphExecKernelNodeSetParams_v2");
  library.bind_if_there(api.runnable_launch, "cuGraphLaunch");
  library.bind_if_there(api.stream_is_capturing, "cuStreamIsCapturing");
  library.bind_if_there(api.exchange_capture_mode, "cuThreadExchangeStreamCaptureMode");
}

void bind_driver(shared_library& library, driver_api& api) {
  bind_devices(library, api);
  bind_queues(library, api);
  bind_kernels(library, api);
  bind_graphs(library, api);
}

void bind_nvrtc(shared_library& library, nvrtc_api& api) {
  library.bind(api.error_text, "nvrtcGetErrorString");
  library.bind(api.version, "nvrtcVersion");
  library.bind(api.n_architectures, "nvrtcGetNumSupportedArchs");
  library.bind(api.architectures, "nvrtcGetSupportedArchs");
  library.bind(api.create, "nvrtcCreateProgram");
  library.bind(api.destroy, "nvrtcDestroyProgram");
  library.bind(api.compile, "nvrtcCompileProgram");
  library.bind(api.cubin_size, "nvrtcGetCUBINSize");
  library.bind(api.cubin, "nvrtcGetCUBIN");
  library.bind(api.ptx_size, "nvrtcGetPTXSize");
  library.bind(api.ptx, "nvrtcGetPTX");
  library.bind(api.log_size, "nvrtcGetProgramLogSize");
  library.bind(api.log, "nvrtcGetProgramLog");
}

/// NVRTC opens its built-ins by bare name, which fails for a toolkit outside the loader's path;
/// a library already open under that name is found.
void open_builtins_beside(const std::string& path, const nvrtc_api& api) {
  const auto slash = path.rfind('/');
  int major = 0;
  int minor = 0;
  if (slash == std::string::npos || api.version(&major, &minor) != success) return;
  const auto builtins =
      formatted("{}/libnvrtc-builtins.so.{}.{}", path.substr(0, slash), major, minor);
  dlopen(builtins.c_str(), RTLD_NOW | RTLD_LOCAL);  // NVRTC itself reports missing built-ins
}

}  // namespace

opened<driver_api> open_driver(std::span<const std::string> candidates) {
  std::string path;
  return open_first<driver_api>(candidates, bind_driver, path);
}

bool has_graphs(const driver_api& api) {
  return api.graph_create != nullptr && api.graph_destroy != nullptr &&
         api.graph_add_kernel != nullptr && api.graph_add_edges != nullptr &&
         api.graph_make_runnable != nullptr && api.runnable_destroy != nullptr &&
         api.runnable_set_kernel != nullptr && api.runnable_launch != nullptr &&
         api.stream_is_capturing != nullptr && api.exchange_capture_mode != nullptr;
}

opened<nvrtc_api> open_nvrtc(std::span<const std::string> candidates) {
  std::string path;
  auto found = open_first<nvrtc_api>(candidates, bind_nvrtc, path);
  if (found.problem.empty()) open_builtins_beside(path, found.api);
  return found;
}

std::vector<std::string> nvrtc_candidates() {
  const std::vector<std::string> names{"libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so"};
  return toolkit_candidates(names);
}

const opened<nvrtc_api>& process_nvrtc() {
  // Never destroyed, because engines, which are not destroyed either, refer to it.
  static const auto& found =
      *std::make_unique<const opened<nvrtc_api>>(open_nvrtc(nvrtc_candidates())).release();
  return found;
}

}  // namespace wingbeat::backend::cuda
