// SPDX-License-Identifier: Apache-2.0
// An operation: programs that are prepared once and run often, and a table of the views that a run
// is given. The one place that checks views, lends workspace, runs, and answers for what is run.
#pragma once

#include <cstddef>  // size_t
#include <memory>   // shared_ptr
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "backend/backend.hpp"              // run, mark
#include "programs/prepared_program.hpp"    // prepared_program
#include "views/views.hpp"                  // start_rule, view_owner
#include "wingbeat/arguments.hpp"           // kernel_argument, kernel_parameter
#include "wingbeat/prepared_operation.hpp"  // pass_info, kernel_resources
#include "wingbeat/queue.hpp"               // queue

namespace wingbeat::operations {

/// Where the programs of a run find an operand, of `backend::run`: any of these. Functors are given
/// theirs in the table's order, and no more than the bytes that the table states.
enum use : unsigned {
  as_in = 1,
  as_out = 2,
  as_filter = 4,
  as_other_out = 8,
  by_load = 16,
  by_store = 32
};

/// A view that each run is given.
struct operand_rule {
  std::string_view name = {};  ///< "array of signals", in messages.
  unsigned uses = 0;           ///< `as_in | by_load`.
  std::size_t bytes = 0;       ///< That a run reads or writes, from its start.
  start_rule start = {};
  bool is_written = false;
  /// Some requests have the operand: those of which this field is true.
  std::string_view field = {};
  bool is_there = true;
  std::size_t alignment = 1;  ///< Of its pointer on the engine; set by `operation::add`.
};

/// How far memory advances from one run of a program to the next, for each of its signals.
struct advance {
  std::size_t in = 0, filter = 0, out = 0;
};

/// A program that is run so many times, of `count` signals each time; 0: once, of all.
struct repeated_program {
  std::shared_ptr<const programs::prepared_program> steps;
  std::size_t times = 1, count = 0;
};

/// One kind of run: what it is given, and the programs that it queues.
struct run_kind {
  std::string_view title = {};  ///< "gradient of signals"; none of a run that is the only one.
  std::vector<operand_rule> operands = {};
  std::vector<repeated_program> programs = {};
  advance distances = {};
  /// Whether input and output may be one place.
  bool may_be_one_place = false;
  /// Of the functors that are given arguments by each run.
  std::span<const kernel_parameter> load = {}, store = {}, multiplier = {};

  [[nodiscard]] std::size_t workspace_bytes() const;
  [[nodiscard]] std::size_t traffic_bytes() const;
};

/// What one run is given: a view for each operand of its kind, and arguments of functors.
struct given_run {
  std::span<const buffer_view> views = {};
  buffer_view workspace = {};
  std::span<const kernel_argument> load = {}, store = {}, multiplier = {};
  /// A mark of another queue, behind which comes what reaches the output.
  const backend::mark* awaited = nullptr;
};

/// Immutable once made; many threads may run it, each on its own queue.
class operation {
 public:
  /// `noun` is what messages call it, a literal; `workspace` says where a workspace may start.
  operation(const char* noun, const queue& on, const start_rule& workspace)
      : own_(noun, on.device()), noun_(noun), workspace_(workspace) {}
  operation(const operation&) = delete;
  operation& operator=(const operation&) = delete;
  virtual ~operation() = default;

  [[nodiscard]] const char* noun() const noexcept { return noun_; }
  [[nodiscard]] engine runs_on() const noexcept { return own_.runs_on; }
  [[nodiscard]] std::size_t workspace_bytes() const noexcept { return workspace_bytes_; }
  [[nodiscard]] std::size_t traffic_bytes() const { return running().traffic_bytes(); }
  [[nodiscard]] std::vector<pass_info> passes() const;
  [[nodiscard]] std::vector<kernel_resources> resources() const;
  [[nodiscard]] std::string explain() const;

  /// Throws `plan_error` unless a queue is of the operation's device, or an operand fits its rule.
  void require_queue(const queue& on) const { own_.require_queue(*on.impl()); }
  void require_operand(const operand_rule& rule, const buffer_view& given, const queue& on) const;

  /// Checks all that a run is given, and queues it. Throws `plan_error`.
  void enqueue(queue& on, const run_kind& kind, const given_run& given) const;

  /// Returns the kind of run that `traffic_bytes`, `passes` and `resources` are about.
  [[nodiscard]] virtual const run_kind& running() const = 0;

 protected:
  /// Returns the kinds that are explained, in order.
  [[nodiscard]] virtual std::vector<const run_kind*> explained() const { return {&running()}; }
  /// Return what is said before the passes, behind the bytes moved, and at the end.
  [[nodiscard]] virtual std::string heading() const { return {}; }
  [[nodiscard]] virtual std::string comparison() const { return {}; }
  [[nodiscard]] virtual std::string outlook() const { return {}; }
  /// Throws `plan_error` for an input and an output that are one place and may not be.
  virtual void refuse_one_place(const operand& in, const operand& out) const;

  /// Completes a kind's table, and has the queue hold the workspace that it needs.
  void add(run_kind& kind, const queue& on);

  /// Returns whether a view is as its rule says, on this queue. Inline, because it costs as much as
  /// the transform of a short row; `require_operand` finds the words for what failed.
  [[nodiscard]] static bool fits(const operand_rule& rule, const buffer_view& view,
                                 const backend::queue& on) {
    return has_memory(view) && is_in_address_space(view) && is_reachable(view, on) &&
           view.size_bytes >= rule.bytes && starts_at_multiple(view, rule.start.bytes) &&
           misalignment_of(view, rule.alignment) == 0;
  }

 private:
  class checked_views;
  void queue_programs(backend::queue& on, const run_kind& kind, backend::run run,
                      const backend::mark* awaited) const;

  view_owner own_;
  const char* noun_;
  start_rule workspace_;
  std::size_t workspace_bytes_ = 0;
};

}  // namespace wingbeat::operations
