// SPDX-License-Identifier: Apache-2.0
// Transforms over several devices: each rank of a domain has a part of the input and of the output.
#pragma once

#include <cstddef>  // size_t
#include <memory>   // unique_ptr
#include <span>
#include <string>
#include <vector>

#include "wingbeat/buffer.hpp"        // buffer_view
#include "wingbeat/distribution.hpp"  // box
#include "wingbeat/domain.hpp"        // domain
#include "wingbeat/plan.hpp"          // plan_spec

namespace wingbeat {

/// How bins are cut among ranks; values, on the other side, are always cut along the first axis.
enum class bin_distribution {
  transposed,  ///< Along the second axis: one exchange. Bins lie in the order of the axes.
  natural      ///< Along the first axis, as values are: two exchanges.
};

/// The description of a transform over several devices.
struct distributed_spec {
  /// Packed and out of place. Of ranges, ranks have parts; what is not in memory is not exchanged,
  /// either. Numbers of 16 bits are exchanged as fp32. A load functor, and a store functor that
  /// stores every element, are called on each rank with the numbers that they have on one device
  /// and the rank's own buffer, of which they know by operands or by themselves where its elements
  /// are: its share of `in_bytes` and `out_bytes` is that of its elements, in whole ones of the
  /// functor. Store functors need transposed bins, unless each rank makes whole transforms.
  plan_spec transform;
  bin_distribution bins = bin_distribution::transposed;
  /// Rank 0 has everything where one device is expected to be quicker, or has to make it,
  /// because axes cannot be cut as requested (docs/several_gpus.md, "Limits") and there are fewer
  /// transforms than ranks. If false, such requests are refused.
  bool may_use_one_device = true;
  /// The parts that ranks have of the input and of the output, a box for each rank, of the batch
  /// and the axes, where they are others than those of the plan, from and to which it then moves
  /// everything: `pencils`, or any boxes that hold every element once, with strides if they are not
  /// packed. Not of one axis that is cut.
  std::vector<box> in_boxes = {}, out_boxes = {};
};

/// A transform that is planned for all ranks of a domain. Where there are as many transforms as
/// ranks, each rank makes some of them. Else every rank transforms the axes that it has whole, and
/// the last of these passes stores each element in the memory of the rank that goes on with it:
///
///     domain both = domain::of_devices({devices(engine::cuda)[0], devices(engine::cuda)[1]});
///     distributed_plan cube{both, {.transform = {.lengths = {1024, 1024, 1024}}}};
///     for (rank ..) { in[rank] = buffer{both.at(rank), cube.in_bytes(rank)}; .. }
///     cube.enqueue(in_views, out_views);
///
/// Not for several threads at once. Functions of a plan that was moved from throw `plan_error`.
class distributed_plan {
 public:
  /// Throws `plan_error`, naming the field at fault, or `device_error`; on all processes, where one
  /// of them cannot make it, or requests another transform.
  distributed_plan(const domain& ranks, distributed_spec spec);
  distributed_plan(distributed_plan&&) noexcept;
  distributed_plan& operator=(distributed_plan&&) noexcept;
  ~distributed_plan();

  [[nodiscard]] const distributed_spec& spec() const;

  /// Returns whether rank 0 makes it alone.
  [[nodiscard]] bool uses_one_device() const;

  /// Returns the box of each rank: of all batch dimensions as one, which comes first, then of the
  /// axes, of elements within the ranges. In memory they are packed in this order; some ranks may
  /// have none. One
  /// axis of N1 N2 elements that is cut counts as two: value n1 N2 + n2 is [n1][n2], bin k1 + N1 k2
  /// is [k1][k2].
  [[nodiscard]] const std::vector<box>& in_boxes() const;
  [[nodiscard]] const std::vector<box>& out_boxes() const;
  [[nodiscard]] std::size_t in_bytes(std::size_t rank) const;
  [[nodiscard]] std::size_t out_bytes(std::size_t rank) const;

  /// Returns the bytes of memory that the plan has on a rank of this process for what it receives.
  [[nodiscard]] std::size_t workspace_bytes(std::size_t rank) const;

  /// Returns the bytes that all ranks together send to others in one run.
  [[nodiscard]] std::size_t sent_bytes() const;

  /// Returns the plan in words: who has what, the passes of this process's first rank, and what
  /// goes over the links.
  [[nodiscard]] std::string explain() const;

  /// Queues one run on all ranks and returns. in, out: a view for each rank, on its device, which
  /// is not looked at where the rank has no elements or is of another process; none overlap. Over
  /// several processes every one of them calls this, and it returns after the last exchange. A
  /// rank's part begins when all work is done that was queued before on the queues of all ranks,
  /// because ranks store in each other's outputs; and work that is queued on a rank later follows
  /// it. The plan must live until its runs are done. Throws `plan_error` for views that a plan
  /// refuses; of several processes, the others and all later calls then name it as `device_error`.
  void enqueue(std::span<const buffer_view> in, std::span<const buffer_view> out);

  /// The same where this process has one rank.
  void enqueue(const buffer_view& in, const buffer_view& out);

  /// The same with the arguments of functors, for each rank; those of ranks of other processes are
  /// not looked at.
  void enqueue(std::span<const buffer_view> in, std::span<const buffer_view> out,
               std::span<const run_operands> given);

 private:
  struct impl;
  std::unique_ptr<impl> impl_;
};

}  // namespace wingbeat
