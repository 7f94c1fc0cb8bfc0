// SPDX-License-Identifier: Apache-2.0
// A library with the functions of NVML and of the CUDA driver that wingbeat calls. There are two
// devices, which NVML numbers the other way round; the GPU of CUDA's number 1 is broken.
#include <cstdio>   // snprintf
#include <cstring>  // strcmp

namespace {

int n_users = 0;  ///< Calls of init without a shutdown.
int first = 0, second = 0;

}  // namespace

extern "C" {

int cuDeviceGet(int* device, int index) {
  *device = 40 + index;
  return index < 3 ? 0 : 101;
}

int cuDeviceGetPCIBusId(char* text, int size, int device) {
  std::snprintf(text, static_cast<std::size_t>(size), "0000:%d:00.0", device);
  return 0;
}

int nvmlInit_v2() {
  ++n_users;
  return 0;
}

int nvmlShutdown() {
  --n_users;
  return 0;
}

int fake_nvml_users() {
  return n_users;
}

int nvmlSystemGetDriverVersion(char* text, unsigned size) {
  std::snprintf(text, size, "580.1");
  return 0;
}

int nvmlDeviceGetHandleByPciBusId_v2(const char* address, void** device) {
  *device = std::strcmp(address, "0000:40:00.0") == 0 ? &second : &first;
  return std::strcmp(address, "0000:42:00.0") == 0 ? 6 : 0;
}

int nvmlDeviceGetTemperature(void* device, unsigned sensor, unsigned* celsius) {
  if (n_users == 0 || sensor != 0 || device != &second) return 999;
  *celsius = 67;
  return 0;
}

int nvmlDeviceGetClockInfo(void* device, unsigned kind, unsigned* mhz) {
  if (n_users == 0 || device != &second) return 999;
  *mhz = kind == 1 ? 1980 : kind == 2 ? 3201 : 0;
  return 0;
}

}  // extern "C"
