// SPDX-License-Identifier: Apache-2.0
#include "backend/cuda/kernel.hpp"

#include <algorithm>  // max, min
#include <limits>
#include <stdexcept>  // logic_error
#include <utility>    // move

#include "backend/compilation.hpp"   // compilation
#include "backend/cuda/context.hpp"  // entered, check, relaxed_capture_mode
#include "text/formatted.hpp"        // formatted
#include "text/reject.hpp"           // reject
#include "wingbeat/error.hpp"        // device_error, plan_error

namespace wingbeat::backend::cuda {
namespace {

constexpr std::size_t max_grid_x = std::numeric_limits<int>::max();  // 2^31 - 1, on every device
constexpr std::size_t scratch_without_asking_bytes = 48 * 1024;
constexpr std::size_t reserved_bytes = 1024;  // of each workgroup's shared memory, for the driver

/// Returns the scratch that a launch gives each workgroup. The workgroups of an early launch gather
/// on the multiprocessors that the launch before leaves idle. If there are about as many workgroups
/// as multiprocessors, each gets half of a multiprocessor's memory, so that no two share a
/// multiprocessor: 2^20 points take 12.2 us instead of 12.4 to 16.5
/// (bench/lessons/calls.md#workgroups-kept-apart).
std::size_t scratch_of(const kernel_source& source, const device_info& device) {
  const bool is_early = source.starts_early && device.has_early_launch;
  const bool is_about_one_each =
      source.workgroups <= device.compute_units && 8 * source.workgroups > device.compute_units;
  if (!is_early || !is_about_one_each || source.workgroups_of_cluster > 1) {
    return source.scratch_bytes;
  }
  return std::max(source.scratch_bytes, (device.local_memory_bytes + reserved_bytes) / 2);
}

/// Refuses, before compiling, shapes that no kernel of this device can have.
void require_shape(const kernel_source& source, const device_info& device) {
  reject_if(source.threads == 0 || source.threads > device.max_workgroup,
            "the kernel '{}' asks for {} threads; a workgroup on {} has 1 to {}", source.entry,
            source.threads, device.name, device.max_workgroup);
  reject_if(source.scratch_bytes > device.local_memory_bytes,
            "the kernel '{}' asks for {} bytes of local memory; a workgroup on {} has at most {}",
            source.entry, source.scratch_bytes, device.name, device.local_memory_bytes);
}

}  // namespace

image::image(const driver_api& api, context_handle context, const std::vector<char>& binary)
    : api_(api), context_(context) {
  const entered current{api_, context_};
  const relaxed_capture_mode relaxed{api_};
  check(api_, api_.module_load(&module_, binary.data()),
        "load a kernel (a driver older than NVRTC refuses it)");
}

image::~image() {
  const relaxed_capture_mode relaxed{api_};
  const entered current{api_, context_, std::nothrow};
  if (current.is_current()) api_.module_unload(module_);
}

function_handle image::function(const std::string& name) const {
  const entered current{api_, context_};
  function_handle found = nullptr;
  check(api_, api_.module_function(&found, module_, name.c_str()),
        formatted("find the entry point '{}'", name));
  return found;
}

kernel::kernel(const driver_api& api, const queue& on, const kernel_source& source,
               const compile_report& report)
    : api_(api),
      context_(on.context()),
      image_(api, context_, report.binary),
      function_(image_.function(source.entry)),
      threads_(source.threads),
      scratch_bytes_(scratch_of(source, on.device())),
      starts_early_(source.starts_early && on.device().has_early_launch) {
  const entered current{api_, context_};
  resources_ = {.name = source.entry,
                .threads = static_cast<int>(source.threads),
                .registers = attribute(function_attribute::registers),
                .spill_bytes = report.figures.spill_bytes,
                .stack_bytes = attribute(function_attribute::local_bytes),
                .scratch_bytes = static_cast<int>(source.scratch_bytes) +
                                 attribute(function_attribute::static_shared_bytes)};
  // NVRTC's own cache returns code without the log that counts spills; without a stack there
  // can be none.
  if (resources_.spill_bytes < 0 && resources_.stack_bytes == 0) resources_.spill_bytes = 0;
  require_room(on.device());
  request_scratch(on.device(), source.resident);
  allow_cluster(source.workgroups_of_cluster);
}

void kernel::launch(backend::queue& on, std::size_t workgroups, kernel_arguments arguments) const {
  launch_config config = this->config(cuda_queue(on), workgroups);
  argument_pointers pointers = pointers_to(arguments);
  const entered current{api_, context_};
  result launched = success;
  if (starts_early_) {
    launch_attribute early{.key = launch_attribute::programmatic_stream_serialization, .value = 1};
    config.attributes = &early;
    config.n_attributes = 1;
    launched = api_.launch_configured(&config, function_, pointers.data(), nullptr);
  } else {
    launched = api_.launch(function_, config.grid_x, 1, 1, config.block_x, 1, 1,
                           config.shared_bytes, config.stream, pointers.data(), nullptr);
  }
  if (launched != success) check(api_, launched, "launch the kernel '" + resources_.name + "'");
}

launch_config kernel::config(const queue& on, std::size_t workgroups) const {
  reject_if(
      on.context() != context_,
      "this plan was made in another CUDA context; enqueue it on a queue of the context it was "
      "made in");
  reject_if(workgroups == 0 || workgroups > max_grid_x,
            "{} workgroups were asked of one CUDA launch, which takes 1 to {}; choose a "
            "smaller batch",
            workgroups, max_grid_x);
  return {.grid_x = static_cast<unsigned>(workgroups),
          .block_x = threads_,
          .shared_bytes = static_cast<unsigned>(scratch_bytes_),
          .stream = on.stream()};
}

int kernel::attribute(int key) const {
  int value = 0;
  check(api_, api_.function_attribute(&value, key, function_), "describe a kernel");
  return value;
}

/// Requests the scratch of as many workgroups as fit or are wanted, and no more, because the rest
/// serves as L1 cache, which holds the tables of roots and coalesces neighbours' accesses.
void kernel::request_scratch(const device_info& device, unsigned max_wanted) const {
  if (scratch_bytes_ == 0) return;
  using namespace function_attribute;
  const auto set = [&](int key, int value) {
    check(api_, api_.function_set_attribute(function_, key, value),
          formatted("give a kernel {} bytes of shared memory", scratch_bytes_));
  };
  if (scratch_bytes_ > scratch_without_asking_bytes) {
    set(max_dynamic_shared_bytes, static_cast<int>(scratch_bytes_));
  }
  int resident = 0;
  check(api_,
        api_.resident_workgroups(&resident, function_, static_cast<int>(threads_), scratch_bytes_),
        "count the workgroups a multiprocessor holds");
  if (max_wanted > 0) resident = std::min(resident, static_cast<int>(max_wanted));
  const std::size_t max_bytes = device.local_memory_bytes + reserved_bytes;
  const std::size_t wanted = static_cast<std::size_t>(resident) * (scratch_bytes_ + reserved_bytes);
  set(preferred_shared_carveout,
      static_cast<int>(std::min<std::size_t>((100 * wanted + max_bytes - 1) / max_bytes, 100)));
}

/// CUDA calls clusters of more than 8 workgroups not portable; a kernel must opt in.
void kernel::allow_cluster(unsigned workgroups) const {
  constexpr unsigned portable = 8;
  if (workgroups <= portable) return;
  check(api_, api_.function_set_attribute(function_, function_attribute::non_portable_cluster, 1),
        formatted("allow clusters of {} workgroups", workgroups));
}

void kernel::require_room(const device_info& device) const {
  const int most = attribute(function_attribute::max_threads_per_block);
  if (resources_.threads > most) {
    throw device_error(
        formatted("the kernel '{}' takes {} registers a thread, so that a workgroup on {} holds {} "
                  "threads and not {}; plan fewer threads or state __launch_bounds__",
                  resources_.name, resources_.registers, device.name, most, resources_.threads));
  }
  reject_if(static_cast<std::size_t>(resources_.scratch_bytes) > device.local_memory_bytes,
            "the kernel '{}' needs {} bytes of local memory and a workgroup on {} has {}; plan a "
            "shorter transform",
            resources_.name, resources_.scratch_bytes, device.name, device.local_memory_bytes);
}

argument_pointers pointers_to(kernel_arguments arguments) {
  argument_pointers pointers{};
  if (arguments.size() > pointers.size()) throw std::logic_error("too many kernel arguments");
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    pointers[i] = const_cast<void*>(arguments[i].data);  // the driver only reads
  }
  return pointers;
}

kernel_compiler::kernel_compiler(const driver_api& api, const nvrtc_api& nvrtc, std::string driver,
                                 kernel_cache& cache)
    : api_(api), nvrtc_(nvrtc), driver_(std::move(driver)), cache_(cache) {}

std::shared_ptr<const backend::kernel> kernel_compiler::compile(
    const std::shared_ptr<backend::queue>& shared_queue, const kernel_source& source) const {
  const queue& on = cuda_queue(*shared_queue);
  require_shape(source, on.device());
  const auto key = key_of(nvrtc_, source, on.device().architecture, driver_);
  if (auto loaded = stored(on, source, key)) return loaded;
  const kernel_cache::turn turn{cache_, key};
  if (turn.has_waited()) {
    if (auto loaded = stored(on, source, key)) return loaded;
  }
  const compilation running;
  const auto report = compile_for(nvrtc_, source, on.device().architecture);
  auto loaded = std::make_shared<kernel>(api_, on, source, report);
  cache_.store(key, packed(report));
  return loaded;
}

std::shared_ptr<const backend::kernel> kernel_compiler::stored(const queue& on,
                                                               const kernel_source& source,
                                                               const kernel_key& key) const {
  const auto entry = cache_.find(key);
  const auto report = entry ? unpacked(*entry) : std::nullopt;
  if (!report) return nullptr;
  try {
    return std::make_shared<kernel>(api_, on, source, *report);
  } catch (const device_error&) {
    return nullptr;  // costs a compilation; a real refusal then recurs
  }
}

}  // namespace wingbeat::backend::cuda
