// SPDX-License-Identifier: Apache-2.0
#include "operations/operation.hpp"

#include <algorithm>  // max, none_of
#include <array>

#include "arrays/view_part.hpp"  // part_of, rest_of
#include "text/formatted.hpp"    // formatted
#include "text/moved_from.hpp"   // refuse_moved_from
#include "text/reject.hpp"       // reject
#include "views/arguments.hpp"   // require_functors

namespace wingbeat::operations {
namespace {

constexpr std::size_t max_operands = 10;

bool is_given(const buffer_view& view) {
  return view.handle != nullptr || view.size_bytes != 0;
}

/// The views of a run in the places where its programs and functors find them.
struct placed_run {
  placed_run(const run_kind& kind, const given_run& given) {
    run.workspace = given.workspace;
    for (std::size_t i = 0; i < kind.operands.size(); ++i) {
      const operand_rule& rule = kind.operands[i];
      if (!rule.is_there) continue;
      const buffer_view& view = given.views[i];
      if ((rule.uses & as_in) != 0) run.in = view;
      if ((rule.uses & as_out) != 0) run.out = view;
      if ((rule.uses & as_filter) != 0) run.filter = view;
      if ((rule.uses & as_other_out) != 0) run.other_out = view;
      if ((rule.uses & by_load) != 0) load.emplace_back(part_of(view, 0, rule.bytes));
      if ((rule.uses & by_store) != 0) store.emplace_back(part_of(view, 0, rule.bytes));
    }
    run.load = load.empty() ? given.load : load;
    run.store = store.empty() ? given.store : store;
    run.multiplier = given.multiplier;
  }

  std::vector<kernel_argument> load, store;
  backend::run run = {};
};

}  // namespace

/// The views of a run, each checked alone and against those before it. They are not copied out of
/// their table, because a copy would cost as much as a short run.
class operation::checked_views {
 public:
  checked_views(const operation& owner, const run_kind& kind, const backend::queue& on)
      : owner_(owner), kind_(kind), on_(on) {}

  void add(const operand_rule& rule, const buffer_view& view) {
    reject_if(!rule.is_there && is_given(view),
              "a run has a {} and {} is false; set it, or give none", rule.name, rule.field);
    if (!rule.is_there || rule.bytes == 0) return;
    const checked_view added{&rule, &view};
    if (!fits(rule, view, on_)) owner_.own_.require_operand(added.named(), rule.start, on_);
    for (std::size_t i = 0; i < count_; ++i) {
      if (rule.is_written || all_[i].rule->is_written) require_apart(all_[i], added);
    }
    all_[count_++] = added;
  }

  void require_functors(const given_run& given) const {
    const given_functor functors[] = {{"the load functor", kind_.load, given.load},
                                      {"the store functor", kind_.store, given.store},
                                      {"the multiplier", kind_.multiplier, given.multiplier}};
    const auto has_any = [](const given_functor& each) {
      return !each.parameters.empty() || !each.arguments.empty();
    };
    if (std::none_of(std::begin(functors), std::end(functors), has_any)) return;
    std::vector<operand> read, written;
    for (std::size_t i = 0; i < count_; ++i) {
      (all_[i].rule->is_written ? written : read).push_back(all_[i].named());
    }
    wingbeat::require_functors(functors, read, written, on_);
  }

 private:
  struct checked_view {
    const operand_rule* rule;
    const buffer_view* view;
    [[nodiscard]] operand named() const { return {rule->name, *view, rule->bytes}; }
  };

  void require_apart(const checked_view& before, const checked_view& added) const {
    const engine runs_on = owner_.runs_on();
    if (are_apart(*before.view, before.rule->bytes, *added.view, added.rule->bytes, runs_on)) {
      return;
    }
    const bool is_one_place = start_together(*before.view, *added.view, runs_on) &&
                              before.rule->uses == as_in && added.rule->uses == as_out;
    if (!is_one_place) return wingbeat::require_apart(before.named(), added.named(), runs_on);
    if (!kind_.may_be_one_place) owner_.refuse_one_place(before.named(), added.named());
  }

  const operation& owner_;
  const run_kind& kind_;
  const backend::queue& on_;
  std::array<checked_view, max_operands> all_;
  std::size_t count_ = 0;
};

std::size_t run_kind::workspace_bytes() const {
  std::size_t bytes = 0;
  for (const auto& each : programs)
    bytes = std::max(bytes, each.steps->program().workspace_bytes());
  return bytes;
}

std::size_t run_kind::traffic_bytes() const {
  std::size_t bytes = 0;
  for (const auto& each : programs) bytes += each.times * each.steps->program().traffic_bytes();
  return bytes;
}

std::vector<pass_info> operation::passes() const {
  std::vector<pass_info> list;
  for (const auto& [steps, times, count] : running().programs) {
    const std::vector<pass_info> passes = steps->passes();
    for (std::size_t i = 0; i < times; ++i) list.insert(list.end(), passes.begin(), passes.end());
  }
  return list;
}

std::vector<kernel_resources> operation::resources() const {
  std::vector<kernel_resources> list;
  for (const auto& each : running().programs) {
    for (const kernel_resources& kernel : each.steps->resources()) list.push_back(kernel);
  }
  return list;
}

std::string operation::explain() const {
  std::string text = heading();
  for (const run_kind* const kind : explained()) {
    if (kind->programs.empty()) continue;
    if (!kind->title.empty()) text += formatted("{}:\n", kind->title);
    for (const auto& [steps, times, count] : kind->programs) {
      if (count != 0) text += formatted("{} times, {} at once:\n", times, count);
      text += steps->program().describe();
    }
    text += formatted("moves {} bytes{}\n", kind->traffic_bytes(), comparison());
  }
  return text + formatted("workspace {} bytes\n", workspace_bytes()) + outlook();
}

void operation::add(run_kind& kind, const queue& on) {
  for (operand_rule& each : kind.operands) each.alignment = each.start.alignment_on(runs_on());
  workspace_bytes_ = std::max(workspace_bytes_, kind.workspace_bytes());
  on.impl()->reserve(workspace_bytes_);
}

void operation::require_operand(const operand_rule& rule, const buffer_view& given,
                                const queue& on) const {
  own_.require_operand({rule.name, given, rule.bytes}, rule.start, *on.impl());
}

void operation::refuse_one_place(const operand& in, const operand& out) const {
  require_apart(in, out, runs_on());
}

void operation::enqueue(queue& on, const run_kind& kind, const given_run& given) const {
  require_queue(on);
  checked_views views{*this, kind, *on.impl()};
  for (std::size_t i = 0; i < kind.operands.size(); ++i) {
    views.add(kind.operands[i], given.views[i]);
  }
  const std::size_t needed = workspace_bytes();
  const bool is_own = is_given(given.workspace);
  const operand_rule workspace{.name = "workspace",
                               .bytes = needed,
                               .start = workspace_,
                               .is_written = true,
                               .alignment = workspace_.alignment_on(runs_on())};
  if (is_own) views.add(workspace, given.workspace);
  views.require_functors(given);
  placed_run placed{kind, given};
  if (needed == 0 || is_own) return queue_programs(*on.impl(), kind, placed.run, given.awaited);
  const auto lent = on.impl()->lend(needed);
  placed.run.workspace = lent.view();
  queue_programs(*on.impl(), kind, placed.run, given.awaited);
}

void operation::queue_programs(backend::queue& on, const run_kind& kind, backend::run run,
                               const backend::mark* awaited) const {
  for (const auto& [steps, times, count] : kind.programs) {
    for (std::size_t i = 0; i < times; ++i) {
      steps->enqueue(on, run, awaited);
      if (count == 0) continue;
      run.in = rest_of(run.in, count * kind.distances.in);
      run.filter = rest_of(run.filter, count * kind.distances.filter);
      run.out = rest_of(run.out, count * kind.distances.out);
    }
  }
}

}  // namespace wingbeat::operations

namespace wingbeat {

prepared_operation::prepared_operation(std::unique_ptr<const operations::operation> prepared)
    : prepared_(std::move(prepared)), noun_(prepared_->noun()) {}
prepared_operation::prepared_operation(prepared_operation&&) noexcept = default;
prepared_operation& prepared_operation::operator=(prepared_operation&&) noexcept = default;
prepared_operation::~prepared_operation() = default;

void prepared_operation::refuse_moved_from() const {
  wingbeat::refuse_moved_from(noun_);
}

std::size_t prepared_operation::workspace_bytes() const {
  return owned().workspace_bytes();
}
std::size_t prepared_operation::traffic_bytes() const {
  return owned().traffic_bytes();
}
std::vector<pass_info> prepared_operation::passes() const {
  return owned().passes();
}
std::vector<kernel_resources> prepared_operation::resources() const {
  return owned().resources();
}
std::string prepared_operation::explain() const {
  return owned().explain();
}

}  // namespace wingbeat
