// SPDX-License-Identifier: Apache-2.0
#include "backend/backend.hpp"

#include <unistd.h>  // getpid

#include <cstdint>  // PTRDIFF_MAX
#include <new>      // align_val_t, nothrow
#include <utility>  // exchange, move

#include "backend/kernel.hpp"  // kernel_source, unrecorded_calls
#include "text/formatted.hpp"  // formatted
#include "text/reject.hpp"     // reject
#include "wingbeat/error.hpp"  // memory_error, plan_error

namespace wingbeat::backend {

queue::queue(device_info device)
    : device_(std::move(device)),
      runs_at_once_(device_.runs_on == wingbeat::engine::host ||
                    device_.runs_on == wingbeat::engine::reference),
      process_(::getpid()) {}

std::unique_lock<std::mutex> queue::turn() {
  if (runs_at_once_) return {};
  if (process_ != ::getpid()) {
    throw device_error(formatted(
        "this process was forked after its queue on {} was opened, and drivers do not work in "
        "forked processes; start the process anew, or use engine host",
        device_.name));
  }
  return std::unique_lock{mutex_};
}

void queue::reserve(std::size_t size_bytes) {
  const auto mine = turn();
  std::size_t reserved = reserved_bytes_;
  if (!owns_workspace_ || size_bytes <= reserved) return;
  drop_workspace();
  put_back(make_workspace(size_bytes));
  while (reserved < size_bytes && !reserved_bytes_.compare_exchange_weak(reserved, size_bytes)) {
  }
}

void queue::disown_workspace() {
  const auto mine = turn();
  owns_workspace_ = false;
  reserved_bytes_ = 0;
  drop_workspace();
}

lent_workspace queue::lend(std::size_t size_bytes) {
  auto mine = turn();
  const std::size_t reserved = reserved_bytes_;
  reject_if(size_bytes > reserved,
            "this plan needs a workspace of {} bytes and the queue has reserved {}; call "
            "queue.reserve(plan.workspace_bytes()) once, or give the run a workspace",
            size_bytes, reserved);
  std::unique_ptr<buffer_view> memory{kept_.exchange(nullptr)};
  if (memory && memory->size_bytes < size_bytes) release(std::exchange(memory, {})->handle);
  if (!memory) memory = make_workspace(reserved);
  return {*this, std::move(mine), std::move(memory)};
}

lent_workspace::~lent_workspace() {
  owner_.put_back(std::move(memory_));
}

std::unique_ptr<buffer_view> queue::make_workspace(std::size_t size_bytes) {
  auto memory = std::make_unique<buffer_view>();
  *memory = {allocate(size_bytes), 0, size_bytes};
  return memory;
}

void queue::put_back(std::unique_ptr<buffer_view> memory) noexcept {
  buffer_view* none = nullptr;
  const bool is_kept = owns_workspace_ && kept_.compare_exchange_strong(none, memory.get());
  if (is_kept) return static_cast<void>(memory.release());
  release(memory->handle);
}

void queue::clear(buffer_view memory) {
  const std::vector<std::byte> zeros(memory.size_bytes);
  write(memory, zeros.data());
}

void queue::copy(buffer_view to, buffer_view from) {
  std::vector<std::byte> bytes(from.size_bytes);
  read(bytes.data(), from);
  to.size_bytes = from.size_bytes;
  write(to, bytes.data());
}

void queue::copy_rows(buffer_view to, buffer_view from, std::size_t row_bytes, std::size_t stride) {
  const std::size_t end = from.offset_bytes + from.size_bytes;
  from.size_bytes = to.size_bytes = row_bytes;
  for (; from.offset_bytes < end; from.offset_bytes += row_bytes, to.offset_bytes += stride) {
    copy(to, from);
  }
}

std::unique_ptr<repeated_calls> queue::make_repeated_calls() const {
  return std::make_unique<unrecorded_calls>();
}

namespace {
constexpr std::align_val_t pinned_alignment{64};
}

void* queue::allocate_pinned(std::size_t size_bytes) {
  // operator new rounds up to the alignment, which may wrap to 0.
  void* const memory = size_bytes > PTRDIFF_MAX
                           ? nullptr
                           : ::operator new(size_bytes, pinned_alignment, std::nothrow);
  if (memory != nullptr) return memory;
  throw memory_error(
      formatted("{} bytes of this process could not be allocated; ask for less", size_bytes));
}

void queue::release_pinned(void* memory) noexcept {
  ::operator delete(memory, pinned_alignment);
}

void queue::drop_workspace() noexcept {
  const std::unique_ptr<buffer_view> memory{kept_.exchange(nullptr)};
  if (!memory) return;
  try {
    wait();  // queued work may still use the scratch
  } catch (...) {
    // A queue that failed no longer uses its scratch.
  }
  release(memory->handle);
}

std::shared_ptr<queue> engine::adopt(void*) const {
  reject("this engine has no native queue to adopt; open one on its device instead");
}

std::shared_ptr<queue> engine::adopt_of_device(void*, int) const {
  reject("this engine's native queues know their device; adopt one without naming it");
}

bool engine::read_samples(std::span<const sample_run>) const {
  return false;
}

std::shared_ptr<const kernel> engine::compile(const std::shared_ptr<queue>& on,
                                              const kernel_source& source) const {
  reject(
      "{} compiles no kernels such as '{}'; use a cuda or opencl device, or call the kernel's body "
      "on the host with wingbeat/emulate.hpp",
      on->device().name, source.entry);
}

void require_only_device(const device_info& device) {
  if (device.index == 0) return;
  throw absent_error(
      formatted("there is no {} device {}; choose 0", name_of(device.runs_on), device.index));
}

const engine& engine_of(wingbeat::engine kind) {
  switch (kind) {
    case wingbeat::engine::reference: return reference_engine();
    case wingbeat::engine::host: return host_engine();
    case wingbeat::engine::opencl: return opencl_engine();
    case wingbeat::engine::cuda: return cuda_engine();
  }
  reject("engine number {} does not exist; choose reference, host, opencl or cuda",
         static_cast<int>(kind));
}

}  // namespace wingbeat::backend
