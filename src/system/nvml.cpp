// SPDX-License-Identifier: Apache-2.0
#include "system/nvml.hpp"

#include "system/shared_library.hpp"  // shared_library, open_first

namespace wingbeat {
namespace {

constexpr int success = 0;
constexpr unsigned sensor_gpu = 0;                  // nvmlTemperatureSensors_t
constexpr unsigned clock_sm = 1, clock_memory = 2;  // nvmlClockType_t

struct driver_functions {
  int (*device_get)(int* device, int index);
  int (*pci_address)(char* text, int size, int device);
};

void bind_driver(shared_library& library, driver_functions& api) {
  library.bind(api.device_get, "cuDeviceGet");
  library.bind(api.pci_address, "cuDeviceGetPCIBusId");
}

std::string pci_address_of(int index, const std::vector<std::string>& libraries) {
  std::string path;
  const auto driver = open_first<driver_functions>(libraries, bind_driver, path);
  int device = 0;
  char text[32] = "";
  const bool is_known = driver.problem.empty() &&
                        driver.api.device_get(&device, index) == success &&
                        driver.api.pci_address(text, sizeof text, device) == success;
  return is_known ? text : "";
}

}  // namespace

/// NVML and CUDA may number devices differently, so devices are matched by PCI address.
struct nvml_device::functions {
  int (*init)();
  int (*shutdown)();
  int (*driver_version)(char* text, unsigned size);
  int (*device_at)(const char* pci_address, void** device);
  int (*temperature)(void* device, unsigned sensor, unsigned* celsius);
  int (*clock)(void* device, unsigned kind, unsigned* mhz);

  static void bind(shared_library& library, functions& api) {
    library.bind(api.init, "nvmlInit_v2");
    library.bind(api.shutdown, "nvmlShutdown");
    library.bind(api.driver_version, "nvmlSystemGetDriverVersion");
    library.bind(api.device_at, "nvmlDeviceGetHandleByPciBusId_v2");
    library.bind(api.temperature, "nvmlDeviceGetTemperature");
    library.bind(api.clock, "nvmlDeviceGetClockInfo");
  }
};

nvml_device::nvml_device(const functions& api, void* handle)
    : api_(std::make_unique<functions>(api)), handle_(handle) {}

nvml_device::~nvml_device() {
  api_->shutdown();
}

std::unique_ptr<nvml_device> nvml_device::open(const device_info& device,
                                               const nvml_libraries& libraries) {
  if (device.runs_on != engine::cuda) return nullptr;
  std::string path;
  const auto found = open_first<functions>(libraries.nvml, functions::bind, path);
  if (!found.problem.empty()) return nullptr;
  const std::string address = pci_address_of(device.index, libraries.driver);
  if (address.empty() || found.api.init() != success) return nullptr;
  void* handle = nullptr;
  if (found.api.device_at(address.c_str(), &handle) != success) {
    found.api.shutdown();
    return nullptr;
  }
  return std::unique_ptr<nvml_device>{new nvml_device{found.api, handle}};
}

std::optional<double> nvml_device::temperature_celsius() const {
  unsigned celsius = 0;
  if (api_->temperature(handle_, sensor_gpu, &celsius) != success) return std::nullopt;
  return celsius;
}

std::optional<double> nvml_device::clock_mhz(unsigned kind) const {
  unsigned mhz = 0;
  if (api_->clock(handle_, kind, &mhz) != success) return std::nullopt;
  return mhz;
}

std::optional<double> nvml_device::sm_clock_mhz() const {
  return clock_mhz(clock_sm);
}

std::optional<double> nvml_device::memory_clock_mhz() const {
  return clock_mhz(clock_memory);
}

std::string nvml_device::driver_version() const {
  char text[96] = "";
  return api_->driver_version(text, sizeof text) == success ? text : "";
}

}  // namespace wingbeat
