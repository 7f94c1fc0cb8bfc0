// SPDX-License-Identifier: Apache-2.0
#include "backend/shared_memory.hpp"

#include <cstring>  // memcpy

#include "backend/cuda/context.hpp"  // entered
#include "backend/cuda/queue.hpp"    // queue

namespace wingbeat::backend {

std::string cuda_share(const queue& on, void* memory) {
  const auto& mine = static_cast<const cuda::queue&>(on);
  if (mine.api().memory_share == nullptr) return {};
  const cuda::entered current{mine.api(), mine.context()};
  cuda::shared_handle handle;
  const auto address = reinterpret_cast<cuda::device_address>(memory);
  if (mine.api().memory_share(&handle, address) != cuda::success) return {};
  return {handle.bytes, sizeof handle.bytes};
}

std::shared_ptr<void> cuda_open_shared(const std::shared_ptr<queue>& on,
                                       const std::string& shared) {
  const auto& mine = static_cast<const cuda::queue&>(*on);
  cuda::shared_handle handle;
  if (mine.api().memory_open == nullptr || shared.size() != sizeof handle.bytes) return nullptr;
  std::memcpy(handle.bytes, shared.data(), sizeof handle.bytes);
  const cuda::entered current{mine.api(), mine.context()};
  cuda::device_address address = 0;
  if (mine.api().memory_open(&address, handle, cuda::open_with_peer_access) != cuda::success) {
    return nullptr;
  }
  return {reinterpret_cast<void*>(address), [on](void* opened) {
            const auto& own = static_cast<const cuda::queue&>(*on);
            const cuda::entered again{own.api(), own.context(), std::nothrow};
            if (again.is_current()) {
              own.api().memory_close(reinterpret_cast<cuda::device_address>(opened));
            }
          }};
}

}  // namespace wingbeat::backend
