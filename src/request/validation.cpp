// SPDX-License-Identifier: Apache-2.0
// Computes a request's sizes in bytes, and validates it.
#include "request/validation.hpp"

#include <cmath>  // abs, isfinite
#include <initializer_list>
#include <iterator>  // size

#include "arrays/address_space.hpp"  // max_elements, rounded_product
#include "request/functors.hpp"      // require_functors
#include "request/names.hpp"         // require_named
#include "text/formatted.hpp"        // formatted, joined
#include "text/reject.hpp"           // reject

namespace wingbeat {
namespace request {
namespace {

using arrays::array;

void require_entries(std::string_view field, std::size_t given, std::size_t wanted,
                     std::string_view counted) {
  if (given == 0 || given == wanted) return;
  reject("{} has {} entries and there are {} {}; give one each, or none", field, given, wanted,
         counted);
}

constexpr std::string_view real_choices = "dct1 to dct4, dst1 to dst4 or dht";

void require_lengths(const plan_spec& spec) {
  reject_if(spec.lengths.empty() || spec.lengths.size() > max_axes,
            "lengths has {} axes; give 1 to {}, slowest first", spec.lengths.size(), max_axes);
  for (const std::size_t n : spec.lengths) require_length(n);
}

/// Call this before the kind of any axis is used.
void require_axis_kinds(const plan_spec& spec) {
  const std::vector<transform>& kinds = spec.axis_kinds;
  require_entries("axis_kinds", kinds.size(), spec.lengths.size(), "axes");
  if (!traits_of(spec.kind).is_real_to_real()) {
    if (kinds.empty() && !spec.orthogonalize) return;
    reject("{} was given and kind is {}; choose a kind from reals to reals, or leave it out",
           kinds.empty() ? "orthogonalize" : "axis_kinds", name_of(spec.kind));
  }
  for (std::size_t a = 0; a < kinds.size(); ++a) {
    require_named(kinds[a], formatted("axis_kinds[{}]", a), real_choices);
    if (traits_of(kinds[a]).is_real_to_real()) continue;
    reject("axis_kinds[{}] is {}, whose numbers are complex; choose {}", a, name_of(kinds[a]),
           real_choices);
  }
  if (!kinds.empty() && kinds.back() != spec.kind) {
    reject("kind is {} and the last of axis_kinds {}; give both the same", name_of(spec.kind),
           name_of(kinds.back()));
  }
  bool has_ends = false;
  for (std::size_t a = 0; a < spec.lengths.size(); ++a) {
    const traits& kind = kind_of_axis(spec, a);
    has_ends |= kind.functions != basis::cas;
    const std::size_t n = spec.lengths[a];
    if (n >= kind.min_length() && kind.logical_length(n) <= 2 * max_length) continue;
    reject("{} of length {} does not exist; choose one from {} to {}", kind.name, n,
           kind.min_length(), max_length - (kind.kind == transform::dst1 ? 1 : 0));
  }
  if (!spec.orthogonalize || has_ends) return;
  reject(
      "orthogonalize was given and kind is dht, whose matrix is orthogonal without; "
      "leave it out");
}

void require_batch(const plan_spec& spec) {
  const std::vector<std::size_t>& counts = spec.batch.counts();
  reject_if(counts.empty(), "batch has no dimensions; give one count, or one for each dimension");
  for (const std::size_t count : counts) {
    if (count != 0) continue;
    reject("batch is {}; it counts transforms, so make each number at least 1",
           joined(counts, "x"));
  }
  if (rounded_product(spec.lengths) * rounded_product(counts) <= max_elements) return;
  reject("batch {} of {} exceeds the address space; choose fewer or shorter transforms",
         joined(counts, "x"), joined(spec.lengths, "x"));
}

/// Names of one side's fields.
struct side_names {
  std::string_view side, layout, valid, functor;
};
constexpr side_names input{"input", "in", "valid_in", "load"};
constexpr side_names output{"output", "out", "valid_out", "store"};

void require_counts(const plan_spec& spec, const side_names& names, const memory_layout& layout,
                    const std::vector<index_range>& valid) {
  const std::size_t axes = spec.lengths.size();
  require_entries(formatted("{}.strides", names.layout), layout.strides.size(), axes, "axes");
  require_entries(formatted("{}.distances", names.layout), layout.distances.size(),
                  spec.batch.counts().size(), "batch dimensions");
  require_entries(formatted("{}.origin", names.layout), layout.origin.size(), axes, "axes");
  require_entries(names.valid, valid.size(), axes, "axes");
}

void require_ranges(const array& side, const side_names& names) {
  for (std::size_t a = 0; a < side.axes.size(); ++a) {
    const auto [first, end] = side.axes[a].valid;
    if (first < end && end <= side.axes[a].length) continue;
    reject(
        "{}[{}] is [{}, {}) and the axis has indices 0 to {}; give a "
        "range within them that is not empty",
        names.valid, a, first, end, side.axes[a].length - 1);
  }
  for (std::size_t a = 0; a < side.axes.size(); ++a) {
    const arrays::axis& axis = side.axes[a];
    if (axis.placed.first <= axis.valid.first) continue;
    reject(
        "{}.origin[{}] is {}, so that lower indices are not in memory, and {}[{}] begins "
        "at {}; begin the range at the origin or later",
        names.layout, a, axis.placed.first, names.valid, a, axis.valid.first);
  }
}

void require_reach(const array& side, const side_names& names) {
  auto reach = static_cast<double>(side.parts_distance);
  for (const auto& axis : side.axes) {
    reach += static_cast<double>(axis.length) * static_cast<double>(axis.stride);
  }
  for (const auto& batch : side.batches) {
    reach += static_cast<double>(batch.count) * static_cast<double>(batch.distance);
  }
  if (reach <= max_elements) return;
  reject(
      "the {} layout reaches beyond the address space; choose shorter lengths, or smaller "
      "{}.strides and {}.distances",
      names.side, names.layout, names.layout);
}

void require_planes(const array& side, const side_names& names, const memory_layout& layout) {
  if (!side.has_parts) return;
  reject_if(side.is_real(),
            "{}.imaginary_at is {} and that side is real, without imaginary "
            "parts; leave it 0",
            names.layout, side.parts_distance);
  // An input may overlap itself, but not with default strides, which ignore its planes.
  if (!layout.strides.empty() || !layout.distances.empty() || !side.may_overlap()) return;
  reject(
      "{}.imaginary_at is {}, where packed transforms have real parts; make it at least "
      "the reals of all transforms, or state {}.distances",
      names.layout, side.parts_distance, names.layout);
}

void require_side(const array& side, const side_names& names, const memory_layout& layout) {
  require_ranges(side, names);
  require_reach(side, names);
  require_planes(side, names, layout);
  if (&names != &output) return;
  const auto clash = side.find_clash();
  if (!clash) return;
  reject(
      "the output layout has a step of {} and its smaller steps reach {} from an "
      "element, so two elements may share a place; make each stride and distance of "
      "out larger than what the smaller ones reach together",
      clash->stride, clash->reach);
}

/// Call this after `require_functors`: a plan in place with functors has another fault.
void require_in_place(const resolved_spec& request) {
  const plan_spec& spec = request.spec;
  if (spec.where != placement::in_place) return;
  if (!request.kind.has_half_spectrum()) {
    if (request.may_be_one_place()) return;
    reject(
        "a plan in place was given an input and an output that lie differently; give in and out, "
        "valid_in and valid_out the same values, or plan it out of place");
  }
  const bool is_whole = spec.valid_in.empty() && spec.valid_out.empty();
  const bool has_own_types = spec.in.stored || spec.out.stored;
  if (spec.in.is_packed() && spec.out.is_packed() && is_whole && !has_own_types) return;
  reject(
      "a real transform in place has its own padded layout; leave in, out and the ranges empty, "
      "or plan it out of place");
}

void require_functors_alone(const plan_spec& spec) {
  const auto require = [](const side_names& names, bool is_given, const memory_layout& layout) {
    if (!is_given || (layout.is_packed() && !layout.stored)) return;
    reject("the {} functor places elements itself and {} was given too; leave it empty",
           names.functor, names.layout);
  };
  require(input, spec.load.is_given(), spec.in);
  require(output, spec.store.is_given(), spec.out);
}

void require_choices(const plan_spec& spec) {
  require_named(
      spec.kind, "kind",
      formatted("forward, inverse, forward_from_real, inverse_to_real, {}", real_choices));
  require_named(spec.real, "real", "fp32, fp64, fp16 or bf16");
  require_named(spec.scale, "scale", "none, by_length or by_sqrt_length");
  require_named(spec.bins, "bins", "natural or scrambled");
  require_named(spec.where, "where", "out_of_place or in_place");
}

/// Requires a factor that reals hold as a normal number, also after some kinds multiply it by their
/// own.
void require_factor(const plan_spec& spec) {
  const bool is_fp64 = spec.real == precision::fp64;
  const double least = is_fp64 ? 0x1p-1018 : 0x1p-122, largest = is_fp64 ? 0x1p1020 : 0x1p124;
  const long double factor = std::abs(factor_of(spec));
  if (factor == 0 || (factor >= least && factor <= largest)) return;
  reject(
      "factor is {} and with scale {} the factor of all is {}, which real {} does not hold; give "
      "one that leaves {:.2g} to {:.2g}",
      spec.factor, name_of(spec.scale), static_cast<double>(factor), name_of(spec.real), least,
      largest);
}

void require_stored(const plan_spec& spec) {
  const auto require = [&](const side_names& names, const std::optional<precision>& stored) {
    if (!stored) return;
    const std::string field = formatted("{}.stored", names.layout);
    require_named(*stored, field, "fp32, fp64, fp16 or bf16, or leave it empty");
    if ((*stored == precision::fp64) == (spec.real == precision::fp64)) return;
    reject(
        "{} is {} and real is {}, and fp64 mixes with no other precision; give both "
        "sides fp64, or neither",
        field, name_of(*stored), name_of(spec.real));
  };
  require(input, spec.in.stored);
  require(output, spec.out.stored);
  reject_if(!std::isfinite(spec.factor), "factor is {}; give a finite number", spec.factor);
}

/// Resolves a request after checking the fields that its sizes depend on.
resolved_spec resolved(const plan_spec& spec) {
  require_choices(spec);
  require_stored(spec);
  require_lengths(spec);
  require_axis_kinds(spec);
  require_batch(spec);
  require_counts(spec, input, spec.in, spec.valid_in);
  require_counts(spec, output, spec.out, spec.valid_out);
  require_functors_alone(spec);
  require_factor(spec);
  resolved_spec result = spec;
  require_side(result.in, input, spec.in);
  require_side(result.out, output, spec.out);
  return result;
}

void require_bins(const resolved_spec& request) {
  const plan_spec& spec = request.spec;
  if (spec.bins == bin_order::natural) return;
  const auto& ranges = request.kind.is_forward ? spec.valid_out : spec.valid_in;
  std::string_view why;
  if (request.kind.is_real()) {
    why = "those of real transforms lie in natural order; choose kind forward or inverse";
  } else if (spec.lengths.size() > 1) {
    why = "those of several axes lie in natural order; choose one axis";
  } else if (!spec.in.is_packed() || !spec.out.is_packed()) {
    why = "such bins are packed, and so are their samples; leave in and out empty";
  } else if (!ranges.empty()) {
    why = "such bins are all in memory; leave their range empty";
  }
  if (why.empty()) return;
  reject("bins are to be scrambled and {}, or ask for natural order", why);
}

}  // namespace

void require_length(std::size_t n) {
  if (n >= 1 && n <= max_length) return;
  reject("length {} cannot be transformed; choose one from 1 to {}", n, max_length);
}

resolved_spec validated(const plan_spec& spec, const device_info& device) {
  resolved_spec result = resolved(spec);
  require_bins(result);
  reject_if(spec.real == precision::fp64 && !device.has_fp64,
            "{} has no fp64; ask for precision::fp32", device.name);
  require_functors(result, device.runs_on);
  require_in_place(result);
  return result;
}

}  // namespace request

std::size_t input_bytes(const plan_spec& spec) {
  return request::resolved(spec).in_bytes();
}

std::size_t output_bytes(const plan_spec& spec) {
  return request::resolved(spec).out_bytes();
}

}  // namespace wingbeat
