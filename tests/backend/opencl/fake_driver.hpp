// SPDX-License-Identifier: Apache-2.0
// An OpenCL driver of a test's own making: any platforms and devices, and what they are told.
#pragma once

#include <cstring>  // memcpy
#include <map>
#include <string>
#include <vector>

#include "backend/opencl/driver.hpp"

namespace wingbeat::test {

struct fake_device {
  std::map<std::uint32_t, std::string> properties;  // as bytes; absent: CL_INVALID_VALUE

  template <class Number>
  void set(std::uint32_t property, Number value) {
    properties[property] = std::string(reinterpret_cast<const char*>(&value), sizeof value);
  }
  void set_text(std::uint32_t property, const std::string& text) {
    properties[property] = std::string(text.c_str(), text.size() + 1);
  }
};

struct fake_platform {
  std::string name = "Some Platform";
  std::string version = "OpenCL 3.0 Some";
  std::vector<fake_device> devices;
};

struct fake_driver {
  std::vector<fake_platform> platforms;
  backend::opencl::status platforms_status = backend::opencl::success;

  // What programs were made of, in order: "source:text", "binary:bytes", "il:bytes".
  std::vector<std::string> programs;
  std::vector<std::string> build_options;
  std::string device_binary = "machine code";
  std::string build_log;
  backend::opencl::status build_status = backend::opencl::success;
  backend::opencl::status binary_status = backend::opencl::success;
};

/// The driver in use; one a process, as with real ones.
inline fake_driver& fake() {
  static fake_driver only;
  return only;
}

/// Returns a GPU that answers every question the engine asks.
inline fake_device some_gpu(const std::string& name) {
  namespace property = backend::opencl::device_property;
  fake_device result;
  result.set(property::type, backend::opencl::device_type_gpu);
  result.set(property::compute_units, std::uint32_t{8});
  result.set(property::max_workgroup, std::size_t{512});
  result.properties[property::max_work_item_sizes] = std::string(3 * sizeof(std::size_t), '\1');
  result.set(property::max_allocation_bytes, std::uint64_t{1} << 30);
  result.set(property::memory_bytes, std::uint64_t{1} << 32);
  result.set(property::local_memory_bytes, std::uint64_t{65536});
  result.set(property::is_available, std::uint32_t{1});
  result.set(property::fp64_config, std::uint64_t{0});
  result.set_text(property::name, "  " + name + " ");
  result.set_text(property::vendor, "Maker");
  result.set_text(property::driver_version, "1.2.3");
  result.set_text(property::version, "OpenCL 3.0 whatever");
  result.set_text(property::extensions, "cl_khr_fp64 cl_ext_cxx_for_opencl");
  return result;
}

namespace fakes {

using namespace backend::opencl;

inline status answer(const std::string& bytes, std::size_t room, void* out, std::size_t* needed) {
  if (needed != nullptr) *needed = bytes.size();
  if (out == nullptr) return success;
  if (room < bytes.size()) return -30;
  std::memcpy(out, bytes.data(), bytes.size());
  return success;
}

template <class Handle, class Object>
status list(std::vector<Object>& objects, std::uint32_t room, Handle* out, std::uint32_t* n) {
  if (n != nullptr) *n = static_cast<std::uint32_t>(objects.size());
  for (std::size_t i = 0; out != nullptr && i < objects.size() && i < room; ++i) {
    out[i] = reinterpret_cast<Handle>(&objects[i]);
  }
  return success;
}

inline fake_platform& platform(platform_id id) {
  return *reinterpret_cast<fake_platform*>(id);
}
inline fake_device& device(device_id id) {
  return *reinterpret_cast<fake_device*>(id);
}

inline void add_queries(driver_api& api) {
  api.platforms = [](std::uint32_t room, platform_id* out, std::uint32_t* n) {
    if (fake().platforms_status != success) return fake().platforms_status;
    return list(fake().platforms, room, out, n);
  };
  api.platform_info = [](platform_id id, std::uint32_t property, std::size_t room, void* out,
                         std::size_t* needed) {
    const auto& text = property == platform_info::name ? platform(id).name : platform(id).version;
    return answer(std::string(text.c_str(), text.size() + 1), room, out, needed);
  };
  api.devices = [](platform_id id, std::uint64_t, std::uint32_t room, device_id* out,
                   std::uint32_t* n) {
    if (platform(id).devices.empty()) return device_not_found;
    return list(platform(id).devices, room, out, n);
  };
  api.device_info = [](device_id id, std::uint32_t property, std::size_t room, void* out,
                       std::size_t* needed) {
    const auto& known = device(id).properties;
    const auto found = known.find(property);
    return found == known.end() ? -30 : answer(found->second, room, out, needed);
  };
}

// A program is its number in fake().programs, counted from 1.
inline program_handle made_program(const std::string& text, status* result) {
  *result = success;
  fake().programs.push_back(text);
  return reinterpret_cast<program_handle>(fake().programs.size());
}

inline void add_programs(driver_api& api) {
  api.program_with_source = [](context_handle, std::uint32_t, const char** text,
                               const std::size_t* size_bytes, status* result) {
    return made_program("source:" + std::string(*text, *size_bytes), result);
  };
  api.program_with_binary = [](context_handle, std::uint32_t, const device_id*,
                               const std::size_t* size_bytes, const unsigned char** bytes,
                               status* each, status* result) {
    *each = fake().binary_status;
    return made_program("binary:" + std::string(reinterpret_cast<const char*>(*bytes), *size_bytes),
                        result);
  };
  api.program_with_il = [](context_handle, const void* bytes, std::size_t size_bytes,
                           status* result) {
    return made_program("il:" + std::string(static_cast<const char*>(bytes), size_bytes), result);
  };
  api.build_program = [](program_handle, std::uint32_t, const device_id*, const char* options,
                         void (*)(program_handle, void*), void*) {
    fake().build_options.emplace_back(options);
    return fake().build_status;
  };
  api.build_info = [](program_handle, device_id, std::uint32_t, std::size_t room, void* out,
                      std::size_t* needed) {
    return answer(fake().build_log + '\0', room, out, needed);
  };
  api.program_info = [](program_handle, std::uint32_t property, std::size_t room, void* out,
                        std::size_t*) {
    const std::string& binary = fake().device_binary;
    if (property == program_binary_sizes) {
      const std::size_t size_bytes = binary.size();
      return answer({reinterpret_cast<const char*>(&size_bytes), sizeof size_bytes}, room, out,
                    nullptr);
    }
    return answer(binary, binary.size(), *static_cast<unsigned char**>(out), nullptr);
  };
  api.release_program = [](program_handle) { return success; };
}

}  // namespace fakes

/// Returns the functions of `fake()`: those that ask, and those that make programs.
inline backend::opencl::driver_api fake_api() {
  backend::opencl::driver_api api{};
  fakes::add_queries(api);
  fakes::add_programs(api);
  return api;
}

}  // namespace wingbeat::test
