// SPDX-License-Identifier: Apache-2.0
#include "backend/opencl/device.hpp"

#include <algorithm>  // min
#include <cstdlib>    // atoi, getenv
#include <map>
#include <optional>

#include "backend/opencl/process.hpp"  // described_path, find_executable
#include "backend/opencl/status.hpp"   // check, describe
#include "text/formatted.hpp"          // formatted
#include "text/trimmed.hpp"            // trimmed
#include "wingbeat/error.hpp"          // device_error

namespace wingbeat::backend::opencl {
namespace {

template <class Ask>
std::string text_from(const Ask& ask) {
  std::size_t size_bytes = 0;
  check(ask(0, nullptr, &size_bytes), "describe a device");
  std::string text(size_bytes, '\0');
  check(ask(text.size(), text.data(), nullptr), "describe a device");
  text.resize(std::min(text.find('\0'), text.size()));
  return std::string(trimmed(text, " "));
}

/// Queries one platform or one device.
class inquiry {
 public:
  inquiry(const driver_api& api, platform_id platform, device_id id)
      : api_(api), platform_(platform), id_(id) {}

  [[nodiscard]] std::string platform_text(std::uint32_t name) const {
    return text_from([&](std::size_t size_bytes, void* text, std::size_t* needed) {
      return api_.platform_info(platform_, name, size_bytes, text, needed);
    });
  }

  [[nodiscard]] std::string text(std::uint32_t name) const {
    return text_from([&](std::size_t size_bytes, void* text, std::size_t* needed) {
      return api_.device_info(id_, name, size_bytes, text, needed);
    });
  }

  /// Returns an empty text if the device does not support the query.
  [[nodiscard]] std::string text_if_known(std::uint32_t name) const {
    std::size_t size_bytes = 0;
    return api_.device_info(id_, name, 0, nullptr, &size_bytes) == success ? text(name) : "";
  }

  template <class Number>
  [[nodiscard]] Number number(std::uint32_t name) const {
    Number value{};
    check(api_.device_info(id_, name, sizeof value, &value, nullptr), "describe a device");
    return value;
  }

  [[nodiscard]] bool has_fp64() const {
    std::uint64_t features = 0;  // 0 without fp64; an error if the query is not supported
    const status answered =
        api_.device_info(id_, device_property::fp64_config, sizeof features, &features, nullptr);
    return answered == success && features != 0;
  }

  [[nodiscard]] std::size_t max_workgroup() const {
    std::size_t per_axis[16] = {};  // OpenCL devices have three axes, and may have more
    check(api_.device_info(id_, device_property::max_work_item_sizes, sizeof per_axis, per_axis,
                           nullptr),
          "describe a device");
    return std::min(number<std::size_t>(device_property::max_workgroup), per_axis[0]);
  }

 private:
  const driver_api& api_;
  platform_id platform_;
  device_id id_;
};

bool has_word(const std::string& words, const std::string& word) {
  return (' ' + words + ' ').find(' ' + word + ' ') != std::string::npos;
}

// "OpenCL 3.0 PoCL 3.1+debian  Linux, ..., LLVM 15.0.6, ..." contains 15; 0 if it names none.
int llvm_major_in(const std::string& platform_version) {
  const auto begin = platform_version.find("LLVM ");
  return begin == std::string::npos ? 0 : std::atoi(platform_version.c_str() + begin + 5);
}

// PoCL ends the program if it cannot link a kernel. Later versions did not need ld in our runs.
std::string linker_problem(const std::string& platform_version) {
  const auto begin = platform_version.find("PoCL ");
  const int major =
      begin == std::string::npos ? 0 : std::atoi(platform_version.c_str() + begin + 5);
  if (major >= 7) return "";
  if (std::getenv("PATH") != nullptr && !find_executable("ld").empty()) return "";
  return formatted(
      "PoCL links them with ld, and no absolute folder of PATH (now {}) holds it; set PATH to "
      "folders that hold ld, such as /usr/bin",
      described_path());
}

device_info describe_device(const inquiry& ask, bool is_pocl) {
  namespace property = device_property;
  const auto type = ask.number<std::uint64_t>(property::type);
  device_info info;
  info.runs_on = wingbeat::engine::opencl;
  info.name = ask.text(property::name);
  info.is_gpu = (type & device_type_gpu) != 0;
  info.architecture = is_pocl ? (info.is_gpu ? "pocl-gpu" : "pocl-cpu")
                              : ask.text(property::vendor) + "/" + info.name;
  const std::string opencl = ask.text(property::version);
  info.version = formatted("{}, {} {}", opencl.substr(0, opencl.find(' ', 7)),
                           is_pocl ? "PoCL" : ask.platform_text(platform_info::name),
                           ask.text(property::driver_version));
  info.memory_bytes = ask.number<std::uint64_t>(property::memory_bytes);
  info.local_memory_bytes = ask.number<std::uint64_t>(property::local_memory_bytes);
  info.max_workgroup = ask.max_workgroup();
  info.compute_units = ask.number<std::uint32_t>(property::compute_units);
  info.has_fp64 = ask.has_fp64();
  const std::string extensions = ask.text(property::extensions);
  info.has_int64_atomics = has_word(extensions, "cl_khr_int64_base_atomics") &&
                           has_word(extensions, "cl_khr_int64_extended_atomics");
  return info;
}

struct chosen_route {
  std::optional<route> takes;
  std::string why_none;
};

chosen_route choose_route(const driver_api& api, const inquiry& ask, bool is_pocl,
                          const toolchain& tools) {
  const std::string extensions = ask.text(device_property::extensions);
  if (has_word(extensions, "cl_ext_cxx_for_opencl")) return {route::source, ""};
  const bool takes_bitcode = is_pocl && has_word(extensions, "cl_khr_spir");
  const std::string il = ask.text_if_known(device_property::il_version);
  const bool takes_spirv = il.find("SPIR-V") != std::string::npos && api.program_with_il != nullptr;
  if (takes_bitcode && !tools.clang().empty()) {
    if (auto problem = linker_problem(ask.platform_text(platform_info::version));
        !problem.empty()) {
      return {std::nullopt, std::move(problem)};
    }
    return {route::bitcode, ""};
  }
  if (takes_spirv && !tools.llvm_spirv().empty()) return {route::spirv, ""};
  if (takes_bitcode || (takes_spirv && tools.clang().empty())) {
    return {std::nullopt, tools.problem()};
  }
  if (takes_spirv) return {std::nullopt, "llvm-spirv was not found; install llvm-spirv-15"};
  return {std::nullopt, "its driver takes neither C++ for OpenCL nor SPIR-V"};
}

std::vector<platform_id> platforms_of(const driver_api& api) {
  std::uint32_t n = 0;
  const status counted = api.platforms(0, nullptr, &n);
  if (counted == no_platform) return {};
  check(counted, "count its platforms");
  if (n == 0) return {};
  std::vector<platform_id> ids(n);
  check(api.platforms(n, ids.data(), nullptr), "list its platforms");
  return ids;
}

std::vector<device_id> devices_of(const driver_api& api, platform_id platform) {
  std::uint32_t n = 0;
  const status counted = api.devices(platform, device_type_all, 0, nullptr, &n);
  if (counted == device_not_found) return {};
  check(counted, "count its devices");
  if (n == 0) return {};
  std::vector<device_id> ids(n);
  check(api.devices(platform, device_type_all, n, ids.data(), nullptr), "list its devices");
  return ids;
}

/// Collects devices, and the first reason why one could not be used.
class finder {
 public:
  explicit finder(const driver_api& api) : api_(api) {}

  void look_at(platform_id platform) {
    for (const device_id id : devices_of(api_, platform)) {
      try {
        look_at(inquiry{api_, platform, id}, id);
      } catch (const device_error& silent) {
        note(silent.what());
      }
    }
  }

  void note(std::string reason) {
    if (found_.problem.empty()) found_.problem = std::move(reason);
  }

  [[nodiscard]] discovery take() {
    if (!found_.devices.empty()) found_.problem.clear();
    return std::move(found_);
  }

 private:
  void look_at(const inquiry& ask, device_id id) {
    namespace property = device_property;
    const auto type = ask.number<std::uint64_t>(property::type);
    if ((type & (device_type_cpu | device_type_gpu)) == 0) return;
    const std::string name = ask.text(property::name);
    if (ask.number<flag>(property::is_available) == 0) {
      return note(formatted("OpenCL device {} is not available now", name));
    }
    const std::string platform_version = ask.platform_text(platform_info::version);
    const bool is_pocl = ask.platform_text(platform_info::name) == "Portable Computing Language";
    const auto tools = tools_for(is_pocl ? llvm_major_in(platform_version) : 0);
    const auto [takes, why_none] = choose_route(api_, ask, is_pocl, *tools);
    if (!takes) {
      return note(formatted("OpenCL device {} cannot run our kernels, because {}", name, why_none));
    }
    device result{.id = id,
                  .info = describe_device(ask, is_pocl),
                  .driver = formatted("{}; {}; {}", platform_version, ask.text(property::version),
                                      ask.text(property::driver_version)),
                  .max_allocation_bytes = ask.number<std::uint64_t>(property::max_allocation_bytes),
                  .takes = *takes,
                  .is_pocl = is_pocl,
                  .tools = tools};
    result.info.index = static_cast<int>(found_.devices.size());
    found_.devices.push_back(std::move(result));
  }

  std::shared_ptr<const toolchain> tools_for(int llvm_major) {
    auto& tools = tools_[llvm_major];
    if (!tools) tools = std::make_shared<const toolchain>(llvm_major);
    return tools;
  }

  const driver_api& api_;
  discovery found_;
  std::map<int, std::shared_ptr<const toolchain>> tools_;
};

}  // namespace

discovery find_devices(const driver_api& api) {
  finder found{api};
  try {
    const auto platforms = platforms_of(api);
    for (const platform_id platform : platforms) found.look_at(platform);
    found.note(platforms.empty()
                   ? "libOpenCL is there and knows no platform; install a driver, for example "
                     "pocl-opencl-icd"
                   : "the OpenCL platforms here have no CPU or GPU device");
  } catch (const device_error& failed) {
    found.note(failed.what());
  }
  return found.take();
}

}  // namespace wingbeat::backend::opencl
