// SPDX-License-Identifier: Apache-2.0
#include "backend/cuda/driver.hpp"

#include <dlfcn.h>  // dlopen, dlsym
#include <fmt/format.h>

#include <algorithm>  // find
#include <cstdlib>    // getenv
#include <utility>    // move

namespace wingbeat::backend::cuda {
namespace {

/// Fills a table of functions from one library, and remembers the first that is missing.
class binder {
 public:
  explicit binder(void* library) : library_(library) {}

  template <class Function>
  void bind(Function*& into, const char* symbol) {
    into = reinterpret_cast<Function*>(dlsym(library_, symbol));
    if (into == nullptr && missing_.empty()) missing_ = symbol;
  }

  [[nodiscard]] const std::string& missing() const { return missing_; }

 private:
  void* library_;
  std::string missing_;
};

void bind_devices(binder& from, driver_api& api) {
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
}

void bind_queues(binder& from, driver_api& api) {
  from.bind(api.memory_allocate, "cuMemAlloc_v2");
  from.bind(api.memory_free, "cuMemFree_v2");
  from.bind(api.memory_info, "cuMemGetInfo_v2");
  from.bind(api.copy_to_device, "cuMemcpyHtoDAsync_v2");
  from.bind(api.copy_to_host, "cuMemcpyDtoHAsync_v2");
  from.bind(api.stream_create, "cuStreamCreate");
  from.bind(api.stream_destroy, "cuStreamDestroy_v2");
  from.bind(api.stream_synchronize, "cuStreamSynchronize");
  from.bind(api.event_create, "cuEventCreate");
  from.bind(api.event_destroy, "cuEventDestroy_v2");
  from.bind(api.event_record, "cuEventRecord");
  from.bind(api.event_synchronize, "cuEventSynchronize");
  // Its _v2 came with CUDA 12.8; drivers keep this one, which answers the same.
  from.bind(api.event_elapsed_ms, "cuEventElapsedTime");
}

void bind_kernels(binder& from, driver_api& api) {
  from.bind(api.module_load, "cuModuleLoadData");
  from.bind(api.module_unload, "cuModuleUnload");
  from.bind(api.module_function, "cuModuleGetFunction");
  from.bind(api.function_attribute, "cuFuncGetAttribute");
  from.bind(api.function_set_attribute, "cuFuncSetAttribute");
  from.bind(api.launch, "cuLaunchKernel");
}

void bind_all(binder& from, driver_api& api) {
  bind_devices(from, api);
  bind_queues(from, api);
  bind_kernels(from, api);
}

void bind_all(binder& from, nvrtc_api& api) {
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

/// Returns "none of a.so.1, a.so was found in the loader's path, /usr/local/cuda/lib64".
std::string not_found(std::span<const std::string> candidates) {
  std::vector<std::string> names;
  std::vector<std::string> folders;
  const auto add_once = [](std::vector<std::string>& to, std::string word) {
    if (std::find(to.begin(), to.end(), word) == to.end()) to.push_back(std::move(word));
  };
  for (const auto& candidate : candidates) {
    const auto slash = candidate.rfind('/');
    const bool is_bare = slash == std::string::npos;
    add_once(names, is_bare ? candidate : candidate.substr(slash + 1));
    add_once(folders, is_bare ? "the loader's path" : candidate.substr(0, slash));
  }
  return fmt::format("none of {} could be opened from {}", fmt::join(names, ", "),
                     fmt::join(folders, ", "));
}

/// Tries the candidates in order. Libraries that serve stay open as long as the process.
template <class Api>
opened<Api> open_first(std::span<const std::string> candidates, std::string& path) {
  std::string outdated;
  for (const auto& candidate : candidates) {
    void* library = dlopen(candidate.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) continue;
    opened<Api> found;
    binder from{library};
    bind_all(from, found.api);
    if (from.missing().empty()) {
      path = candidate;
      return found;
    }
    if (outdated.empty()) outdated = fmt::format("{} lacks {}", candidate, from.missing());
    dlclose(library);
  }
  if (!outdated.empty()) return {{}, outdated + "; install a later one"};
  return {{}, not_found(candidates)};
}

/// NVRTC opens its built-ins by bare name, which fails for a toolkit the loader does not know;
/// a library already open under that name is found.
void open_builtins_beside(const std::string& path, const nvrtc_api& api) {
  const auto slash = path.rfind('/');
  int major = 0;
  int minor = 0;
  if (slash == std::string::npos || api.version(&major, &minor) != success) return;
  const auto builtins =
      fmt::format("{}/libnvrtc-builtins.so.{}.{}", path.substr(0, slash), major, minor);
  dlopen(builtins.c_str(), RTLD_NOW | RTLD_LOCAL);  // NVRTC itself reports when it finds none
}

}  // namespace

opened<driver_api> open_driver(std::span<const std::string> candidates) {
  std::string path;
  return open_first<driver_api>(candidates, path);
}

opened<nvrtc_api> open_nvrtc(std::span<const std::string> candidates) {
  std::string path;
  auto found = open_first<nvrtc_api>(candidates, path);
  if (found.problem.empty()) open_builtins_beside(path, found.api);
  return found;
}

std::vector<std::string> nvrtc_candidates() {
  const std::vector<std::string> names{"libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so"};
  std::vector<std::string> roots;
  for (const char* variable : {"CUDA_HOME", "CUDA_PATH"}) {
    const char* root = std::getenv(variable);
    if (root != nullptr && *root != '\0') roots.emplace_back(root);
  }
  roots.emplace_back("/usr/local/cuda");

  std::vector<std::string> all = names;
  for (const auto& root : roots) {
    for (const char* folder : {"lib64", "targets/x86_64-linux/lib"}) {
      for (const auto& name : names) all.push_back(fmt::format("{}/{}/{}", root, folder, name));
    }
  }
  return all;
}

const opened<nvrtc_api>& process_nvrtc() {
  static const auto found = open_nvrtc(nvrtc_candidates());
  return found;
}

}  // namespace wingbeat::backend::cuda
