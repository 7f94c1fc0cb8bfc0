// SPDX-License-Identifier: Apache-2.0
#include "wingbeat/plan.hpp"

#include <utility>  // move

#include "arguments.hpp"           // require_arguments, argument_views, require_views
#include "backend/backend.hpp"     // plan, engine_of
#include "formatted.hpp"           // formatted
#include "moved_from.hpp"          // require_owned
#include "request/validation.hpp"  // validated
#include "views.hpp"               // operand, start_rule
#include "wingbeat/error.hpp"      // plan_error

namespace wingbeat {

struct plan::impl {
  request::resolved_spec request;
  engine runs_on;
  int device_index;
  bool may_be_one_place;  ///< Input and output.
  std::size_t in_bytes, out_bytes;
  start_rule in_start, out_start, workspace_start;
  std::size_t in_alignment, out_alignment;  ///< What the rules ask for on this engine.
  std::shared_ptr<const backend::plan> prepared;
  backend::direct_run direct;

  void require_queue_of_device(const device_info& given) const {
    if (given.runs_on == runs_on && given.index == device_index) return;
    refuse_queue_of(given);
  }

  [[noreturn, gnu::cold, gnu::noinline]] void refuse_queue_of(const device_info& given) const {
    throw plan_error(
        formatted("this plan was made for {}:{} and the queue is of {}:{}; give it a "
                  "queue of its own device",
                  name_of(runs_on), device_index, name_of(given.runs_on), given.index));
  }

  /// Returns whether `require_operand` accepts a view.
  [[nodiscard]] static bool is_usable(const buffer_view& view, std::size_t used_bytes,
                                      std::size_t unit_bytes, std::size_t alignment,
                                      const backend::queue& on) {
    return has_memory(view) && is_in_address_space(view) && is_reachable(view, on) &&
           view.size_bytes >= used_bytes && starts_at_multiple(view, unit_bytes) &&
           misalignment_of(view, alignment) == 0;
  }

  void require_operand(const operand& given, const start_rule& rule,
                       const backend::queue& on) const {
    require_memory(given, on);
    if (given.view.size_bytes < given.used_bytes) {
      throw plan_error(formatted("the {} holds {} bytes; this plan needs {}", given.name,
                                 given.view.size_bytes, given.used_bytes));
    }
    require_start(given, rule, runs_on);
  }

  /// Input and output are one place where the plan allows for it, or apart.
  [[gnu::always_inline]] void require_sides(const buffer_view& in, const buffer_view& out,
                                            const backend::queue& on) const {
    const bool are_usable =
        is_usable(in, in_bytes, in_start.bytes, in_alignment, on) &&
        is_usable(out, out_bytes, out_start.bytes, out_alignment, on) &&
        (start_together(in, out, runs_on) ? may_be_one_place
                                          : are_apart(in, in_bytes, out, out_bytes, runs_on));
    if (!are_usable) refuse_sides(in, out, on);
  }

  /// Throws for the first of the sides' faults.
  [[gnu::cold, gnu::noinline]] void refuse_sides(const buffer_view& in, const buffer_view& out,
                                                 const backend::queue& on) const {
    require_operand(input(in), in_start, on);
    require_operand(output(out), out_start, on);
    if (start_together(in, out, runs_on)) refuse_one_place();
    require_apart(input(in), output(out), runs_on);
  }

  [[nodiscard]] operand input(const buffer_view& view) const { return {"input", view, in_bytes}; }
  [[nodiscard]] operand output(const buffer_view& view) const {
    return {"output", view, out_bytes};
  }

  void require_workspace(const operand& scratch, const operand& in, const operand& out,
                         const backend::queue& on) const {
    require_operand(scratch, workspace_start, on);
    require_apart(in, scratch, runs_on);
    require_apart(out, scratch, runs_on);
  }

  /// The memory of a run beside its operands. The output and the workspace are written.
  struct run_memory {
    operand input, output, workspace;
  };

  /// Views that are written overlap no other, and what is read does not overlap the output.
  void require_operands(const run_operands& given, const run_memory& run,
                        const backend::queue& on) const {
    constexpr std::string_view load = "the load functor", store = "the store functor";
    const plan_spec& spec = request.spec;
    require_arguments(load, spec.load.operands, given.load);
    require_arguments(store, spec.store.operands, given.store);
    if (given.load.empty() && given.store.empty()) return;
    const argument_views of_load{load, spec.load.operands, given.load};
    const argument_views of_store{store, spec.store.operands, given.store};
    std::vector<operand> read{run.input}, written{run.output, run.workspace};
    for (const argument_views* each : {&of_load, &of_store}) {
      require_views(each->read(), on);
      require_views(each->written(), on);
      read.insert(read.end(), each->read().begin(), each->read().end());
      written.insert(written.end(), each->written().begin(), each->written().end());
    }
    for (std::size_t i = 0; i < written.size(); ++i) {
      // Input, output and workspace were compared before.
      for (std::size_t j = i < 2 ? 1 : 0; j < read.size(); ++j) {
        require_apart(read[j], written[i], runs_on);
      }
      for (std::size_t j = 0; j < i && i >= 2; ++j) require_apart(written[j], written[i], runs_on);
    }
  }

  [[noreturn]] void refuse_one_place() const {
    if (request.spec.load.is_given() || request.spec.store.is_given()) {
      throw plan_error(
          "a plan with a functor was given one buffer for input and output, where the functor may "
          "read what was already overwritten; give it two buffers");
    }
    if (request.kind.is_real()) {
      throw plan_error(
          "a real transform planned out of place was given one buffer for input and output; plan "
          "it with placement::in_place, or give it two buffers");
    }
    throw plan_error(
        "a plan whose input and output lie differently was given one buffer for both; give it two");
  }

  /// Runs with checked input and output; checks the rest.
  void run(queue& on, const buffer_view& in, const buffer_view& out,
           const buffer_view& workspace) const;
  void run(queue& on, const buffer_view& in, const buffer_view& out, const run_operands& given,
           const buffer_view& workspace) const;
};

namespace {

std::byte* start_of(const buffer_view& view) {
  return static_cast<std::byte*>(view.handle) + view.offset_bytes;
}

}  // namespace

plan::plan(const queue& on, plan_spec spec) {
  const engine runs_on = on.device().runs_on;
  const request::resolved_spec request = request::validated(spec, on.device());
  auto prepared = backend::engine_of(runs_on).make_plan(on.impl(), request);
  on.impl()->reserve(prepared->workspace_bytes());
  const start_rule in_start = input_start(request), out_start = output_start(request);
  impl_.reset(new impl{.request = request,
                       .runs_on = runs_on,
                       .device_index = on.device().index,
                       .may_be_one_place = request.may_be_one_place(),
                       .in_bytes = request.in_bytes(),
                       .out_bytes = request.out_bytes(),
                       .in_start = in_start,
                       .out_start = out_start,
                       .workspace_start = workspace_start(spec),
                       .in_alignment = in_start.alignment_on(runs_on),
                       .out_alignment = out_start.alignment_on(runs_on),
                       .prepared = prepared,
                       .direct = prepared->direct()});
}
plan::plan(plan&&) noexcept = default;
plan& plan::operator=(plan&&) noexcept = default;
plan::~plan() = default;

const plan_spec& plan::spec() const {
  return require_owned(impl_, "plan").request.spec;
}

std::size_t plan::workspace_bytes() const {
  return require_owned(impl_, "plan").prepared->workspace_bytes();
}

std::size_t plan::bin_at(std::size_t place) const {
  const impl& mine = require_owned(impl_, "plan");
  const std::size_t n = mine.request.spec.lengths.back();
  if (place >= n) {
    throw plan_error(formatted("element {} of an axis of {} has no bin; ask for one of 0 to {}",
                               place, n, n - 1));
  }
  if (mine.request.spec.bins == bin_order::natural) return place;
  return mine.prepared->bin_at(place);
}

std::size_t plan::traffic_bytes() const {
  return require_owned(impl_, "plan").prepared->traffic_bytes();
}

std::vector<pass_info> plan::passes() const {
  return require_owned(impl_, "plan").prepared->passes();
}

std::vector<kernel_resources> plan::resources() const {
  return require_owned(impl_, "plan").prepared->resources();
}

double plan::predicted_fraction() const {
  const impl& mine = require_owned(impl_, "plan");
  return mine.prepared->predicted_fraction(mine.request.copied_bytes());
}

std::string plan::explain() const {
  std::string text = require_owned(impl_, "plan").prepared->explain();
  if (!text.empty() && text.back() != '\n') text += '\n';
  text += formatted("moves {} bytes; a copy of input and output moves {}\n", traffic_bytes(),
                    impl_->request.copied_bytes());
  text += formatted("workspace {} bytes\n", workspace_bytes());
  if (const double fraction = predicted_fraction(); fraction > 0) {
    text += formatted("expected at {:.2f} of the copy's speed\n", fraction);
  }
  return text;
}

void plan::enqueue(queue& on, const buffer_view& in, const buffer_view& out,
                   const buffer_view& workspace) const {
  const impl& mine = require_owned(impl_, "plan");
  mine.require_queue_of_device(on.impl()->device());
  mine.require_sides(in, out, *on.impl());
  if (mine.direct.call != nullptr) {
    return mine.direct.call(mine.direct.prepared, start_of(in), start_of(out));
  }
  mine.run(on, in, out, workspace);
}

void plan::enqueue_with(queue& on, const buffer_view& in, const buffer_view& out,
                        const run_operands& given, const buffer_view& workspace) const {
  const impl& mine = require_owned(impl_, "plan");
  mine.require_queue_of_device(on.impl()->device());
  mine.require_sides(in, out, *on.impl());
  mine.run(on, in, out, given, workspace);
}

void plan::impl::run(queue& on, const buffer_view& in, const buffer_view& out,
                     const buffer_view& workspace) const {
  run(on, in, out, run_operands{}, workspace);
}

void plan::impl::run(queue& on, const buffer_view& in, const buffer_view& out,
                     const run_operands& given, const buffer_view& workspace) const {
  const operand scratch{"workspace", workspace, prepared->workspace_bytes()};
  const bool is_own = workspace.handle != nullptr || workspace.size_bytes != 0;
  const bool uses_own = scratch.used_bytes != 0 && is_own;
  if (uses_own) require_workspace(scratch, input(in), output(out), *on.impl());
  require_operands(given, {input(in), output(out), uses_own ? scratch : operand{}}, *on.impl());
  backend::run run{
      .in = in, .out = out, .workspace = workspace, .load = given.load, .store = given.store};
  if (scratch.used_bytes == 0 || is_own) return prepared->enqueue(*on.impl(), run);
  const auto held = on.impl()->lock();
  run.workspace = on.impl()->workspace(scratch.used_bytes);
  prepared->enqueue(*on.impl(), run);
}

}  // namespace wingbeat
