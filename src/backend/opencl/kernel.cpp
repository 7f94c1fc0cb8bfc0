// SPDX-License-Identifier: Apache-2.0
#include "backend/opencl/kernel.hpp"

#include <algorithm>  // max
#include <array>
#include <limits>
#include <optional>
#include <utility>  // move

#include "backend/compilation.hpp"      // compilation
#include "backend/opencl/lifetime.hpp"  // finish_with_main_thread, require_usable_driver
#include "backend/opencl/process.hpp"   // loses_children
#include "backend/opencl/program.hpp"   // build_program
#include "text/formatted.hpp"           // formatted
#include "text/reject.hpp"              // reject
#include "wingbeat/error.hpp"           // device_error, plan_error

namespace wingbeat::backend::opencl {
namespace {

// Drivers refuse a local argument of 0 bytes; kernels without scratch do not read these.
constexpr std::size_t min_scratch_bytes = 16;

// PoCL compiles a kernel for grids of up to this many threads, and once more for larger ones.
constexpr std::size_t pocl_small_grid = std::size_t{1} << 16;

template <class Value>
Value kernel_value(const driver_api& api, kernel_handle kernel, device_id on, std::uint32_t info) {
  Value value{};
  check(api.kernel_info(kernel, on, info, sizeof value, &value, nullptr), "describe a kernel");
  return value;
}

void require_fit(const kernel_source& source, std::size_t max_threads, const device_info& on) {
  if (source.threads > max_threads) {
    throw device_error(formatted("kernel {} needs {} threads in a workgroup; {} runs up to {}",
                                 source.entry, source.threads, on.name, max_threads));
  }
  if (source.scratch_bytes > on.local_memory_bytes) {
    throw device_error(formatted("kernel {} needs {} bytes of local memory; {} has {}",
                                 source.entry, source.scratch_bytes, on.name,
                                 on.local_memory_bytes));
  }
}

/// A kernel that was compiled for one size of workgroup must be launched with that size.
void require_same_size(const kernel_source& source, std::size_t compiled_for) {
  if (compiled_for == 0 || compiled_for == source.threads) return;  // 0: for any
  reject(
      "the text of kernel {} makes it of {} threads a workgroup and {} were asked for; "
      "state the same number in WINGBEAT_KERNEL and in threads",
      source.entry, compiled_for, source.threads);
}

}  // namespace

kernel::kernel(const driver_api& api, const queue& on, owned<program_handle> program,
               const kernel_source& source)
    : api_(api),
      context_(on.context()),
      is_pocl_(on.driver_device().is_pocl),
      local_{source.threads, 1},
      scratch_bytes_(std::max(source.scratch_bytes, min_scratch_bytes)),
      program_(std::move(program)) {
  status created = success;
  kernel_ = {api.create_kernel(program_.get(), source.entry.c_str(), &created), api.release_kernel};
  check(created, "find the entry point " + source.entry);
  const kernel_handle handle = kernel_.get();
  const device_id device = on.driver_device().id;
  const auto required =
      kernel_value<std::array<std::size_t, 3>>(api, handle, device, kernel_required_workgroup);
  require_same_size(source, required[0] * required[1] * required[2]);
  if (required[0] != 0) local_ = {required[0], required[1]};
  require_fit(source, kernel_value<std::size_t>(api, handle, device, kernel_max_workgroup),
              on.device());

  // After this, the driver also counts the local argument, which is the last one.
  check(api.set_argument(handle, source.n_parameters, scratch_bytes_, nullptr), "set local memory");
  resources_.name = source.entry;
  resources_.threads = static_cast<int>(source.threads);
  // PoCL 5 does not count the local argument.
  const auto reported = kernel_value<std::uint64_t>(api, handle, device, kernel_local_memory_bytes);
  resources_.scratch_bytes = static_cast<int>(std::max<std::uint64_t>(reported, scratch_bytes_));
}

void kernel::set_arguments(kernel_arguments arguments) const {
  std::uint32_t index = 0;
  for (const kernel_argument& each : arguments) {
    check(api_.set_argument(kernel_.get(), index++, each.size_bytes, each.data), "set an argument");
  }
}

bool& kernel::is_linked(std::size_t n_threads) const {
  return is_linked_[n_threads > pocl_small_grid ? 1 : 0];
}

void kernel::require_linker(std::size_t n_threads) const {
  if (is_pocl_ && !is_linked(n_threads) && loses_children()) {
    throw device_error(formatted(
        "PoCL links {} when it first runs and has to wait for its linker, which it cannot while "
        "this process ignores SIGCHLD; restore SIG_DFL, or run the plan once before ignoring it",
        resources_.name));
  }
}

void kernel::launch(backend::queue& on, std::size_t workgroups, kernel_arguments arguments) const {
  require_usable_driver();
  finish_with_main_thread();
  const queue& target = opencl_queue(on);
  reject_if(target.context() != context_,
            "a plan was enqueued on a queue of another OpenCL context; make the plan on "
            "a queue of the context that runs it");
  if (workgroups == 0) return;
  // The limit of CUDA: OpenCL states none, and PoCL ends the process beyond its own limit.
  if (constexpr std::size_t most = std::numeric_limits<std::int32_t>::max(); workgroups > most) {
    reject(
        "{} workgroups of {} were asked of one launch, which takes 1 to {}; choose a "
        "smaller batch",
        workgroups, resources_.name, most);
  }
  const std::array global{workgroups * local_[0], local_[1]};
  const std::lock_guard held{mutex_};
  const std::size_t n_threads = global[0] * global[1];
  require_linker(n_threads);
  set_arguments(arguments);
  std::optional<compilation> running;
  if (is_pocl_ && !is_linked(n_threads)) running.emplace();
  check(api_.launch(target.handle(), kernel_.get(), 2, nullptr, global.data(), local_.data(), 0,
                    nullptr, nullptr),
        formatted("launch {} with {} workgroups", resources_.name, workgroups));
  is_linked(n_threads) = true;
  check(api_.flush(target.handle()), "start what was queued");
}

std::shared_ptr<const backend::kernel> kernel_compiler::compile(
    const std::shared_ptr<backend::queue>& shared_queue, const kernel_source& source) const {
  require_usable_driver();
  const queue& on = opencl_queue(*shared_queue);
  auto code = translated(on.driver_device(), source, cache_);
  const std::lock_guard held{mutex_};
  auto program =
      build_program(api_, on.driver_device(), on.context(), source, cache_, std::move(code));
  // PoCL compiles a kernel at its first launch. The plan does not launch an empty grid to force
  // this, because kernels would need an early return, and PoCL 3.1 miscompiles stores under a
  // condition (valid ranges) in kernels whose barriers do not all run.
  return std::make_shared<const kernel>(api_, on, std::move(program), source);
}

}  // namespace wingbeat::backend::opencl
