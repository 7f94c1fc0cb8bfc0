// SPDX-License-Identifier: Apache-2.0
// A plan as a list of kernel launches: the same for every engine that compiles kernels.
#include <fmt/core.h>

#include <algorithm>  // max
#include <complex>
#include <utility>  // exchange, move
#include <vector>

#include "backend/kernel.hpp"  // kernel, kernel_compiler
#include "planner/recipe.hpp"  // make_recipe
#include "planner/roots.hpp"   // table_of
#include "planner/unit.hpp"    // unit_text, entry_of
#include "wingbeat/error.hpp"  // device_error, plan_error

namespace wingbeat::backend {
namespace {

using planner::launch;
using planner::pass_side;
using planner::place;

/// Device memory that lives as long as the plan.
class table_memory {
 public:
  table_memory(std::shared_ptr<queue> owner, std::size_t size_bytes)
      : owner_(std::move(owner)), view_{owner_->allocate(size_bytes), 0, size_bytes} {}
  table_memory(table_memory&& other) noexcept
      : owner_(std::move(other.owner_)), view_(std::exchange(other.view_, {})) {}
  table_memory& operator=(table_memory&&) = delete;
  ~table_memory() {
    if (view_.handle != nullptr) owner_->release(view_.handle);
  }
  [[nodiscard]] buffer_view view() const { return view_; }

  /// Writes bytes at an offset, and returns where they end.
  std::size_t write(const void* from, std::size_t size_bytes, std::size_t at) {
    if (size_bytes > 0) owner_->write({view_.handle, at, size_bytes}, from);
    return at + size_bytes;
  }

 private:
  std::shared_ptr<queue> owner_;
  buffer_view view_;
};

/// What a launch reads beside its data: the functors' parameters, then each pass's roots.
template <class Real>
table_memory upload(const std::shared_ptr<queue>& where, const launch& one) {
  const std::vector<std::byte> blocks = one.parameter_blocks();
  std::vector<std::vector<std::complex<Real>>> roots;
  std::size_t bytes = blocks.size();
  for (const planner::pass& each : one.passes) {
    roots.push_back(planner::table_of<Real>(each));
    bytes += roots.back().size() * sizeof(roots.back()[0]);
  }
  table_memory table{where, std::max(bytes, sizeof(std::complex<Real>))};  // never none
  std::size_t at = table.write(blocks.data(), blocks.size(), 0);
  for (const auto& each : roots) at = table.write(each.data(), each.size() * sizeof(each[0]), at);
  return table;
}

bool has_functor(const launch& one) {
  return one.passes.front().in.fused || one.passes.back().out.fused;
}

/// Compiles one launch. With a functor, what the compiler objects to is the request's text.
std::shared_ptr<const kernel> compiled_as(const kernel_compiler& compiler,
                                          const std::shared_ptr<queue>& where, const launch& one) {
  try {
    return compiler.compile(
        where, {planner::unit_text(one), planner::entry_of(one), one.passes.front().threads(),
                one.scratch_bytes(), one.workgroups(), one.passes.front().workgroups_of_cluster,
                one.passes.front().resident, "wingbeat_pass.cpp"});
  } catch (const device_error& refused) {
    const std::string_view said = refused.what();
    const bool is_of_text = said.find("error:") != std::string_view::npos;
    if (!has_functor(one) || !is_of_text) throw;
    throw plan_error(
        fmt::format("a functor of this plan does not compile; the messages below count its lines "
                    "from 1, so correct its text: {}",
                    said));
  }
}

/// The same; but where a functor takes so many registers that others spill, elements are not loaded
/// early.
std::shared_ptr<const kernel> compiled(const kernel_compiler& compiler,
                                       const std::shared_ptr<queue>& where, launch one) {
  auto made = compiled_as(compiler, where, one);
  if (!has_functor(one) || made->resources().spill_bytes <= 0) return made;
  one.passes.front().loads_early = false;
  auto later = compiled_as(compiler, where, one);
  return later->resources().spill_bytes < made->resources().spill_bytes ? later : made;
}

class compiled_plan final : public plan {
 public:
  compiled_plan(const kernel_compiler& compiler, const std::shared_ptr<queue>& where,
                planner::recipe chosen)
      : recipe_(std::move(chosen)) {
    for (const launch& one : recipe_.launches) {
      auto table = one.passes.front().real == precision::fp64 ? upload<double>(where, one)
                                                              : upload<float>(where, one);
      steps_.push_back({one, std::move(table), compiled(compiler, where, one)});
    }
  }

  std::size_t workspace_bytes() const noexcept override { return recipe_.workspace_bytes(); }
  std::size_t traffic_bytes() const noexcept override { return recipe_.traffic_bytes(); }
  double predicted_fraction(std::size_t copied_bytes) const override {
    return recipe_.predicted_fraction(copied_bytes);
  }
  std::size_t bin_at(std::size_t place) const override { return recipe_.bin_at(place); }
  std::string explain() const override { return recipe_.describe(); }

  std::vector<kernel_resources> resources() const override {
    std::vector<kernel_resources> all;
    for (const step& each : steps_) all.push_back(each.made->resources());
    return all;
  }

  void enqueue(queue& on, buffer_view in, buffer_view out, buffer_view workspace) const override {
    for (const step& each : steps_) {
      const pass_side& reads = each.does.passes.front().in;
      const pass_side& writes = each.does.passes.back().out;
      const buffer_view from = locate(reads.where, in, out, workspace);
      const buffer_view to = locate(writes.where, in, out, workspace);
      if (const std::size_t counters = each.does.counter_bytes(); counters > 0) {
        on.clear({workspace.handle, workspace.offset_bytes, counters});
      }
      each.made->launch(on, each.does.workgroups(),
                        {.in = from,
                         .out = to,
                         .table = each.table.view(),
                         .in_first = first_element(from, reads.buffer_element_bytes()),
                         .out_first = first_element(to, writes.buffer_element_bytes()),
                         .batch = each.does.passes.front().rows,
                         .workspace = workspace});
    }
  }

 private:
  struct step {
    launch does;
    table_memory table;
    std::shared_ptr<const kernel> made;
  };

  buffer_view locate(place what, buffer_view in, buffer_view out, buffer_view workspace) const {
    switch (what) {
      case place::input: return in;
      case place::output: return out;
      case place::workspace_a: return workspace;
      case place::workspace_b: workspace.offset_bytes += recipe_.workspace_a_bytes; break;
    }
    return workspace;
  }

  static std::size_t first_element(buffer_view of, std::size_t element_bytes) {
    if (of.offset_bytes % element_bytes == 0) return of.offset_bytes / element_bytes;
    throw plan_error(
        fmt::format("a buffer starts at byte {}; kernels need a multiple of {}, the size "
                    "of a complex number (two reals)",
                    of.offset_bytes, element_bytes));
  }

  planner::recipe recipe_;
  std::vector<step> steps_;
};

}  // namespace

std::shared_ptr<const plan> make_compiled_plan(const kernel_compiler& compiler,
                                               const std::shared_ptr<queue>& where,
                                               const plan_spec& what) {
  return make_compiled_plan(compiler, where, planner::make_recipe(what, where->device()));
}

std::shared_ptr<const plan> make_compiled_plan(const kernel_compiler& compiler,
                                               const std::shared_ptr<queue>& where,
                                               planner::recipe chosen) {
  return std::make_shared<compiled_plan>(compiler, where, std::move(chosen));
}

}  // namespace wingbeat::backend
