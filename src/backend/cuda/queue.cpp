// SPDX-License-Identifier: Apache-2.0
#include "backend/cuda/queue.hpp"

#include <algorithm>  // max
#include <utility>    // move

#include "backend/cuda/context.hpp"         // entered, check, relaxed_capture_mode
#include "backend/cuda/repeated_calls.hpp"  // repeated_calls
#include "text/formatted.hpp"               // formatted
#include "text/reject.hpp"                  // reject
#include "wingbeat/error.hpp"               // device_error, plan_error

namespace wingbeat::backend::cuda {
namespace {

device_address address_of(buffer_view view) {
  return reinterpret_cast<device_address>(view.handle) + view.offset_bytes;
}

/// An event. It may outlive its queue, not its context.
class mark final : public backend::mark {
 public:
  mark(const driver_api& api, context_handle context, stream_handle stream)
      : api_(api), context_(context) {
    const entered current{api_, context_};
    check(api_, api_.event_create(&event_, event_default), "create an event");
    const result recorded = api_.event_record(event_, stream);
    if (recorded != success) api_.event_destroy(event_);
    check(api_, recorded, "record an event");
  }

  mark(const mark&) = delete;
  mark& operator=(const mark&) = delete;

  ~mark() override {
    const entered current{api_, context_, std::nothrow};
    if (current.is_current()) api_.event_destroy(event_);
  }

  double seconds_since(const backend::mark& earlier) const override {
    const auto* start = dynamic_cast<const mark*>(&earlier);
    reject_if(start == nullptr || start->context_ != context_,
              "the two marks are of different devices; measure between marks of one queue");
    const entered current{api_, context_};
    float elapsed_ms = 0;
    check(api_, api_.event_synchronize(event_), "finish the work before a mark");
    check(api_, api_.event_elapsed_ms(&elapsed_ms, start->event_, event_), "compare two marks");
    return 1e-3 * static_cast<double>(elapsed_ms);
  }

  bool is_reached() const override {
    const entered current{api_, context_};
    const result asked = api_.event_query(event_);
    if (asked == not_ready) return false;
    check(api_, asked, "finish the work before a mark");
    return true;
  }

  void wait() const override {
    const entered current{api_, context_};
    check(api_, api_.event_synchronize(event_), "finish the work before a mark");
  }

  [[nodiscard]] event_handle event() const noexcept { return event_; }

 private:
  const driver_api& api_;
  context_handle context_;
  event_handle event_ = nullptr;
};

}  // namespace

queue::queue(const driver_api& api, context_handle context, device_info device, int priority)
    : backend::queue(std::move(device)), api_(api), context_(context), is_adopted_(false) {
  const entered current{api_, context_};
  check(api_, api_.stream_create(&stream_, stream_non_blocking, priority), "create a stream");
}

queue::queue(const driver_api& api, context_handle context, device_info device,
             stream_handle adopted)
    : backend::queue(std::move(device)),
      api_(api),
      context_(context),
      stream_(adopted),
      is_adopted_(true) {}

queue::~queue() {
  is_closing_ = true;
  drop_workspace();
  if (is_adopted_) return;
  const entered current{api_, context_, std::nothrow};
  if (current.is_current()) api_.stream_destroy(stream_);
}

void* queue::allocate(std::size_t size_bytes) {
  const entered current{api_, context_};
  const relaxed_capture_mode relaxed{api_};
  device_address address = 0;
  const result allocated = api_.memory_allocate(&address, std::max<std::size_t>(size_bytes, 1));
  if (allocated == success) return reinterpret_cast<void*>(address);

  std::size_t free_bytes = 0;
  std::size_t total_bytes = 0;
  const bool is_known = api_.memory_info(&free_bytes, &total_bytes) == success;
  if (is_known && (allocated == out_of_memory || size_bytes > total_bytes)) {
    throw memory_error(formatted(
        "{} bytes were asked for and {} of the {} bytes of {} are free; ask for less, or free "
        "other buffers first",
        size_bytes, free_bytes, total_bytes, device().name));
  }
  throw device_error(formatted("the CUDA driver could not allocate {} bytes: {}", size_bytes,
                               describe(api_, allocated)));
}

void queue::release(void* handle) noexcept {
  const relaxed_capture_mode relaxed{api_};
  const entered current{api_, context_, std::nothrow};
  if (current.is_current()) api_.memory_free(reinterpret_cast<device_address>(handle));
}

void queue::write(buffer_view to, const void* from) {
  const entered current{api_, context_};
  const relaxed_capture_mode relaxed{api_};
  check(api_, api_.copy_to_device(address_of(to), from, to.size_bytes, stream_),
        "copy to the device");
  check(api_, api_.stream_synchronize(stream_), "finish a copy to the device");
}

void queue::read(void* to, buffer_view from) {
  const entered current{api_, context_};
  const relaxed_capture_mode relaxed{api_};
  check(api_, api_.copy_to_host(to, address_of(from), from.size_bytes, stream_),
        "copy from the device");
  check(api_, api_.stream_synchronize(stream_), "finish a copy from the device");
}

void queue::wait() {
  const entered current{api_, context_};
  // The owner of an adopted stream may have destroyed it before this queue.
  const bool is_stream_unsure = is_adopted_ && is_closing_;
  check(api_, is_stream_unsure ? api_.context_synchronize() : api_.stream_synchronize(stream_),
        "finish the queued work");
}

std::unique_ptr<backend::mark> queue::record() {
  return std::make_unique<mark>(api_, context_, stream_);
}

std::shared_ptr<backend::queue> queue::open_beside() const {
  return std::make_shared<queue>(api_, context_, device(), high_priority);
}

void queue::after(const backend::mark& awaited) {
  const entered current{api_, context_};
  const event_handle event = static_cast<const mark&>(awaited).event();
  check(api_, api_.stream_wait_event(stream_, event, 0), "have a stream wait for another");
}

void queue::write_later(buffer_view to, const void* from) {
  const entered current{api_, context_};
  check(api_, api_.copy_to_device(address_of(to), from, to.size_bytes, stream_),
        "copy to the device");
}

void queue::read_later(void* to, buffer_view from) {
  const entered current{api_, context_};
  check(api_, api_.copy_to_host(to, address_of(from), from.size_bytes, stream_),
        "copy from the device");
}

void* queue::allocate_pinned(std::size_t size_bytes) {
  const entered current{api_, context_};
  const relaxed_capture_mode relaxed{api_};
  void* memory = nullptr;
  const result allocated = api_.pinned_allocate(&memory, size_bytes, pinned_for_all_contexts);
  if (allocated == success) return memory;
  throw memory_error(
      formatted("the CUDA driver could not pin {} bytes of this process: {}; ask "
                "for less",
                size_bytes, describe(api_, allocated)));
}

void queue::release_pinned(void* memory) noexcept {
  const relaxed_capture_mode relaxed{api_};
  const entered current{api_, context_, std::nothrow};
  if (current.is_current()) api_.pinned_free(memory);
}

void queue::clear(buffer_view memory) {
  const entered current{api_, context_};
  check(api_, api_.set_words(address_of(memory), 0, memory.size_bytes / 4, stream_),
        "clear memory on the device");
}

void queue::copy(buffer_view to, buffer_view from) {
  const entered current{api_, context_};
  check(api_, api_.copy_on_device(address_of(to), address_of(from), from.size_bytes, stream_),
        "copy on the device");
}

void queue::copy_rows(buffer_view to, buffer_view from, std::size_t row_bytes, std::size_t stride) {
  if (stride > max_stride_bytes) return backend::queue::copy_rows(to, from, row_bytes, stride);
  copied_rows rows;
  rows.source = address_of(from);
  rows.source_stride = row_bytes;
  rows.target = address_of(to);
  rows.target_stride = stride;
  rows.row_bytes = row_bytes;
  rows.count = from.size_bytes / row_bytes;
  const entered current{api_, context_};
  check(api_, api_.copy_rows(&rows, stream_), "copy rows on the device");
}

std::unique_ptr<backend::repeated_calls> queue::make_repeated_calls() const {
  if (!has_graphs(api_)) return backend::queue::make_repeated_calls();
  return std::make_unique<repeated_calls>(api_, context_);
}

queue& cuda_queue(backend::queue& on) {
  if (on.device().runs_on != wingbeat::engine::cuda) {
    reject("a cuda kernel was given a queue of engine {}; give it one of cuda",
           name_of(on.device().runs_on));
  }
  return static_cast<queue&>(on);
}

}  // namespace wingbeat::backend::cuda
