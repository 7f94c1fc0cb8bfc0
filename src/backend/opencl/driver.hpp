// SPDX-License-Identifier: Apache-2.0
// The few functions of OpenCL that wingbeat calls, declared here and opened while the program
// runs: no OpenCL package is needed to build, no driver to start.
#pragma once

#include <cstddef>  // size_t
#include <cstdint>  // int32_t, uint32_t, uint64_t
#include <span>
#include <string>

#include "system/shared_library.hpp"  // opened

namespace wingbeat::backend::opencl {

using status = std::int32_t;  // cl_int
using flag = std::uint32_t;   // cl_bool
using platform_id = struct _cl_platform_id*;
using device_id = struct _cl_device_id*;
using context_handle = struct _cl_context*;
using queue_handle = struct _cl_command_queue*;
using memory_handle = struct _cl_mem*;
using program_handle = struct _cl_program*;
using kernel_handle = struct _cl_kernel*;
using event_handle = struct _cl_event*;

inline constexpr status success = 0;
inline constexpr status build_program_failure = -11;
inline constexpr status device_not_found = -1;
inline constexpr status no_platform = -1001;  // CL_PLATFORM_NOT_FOUND_KHR, of the ICD loader

inline constexpr std::uint64_t device_type_cpu = 1 << 1;
inline constexpr std::uint64_t device_type_gpu = 1 << 2;
inline constexpr std::uint64_t device_type_all = 0xFFFFFFFF;
inline constexpr std::uint64_t queue_out_of_order = 1 << 0;
inline constexpr std::uint64_t queue_profiling = 1 << 1;
inline constexpr std::uint64_t memory_read_write = 1 << 0;
inline constexpr std::uint64_t migrate_content_undefined = 1 << 1;

namespace platform_info {
inline constexpr std::uint32_t version = 0x0901, name = 0x0902;
}

namespace device_property {
inline constexpr std::uint32_t type = 0x1000, compute_units = 0x1002, max_workgroup = 0x1004,
                               max_work_item_sizes = 0x1005, max_allocation_bytes = 0x1010,
                               memory_bytes = 0x101F, local_memory_bytes = 0x1023,
                               is_available = 0x1027, name = 0x102B, vendor = 0x102C,
                               driver_version = 0x102D, version = 0x102F, extensions = 0x1030,
                               fp64_config = 0x1032, il_version = 0x105B;
}

namespace queue_property {
inline constexpr std::uint32_t context = 0x1090, device = 0x1091, properties = 0x1093;
}

inline constexpr std::uint32_t event_end_ns = 0x1283;
inline constexpr std::uint32_t event_status = 0x11D3;  // 0 when complete, below 0 after an error
inline constexpr std::uint32_t build_log = 0x1183;
inline constexpr std::uint32_t program_binary_sizes = 0x1165;
inline constexpr std::uint32_t program_binaries = 0x1166;
inline constexpr std::uint32_t kernel_max_workgroup = 0x11B0;
inline constexpr std::uint32_t kernel_required_workgroup = 0x11B1;  // three sizes, or three 0
inline constexpr std::uint32_t kernel_local_memory_bytes = 0x11B2;

/// OpenCL's functions. Trivially destructible, so that it outlives every object with static
/// storage; the exact symbol of each is in driver.cpp.
struct driver_api {
  status (*platforms)(std::uint32_t room, platform_id*, std::uint32_t* n);
  status (*platform_info)(platform_id, std::uint32_t name, std::size_t, void*, std::size_t*);
  status (*devices)(platform_id, std::uint64_t type, std::uint32_t room, device_id*,
                    std::uint32_t* n);
  status (*device_info)(device_id, std::uint32_t name, std::size_t, void*, std::size_t*);

  context_handle (*create_context)(const std::intptr_t* properties, std::uint32_t n,
                                   const device_id*,
                                   void (*notify)(const char*, const void*, std::size_t, void*),
                                   void*, status*);
  status (*retain_context)(context_handle);
  status (*release_context)(context_handle);

  queue_handle (*create_queue)(context_handle, device_id, std::uint64_t properties, status*);
  status (*retain_queue)(queue_handle);
  status (*release_queue)(queue_handle);
  status (*queue_info)(queue_handle, std::uint32_t name, std::size_t, void*, std::size_t*);
  status (*flush)(queue_handle);
  status (*finish)(queue_handle);

  memory_handle (*create_buffer)(context_handle, std::uint64_t flags, std::size_t, void*, status*);
  status (*release_memory)(memory_handle);
  status (*migrate)(queue_handle, std::uint32_t n, const memory_handle*, std::uint64_t flags,
                    std::uint32_t n_waits, const event_handle*, event_handle*);
  status (*read_buffer)(queue_handle, memory_handle, flag is_blocking, std::size_t offset,
                        std::size_t, void*, std::uint32_t n_waits, const event_handle*,
                        event_handle*);
  status (*write_buffer)(queue_handle, memory_handle, flag is_blocking, std::size_t offset,
                         std::size_t, const void*, std::uint32_t n_waits, const event_handle*,
                         event_handle*);
  status (*copy_buffer)(queue_handle, memory_handle from, memory_handle to, std::size_t from_offset,
                        std::size_t to_offset, std::size_t, std::uint32_t n_waits,
                        const event_handle*, event_handle*);
  status (*fill_buffer)(queue_handle, memory_handle, const void* pattern, std::size_t pattern_bytes,
                        std::size_t offset, std::size_t, std::uint32_t n_waits, const event_handle*,
                        event_handle*);

  status (*marker)(queue_handle, std::uint32_t n_waits, const event_handle*, event_handle*);
  status (*wait_for_events)(std::uint32_t n, const event_handle*);
  status (*release_event)(event_handle);
  status (*event_info)(event_handle, std::uint32_t name, std::size_t, void*, std::size_t*);
  status (*event_profile)(event_handle, std::uint32_t name, std::size_t, void*, std::size_t*);

  program_handle (*program_with_source)(context_handle, std::uint32_t n, const char**,
                                        const std::size_t*, status*);
  program_handle (*program_with_binary)(context_handle, std::uint32_t n, const device_id*,
                                        const std::size_t*, const unsigned char**, status* each,
                                        status*);
  program_handle (*program_with_il)(context_handle, const void*, std::size_t, status*);
  status (*build_program)(program_handle, std::uint32_t n, const device_id*, const char* options,
                          void (*notify)(program_handle, void*), void*);
  status (*build_info)(program_handle, device_id, std::uint32_t name, std::size_t, void*,
                       std::size_t*);
  status (*program_info)(program_handle, std::uint32_t name, std::size_t, void*, std::size_t*);
  status (*release_program)(program_handle);

  kernel_handle (*create_kernel)(program_handle, const char* name, status*);
  status (*release_kernel)(kernel_handle);
  status (*set_argument)(kernel_handle, std::uint32_t index, std::size_t, const void*);
  status (*kernel_info)(kernel_handle, device_id, std::uint32_t name, std::size_t, void*,
                        std::size_t*);
  status (*launch)(queue_handle, kernel_handle, std::uint32_t dimensions, const std::size_t* offset,
                   const std::size_t* global, const std::size_t* local, std::uint32_t n_waits,
                   const event_handle*, event_handle*);
};

/// Opens the first of `candidates` (names for dlopen, or paths) that holds every function except
/// `program_with_il`, which may be null.
[[nodiscard]] opened<driver_api> open_driver(std::span<const std::string> candidates);

}  // namespace wingbeat::backend::opencl
