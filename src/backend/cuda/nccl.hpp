// SPDX-License-Identifier: Apache-2.0
// The few functions of NCCL that wingbeat calls, declared here and opened while the program runs.
#pragma once

#include <cstddef>  // size_t
#include <span>
#include <string>
#include <vector>

#include "backend/cuda/driver.hpp"    // result, stream_handle
#include "system/shared_library.hpp"  // opened

namespace wingbeat::backend::cuda {

using communicator_handle = struct ncclComm*;

/// ncclUniqueId, which is passed by value.
struct nccl_id {
  char bytes[128] = {};
};

/// ncclConfig_t of NCCL 2.14; later versions use defaults for their further fields.
struct nccl_config {
  std::size_t size = sizeof(nccl_config);
  unsigned magic = 0xcafebeef, version = 21400;
  int is_blocking = 0;
};
static_assert(sizeof(nccl_id) == 128 && sizeof(nccl_config) == 24);

inline constexpr result nccl_in_progress = 7;
inline constexpr int nccl_bytes = 1;  // ncclUint8

struct nccl_api {
  const char* (*error_text)(result);
  result (*new_id)(nccl_id*);
  result (*join)(communicator_handle*, int size, nccl_id, int rank, nccl_config*);
  result (*state)(communicator_handle, result*);  // of the call in progress
  result (*abort)(communicator_handle);
  result (*size)(communicator_handle, int*);
  result (*rank)(communicator_handle, int*);
  result (*group_begin)();
  result (*group_end)();
  result (*send)(const void*, std::size_t count, int type, int peer, communicator_handle,
                 stream_handle);
  result (*receive)(void*, std::size_t count, int type, int peer, communicator_handle,
                    stream_handle);
  result (*all_gather)(const void*, void*, std::size_t count, int type, communicator_handle,
                       stream_handle);
};

/// Opens the first of `candidates` (names for dlopen, or paths) that holds every function.
[[nodiscard]] opened<nccl_api> open_nccl(std::span<const std::string> candidates);

/// Returns the places where NCCL may be, in the order tried.
[[nodiscard]] std::vector<std::string> nccl_candidates();

/// Returns NCCL as opened once for this process.
[[nodiscard]] const opened<nccl_api>& process_nccl();

}  // namespace wingbeat::backend::cuda
