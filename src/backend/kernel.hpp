// SPDX-License-Identifier: Apache-2.0
// Kernels compiled when a plan is made: what the compiled engines (opencl, cuda) share.
#pragma once

#include <cstddef>  // size_t
#include <cstdint>  // uint64_t
#include <memory>   // shared_ptr
#include <string>

#include "backend/backend.hpp"  // queue, plan
#include "planner/program.hpp"  // program

namespace wingbeat::backend {

/// One translation unit in the dialect of `wingbeat/device/port.hpp`, and the entry point to run.
struct kernel_source {
  std::string text;
  std::string entry;                   ///< Name of the entry point.
  unsigned threads = 1;                ///< Of one workgroup.
  std::size_t scratch_bytes = 0;       ///< Local memory of one workgroup.
  std::size_t workgroups = 1;          ///< Of the launches to come: a hint, more or fewer also run.
  unsigned workgroups_of_cluster = 1;  ///< As its text says; more than 1 on CUDA alone.
  unsigned resident = 0;  ///< Workgroups at once on a multiprocessor, so that others do not take
                          ///< cache from them; 0: as many as fit. CUDA alone.
  std::string path = {};  ///< What messages call the text, whose includes of device headers are
                          ///< replaced when it is compiled; empty: it includes none.
  bool states_scratch = false;  ///< Is the text compiled for `scratch_bytes`, so that a transform
                                ///< which needs more is refused? Not for plans, which compute both.

  /// Returns what a compiler reads; see `flatten`.
  [[nodiscard]] std::string full_text() const;
  /// Returns what stands for the full text in a key of the cache, and costs less.
  [[nodiscard]] std::string key_text() const;
};

/// The arguments of every entry point, in this order:
///     entry(global const In* in, global Out* out, global const Table* table,
///           uint64 in_first, uint64 out_first, uint64 batch [, local char* scratch: OpenCL])
struct kernel_arguments {
  buffer_view in, out, table;   ///< `offset_bytes` of `table` is 0.
  std::uint64_t in_first = 0;   ///< First complex element read (two reals are one).
  std::uint64_t out_first = 0;  ///< First complex element written.
  std::uint64_t batch = 1;      ///< Rows in the whole grid; 0: no memory is touched.
};

/// A kernel loaded on one device. Immutable; `launch` may be called from many threads.
class kernel {
 public:
  virtual ~kernel() = default;
  [[nodiscard]] virtual kernel_resources resources() const = 0;
  /// Queues one launch. `in.offset_bytes` and `out.offset_bytes` are ignored: they are already
  /// part of `in_first` and `out_first`. Throws `device_error`.
  virtual void launch(queue& on, std::size_t workgroups, const kernel_arguments& with) const = 0;
};

/// What turns text into a kernel for the device behind a queue. Uses the disk cache.
class kernel_compiler {
 public:
  virtual ~kernel_compiler() = default;
  [[nodiscard]] virtual std::shared_ptr<const kernel> compile(const std::shared_ptr<queue>& where,
                                                              const kernel_source& what) const = 0;
};

/// Makes the plan of a compiled engine: chooses passes, writes sources, compiles, fills tables.
[[nodiscard]] std::shared_ptr<const plan> make_compiled_plan(const kernel_compiler& compiler,
                                                             const std::shared_ptr<queue>& where,
                                                             const plan_spec& what);

/// The same of passes chosen already.
[[nodiscard]] std::shared_ptr<const plan> make_compiled_plan(const kernel_compiler& compiler,
                                                             const std::shared_ptr<queue>& where,
                                                             planner::program made);

}  // namespace wingbeat::backend
