// SPDX-License-Identifier: Apache-2.0
#include "backend/cuda/driver.hpp"

#include <dlfcn.h>  // dlopen

#include <memory>  // make_unique

#include "backend/cuda/toolkit.hpp"   // toolkit_candidates
#include "system/shared_library.hpp"  // shared_library, open_first
#include "text/formatted.hpp"         // formatted

namespace wingbeat::backend::cuda {
namespace {

void bind_devices(shared_library& from, driver_api& api) {
  from.bind(api.error_name, "cuGetErrorName");
  from.bind(api.error_text, "cuGetErrorString");
  from.bind(api.init, "cuInit");
  from.bind(api.driver_version, "cuDriverGetVersion");
  from.bind(api.device_count, "cuDeviceGetCount");
  from.bind(api.device_get, "cuDeviceGet");
  from.bind(api.device_name, "cuDeviceGetName");
  from.bind(api.device_memory, "cuDeviceTotalMem_v2");
  from.bind(api.device_attribute, "cuDeviceGetAttribute");
  from.bind(api.primary_context_retain, "cuDevicePrimaryCtxRetain");
  from.bind(api.context_push, "cuCtxPushCurrent_v2");
  from.bind(api.context_pop, "cuCtxPopCurrent_v2");
  from.bind(api.context_current, "cuCtxGetCurrent");
  from.bind(api.context_device, "cuCtxGetDevice");
  from.bind(api.context_synchronize, "cuCtxSynchronize");
  from.bind(api.context_enable_peer, "cuCtxEnablePeerAccess");
}

void bind_queues(shared_library& from, driver_api& api) {
  from.bind(api.memory_allocate, "cuMemAlloc_v2");
  from.bind(api.memory_free, "cuMemFree_v2");
  from.bind(api.memory_info, "cuMemGetInfo_v2");
  from.bind(api.pinned_allocate, "cuMemHostAlloc");
  from.bind(api.pinned_free, "cuMemFreeHost");
  from.bind(api.copy_to_device, "cuMemcpyHtoDAsync_v2");
  from.bind(api.copy_to_host, "cuMemcpyDtoHAsync_v2");
  from.bind(api.copy_on_device, "cuMemcpyDtoDAsync_v2");
  from.bind(api.copy_rows, "cuMemcpy2DAsync_v2");
  from.bind_if_there(api.memory_share, "cuIpcGetMemHandle");
  from.bind_if_there(api.memory_open, "cuIpcOpenMemHandle_v2");
  from.bind_if_there(api.memory_close, "cuIpcCloseMemHandle");
  from.bind(api.set_words, "cuMemsetD32Async");
  from.bind(api.stream_create, "cuStreamCreateWithPriority");
  from.bind(api.stream_destroy, "cuStreamDestroy_v2");
  from.bind(api.stream_synchronize, "cuStreamSynchronize");
  from.bind(api.stream_wait_event, "cuStreamWaitEvent");
  from.bind(api.event_create, "cuEventCreate");
  from.bind(api.event_destroy, "cuEventDestroy_v2");
  from.bind(api.event_record, "cuEventRecord");
  from.bind(api.event_synchronize, "cuEventSynchronize");
  from.bind(api.event_query, "cuEventQuery");
  // Its _v2 came with CUDA 12.8; drivers keep this one, with the same result.
  from.bind(api.event_elapsed_ms, "cuEventElapsedTime");
}

void bind_kernels(shared_library& from, driver_api& api) {
  from.bind(api.module_load, "cuModuleLoadData");
  from.bind(api.module_unload, "cuModuleUnload");
  from.bind(api.module_function, "cuModuleGetFunction");
  from.bind(api.function_attribute, "cuFuncGetAttribute");
  from.bind(api.function_set_attribute, "cuFuncSetAttribute");
  from.bind(api.resident_workgroups, "cuOccupancyMaxActiveBlocksPerMultiprocessor");
  from.bind(api.launch, "cuLaunchKernel");
  from.bind_if_there(api.launch_configured, "cuLaunchKernelEx");
}

void bind_graphs(shared_library& from, driver_api& api) {
  from.bind_if_there(api.graph_create, "cuGraphCreate");
  from.bind_if_there(api.graph_destroy, "cuGraphDestroy");
  from.bind_if_there(api.graph_add_kernel, "cuGraphAddKernelNode_v2");
  from.bind_if_there(api.graph_add_edges, "cuGraphAddDependencies_v2");
  from.bind_if_there(api.graph_make_runnable, "cuGraphInstantiateWithFlags");
  from.bind_if_there(api.runnable_destroy, "cuGraphExecDestroy");
  from.bind_if_there(api.runnable_set_kernel, "cuGraphExecKernelNodeSetParams_v2");
  from.bind_if_there(api.runnable_launch, "cuGraphLaunch");
  from.bind_if_there(api.stream_is_capturing, "cuStreamIsCapturing");
  from.bind_if_there(api.exchange_capture_mode, "cuThreadExchangeStreamCaptureMode");
}

void bind_driver(shared_library& from, driver_api& api) {
  bind_devices(from, api);
  bind_queues(from, api);
  bind_kernels(from, api);
  bind_graphs(from, api);
}

void bind_nvrtc(shared_library& from, nvrtc_api& api) {
  from.bind(api.error_text, "nvrtcGetErrorString");
  from.bind(api.version, "nvrtcVersion");
  from.bind(api.n_architectures, "nvrtcGetNumSupportedArchs");
  from.bind(api.architectures, "nvrtcGetSupportedArchs");
  from.bind(api.create, "nvrtcCreateProgram");
  from.bind(api.destroy, "nvrtcDestroyProgram");
  from.bind(api.compile, "nvrtcCompileProgram");
  from.bind(api.cubin_size, "nvrtcGetCUBINSize");
  from.bind(api.cubin, "nvrtcGetCUBIN");
  from.bind(api.ptx_size, "nvrtcGetPTXSize");
  from.bind(api.ptx, "nvrtcGetPTX");
  from.bind(api.log_size, "nvrtcGetProgramLogSize");
  from.bind(api.log, "nvrtcGetProgramLog");
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
  dlopen(builtins.c_str(), RTLD_NOW | RTLD_LOCAL);  // NVRTC itself reports when it finds none
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
  // Never destroyed: engines, which are not destroyed either, refer to it.
  static const auto& found =
      *std::make_unique<const opened<nvrtc_api>>(open_nvrtc(nvrtc_candidates())).release();
  return found;
}

}  // namespace wingbeat::backend::cuda
