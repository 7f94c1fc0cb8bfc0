// SPDX-License-Identifier: Apache-2.0
// An operation: programs that are prepared once and run often, and a table of the views of a run.
// This is the only code that checks views, provides workspace, runs, and reports on what runs.
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

/// Where the programs of a run find an operand, in a `backend::run`; flags that may be combined.
/// Functors get their operands in the table's order, limited to the bytes that the table states.
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
  std::size_t bytes = 0;       ///< Bytes that a run reads or writes, from its start.
  start_rule start = {};
  bool is_written = false;
  /// Only specs in which this field is true have the operand.
  std::string_view field = {};
  bool is_there = true;
  std::size_t alignment = 1;  ///< Alignment of its pointer on the engine; set by `operation::add`.
};

/// The distances in memory from one run of a program to the next, per signal.
struct advance {
  std::size_t in = 0, filter = 0, out = 0;
};

/// A program and how often it runs, with `count` signals each time; 0: once, with all signals.
struct repeated_program {
  std::shared_ptr<const programs::prepared_program> steps;
  std::size_t times = 1, count = 0;
};

/// One kind of run: its operands, and the programs that it queues.
struct run_kind {
  std::string_view title = {};  ///< "gradient of signals"; empty if the run is the only one.
  std::vector<operand_rule> operands = {};
  std::vector<repeated_program> programs = {};
  advance distances = {};
  /// Whether input and output may be the same place.
  bool may_be_one_place = false;
  /// Parameters of the functors that take arguments in each run.
  std::span<const kernel_parameter> load = {}, store = {}, multiplier = {};

  [[nodiscard]] std::size_t workspace_bytes() const;
  [[nodiscard]] std::size_t traffic_bytes() const;
};

/// The arguments of one run: a view for each operand of its kind, and arguments of functors.
struct given_run {
  std::span<const buffer_view> views = {};
  buffer_view workspace = {};
  std::span<const kernel_argument> load = {}, store = {}, multiplier = {};
  /// If set, a mark of another queue; the output is written only after it.
  const backend::mark* awaited = nullptr;
};

/// Immutable once made; many threads may run it, each on its own queue.
class operation {
 public:
  /// `noun`, a literal, is its name in messages; `workspace` is the start rule of workspaces.
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

  /// Throws `plan_error` unless a queue is of the operation's device, or an operand obeys its rule.
  void require_queue(const queue& on) const { own_.require_queue(*on.impl()); }
  void require_operand(const operand_rule& rule, const buffer_view& given, const queue& on) const;

  /// Checks all views and arguments of a run, and queues it. Throws `plan_error`.
  void enqueue(queue& on, const run_kind& kind, const given_run& given) const;

  /// Returns the kind of run that `traffic_bytes`, `passes` and `resources` describe.
  [[nodiscard]] virtual const run_kind& running() const = 0;

 protected:
  /// Returns the kinds that `explain` describes, in order.
  [[nodiscard]] virtual std::vector<const run_kind*> explained() const { return {&running()}; }
  /// Return the text before the passes, after the bytes moved, and at the end.
  [[nodiscard]] virtual std::string heading() const { return {}; }
  [[nodiscard]] virtual std::string comparison() const { return {}; }
  [[nodiscard]] virtual std::string outlook() const { return {}; }
  /// Throws `plan_error` for an input and an output that are the same place but may not be.
  virtual void refuse_one_place(const operand& in, const operand& out) const;

  /// Completes a kind's table, and reserves the workspace that it needs on the queue.
  void add(run_kind& kind, const queue& on);

  /// Returns whether a view obeys its rule on this queue. Inline, because it costs as much as the
  /// transform of a short row; `require_operand` words the error.
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
