// SPDX-License-Identifier: Apache-2.0
#include "wingbeat/plan.hpp"

#include <algorithm>  // max

#include "operations/operation.hpp"       // operation, run_kind
#include "programs/prepared_program.hpp"  // prepared_transform
#include "request/validation.hpp"         // validated
#include "text/formatted.hpp"             // formatted
#include "text/reject.hpp"                // reject
#include "views/views.hpp"                // input_start, output_start, start_together
#include "wingbeat/error.hpp"             // plan_error

namespace wingbeat {

struct plan::impl final : operations::operation {
  impl(const queue& on, const request::resolved_spec& resolved)
      : operation("plan", on, workspace_start(resolved.spec)), request(resolved) {
    auto prepared = programs::prepared_transform(on.impl(), request);
    direct = prepared->direct();
    run = {.operands = {{.name = "input",
                         .uses = operations::as_in,
                         .bytes = request.in_bytes(),
                         .start = input_start(request)},
                        {.name = "output",
                         .uses = operations::as_out,
                         .bytes = request.out_bytes(),
                         .start = output_start(request),
                         .is_written = true}},
           .programs = {{std::move(prepared)}},
           .may_be_one_place = request.may_be_one_place(),
           .load = request.spec.load.operands,
           .store = request.spec.store.operands,
           .multiplier = request.spec.multiplier.operands};
    add(run, on);
  }

  /// Returns whether a run consists of its direct call only. Tests for one engine, without saving
  /// anything: together these tests take as long as the transform of two or three points.
  [[nodiscard, gnu::always_inline]] bool is_direct(const buffer_view& in, const buffer_view& out,
                                                   const backend::queue& on) const {
    return direct.call != nullptr && on.device().runs_on == engine::host &&
           fits(run.operands[0], in, on) && fits(run.operands[1], out, on) &&
           (start_together(in, out, engine::host)
                ? run.may_be_one_place
                : are_apart(in, run.operands[0].bytes, out, run.operands[1].bytes, engine::host));
  }

  [[nodiscard]] const operations::run_kind& running() const override { return run; }
  [[nodiscard]] const programs::program& program() const {
    return run.programs.front().steps->program();
  }
  [[nodiscard]] double predicted_fraction() const {
    return program().predicted_fraction(request.copied_bytes());
  }

  [[nodiscard]] std::string comparison() const override {
    return formatted("; a copy of input and output moves {}", request.copied_bytes());
  }
  [[nodiscard]] std::string outlook() const override {
    const double fraction = predicted_fraction();
    return fraction > 0 ? formatted("expected at {:.2f} of the copy's speed\n", fraction) : "";
  }

  void refuse_one_place(const operand& /*in*/, const operand& /*out*/) const override {
    reject_if(
        request.spec.load.is_given() || request.spec.store.is_given(),
        "a plan with a functor was given one buffer for input and output, where the functor may "
        "read what was already overwritten; give it two buffers");
    reject_if(
        request.kind.has_half_spectrum(),
        "a real transform planned out of place was given one buffer for input and output; plan "
        "it with placement::in_place, or give it two buffers");
    reject(
        "a plan whose input and output lie differently was given one buffer for both; give it two");
  }

  request::resolved_spec request;
  operations::run_kind run;
  backend::direct_run direct;
};

namespace {

std::byte* start_of(const buffer_view& view) {
  return static_cast<std::byte*>(view.handle) + view.offset_bytes;
}

/// Returns whether a plan runs once when it is made, on memory of its own, because PoCL generates a
/// kernel's code at its first launch. Plans with functors do not: functors need a run's operands
/// and may write anywhere.
bool runs_ahead(const request::resolved_spec& request, const device_info& device) {
  constexpr std::size_t max_bytes = std::size_t{64} << 20;
  const plan_spec& spec = request.spec;
  const bool has_functor =
      spec.load.is_given() || spec.store.is_given() || spec.multiplier.is_given();
  return device.architecture.starts_with("pocl") && !has_functor &&
         std::max(request.in_bytes(), request.out_bytes()) <= max_bytes;
}

void run_ahead(const plan& planned, queue on, std::size_t in_bytes, std::size_t out_bytes) try {
  const bool in_place = planned.spec().where == placement::in_place;
  const buffer in{on, in_place ? std::max(in_bytes, out_bytes) : in_bytes};
  const buffer out{on, in_place ? 1 : out_bytes};
  const buffer workspace{on, std::max<std::size_t>(planned.workspace_bytes(), 1)};
  planned.enqueue(on, in.view(), in_place ? in.view() : out.view(), workspace.view());
  on.wait();
} catch (const error&) {
  // Memory or a linker is missing: the first run says so.
}

}  // namespace

plan::plan(const queue& on, plan_spec spec)
    : prepared_operation(std::make_unique<const impl>(on, request::validated(spec, on.device()))) {
  const request::resolved_spec& request = own().request;
  if (runs_ahead(request, on.device())) {
    run_ahead(*this, on, request.in_bytes(), request.out_bytes());
  }
}

const plan::impl& plan::own() const {
  return static_cast<const impl&>(owned());
}

const plan_spec& plan::spec() const {
  return own().request.spec;
}

std::size_t plan::bin_at(std::size_t place) const {
  const impl& mine = own();
  const std::size_t n = mine.request.spec.lengths.back();
  reject_if(place >= n, "element {} of an axis of {} has no bin; ask for one of 0 to {}", place, n,
            n - 1);
  if (mine.request.spec.bins == bin_order::natural) return place;
  return mine.program().bin_at(place);
}

double plan::predicted_fraction() const {
  return own().predicted_fraction();
}

void plan::enqueue(queue& on, const buffer_view& in, const buffer_view& out,
                   const buffer_view& workspace) const {
  const impl& mine = own();
  if (mine.is_direct(in, out, *on.impl())) {
    return mine.direct.call(mine.direct.prepared, start_of(in), start_of(out));
  }
  enqueue_with(on, in, out, {}, workspace);
}

void plan::enqueue_with(queue& on, const buffer_view& in, const buffer_view& out,
                        const run_operands& given, const buffer_view& workspace) const {
  const impl& mine = own();
  const buffer_view views[] = {in, out};
  mine.operation::enqueue(on, mine.run,
                          {.views = views,
                           .workspace = workspace,
                           .load = given.load,
                           .store = given.store,
                           .multiplier = given.multiplier});
}

}  // namespace wingbeat
