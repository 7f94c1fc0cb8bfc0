// SPDX-License-Identifier: Apache-2.0
// The host view of a transform: say what (plan_spec), pay once (plan), run often (enqueue).
#pragma once

#include <cstddef>  // size_t
#include <memory>   // unique_ptr
#include <string>
#include <string_view>
#include <vector>

#include "wingbeat/buffer.hpp"  // buffer_view
#include "wingbeat/fusion.hpp"  // fused_load, fused_store
#include "wingbeat/queue.hpp"   // queue

namespace wingbeat {

/// What kind of transform. Forward uses exp(-2 pi i jk/N), inverse exp(+2 pi i jk/N).
enum class transform {
  forward,            ///< N complex to N complex.
  inverse,            ///< N complex to N complex.
  forward_from_real,  ///< N real to N/2+1 complex: the upper half is the mirror image.
  inverse_to_real     ///< N/2+1 complex to N real; Im of bins 0 and N/2 is not read.
};
enum class precision { fp32, fp64 };
enum class scaling { none, by_length, by_sqrt_length };

/// Where the output goes. It matters to real transforms alone: in place, each real row is padded
/// to N+2 reals, so that the row's N/2+1 bins fit where it stood.
enum class placement { out_of_place, in_place };

[[nodiscard]] std::string_view name_of(transform kind) noexcept;
[[nodiscard]] std::string_view name_of(precision real) noexcept;
[[nodiscard]] std::string_view name_of(scaling scale) noexcept;

/// What to transform. An aggregate, so that a call site names every choice:
///
///     plan spectra{queue, {.lengths = {4096}, .batch = 64, .kind = transform::forward_from_real}};
struct plan_spec {
  std::vector<std::size_t> lengths;  ///< One per axis, slowest axis first; one axis so far.
  std::size_t batch = 1;             ///< Independent transforms per run, one after another.
  transform kind = transform::forward;
  precision real = precision::fp32;
  scaling scale = scaling::none;  ///< Applied on the way out.
  placement where = placement::out_of_place;
  fused_load load = {};    ///< Yours, in place of plain memory.
  fused_store store = {};  ///< Yours, in place of plain memory.
};

/// Longest transform this version plans.
inline constexpr std::size_t max_length = std::size_t{1} << 24;

/// Returns bytes of one run's input (or output), every row of the batch counted: what a functor
/// states, or what the rows take. `what` is a request that a plan accepts.
[[nodiscard]] std::size_t input_bytes(const plan_spec& what);
[[nodiscard]] std::size_t output_bytes(const plan_spec& what);

/// What one compiled kernel takes from a multiprocessor. -1 where the driver does not tell.
struct kernel_resources {
  std::string name;
  int threads = 0;        ///< Of one workgroup.
  int registers = -1;     ///< Of one thread.
  int spill_bytes = -1;   ///< Of one thread: registers that went to memory.
  int stack_bytes = -1;   ///< Of one thread: CUDA's "local" memory, spills included.
  int scratch_bytes = 0;  ///< Of one workgroup's local memory.
};

/// A planned transform: kernels chosen, twiddles on the device, nothing left to decide.
/// Immutable once built, so many threads may enqueue it at once, on one queue or on several.
class plan {
 public:
  /// Validates `what` and prepares it for the device behind `where`.
  /// Throws `plan_error`, naming the field at fault, or `device_error`. A functor's text that does
  /// not compile is a `plan_error` that quotes the compiler; line 1 is the first of your text.
  plan(const queue& where, plan_spec what);
  plan(plan&&) noexcept;
  plan& operator=(plan&&) noexcept;
  ~plan();

  [[nodiscard]] const plan_spec& spec() const noexcept;

  /// Returns the bytes of device scratch one run needs; 0 when the transform fits on chip.
  [[nodiscard]] std::size_t workspace_bytes() const noexcept;

  /// Returns the bytes one run reads and writes in device memory, as planned.
  [[nodiscard]] std::size_t traffic_bytes() const noexcept;

  /// Returns what each kernel takes; empty on engines that compile none.
  [[nodiscard]] std::vector<kernel_resources> resources() const;

  /// Returns the plan in words: one line per pass.
  [[nodiscard]] std::string explain() const;

  /// Queues one run and returns. `in` may be `out` (of a real transform only if it was planned
  /// `in_place`, with a functor never); otherwise they must not overlap. `on` is a queue of the
  /// device the plan was made for. Without a workspace, the queue's own is used, which grows on
  /// first need; one of yours must serve no other run at the same time. An out-of-place run leaves
  /// `in` as it was. The plan must live until the runs it queued are done.
  /// Throws `plan_error` if a buffer is too small or starts within a complex number, or if the
  /// queue is of another device; `device_error` if the driver refuses.
  void enqueue(queue& on, buffer_view in, buffer_view out, buffer_view workspace = {}) const;

 private:
  struct impl;
  std::unique_ptr<const impl> impl_;
};

}  // namespace wingbeat
