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

/// How bins are cut among ranks. Values are always cut along the first axis.
enum class bin_distribution {
  transposed,  ///< Along the second axis: one exchange. Bins lie in the order of the axes.
  natural      ///< Along the first axis, as values are: two exchanges.
};

/// The description of a transform over several devices.
struct distributed_spec {
  /// Packed and out of place. Ranks have parts of the ranges in memory; elements outside them are
  /// not exchanged. Numbers of 16 bits are exchanged as fp32. A load functor, and a store functor
  /// that stores every element, are called on each rank with the row and element numbers of one
  /// device and with the rank's own buffer; operands, or the functor itself, must say where in it
  /// an element lies. The buffer has the rank's share of `in_bytes` or `out_bytes`, in whole
  /// elements of the functor. Store functors need transposed bins, unless each rank makes whole
  /// transforms.
  plan_spec transform;
  bin_distribution bins = bin_distribution::transposed;
  /// Lets rank 0 hold and transform everything if one device is expected to be faster, or is the
  /// only way: axes cannot be cut as requested (docs/several_gpus.md, "Limits") and there are fewer
  /// transforms than ranks. If false, such requests are refused.
  bool may_use_one_device = true;
  /// One box of batch and axes per rank, for the input and for the output, if they differ from the
  /// plan's own; the plan then moves everything from and to them. They are `pencils`, or any boxes
  /// that together hold every element once, with strides if they are not packed. Not for one axis
  /// that is cut.
  std::vector<box> in_boxes = {}, out_boxes = {};
};

/// A transform that is planned for all ranks of a domain. If there are at least as many transforms
/// as ranks, each rank makes some of them. Otherwise every rank transforms the axes that it has
/// whole, and the last of these passes stores each element in the memory of the rank that continues
/// with it:
///
///     domain both = domain::of_devices({devices(engine::cuda)[0], devices(engine::cuda)[1]});
///     distributed_plan cube{both, {.transform = {.lengths = {1024, 1024, 1024}}}};
///     for (rank ..) { in[rank] = buffer{both.at(rank), cube.in_bytes(rank)}; .. }
///     cube.enqueue(in_views, out_views);
///
/// Not for several threads at once. Functions of a plan that was moved from throw `plan_error`.
class distributed_plan {
 public:
  /// Throws `plan_error`, naming the field at fault, or `device_error`. Throws on all processes if
  /// one of them cannot make the plan or requests another transform.
  distributed_plan(const domain& ranks, distributed_spec spec);
  distributed_plan(distributed_plan&&) noexcept;
  distributed_plan& operator=(distributed_plan&&) noexcept;
  ~distributed_plan();

  [[nodiscard]] const distributed_spec& spec() const;

  /// Returns whether rank 0 makes the transform alone.
  [[nodiscard]] bool uses_one_device() const;

  /// Returns the box of each rank: first all batch dimensions as one, then the axes, within the
  /// valid ranges. Elements are packed in memory in this order; some ranks may have none. One axis
  /// of N1 N2 elements that is cut counts as two: value n1 N2 + n2 is [n1][n2], bin k1 + N1 k2 is
  /// [k1][k2].
  [[nodiscard]] const std::vector<box>& in_boxes() const;
  [[nodiscard]] const std::vector<box>& out_boxes() const;
  [[nodiscard]] std::size_t in_bytes(std::size_t rank) const;
  [[nodiscard]] std::size_t out_bytes(std::size_t rank) const;

  /// Returns the bytes that the plan allocates on a rank of this process for received data.
  [[nodiscard]] std::size_t workspace_bytes(std::size_t rank) const;

  /// Returns the bytes that all ranks together send to others in one run.
  [[nodiscard]] std::size_t sent_bytes() const;

  /// Returns the plan in words: which rank has which part, the passes of this process's first rank,
  /// and what goes over the links.
  [[nodiscard]] std::string explain() const;

  /// Queues one run on all ranks and returns. in, out: a view for each rank, on its device; none
  /// overlap. The view is ignored if the rank has no elements or belongs to another process. With
  /// several processes, each of them calls this, and it returns after the last exchange. A rank's
  /// part begins when all earlier work on the queues of all ranks is done, because ranks store in
  /// each other's outputs; work queued later on a rank follows the run. The plan must live until
  /// its runs are done. Throws `plan_error` for views that a plan refuses; the other processes, and
  /// all later calls, then throw a `device_error` that names it.
  void enqueue(std::span<const buffer_view> in, std::span<const buffer_view> out);

  /// The same where this process has one rank.
  void enqueue(const buffer_view& in, const buffer_view& out);

  /// The same with the arguments of functors, for each rank. Arguments for ranks of other processes
  /// are ignored.
  void enqueue(std::span<const buffer_view> in, std::span<const buffer_view> out,
               std::span<const run_operands> given);

 private:
  struct impl;
  std::unique_ptr<impl> impl_;
};

}  // namespace wingbeat
