// SPDX-License-Identifier: Apache-2.0
// An ordered queue of work on one device.
#pragma once

#include <cstddef>  // size_t
#include <memory>   // shared_ptr

#include "wingbeat/devices.hpp"  // device_info

namespace wingbeat {

namespace backend {
class queue;
}

/// Runs work in order, asynchronously on cuda and opencl, immediately on the others. Cheap to copy:
/// copies are the same queue. A move copies, so a moved-from queue stays valid.
class queue {
 public:
  /// Opens a queue on the best device.
  queue();

  /// Opens a queue on `device`. Throws `plan_error` for an engine that does not exist,
  /// `absent_error` or `device_error`.
  explicit queue(const device_info& device);

  queue(const queue&) = default;
  queue& operator=(const queue&) = default;
  ~queue() = default;

  /// Adopts a CUDA stream (a CUstream) of the calling thread's current context; 0 is its default
  /// stream. The caller keeps ownership. Throws `absent_error` without a cuda engine,
  /// `device_error` without a context.
  static queue from_cuda_stream(void* stream);

  /// Adopts a stream of the primary context of cuda device `device_index`, the context of CUDA's
  /// runtime: the calling thread needs no current context. Throws `absent_error` where there is no
  /// such device.
  static queue from_cuda_stream(void* stream, int device_index);

  /// Adopts an in-order OpenCL queue (a cl_command_queue) and retains it while in use. Throws
  /// `absent_error` without an opencl engine; `plan_error` for a null queue, an out-of-order queue,
  /// or a queue of a device that `devices` does not list.
  static queue from_opencl_queue(void* command_queue);

  [[nodiscard]] const device_info& device() const noexcept;

  /// Allocates the workspace for plans of up to `workspace_bytes` that run on this queue without a
  /// workspace of yours. The constructor of a plan does so for its queue; the workspace only grows.
  /// May wait for queued work. Throws `device_error` when memory runs out.
  void reserve(std::size_t workspace_bytes);

  /// Drops the workspace and stops `reserve` from allocating one: each run whose plan needs a
  /// workspace must then be given yours, for example from a pool.
  void disown_workspace();

  /// Returns when everything queued so far has finished. Throws `device_error` if any failed.
  void wait() const;

  /// For wingbeat's own sources: a queue of an engine's side, and this queue's.
  explicit queue(std::shared_ptr<backend::queue> impl) noexcept;
  [[nodiscard]] const std::shared_ptr<backend::queue>& impl() const noexcept { return impl_; }

 private:
  std::shared_ptr<backend::queue> impl_;
};

/// Measures device time between two points of a queue:
///
///     stopwatch watch{q}; watch.start(); plan.enqueue(q, in, out); watch.stop(); watch.seconds()
///
/// A moved-from stopwatch throws `plan_error`.
class stopwatch {
 public:
  explicit stopwatch(const queue& on);
  stopwatch(stopwatch&&) noexcept;
  stopwatch& operator=(stopwatch&&) noexcept;
  ~stopwatch();

  void start();
  void stop();

  /// Waits for the second mark and returns the device's seconds between the two.
  /// Throws `plan_error` before both marks are set.
  [[nodiscard]] double seconds() const;

 private:
  struct impl;
  std::unique_ptr<impl> impl_;
};

}  // namespace wingbeat
