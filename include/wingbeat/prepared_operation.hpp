// SPDX-License-Identifier: Apache-2.0
// The common part of what is prepared once for a device and run often: transforms, convolutions.
#pragma once

#include <cstddef>  // size_t
#include <memory>   // unique_ptr
#include <string>
#include <vector>

#include "wingbeat/cpp20.hpp"  // stops older C++

namespace wingbeat {

namespace operations {
class operation;
}

/// The resources of one compiled kernel; -1 if the driver does not report them.
struct kernel_resources {
  std::string name;
  int threads = 0;        ///< Threads of a workgroup.
  int registers = -1;     ///< Registers of a thread.
  int spill_bytes = -1;   ///< Bytes of a thread's registers that went to memory.
  int stack_bytes = -1;   ///< Of one thread: CUDA's "local" memory, spills included.
  int scratch_bytes = 0;  ///< Local memory of one workgroup that the kernel uses; a launch may give
                          ///< more.
};

/// One pass of a run over device memory: one launch of one kernel.
struct pass_info {
  std::string description;        ///< In words: its line of `explain`.
  std::size_t length = 0;         ///< Length of each transform, in complex numbers; of a plane,
                                  ///< rows times columns.
  std::size_t prior = 1;          ///< Product of the lengths of its axis's earlier passes.
  std::size_t threads = 0;        ///< Threads of one workgroup.
  std::size_t workgroups = 0;     ///< Workgroups of one run.
  std::size_t scratch_bytes = 0;  ///< Local memory of one workgroup, as planned.
  std::size_t traffic_bytes = 0;  ///< Bytes that one run reads and writes in device memory.
};

/// An operation prepared for a device: its kernels are compiled, its tables are there. Runs do not
/// change it, so many threads may enqueue it at once, on one queue or on several. It must live
/// until the runs that it queued are done. Every function of a moved-from operation throws
/// `plan_error`.
class prepared_operation {
 public:
  /// Returns the maximum bytes of device scratch that a run needs; 0 if all fits on chip.
  [[nodiscard]] std::size_t workspace_bytes() const;

  /// Returns the bytes that one run (`enqueue`) reads and writes in device memory, as planned.
  [[nodiscard]] std::size_t traffic_bytes() const;

  /// Returns the passes of one run, in order. Empty on engines that compile no kernels, because
  /// they may transform several axes of a block while it is in the cache.
  [[nodiscard]] std::vector<pass_info> passes() const;

  /// Returns the resources of each pass's kernel; empty on engines that compile none.
  [[nodiscard]] std::vector<kernel_resources> resources() const;

  /// Returns the runs in words: one line per pass, then bytes moved and the workspace.
  [[nodiscard]] std::string explain() const;

 protected:
  explicit prepared_operation(std::unique_ptr<const operations::operation> prepared);
  prepared_operation(prepared_operation&&) noexcept;
  prepared_operation& operator=(prepared_operation&&) noexcept;
  ~prepared_operation();

  [[nodiscard]] const operations::operation& owned() const {
    if (prepared_) return *prepared_;
    refuse_moved_from();
  }

 private:
  [[noreturn]] void refuse_moved_from() const;

  std::unique_ptr<const operations::operation> prepared_;
  const char* noun_;  ///< "plan", in messages.
};

}  // namespace wingbeat
