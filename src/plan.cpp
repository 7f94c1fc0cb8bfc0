// SPDX-License-Identifier: Apache-2.0
#include "wingbeat/plan.hpp"

#include "arguments.hpp"                  // require_functors
#include "formatted.hpp"                  // formatted
#include "moved_from.hpp"                 // require_owned
#include "programs/prepared_program.hpp"  // prepared_transform
#include "request/validation.hpp"         // validated
#include "views.hpp"                      // view_owner, operand, start_rule
#include "wingbeat/error.hpp"             // plan_error

namespace wingbeat {

struct plan::impl {
  request::resolved_spec request;
  view_owner own;
  bool may_be_one_place;  ///< Input and output.
  std::size_t in_bytes, out_bytes;
  start_rule in_start, out_start, workspace_start;
  std::size_t in_alignment, out_alignment;  ///< What the rules ask for on this engine.
  std::shared_ptr<const programs::prepared_program> prepared;
  backend::direct_run direct;

  /// Returns whether `view_owner::require_operand` accepts a view.
  [[nodiscard]] static bool is_usable(const buffer_view& view, std::size_t used_bytes,
                                      std::size_t unit_bytes, std::size_t alignment,
                                      const backend::queue& on) {
    return has_memory(view) && is_in_address_space(view) && is_reachable(view, on) &&
           view.size_bytes >= used_bytes && starts_at_multiple(view, unit_bytes) &&
           misalignment_of(view, alignment) == 0;
  }

  /// Returns whether input and output are one place where the plan allows for it, or apart.
  [[nodiscard, gnu::always_inline]] bool are_usable(const buffer_view& in, const buffer_view& out,
                                                    const backend::queue& on,
                                                    engine runs_on) const {
    return is_usable(in, in_bytes, in_start.bytes, in_alignment, on) &&
           is_usable(out, out_bytes, out_start.bytes, out_alignment, on) &&
           (start_together(in, out, runs_on) ? may_be_one_place
                                             : are_apart(in, in_bytes, out, out_bytes, runs_on));
  }

  /// Returns whether a run is no more than its direct call. Tests for one engine, and nothing that
  /// has to be saved: together they take as long as the transform of two or three points.
  [[nodiscard, gnu::always_inline]] bool is_direct(const buffer_view& in, const buffer_view& out,
                                                   const backend::queue& on) const {
    return direct.call != nullptr && on.device().runs_on == engine::host &&
           are_usable(in, out, on, engine::host);
  }

  /// Checks the queue, input and output, and runs.
  [[gnu::noinline]] void run_checked(queue& on, const buffer_view& in, const buffer_view& out,
                                     const run_operands& given,
                                     const buffer_view& workspace) const {
    own.require_queue(*on.impl());
    if (!are_usable(in, out, *on.impl(), own.runs_on)) refuse_sides(in, out, *on.impl());
    run(on, in, out, given, workspace);
  }

  /// Throws for the first of the sides' faults.
  [[gnu::cold, gnu::noinline]] void refuse_sides(const buffer_view& in, const buffer_view& out,
                                                 const backend::queue& on) const {
    own.require_operand(input(in), in_start, on);
    own.require_operand(output(out), out_start, on);
    if (start_together(in, out, own.runs_on)) refuse_one_place();
    require_apart(input(in), output(out), own.runs_on);
  }

  [[nodiscard]] operand input(const buffer_view& view) const { return {"input", view, in_bytes}; }
  [[nodiscard]] operand output(const buffer_view& view) const {
    return {"output", view, out_bytes};
  }

  void require_workspace(const operand& scratch, const operand& in, const operand& out,
                         const backend::queue& on) const {
    own.require_operand(scratch, workspace_start, on);
    require_apart(in, scratch, own.runs_on);
    require_apart(out, scratch, own.runs_on);
  }

  [[noreturn]] void refuse_one_place() const {
    if (request.spec.load.is_given() || request.spec.store.is_given()) {
      throw plan_error(
          "a plan with a functor was given one buffer for input and output, where the functor may "
          "read what was already overwritten; give it two buffers");
    }
    if (request.kind.has_half_spectrum()) {
      throw plan_error(
          "a real transform planned out of place was given one buffer for input and output; plan "
          "it with placement::in_place, or give it two buffers");
    }
    throw plan_error(
        "a plan whose input and output lie differently was given one buffer for both; give it two");
  }

  /// Runs with checked input and output; checks the rest.
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
  auto prepared = programs::prepared_transform(on.impl(), request);
  on.impl()->reserve(prepared->program().workspace_bytes());
  const start_rule in_start = input_start(request), out_start = output_start(request);
  impl_.reset(new impl{.request = request,
                       .own = {"plan", on.device()},
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
  return require_owned(impl_, "plan").prepared->program().workspace_bytes();
}

std::size_t plan::bin_at(std::size_t place) const {
  const impl& mine = require_owned(impl_, "plan");
  const std::size_t n = mine.request.spec.lengths.back();
  if (place >= n) {
    throw plan_error(formatted("element {} of an axis of {} has no bin; ask for one of 0 to {}",
                               place, n, n - 1));
  }
  if (mine.request.spec.bins == bin_order::natural) return place;
  return mine.prepared->program().bin_at(place);
}

std::size_t plan::traffic_bytes() const {
  return require_owned(impl_, "plan").prepared->program().traffic_bytes();
}

std::vector<pass_info> plan::passes() const {
  return require_owned(impl_, "plan").prepared->passes();
}

std::vector<kernel_resources> plan::resources() const {
  return require_owned(impl_, "plan").prepared->resources();
}

double plan::predicted_fraction() const {
  const impl& mine = require_owned(impl_, "plan");
  return mine.prepared->program().predicted_fraction(mine.request.copied_bytes());
}

std::string plan::explain() const {
  std::string text = require_owned(impl_, "plan").prepared->program().describe();
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
  if (mine.is_direct(in, out, *on.impl())) {
    return mine.direct.call(mine.direct.prepared, start_of(in), start_of(out));
  }
  mine.run_checked(on, in, out, {}, workspace);
}

void plan::enqueue_with(queue& on, const buffer_view& in, const buffer_view& out,
                        const run_operands& given, const buffer_view& workspace) const {
  require_owned(impl_, "plan").run_checked(on, in, out, given, workspace);
}

void plan::impl::run(queue& on, const buffer_view& in, const buffer_view& out,
                     const run_operands& given, const buffer_view& workspace) const {
  const operand scratch{"workspace", workspace, prepared->program().workspace_bytes()};
  const bool is_own = workspace.handle != nullptr || workspace.size_bytes != 0;
  const bool uses_own = scratch.used_bytes != 0 && is_own;
  if (uses_own) require_workspace(scratch, input(in), output(out), *on.impl());
  const given_functor functors[] = {
      {"the load functor", request.spec.load.operands, given.load},
      {"the store functor", request.spec.store.operands, given.store},
      {"the multiplier", request.spec.multiplier.operands, given.multiplier}};
  const operand read[] = {input(in)}, written[] = {output(out), uses_own ? scratch : operand{}};
  require_functors(functors, read, written, *on.impl());
  backend::run run{.in = in,
                   .out = out,
                   .workspace = workspace,
                   .load = given.load,
                   .store = given.store,
                   .multiplier = given.multiplier};
  if (scratch.used_bytes == 0 || is_own) return prepared->enqueue(*on.impl(), run);
  const auto held = on.impl()->lock();
  run.workspace = on.impl()->workspace(scratch.used_bytes);
  prepared->enqueue(*on.impl(), run);
}

}  // namespace wingbeat
