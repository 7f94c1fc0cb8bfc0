// SPDX-License-Identifier: Apache-2.0
#include "wingbeat/plan.hpp"

#include <fmt/core.h>

#include <bit>      // has_single_bit
#include <limits>   // numeric_limits
#include <utility>  // move

#include "backend/backend.hpp"  // plan, engine_of
#include "fusion.hpp"           // require_functors, require_views
#include "wingbeat/error.hpp"   // plan_error

namespace wingbeat {
namespace {

/// The length of the one axis. Throws `plan_error` for any other number of axes.
std::size_t length_of(const plan_spec& what) {
  if (what.lengths.size() == 1) return what.lengths.front();
  throw plan_error(
      fmt::format("lengths has {} axes; this version transforms exactly one", what.lengths.size()));
}

std::size_t real_bytes(const plan_spec& what) {
  return what.real == precision::fp32 ? 4 : 8;
}

bool is_real(const plan_spec& what) {
  return what.kind == transform::forward_from_real || what.kind == transform::inverse_to_real;
}

std::size_t complex_row_bytes(const plan_spec& what) {
  const std::size_t n = length_of(what);
  return 2 * real_bytes(what) * (is_real(what) ? n / 2 + 1 : n);
}

std::size_t real_row_bytes(const plan_spec& what) {
  return what.where == placement::in_place ? complex_row_bytes(what)
                                           : real_bytes(what) * length_of(what);
}

void validate(const plan_spec& what, const device_info& where) {
  const std::size_t n = length_of(what);
  if (n < 2 || n > max_length || !std::has_single_bit(n)) {
    throw plan_error(fmt::format(
        "length {} cannot be transformed by this version; choose a power of two from 2 to {}", n,
        max_length));
  }
  if (what.batch == 0) throw plan_error("batch is 0; it counts transforms and is at least 1");
  if (what.batch > (std::numeric_limits<std::size_t>::max() >> 8) / n) {
    throw plan_error(fmt::format("batch {} of length {} exceeds the address space", what.batch, n));
  }
  if (what.real == precision::fp64 && !where.has_fp64) {
    throw plan_error(fmt::format("{} has no fp64; ask for precision::fp32", where.name));
  }
  require_functors(what, where.runs_on);
}

}  // namespace

std::string_view name_of(transform kind) noexcept {
  switch (kind) {
    case transform::forward: return "forward";
    case transform::inverse: return "inverse";
    case transform::forward_from_real: return "forward_from_real";
    case transform::inverse_to_real: return "inverse_to_real";
  }
  return "unknown";
}

std::string_view name_of(precision real) noexcept {
  return real == precision::fp32 ? "fp32" : "fp64";
}

std::string_view name_of(scaling scale) noexcept {
  switch (scale) {
    case scaling::none: return "none";
    case scaling::by_length: return "by_length";
    case scaling::by_sqrt_length: return "by_sqrt_length";
  }
  return "unknown";
}

std::size_t input_bytes(const plan_spec& what) {
  if (what.load.is_given()) return what.load.in_bytes;
  return what.batch * (what.kind == transform::forward_from_real ? real_row_bytes(what)
                                                                 : complex_row_bytes(what));
}

std::size_t output_bytes(const plan_spec& what) {
  if (what.store.is_given()) return what.store.out_bytes;
  return what.batch *
         (what.kind == transform::inverse_to_real ? real_row_bytes(what) : complex_row_bytes(what));
}

struct plan::impl {
  plan_spec spec;
  engine runs_on;
  int device_index;
  std::shared_ptr<const backend::plan> made;

  void require_queue_of_device(const device_info& given) const {
    if (given.runs_on == runs_on && given.index == device_index) return;
    throw plan_error(
        fmt::format("this plan was made for {}:{} and the queue is of {}:{}; give it a "
                    "queue of its own device",
                    name_of(runs_on), device_index, name_of(given.runs_on), given.index));
  }

  /// Rows of a real transform differ in size before and after: a batch run in place needs padding.
  void require_placement(buffer_view in, buffer_view out) const {
    const bool is_same = in.handle == out.handle && in.offset_bytes == out.offset_bytes;
    if (!is_same || !is_real(spec) || spec.where == placement::in_place) return;
    throw plan_error(
        "a real transform planned out of place was given one buffer for input and output; plan it "
        "with placement::in_place, or give it two buffers");
  }
};

plan::plan(const queue& where, plan_spec what) {
  validate(what, where.device());
  auto made = backend::engine_of(where.device().runs_on).make_plan(where.impl(), what);
  impl_.reset(
      new impl{std::move(what), where.device().runs_on, where.device().index, std::move(made)});
}
plan::plan(plan&&) noexcept = default;
plan& plan::operator=(plan&&) noexcept = default;
plan::~plan() = default;

const plan_spec& plan::spec() const noexcept {
  return impl_->spec;
}

std::size_t plan::workspace_bytes() const noexcept {
  return impl_->made->workspace_bytes();
}

std::size_t plan::traffic_bytes() const noexcept {
  return impl_->made->traffic_bytes();
}

std::vector<kernel_resources> plan::resources() const {
  return impl_->made->resources();
}

std::string plan::explain() const {
  return impl_->made->explain();
}

void plan::enqueue(queue& on, buffer_view in, buffer_view out, buffer_view workspace) const {
  const auto require = [](const char* what, std::size_t needed, buffer_view given) {
    if (given.size_bytes >= needed) return;
    throw plan_error(
        fmt::format("the {} holds {} bytes; this plan needs {}", what, given.size_bytes, needed));
  };
  impl_->require_queue_of_device(on.device());
  impl_->require_placement(in, out);
  require_views(impl_->spec, in, out);
  require("input", input_bytes(impl_->spec), in);
  require("output", output_bytes(impl_->spec), out);
  const std::size_t scratch = impl_->made->workspace_bytes();
  if (scratch == 0 || workspace.handle != nullptr) {
    require("workspace", scratch, workspace);
    return impl_->made->enqueue(*on.impl(), in, out, workspace);
  }
  const auto held = on.impl()->lock();
  impl_->made->enqueue(*on.impl(), in, out, on.impl()->workspace(scratch));
}

}  // namespace wingbeat
