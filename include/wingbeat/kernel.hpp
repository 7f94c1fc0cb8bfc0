// SPDX-License-Identifier: Apache-2.0
// Compiles a kernel of yours, a text in the device dialect, for every device that compiles kernels:
// NVRTC and OpenCL compilers read the same text with the same device headers.
#pragma once

#include <cstddef>  // size_t
#include <cstdint>  // uint64_t
#include <initializer_list>
#include <memory>  // unique_ptr
#include <span>
#include <string>
#include <vector>

#include "wingbeat/arguments.hpp"  // kernel_parameter, kernel_argument
#include "wingbeat/buffer.hpp"     // buffer_view
#include "wingbeat/plan.hpp"       // kernel_resources
#include "wingbeat/queue.hpp"      // queue

namespace wingbeat {

/// The text of a kernel. It may include the headers of wingbeat/device, no other file, and defines
/// one entry, here with parameters {input(8), output(8), input(4), value<float>()}:
///
///     WINGBEAT_KERNEL(threads)
///     void entry(WINGBEAT_GLOBAL const complex<float>* in, size in_first,
///                WINGBEAT_GLOBAL complex<float>* out, size out_first,
///                WINGBEAT_GLOBAL const float* weights, size weights_first,
///                float gain WINGBEAT_SCRATCH_PARAMETER) {
///       ...                      // local memory begins at WINGBEAT_SCRATCH
///     }
///
/// Without `parameters`, the entry has those of a transform from one buffer to another:
///
///     void entry(WINGBEAT_GLOBAL const In* in, WINGBEAT_GLOBAL Out* out,
///                WINGBEAT_GLOBAL const Table* table, size in_first, size out_first,
///                size batch WINGBEAT_SCRATCH_PARAMETER)
struct kernel_spec {
  std::string text;                   ///< Line 1 is line 1 in the compiler's messages.
  std::string entry;                  ///< The name of the entry.
  unsigned threads = 1;               ///< Threads of one workgroup, as in WINGBEAT_KERNEL.
  std::size_t scratch_bytes = 0;      ///< Local memory of one workgroup, at WINGBEAT_SCRATCH. If a
                                      ///< transform needs more, the kernel does not compile.
  std::size_t in_element_bytes = 1;   ///< sizeof(In): views of `in` start at a multiple of it.
  std::size_t out_element_bytes = 1;  ///< sizeof(Out).
  std::vector<kernel_parameter> parameters = {};  ///< In the entry's order.
  /// Maximum number of workgroups per multiprocessor at once: a low one leaves each more L1 cache.
  /// 0: as many as fit. A hint, used by cuda only.
  unsigned resident = 0;
};

/// A compiled kernel. Immutable once made, so many threads may enqueue it at once. A moved-from
/// kernel throws `plan_error`.
class kernel {
 public:
  /// Compiles `spec` for the device behind `on`, or finds it in the cache of kernels. Throws
  /// `plan_error` if the engine compiles no kernels, the text includes a file outside
  /// wingbeat/device, or the shape does not fit the device; `device_error` with the compiler's
  /// messages, which count lines from the first line of the text.
  kernel(const queue& on, kernel_spec spec);
  kernel(kernel&&) noexcept;
  kernel& operator=(kernel&&) noexcept;
  ~kernel();

  [[nodiscard]] kernel_resources resources() const;

  /// Queues one launch of `workgroups` workgroups of a kernel without `parameters`, and returns.
  /// The kernel must read and write within the views, which is not checked. `batch` is passed to
  /// the kernel. `out` may start where `in` or `table` does, if the kernel allows it; otherwise it
  /// overlaps neither. For a kernel that reads no table, pass any buffer, for example its input.
  /// Throws `plan_error` if `workgroups` is 0 or more than a launch takes, the queue or a view
  /// belongs to another device, or a view is empty, starts within an element or overlaps another in
  /// part; `device_error` if the driver refuses.
  void enqueue(queue& on, std::size_t workgroups, buffer_view in, buffer_view out,
               buffer_view table, std::uint64_t batch) const;

  /// Queues one launch of a kernel with `parameters`, and returns. Each parameter takes one
  /// argument, a view or a value. A view that the kernel writes may start where another of its
  /// views does, if the kernel allows it; otherwise it overlaps none. Throws as above, and
  /// `plan_error` for arguments that do not match the parameters.
  void enqueue(queue& on, std::size_t workgroups, std::span<const kernel_argument> arguments) const;
  void enqueue(queue& on, std::size_t workgroups,
               std::initializer_list<kernel_argument> arguments) const {
    enqueue(on, workgroups, std::span{arguments.begin(), arguments.size()});
  }

 private:
  struct impl;
  std::unique_ptr<const impl> impl_;
};

}  // namespace wingbeat
