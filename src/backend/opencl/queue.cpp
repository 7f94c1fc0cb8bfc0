// SPDX-License-Identifier: Apache-2.0
#include "backend/opencl/queue.hpp"

#include <chrono>
#include <utility>  // move

#include "text/formatted.hpp"  // formatted
#include "text/reject.hpp"     // reject
#include "wingbeat/error.hpp"  // plan_error

namespace wingbeat::backend::opencl {
namespace {

/// A marker command, with the device's time.
class event_mark final : public mark {
 public:
  event_mark(const driver_api& api, owned<event_handle> event)
      : api_(api), event_(std::move(event)) {}

  double seconds_since(const mark& earlier) const override {
    require_usable_driver();
    const auto& start = static_cast<const event_mark&>(earlier);
    return 1e-9 * (static_cast<double>(end_ns()) - static_cast<double>(start.end_ns()));
  }

  bool is_reached() const override {
    require_usable_driver();
    status state = success;
    check(api_.event_info(event_.get(), event_status, sizeof state, &state, nullptr),
          "ask for the state of a mark");
    if (state < 0) check(state, "finish what was queued before a mark");
    return state == success;
  }

  void wait() const override {
    require_usable_driver();
    const event_handle event = event_.get();
    check(api_.wait_for_events(1, &event), "finish what was queued before a mark");
  }

  [[nodiscard]] event_handle event() const noexcept { return event_.get(); }

 private:
  std::uint64_t end_ns() const {
    const event_handle event = event_.get();
    check(api_.wait_for_events(1, &event), "finish what was queued before a mark");
    std::uint64_t value = 0;
    check(api_.event_profile(event, event_end_ns, sizeof value, &value, nullptr),
          "tell when a mark was reached");
    return value;
  }

  const driver_api& api_;
  owned<event_handle> event_;
};

/// For queues without profiling: the host's clock, read when the queue is empty, so the mark is
/// reached.
class clock_mark final : public mark {
 public:
  double seconds_since(const mark& earlier) const override {
    const auto& start = static_cast<const clock_mark&>(earlier);
    return std::chrono::duration<double>(at_ - start.at_).count();
  }

 private:
  std::chrono::steady_clock::time_point at_ = std::chrono::steady_clock::now();
};

owned<queue_handle> create(const driver_api& api, const device& device, context_handle context) {
  status created = success;
  owned<queue_handle> created_queue{api.create_queue(context, device.id, queue_profiling, &created),
                                    api.release_queue};
  check(created, "create a command queue on " + device.info.name);
  return created_queue;
}

owned<context_handle> retained(const driver_api& api, context_handle context) {
  check(api.retain_context(context), "retain a context");
  return {context, api.release_context};
}

}  // namespace

queue::queue(const driver_api& api, const opencl::device& device, context_handle context)
    : backend::queue(device.info),
      api_(api),
      driver_device_(device),
      context_(retained(api, context)),
      queue_(create(api, device, context)) {
  register_queue(*this);
  finish_with_main_thread();
}

queue::queue(const driver_api& api, const opencl::device& device, queue_handle adopted)
    : backend::queue(device.info),
      api_(api),
      driver_device_(device),
      context_(retained(api, queue_value<context_handle>(api, adopted, queue_property::context))) {
  const auto properties = queue_value<std::uint64_t>(api, adopted, queue_property::properties);
  reject_if((properties & queue_out_of_order) != 0,
            "the OpenCL queue runs out of order; adopt one that was created without "
            "CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE");
  has_profiling_ = (properties & queue_profiling) != 0;
  check(api.retain_queue(adopted), "retain a command queue");
  queue_ = {adopted, api.release_queue};
  is_adopted_ = true;
}

queue::~queue() {
  if (!is_adopted_) {
    unregister_queue(*this);
    if (is_driver_usable()) api_.finish(queue_.get());
  }
  drop_workspace();
}

void queue::finish_at_exit() noexcept {
  api_.finish(queue_.get());
}

void* queue::allocate(std::size_t size_bytes) {
  require_usable_driver();
  if (size_bytes > driver_device_.max_allocation_bytes) {
    throw memory_error(formatted(
        "a buffer of {} bytes was asked for; {} allows {} in one buffer, so transform fewer rows "
        "at a time",
        size_bytes, driver_device_.info.name, driver_device_.max_allocation_bytes));
  }
  const auto doing = formatted("allocate {} bytes on {}", size_bytes, driver_device_.info.name);
  status created = success;
  owned<memory_handle> allocated{
      api_.create_buffer(context_.get(), memory_read_write, size_bytes, nullptr, &created),
      api_.release_memory};
  check_allocation(created, doing);

  // Drivers may allocate when a buffer is first used; using it now reports a lack of memory here.
  const memory_handle memory = allocated.get();
  check_allocation(
      api_.migrate(queue_.get(), 1, &memory, migrate_content_undefined, 0, nullptr, nullptr),
      doing);
  check_allocation(api_.finish(queue_.get()), doing);
  return allocated.let_go();
}

void queue::release(void* handle) noexcept {
  if (is_driver_usable()) api_.release_memory(static_cast<memory_handle>(handle));
}

void queue::send(buffer_view to, const void* from, bool waits) {
  require_usable_driver();
  check(api_.write_buffer(queue_.get(), static_cast<memory_handle>(to.handle), waits ? 1 : 0,
                          to.offset_bytes, to.size_bytes, from, 0, nullptr, nullptr),
        formatted("write {} bytes to {}", to.size_bytes, driver_device_.info.name));
}

void queue::fetch(void* to, buffer_view from, bool waits) {
  require_usable_driver();
  check(api_.read_buffer(queue_.get(), static_cast<memory_handle>(from.handle), waits ? 1 : 0,
                         from.offset_bytes, from.size_bytes, to, 0, nullptr, nullptr),
        formatted("read {} bytes from {}", from.size_bytes, driver_device_.info.name));
}

void queue::write(buffer_view to, const void* from) {
  send(to, from, true);
}

void queue::read(void* to, buffer_view from) {
  fetch(to, from, true);
}

std::shared_ptr<backend::queue> queue::open_beside() const {
  return std::make_shared<queue>(api_, driver_device_, context_.get());
}

void queue::after(const mark& awaited) {
  const auto* const mark = dynamic_cast<const event_mark*>(&awaited);
  if (mark == nullptr) return;
  require_usable_driver();
  const event_handle event = mark->event();
  check(api_.marker(queue_.get(), 1, &event, nullptr), "have a queue wait for another");
}

void queue::write_later(buffer_view to, const void* from) {
  send(to, from, false);
}

void queue::read_later(void* to, buffer_view from) {
  fetch(to, from, false);
}

void queue::clear(buffer_view memory) {
  require_usable_driver();
  constexpr std::uint32_t zero = 0;
  check(api_.fill_buffer(queue_.get(), static_cast<memory_handle>(memory.handle), &zero,
                         sizeof zero, memory.offset_bytes, memory.size_bytes, 0, nullptr, nullptr),
        formatted("clear {} bytes on {}", memory.size_bytes, driver_device_.info.name));
}

void queue::copy(buffer_view to, buffer_view from) {
  require_usable_driver();
  check(api_.copy_buffer(queue_.get(), static_cast<memory_handle>(from.handle),
                         static_cast<memory_handle>(to.handle), from.offset_bytes, to.offset_bytes,
                         from.size_bytes, 0, nullptr, nullptr),
        formatted("copy {} bytes on {}", from.size_bytes, driver_device_.info.name));
}

void queue::wait() {
  require_usable_driver();
  check(api_.finish(queue_.get()), "finish what was queued");
}

std::unique_ptr<mark> queue::record() {
  require_usable_driver();
  if (!has_profiling_) {
    wait();
    return std::make_unique<clock_mark>();
  }
  event_handle event = nullptr;
  check(api_.marker(queue_.get(), 0, nullptr, &event), "queue a mark");
  owned<event_handle> recorded{event, api_.release_event};
  check(api_.flush(queue_.get()), "start what was queued");
  return std::make_unique<event_mark>(api_, std::move(recorded));
}

queue& opencl_queue(backend::queue& on) {
  if (auto* const ours = dynamic_cast<queue*>(&on)) return *ours;
  reject(
      "a plan of engine opencl was given a queue of engine {}; enqueue it "
      "on a queue of the device it was made for",
      name_of(on.device().runs_on));
}

}  // namespace wingbeat::backend::opencl
