// SPDX-License-Identifier: Apache-2.0
#include "planner/lattice.hpp"

#include <algorithm>  // all_of

namespace wingbeat::planner {
namespace {

lattice lattice_of(const side& of, precision stored, bool holds_bins) {
  lattice made;
  made.stored = stored;
  made.holds_bins = holds_bins;
  made.apart = of.imaginary_at;
  made.has_parts = of.imaginary_at != 0;
  for (const side_axis& axis : of.axes) {
    const bool is_limited = axis.valid.first != 0 || axis.valid.end != axis.length;
    made.axes.push_back({axis.length, axis.stride, axis.valid, is_limited});
  }
  for (const side_batch& batch : of.batches) made.distances.push_back(batch.distance);
  if (!of.is_real) return made;
  lattice_axis& last = made.axes.back();
  last.length /= 2;
  made.is_pairs = true;
  if (of.is_of_whole_pairs()) {
    last.valid = {0, last.length};
    for (std::size_t a = 0; a + 1 < made.axes.size(); ++a) made.axes[a].stride /= 2;
    for (std::size_t& distance : made.distances) distance /= 2;
  } else {
    made.has_parts = true;
    made.apart = last.stride;  // 0 where all of an axis is one number
    last.stride *= 2;
  }
  return made;
}

}  // namespace

precision common_precision(const plan_spec& what) {
  return what.real == precision::fp64 ? precision::fp64 : precision::fp32;
}

std::size_t lattice::elements() const {
  std::size_t product = 1;
  for (const lattice_axis& axis : axes) product *= axis.length;
  return product;
}

lattice input_lattice(const plan_spec& what) {
  return lattice_of(input_side(what), what.real, what.kind == transform::inverse_to_real);
}

lattice output_lattice(const plan_spec& what) {
  lattice made =
      lattice_of(output_side(what), what.real, what.kind == transform::forward_from_real);
  made.where = place::output;
  return made;
}

bool has_batch_inside(const lattice& of, const plan_spec& what) {
  const auto& counts = what.batch.counts();
  bool is_inside = false;
  for (std::size_t b = 0; b < counts.size(); ++b) {
    if (counts[b] == 1) continue;
    is_inside = std::all_of(of.axes.begin(), of.axes.end(), [&](const lattice_axis& axis) {
      return axis.length == 1 || of.distances[b] < axis.stride;
    });
    if (!is_inside) return false;
  }
  return is_inside;
}

lattice packed_lattice(const plan_spec& what, const lattice& like, place where, bool batch_inside) {
  constexpr std::size_t line_bytes = 128;
  constexpr std::size_t shortest = 128;  // elements: padding adds an eighth at most
  lattice made;
  made.where = where;
  made.stored = common_precision(what);
  const std::size_t line = line_bytes / (2 * bytes_of_real(made.stored));
  made.holds_bins = like.holds_bins;
  made.axes = like.axes;
  const auto& counts = what.batch.counts();
  made.distances.assign(counts.size(), 0);
  std::size_t stride = 1;
  const auto place_batches = [&] {
    for (std::size_t b = counts.size(); b-- > 0;) {
      made.distances[b] = stride;
      stride *= counts[b];
    }
  };
  const auto pad = [&](std::size_t length) {
    const bool is_padded = length % 2 != 0 && length >= shortest;
    return is_padded ? (length + line - 1) / line * line : length;
  };
  if (batch_inside) {
    place_batches();
    stride = pad(stride);
  }
  for (auto axis = made.axes.rbegin(); axis != made.axes.rend(); ++axis) {
    axis->stride = stride;
    const bool is_innermost = !batch_inside && axis == made.axes.rbegin();
    stride *= is_innermost ? pad(axis->length) : axis->length;
  }
  if (!batch_inside) place_batches();
  return made;
}

}  // namespace wingbeat::planner
