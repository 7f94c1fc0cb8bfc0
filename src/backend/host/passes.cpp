// SPDX-License-Identifier: Apache-2.0
#include "backend/host/passes.hpp"

#include <algorithm>  // max, stable_sort
#include <utility>    // move

namespace wingbeat::backend::host {
namespace {

/// Memory that holds all transforms at some stage of theirs.
struct space {
  pass_end like;  ///< All but length, valid, stride and first.
  std::vector<std::size_t> strides;
  std::vector<std::size_t> distances;
  std::size_t lead = 0;     ///< From index 0 of all axes to the start of the memory.
  bool is_cropped = false;  ///< The first index in memory is at 0, whichever it is.
};

stored stored_as(precision real) {
  switch (real) {
    case precision::fp16: return stored::fp16;
    case precision::bf16: return stored::bf16;
    case precision::fp32:
    case precision::fp64: break;
  }
  return stored::own;
}

space space_of_side(const plan_spec& what, const side& of, place where, bool is_functor) {
  space made;
  made.like.where = where;
  made.like.as = is_functor ? stored::own : stored_as(what.real);
  made.like.is_functor = is_functor;
  made.like.imaginary_at = of.is_real ? 0 : std::max<std::size_t>(of.imaginary_at, 1);
  const std::size_t unit = of.is_real || of.imaginary_at != 0 || is_functor ? 1 : 2;
  for (const side_axis& axis : of.axes) {
    made.strides.push_back(axis.stride * unit);
  }
  made.like.points = of.elements();
  made.lead = of.lead() * unit;
  made.distances = distances_of(of, is_functor);
  return made;
}

/// Complex numbers behind one another, room for what is read and for what is written.
space packed_space(const plan_spec& what, const side& in, const side& out,
                   const std::vector<std::size_t>& counts, std::size_t& reals) {
  space made;
  made.like.where = place::workspace;
  made.like.imaginary_at = 1;
  made.is_cropped = true;
  const std::size_t axes = in.axes.size();
  made.strides.resize(axes);
  made.distances.resize(counts.size());
  reals = 2;
  for (std::size_t a = axes; a-- > 0;) {
    const auto [in_first, in_end] = in.axes[a].valid;
    const auto [out_first, out_end] = out.axes[a].valid;
    std::size_t room = std::max(in_end - in_first, out_end - out_first);
    if (a + 1 == axes && is_real(what.kind)) {  // no real numbers come here
      room = in.is_real ? out_end - out_first : in_end - in_first;
    }
    made.strides[a] = reals;
    reals *= room;
    // Rows a power of two apart would share few sets of the caches.
    if (a + 1 == axes && axes > 1 && room % 64 == 0) reals += 16;
  }
  for (std::size_t b = counts.size(); b-- > 0;) {
    made.distances[b] = reals;
    reals *= counts[b];
  }
  return made;
}

/// Returns whether the output can hold the complex numbers of every stage.
bool can_work_in(const side& out, const space& as) {
  return !as.like.is_functor && as.like.as == stored::own && out.is_whole() && !out.is_real &&
         out.imaginary_at == 0;
}

/// Returns one end of the pass along `axis`; `box` holds the indices of each axis on that side.
pass_end end_of(const space& of, const std::vector<side_axis>& box, std::size_t axis) {
  pass_end made = of.like;
  made.length = box[axis].length;
  made.valid = box[axis].valid;
  made.stride = of.strides[axis];
  for (std::size_t a = 0; a < box.size() && !of.is_cropped; ++a) {
    made.first += box[a].valid.first * of.strides[a];
  }
  made.first -= of.lead;
  return made;
}

/// A dimension before it is merged with others.
struct dimension : repeat {
  bool is_axis_0 = false;
};

/// Orders dimensions so that the fastest has the nearest columns, where those are not rows.
void sort(std::vector<dimension>& all, const pass_end& in, const pass_end& out) {
  const auto spread = [&](const repeat& r) {
    return (in.stride == in.unit() ? 0 : r.in_stride) +
           (out.stride == out.unit() ? 0 : r.out_stride);
  };
  std::stable_sort(all.begin(), all.end(), [&](const dimension& a, const dimension& b) {
    if (spread(a) != spread(b)) return spread(a) > spread(b);
    return a.in_stride + a.out_stride > b.in_stride + b.out_stride;
  });
}

/// Makes one dimension of two that follow each other on both sides, and drops those of one.
std::vector<repeat> merged(const std::vector<dimension>& all) {
  std::vector<repeat> made;
  for (const dimension& inner : all) {
    if (!made.empty() && made.back().in_stride == inner.count * inner.in_stride &&
        made.back().out_stride == inner.count * inner.out_stride) {
      made.back() = {made.back().count * inner.count, inner.in_stride, inner.out_stride};
    } else {
      made.push_back(inner);
    }
  }
  if (made.empty()) made.emplace_back();
  return made;
}

/// Fills in the dimensions that a pass repeats over.
void repeat_over(pass& one, const std::vector<side_axis>& box,
                 const std::vector<std::size_t>& counts, const space& source, const space& target) {
  std::vector<dimension> all;
  const auto add = [&](std::size_t count, std::size_t in, std::size_t out, bool is_axis_0) {
    if (count > 1) all.push_back({{count, in, out}, is_axis_0});
  };
  for (std::size_t b = 0; b < counts.size(); ++b) {
    add(counts[b], source.distances[b], target.distances[b], false);
  }
  for (std::size_t a = 0; a < box.size(); ++a) {
    if (a == one.axis) continue;
    const auto [first, end] = box[a].valid;
    add(end - first, source.strides[a], target.strides[a], a == 0);
  }
  sort(all, one.in, one.out);
  if (!all.empty() && all.front().is_axis_0) one.n_slabs = all.front().count;
  one.repeats = merged(all);
}

/// Returns the axes in the order of their passes: the real side's is the first or the last.
std::vector<std::size_t> order_of(const plan_spec& what) {
  std::vector<std::size_t> order;
  const std::size_t axes = what.lengths.size();
  for (std::size_t a = 0; a < axes; ++a) {
    order.push_back(what.kind == transform::inverse_to_real ? a : axes - 1 - a);
  }
  return order;
}

transform kind_of_pass(transform kind, bool is_last_axis) {
  if (is_last_axis) return kind;
  if (kind == transform::forward_from_real) return transform::forward;
  return kind == transform::inverse_to_real ? transform::inverse : kind;
}

}  // namespace

std::vector<std::size_t> distances_of(const side& of, bool is_functor) {
  const std::size_t unit = of.is_real || of.imaginary_at != 0 || is_functor ? 1 : 2;
  std::vector<std::size_t> made;
  for (const side_batch& batch : of.batches) made.push_back(batch.distance * unit);
  if (made.empty()) made.push_back(0);  // no batch dimensions: one transform
  return made;
}

std::size_t pass::n_columns() const {
  std::size_t n = 1;
  for (const repeat& each : repeats) n *= each.count;
  return n;
}

pass_list passes_of(const plan_spec& what, const std::vector<std::size_t>& counts) {
  const side in = input_side(what), out = output_side(what);
  const space from = space_of_side(what, in, place::input, what.load.is_given());
  const space to = space_of_side(what, out, place::output, what.store.is_given());
  const auto order = order_of(what);
  pass_list made;
  space between = to;
  if (order.size() > 1 && !can_work_in(out, to)) {
    between = packed_space(what, in, out, counts, made.work_reals);
  }
  std::vector<side_axis> box = in.axes;
  for (std::size_t i = 0; i < order.size(); ++i) {
    const std::size_t axis = order[i];
    const space& source = i == 0 ? from : between;
    const space& target = i + 1 == order.size() ? to : between;
    pass one;
    one.kind = kind_of_pass(what.kind, axis + 1 == order.size());
    one.axis = axis;
    one.length = what.lengths[axis];
    one.in = end_of(source, box, axis);
    box[axis] = out.axes[axis];
    one.out = end_of(target, box, axis);
    repeat_over(one, box, counts, source, target);
    made.passes.push_back(std::move(one));
  }
  return made;
}

}  // namespace wingbeat::backend::host
