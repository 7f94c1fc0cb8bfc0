// SPDX-License-Identifier: Apache-2.0
// A kernel of your own, as text in the device dialect, on every device that compiles kernels:
// what NVRTC or an OpenCL compiler gets is the same text around the same device headers.
#pragma once

#include <cstddef>  // size_t
#include <cstdint>  // uint64_t
#include <memory>   // unique_ptr
#include <string>

#include "wingbeat/buffer.hpp"  // buffer_view
#include "wingbeat/plan.hpp"    // kernel_resources
#include "wingbeat/queue.hpp"   // queue

namespace wingbeat {

/// The text of a kernel. It may include the headers of wingbeat/device, no other file, and defines
/// one entry:
///
///     WINGBEAT_KERNEL(threads)
///     void entry(WINGBEAT_GLOBAL const In* in, WINGBEAT_GLOBAL Out* out,
///                WINGBEAT_GLOBAL const Table* table, wingbeat::device::size in_first,
///                wingbeat::device::size out_first,
///                wingbeat::device::size batch WINGBEAT_SCRATCH_PARAMETER) {
///       ...                      // local memory begins at WINGBEAT_SCRATCH
///     }
///
/// `in + in_first` and `out + out_first` is where the views given to `enqueue` begin.
struct kernel_spec {
  std::string text;                   ///< Line 1 is line 1 in the compiler's messages.
  std::string entry;                  ///< The name of the entry.
  unsigned threads = 1;               ///< Of one workgroup, as in WINGBEAT_KERNEL.
  std::size_t scratch_bytes = 0;      ///< Local memory of one workgroup: what WINGBEAT_SCRATCH
                                      ///< leads to. Less than a transform needs does not compile.
  std::size_t in_element_bytes = 1;   ///< sizeof(In): views of `in` start at a multiple of it.
  std::size_t out_element_bytes = 1;  ///< sizeof(Out).
};

/// A compiled kernel. Immutable once made, so many threads may enqueue it at once. A kernel that
/// was moved from throws `plan_error`.
class kernel {
 public:
  /// Compiles `what` for the device behind `where`, or finds it in the cache of kernels.
  /// Throws `plan_error` if the engine compiles no kernels, the text includes a file that is not of
  /// wingbeat/device, or the shape does not fit the device; `device_error` with the compiler's
  /// messages, which count lines from the text's first.
  kernel(const queue& where, kernel_spec what);
  kernel(kernel&&) noexcept;
  kernel& operator=(kernel&&) noexcept;
  ~kernel();

  [[nodiscard]] kernel_resources resources() const;

  /// Queues one launch of `workgroups` workgroups and returns. What the kernel reads and writes
  /// must lie within the views: nothing checks that. `batch` is handed to the kernel. `out` may
  /// start where `in` or `table` does, if the kernel allows for it; otherwise it overlaps neither.
  /// A kernel that reads no table is given any buffer, for example its input.
  /// Throws `plan_error` if `workgroups` is 0 or more than a launch takes, the queue or a view is
  /// of another device, or a view is empty, starts within an element or overlaps another in part;
  /// `device_error` if the driver refuses.
  void enqueue(queue& on, std::size_t workgroups, buffer_view in, buffer_view out,
               buffer_view table, std::uint64_t batch) const;

 private:
  struct impl;
  std::unique_ptr<const impl> impl_;
};

}  // namespace wingbeat
