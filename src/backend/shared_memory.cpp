// SPDX-License-Identifier: Apache-2.0
#include "backend/shared_memory.hpp"

#include <unistd.h>  // getpid

#include <cstring>  // memcpy

#include "backend/backend.hpp"  // queue

namespace wingbeat::backend {
namespace {

/// Memory of a process, by process id.
struct process_memory {
  pid_t process = 0;
  void* memory = nullptr;
};

}  // namespace

std::string share(const queue& on, void* memory) {
  switch (on.device().runs_on) {
    case wingbeat::engine::cuda: return cuda_share(on, memory);
    case wingbeat::engine::opencl: return {};
    default: break;
  }
  const process_memory shared{::getpid(), memory};
  std::string text(sizeof shared, '\0');
  std::memcpy(text.data(), &shared, sizeof shared);
  return text;
}

std::shared_ptr<void> open_shared(const std::shared_ptr<queue>& on, const std::string& shared) {
  if (on->device().runs_on == wingbeat::engine::cuda) return cuda_open_shared(on, shared);
  process_memory opened;
  if (shared.size() != sizeof opened) return nullptr;
  std::memcpy(&opened, shared.data(), sizeof opened);
  if (opened.process != ::getpid()) return nullptr;
  return {opened.memory, [](void*) {}};
}

}  // namespace wingbeat::backend
