// SPDX-License-Identifier: Apache-2.0
#include "backend/opencl/status.hpp"

#include <array>

#include "text/formatted.hpp"  // formatted
#include "wingbeat/error.hpp"  // device_error, memory_error

namespace wingbeat::backend::opencl {
namespace {

struct named_status {
  status value;
  std::string_view name;
};

// The codes that the called functions may return.
constexpr std::array names{
    named_status{-1, "CL_DEVICE_NOT_FOUND"},
    named_status{-2, "CL_DEVICE_NOT_AVAILABLE"},
    named_status{-3, "CL_COMPILER_NOT_AVAILABLE"},
    named_status{-4, "CL_MEM_OBJECT_ALLOCATION_FAILURE"},
    named_status{-5, "CL_OUT_OF_RESOURCES"},
    named_status{-6, "CL_OUT_OF_HOST_MEMORY"},
    named_status{-7, "CL_PROFILING_INFO_NOT_AVAILABLE"},
    named_status{-11, "CL_BUILD_PROGRAM_FAILURE"},
    named_status{-14, "CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST"},
    named_status{-30, "CL_INVALID_VALUE"},
    named_status{-33, "CL_INVALID_DEVICE"},
    named_status{-34, "CL_INVALID_CONTEXT"},
    named_status{-36, "CL_INVALID_COMMAND_QUEUE"},
    named_status{-38, "CL_INVALID_MEM_OBJECT"},
    named_status{-42, "CL_INVALID_BINARY"},
    named_status{-43, "CL_INVALID_BUILD_OPTIONS"},
    named_status{-44, "CL_INVALID_PROGRAM"},
    named_status{-45, "CL_INVALID_PROGRAM_EXECUTABLE"},
    named_status{-46, "CL_INVALID_KERNEL_NAME"},
    named_status{-48, "CL_INVALID_KERNEL"},
    named_status{-49, "CL_INVALID_ARG_INDEX"},
    named_status{-50, "CL_INVALID_ARG_VALUE"},
    named_status{-51, "CL_INVALID_ARG_SIZE"},
    named_status{-52, "CL_INVALID_KERNEL_ARGS"},
    named_status{-54, "CL_INVALID_WORK_GROUP_SIZE"},
    named_status{-55, "CL_INVALID_WORK_ITEM_SIZE"},
    named_status{-58, "CL_INVALID_EVENT"},
    named_status{-59, "CL_INVALID_OPERATION"},
    named_status{-61, "CL_INVALID_BUFFER_SIZE"},
    named_status{-63, "CL_INVALID_GLOBAL_WORK_SIZE"},
    named_status{-1001, "CL_PLATFORM_NOT_FOUND_KHR"},
};

}  // namespace

std::string describe(status code) {
  for (const auto& [value, name] : names) {
    if (value == code) return formatted("{} ({})", name, code);
  }
  return formatted("status {}", code);
}

void check_allocation(status code, std::string_view doing) {
  constexpr status lacks_memory = -4, lacks_resources = -5, lacks_host_memory = -6;
  if (code != lacks_memory && code != lacks_resources && code != lacks_host_memory) {
    return check(code, doing);
  }
  throw memory_error(formatted("OpenCL could not {}: {}", doing, describe(code)));
}

void check(status code, std::string_view doing) {
  if (code == success) return;
  throw device_error(formatted("OpenCL could not {}: {}", doing, describe(code)));
}

}  // namespace wingbeat::backend::opencl
