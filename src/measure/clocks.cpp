// SPDX-License-Identifier: Apache-2.0
#include "measure/clocks.hpp"

#include <span>

#include "shared_library.hpp"  // shared_library, open_first

namespace wingbeat::measure {
namespace {

constexpr int nvml_success = 0;
constexpr unsigned clock_sm = 1, clock_memory = 2;  // nvmlClockType_t

/// NVML and CUDA may number devices differently, so devices are matched by PCI address.
struct nvml_functions {
  int (*init)();
  int (*shutdown)();
  int (*driver_version)(char* text, unsigned size);
  int (*device_at)(const char* pci_address, void** device);
  int (*clock)(void* device, unsigned kind, unsigned* mhz);
};

void bind_nvml(shared_library& from, nvml_functions& api) {
  from.bind(api.init, "nvmlInit_v2");
  from.bind(api.shutdown, "nvmlShutdown");
  from.bind(api.driver_version, "nvmlSystemGetDriverVersion");
  from.bind(api.device_at, "nvmlDeviceGetHandleByPciBusId_v2");
  from.bind(api.clock, "nvmlDeviceGetClockInfo");
}

struct driver_functions {
  int (*device_get)(int* device, int index);
  int (*pci_address)(char* text, int size, int device);
};

void bind_driver(shared_library& from, driver_functions& api) {
  from.bind(api.device_get, "cuDeviceGet");
  from.bind(api.pci_address, "cuDeviceGetPCIBusId");
}

std::string pci_address_of(int index) {
  const std::vector<std::string> names{"libcuda.so.1"};
  std::string path;
  const auto driver = open_first<driver_functions>(names, bind_driver, path);
  int device = 0;
  char text[32] = "";
  const bool is_known = driver.problem.empty() && driver.api.device_get(&device, index) == 0 &&
                        driver.api.pci_address(text, sizeof text, device) == 0;
  return is_known ? text : "";
}

}  // namespace

struct clock_watch::nvml {
  nvml(const nvml_functions& found, void* handle) : api(found), device(handle) {}
  nvml(const nvml&) = delete;
  nvml& operator=(const nvml&) = delete;
  ~nvml() { api.shutdown(); }

  void append(unsigned kind, std::vector<double>& to) const {
    unsigned mhz = 0;
    if (api.clock(device, kind, &mhz) == nvml_success) to.push_back(mhz);
  }

  nvml_functions api;
  void* device;
};

clock_watch::clock_watch(const device_info& watched) {
  if (watched.runs_on != engine::cuda) return;
  const std::vector<std::string> names{"libnvidia-ml.so.1"};
  std::string path;
  const auto found = open_first<nvml_functions>(names, bind_nvml, path);
  const std::string address = pci_address_of(watched.index);
  if (!found.problem.empty() || address.empty() || found.api.init() != nvml_success) return;
  void* device = nullptr;
  if (found.api.device_at(address.c_str(), &device) != nvml_success) {
    found.api.shutdown();
    return;
  }
  nvml_ = std::make_unique<nvml>(found.api, device);
  char text[96] = "";
  if (found.api.driver_version(text, sizeof text) == nvml_success) driver_version_ = text;
}
clock_watch::clock_watch(clock_watch&&) noexcept = default;
clock_watch& clock_watch::operator=(clock_watch&&) noexcept = default;
clock_watch::~clock_watch() = default;

void clock_watch::sample() {
  if (!nvml_) return;
  nvml_->append(clock_sm, sm_mhz_);
  nvml_->append(clock_memory, memory_mhz_);
}

void clock_watch::restart() noexcept {
  sm_mhz_.clear();
  memory_mhz_.clear();
}

}  // namespace wingbeat::measure
