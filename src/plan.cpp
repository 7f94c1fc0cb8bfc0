// SPDX-License-Identifier: Apache-2.0
#include "wingbeat/plan.hpp"

#include <fmt/format.h>

#include <algorithm>  // max
#include <bit>        // has_single_bit
#include <limits>     // numeric_limits
#include <utility>    // move

#include "backend/backend.hpp"  // plan, engine_of
#include "fusion.hpp"           // require_functors, require_views
#include "side.hpp"             // input_side, output_side
#include "wingbeat/error.hpp"   // plan_error

namespace wingbeat {
namespace {

/// Elements and units are numbered below this, so that no product of theirs with bytes overflows.
constexpr double most_elements = double(std::numeric_limits<std::size_t>::max() >> 8);

bool is_planned(std::size_t n) {
  return n >= 2 && n <= max_length && std::has_single_bit(n);
}

void require_lengths(const plan_spec& what) {
  if (what.lengths.empty() || what.lengths.size() > max_axes) {
    throw plan_error(fmt::format("lengths has {} axes; give 1 to {}, slowest first",
                                 what.lengths.size(), max_axes));
  }
  for (const std::size_t n : what.lengths) {
    if (is_planned(n)) continue;
    throw plan_error(fmt::format(
        "length {} cannot be transformed by this version; choose a power of two from 2 to {}", n,
        max_length));
  }
}

void require_batch(const plan_spec& what) {
  const std::vector<std::size_t>& counts = what.batch.counts();
  if (counts.empty()) {
    throw plan_error("batch has no dimensions; give one count, or one for each dimension");
  }
  double points = 1;
  for (const std::size_t n : what.lengths) points *= static_cast<double>(n);
  for (const std::size_t count : counts) {
    if (count == 0) {
      throw plan_error(
          fmt::format("batch is {}; it counts transforms, so make each number at least 1",
                      fmt::join(counts, "x")));
    }
    points *= static_cast<double>(count);
  }
  if (points <= most_elements) return;
  throw plan_error(
      fmt::format("batch {} of {} exceeds the address space; choose fewer or shorter transforms",
                  fmt::join(counts, "x"), fmt::join(what.lengths, "x")));
}

void require_entries(std::string_view field, std::size_t given, std::size_t wanted,
                     std::string_view of) {
  if (given == 0 || given == wanted) return;
  throw plan_error(fmt::format("{} has {} entries and there are {} {}; give one each, or none",
                               field, given, wanted, of));
}

/// Names of one side's fields.
struct side_names {
  std::string_view side, layout, valid, functor;
};
constexpr side_names input{"input", "in", "valid_in", "load"};
constexpr side_names output{"output", "out", "valid_out", "store"};

void require_counts(const plan_spec& what, const side_names& names, const memory_layout& as,
                    const std::vector<index_range>& valid) {
  const std::size_t axes = what.lengths.size();
  require_entries(fmt::format("{}.strides", names.layout), as.strides.size(), axes, "axes");
  require_entries(fmt::format("{}.distances", names.layout), as.distances.size(),
                  what.batch.counts().size(), "batch dimensions");
  require_entries(names.valid, valid.size(), axes, "axes");
}

void require_ranges(const side& of, const side_names& names) {
  for (std::size_t a = 0; a < of.axes.size(); ++a) {
    const auto [first, end] = of.axes[a].valid;
    if (first < end && end <= of.axes[a].length) continue;
    throw plan_error(
        fmt::format("{}[{}] is [{}, {}) and the axis has indices 0 to {}; give a "
                    "range within them that is not empty",
                    names.valid, a, first, end, of.axes[a].length - 1));
  }
}

void require_reach(const side& of, const side_names& names) {
  auto reach = static_cast<double>(of.imaginary_at);
  for (const auto& axis : of.axes) {
    reach += static_cast<double>(axis.length) * static_cast<double>(axis.stride);
  }
  for (const auto& batch : of.batches) {
    reach += static_cast<double>(batch.count) * static_cast<double>(batch.distance);
  }
  if (reach <= most_elements) return;
  throw plan_error(
      fmt::format("the {} layout reaches beyond the address space; choose smaller "
                  "{}.strides and {}.distances",
                  names.side, names.layout, names.layout));
}

void require_planes(const side& of, const side_names& names, const memory_layout& as) {
  if (of.imaginary_at == 0) return;
  if (of.is_real) {
    throw plan_error(
        fmt::format("{}.imaginary_at is {} and that side is real, without imaginary "
                    "parts; leave it 0",
                    names.layout, of.imaginary_at));
  }
  // An input may name a place twice, but not by defaults that do not know of its planes.
  if (!as.strides.empty() || !as.distances.empty() || !of.may_overlap()) return;
  throw plan_error(fmt::format(
      "{}.imaginary_at is {}, where packed transforms have real parts; make it at least "
      "the reals of all transforms, or state {}.distances",
      names.layout, of.imaginary_at, names.layout));
}

void require_side(const side& of, const side_names& names, const memory_layout& as) {
  require_ranges(of, names);
  require_reach(of, names);
  require_planes(of, names, as);
  if (&names != &output) return;
  const auto clash = of.find_clash();
  if (!clash) return;
  throw plan_error(
      fmt::format("the output layout has a step of {} and its smaller steps reach {} from an "
                  "element, so two elements may share a place; make each stride and distance of "
                  "out larger than what the smaller ones reach together",
                  clash->step, clash->reach));
}

void require_layouts(const plan_spec& what) {
  require_counts(what, input, what.in, what.valid_in);
  require_counts(what, output, what.out, what.valid_out);
  require_side(input_side(what), input, what.in);
  require_side(output_side(what), output, what.out);
}

bool is_placed(const memory_layout& as, const std::vector<index_range>& valid) {
  return !as.is_packed() || !valid.empty();
}

/// Functors come before: with one, a plan in place is refused for another reason.
void require_in_place(const plan_spec& what) {
  if (what.where != placement::in_place) return;
  if (!is_real(what.kind)) {
    if (are_alike(input_side(what), output_side(what))) return;
    throw plan_error(
        "a plan in place was given an input and an output that lie differently; give in and out, "
        "valid_in and valid_out the same values, or plan it out of place");
  }
  if (!is_placed(what.in, what.valid_in) && !is_placed(what.out, what.valid_out)) return;
  throw plan_error(
      "a real transform in place has its own padded layout; leave in, out and the ranges empty, "
      "or plan it out of place");
}

void require_functors_alone(const plan_spec& what) {
  const auto require = [](const side_names& names, bool is_given, bool is_placed_too) {
    if (!is_given || !is_placed_too) return;
    throw plan_error(fmt::format(
        "the {} functor places elements itself and {} or {} was given too; leave both empty",
        names.functor, names.layout, names.valid));
  };
  require(input, what.load.is_given(), is_placed(what.in, what.valid_in));
  require(output, what.store.is_given(), is_placed(what.out, what.valid_out));
}

/// What must hold before sizes can be told.
void require_shape(const plan_spec& what) {
  require_lengths(what);
  require_batch(what);
  require_layouts(what);
}

void require_bins(const plan_spec& what) {
  if (what.bins == bin_order::natural) return;
  const auto& ranges = what.kind == transform::forward ? what.valid_out : what.valid_in;
  std::string_view why;
  if (is_real(what.kind)) {
    why = "the bins of real transforms lie in natural order";
  } else if (what.lengths.size() > 1) {
    why = "the bins of several axes lie in natural order";
  } else if (!what.in.is_packed() || !what.out.is_packed()) {
    why = "scrambled bins are packed, and so are their samples; leave in and out empty";
  } else if (!ranges.empty()) {
    why = "scrambled bins are all in memory; leave their range empty";
  }
  if (why.empty()) return;
  throw plan_error(fmt::format("bins are to be scrambled and {}; or ask for natural order", why));
}

void validate(const plan_spec& what, const device_info& where) {
  require_shape(what);
  require_functors_alone(what);
  require_bins(what);
  if (what.real == precision::fp64 && !where.has_fp64) {
    throw plan_error(fmt::format("{} has no fp64; ask for precision::fp32", where.name));
  }
  require_functors(what, where.runs_on);
  require_in_place(what);
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
  switch (real) {
    case precision::fp32: return "fp32";
    case precision::fp64: return "fp64";
    case precision::fp16: return "fp16";
    case precision::bf16: return "bf16";
  }
  return "unknown";
}

std::string_view name_of(scaling scale) noexcept {
  switch (scale) {
    case scaling::none: return "none";
    case scaling::by_length: return "by_length";
    case scaling::by_sqrt_length: return "by_sqrt_length";
  }
  return "unknown";
}

std::string_view name_of(bin_order bins) noexcept {
  return bins == bin_order::natural ? "natural" : "scrambled";
}

namespace {

/// A real transform in place has one buffer, which holds the padded rows and the bins alike.
std::size_t memory_bytes(const plan_spec& what, const side& of) {
  const bool is_padded = is_real(what.kind) && what.where == placement::in_place;
  return is_padded ? std::max(input_side(what).bytes(), output_side(what).bytes()) : of.bytes();
}

}  // namespace

std::size_t input_bytes(const plan_spec& what) {
  require_shape(what);
  return what.load.is_given() ? what.load.in_bytes : memory_bytes(what, input_side(what));
}

std::size_t output_bytes(const plan_spec& what) {
  require_shape(what);
  return what.store.is_given() ? what.store.out_bytes : memory_bytes(what, output_side(what));
}

struct plan::impl {
  plan_spec spec;
  engine runs_on;
  int device_index;
  bool is_alike;  ///< Input and output lie in the same places.
  std::size_t in_bytes, out_bytes;
  std::shared_ptr<const backend::plan> made;

  /// Returns what a plain copy of the elements in memory would move.
  [[nodiscard]] std::size_t copied_bytes() const {
    const auto in = spec.load.is_given() ? in_bytes : input_side(spec).occupied_bytes();
    const auto out = spec.store.is_given() ? out_bytes : output_side(spec).occupied_bytes();
    return in + out;
  }

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
    if (!is_same) return;
    if (is_real(spec.kind)) {
      if (spec.where == placement::in_place) return;
      throw plan_error(
          "a real transform planned out of place was given one buffer for input and output; plan "
          "it with placement::in_place, or give it two buffers");
    }
    if (is_alike) return;
    throw plan_error(
        "a plan whose input and output lie differently was given one buffer for both; give it two");
  }
};

plan::plan(const queue& where, plan_spec what) {
  validate(what, where.device());
  auto made = backend::engine_of(where.device().runs_on).make_plan(where.impl(), what);
  where.impl()->reserve(made->workspace_bytes());
  const bool alike = are_alike(input_side(what), output_side(what));
  const std::size_t in_bytes = input_bytes(what), out_bytes = output_bytes(what);
  impl_.reset(new impl{std::move(what), where.device().runs_on, where.device().index, alike,
                       in_bytes, out_bytes, std::move(made)});
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

std::size_t plan::bin_at(std::size_t place) const {
  const std::size_t n = impl_->spec.lengths.back();
  if (place >= n) {
    throw plan_error(fmt::format("element {} of an axis of {} has no bin; ask for one of 0 to {}",
                                 place, n, n - 1));
  }
  if (impl_->spec.bins == bin_order::natural) return place;
  return impl_->made->bin_at(place);
}

std::size_t plan::traffic_bytes() const noexcept {
  return impl_->made->traffic_bytes();
}

std::vector<kernel_resources> plan::resources() const {
  return impl_->made->resources();
}

double plan::predicted_fraction() const {
  return impl_->made->predicted_fraction(impl_->copied_bytes());
}

std::string plan::explain() const {
  std::string text = impl_->made->explain();
  if (!text.empty() && text.back() != '\n') text += '\n';
  text += fmt::format("moves {} bytes; a copy of input and output moves {}\n", traffic_bytes(),
                      impl_->copied_bytes());
  text += fmt::format("workspace {} bytes\n", workspace_bytes());
  if (const double fraction = predicted_fraction(); fraction > 0) {
    text += fmt::format("expected at {:.2f} of the copy's speed\n", fraction);
  }
  return text;
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
  require("input", impl_->in_bytes, in);
  require("output", impl_->out_bytes, out);
  const std::size_t scratch = impl_->made->workspace_bytes();
  if (scratch == 0 || workspace.handle != nullptr) {
    require("workspace", scratch, workspace);
    return impl_->made->enqueue(*on.impl(), in, out, workspace);
  }
  const auto held = on.impl()->lock();
  impl_->made->enqueue(*on.impl(), in, out, on.impl()->workspace(scratch));
}

}  // namespace wingbeat
