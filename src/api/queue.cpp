// SPDX-License-Identifier: Apache-2.0
#include "wingbeat/queue.hpp"

#include <utility>  // move

#include "backend/backend.hpp"  // engine_of, mark
#include "text/moved_from.hpp"  // require_owned
#include "text/reject.hpp"      // reject

namespace wingbeat {

queue::queue() : queue(best_device()) {}

queue::queue(const device_info& device) : impl_(backend::engine_of(device.runs_on).open(device)) {}

queue::queue(std::shared_ptr<backend::queue> impl) noexcept : impl_(std::move(impl)) {}

queue queue::from_cuda_stream(void* stream) {
  return queue{backend::cuda_engine().adopt(stream)};
}

queue queue::from_cuda_stream(void* stream, int device_index) {
  return queue{backend::cuda_engine().adopt_of_device(stream, device_index)};
}

queue queue::from_opencl_queue(void* command_queue) {
  return queue{backend::opencl_engine().adopt(command_queue)};
}

const device_info& queue::device() const noexcept {
  return impl_->device();
}

void queue::reserve(std::size_t workspace_bytes) {
  impl_->reserve(workspace_bytes);
}

void queue::disown_workspace() {
  impl_->disown_workspace();
}

void queue::wait() const {
  impl_->wait();
}

struct stopwatch::impl {
  std::shared_ptr<backend::queue> on;
  std::unique_ptr<backend::mark> begin, end;
};

stopwatch::stopwatch(const queue& on) : impl_(new impl{on.impl(), nullptr, nullptr}) {}
stopwatch::stopwatch(stopwatch&&) noexcept = default;
stopwatch& stopwatch::operator=(stopwatch&&) noexcept = default;
stopwatch::~stopwatch() = default;

void stopwatch::start() {
  impl& mine = require_owned(impl_, "stopwatch");
  mine.begin = mine.on->record();
}

void stopwatch::stop() {
  impl& mine = require_owned(impl_, "stopwatch");
  mine.end = mine.on->record();
}

double stopwatch::seconds() const {
  const impl& mine = require_owned(impl_, "stopwatch");
  if (!mine.begin || !mine.end) reject("call start() and stop() before seconds()");
  return mine.end->seconds_since(*mine.begin);
}

}  // namespace wingbeat
