// SPDX-License-Identifier: Apache-2.0
#include "planner/pass.hpp"

#include <algorithm>  // copy
#include <utility>    // pair

#include "request/functors.hpp"      // title_of_functor
#include "roots/algorithm_text.hpp"  // chirp_text, quicker_than_rader, rader_text
#include "text/counted.hpp"          // counted
#include "text/formatted.hpp"        // formatted

namespace wingbeat::planner {
namespace {

std::size_t side_bytes(const pass& planned, const pass_side& stored,
                       const device::grid::side& placed, row holds) {
  if (stored.fused) return stored.fused->moved_bytes;
  std::size_t elements = planned.rows * planned.shape().elements() * (placed.second > 0 ? 2 : 1);
  if (planned.numbers.n_turns > 0) elements *= planned.numbers.n_turns;
  for (unsigned i = 0; i < planned.numbers.depth; ++i) elements *= planned.numbers.loops[i].count;
  if (placed.is_limited) {
    // Each index of a cut axis is in one butterfly.
    const std::size_t valid = placed.valid_end - placed.valid_begin;
    const std::size_t reals = placed.is_pairs || stored.is_real() ? valid : 2 * valid;
    return elements / planned.numbers.total * reals * stored.real_bytes();
  }
  if (holds == row::half_spectrum) elements += elements / planned.numbers.bins();
  if (placed.is_hermitian)
    elements = elements / planned.numbers.total * (planned.numbers.points() / 2 + 1);
  return elements * (stored.is_real() ? 1 : 2) * stored.real_bytes();
}

/// Returns the bytes of all spectra that a pass multiplies by, each counted once.
std::size_t filter_bytes(const pass& planned) {
  if (!planned.filter) return 0;
  const auto times = [](std::size_t count, std::size_t distance) {
    return distance == 0 ? 1 : count;
  };
  std::size_t spectra = times(planned.rows, planned.numbers.filter_distance);
  if (planned.numbers.n_turns > 0) spectra *= planned.numbers.n_turns;
  for (unsigned i = 0; i < planned.numbers.depth; ++i) {
    spectra *= times(planned.numbers.loops[i].count, planned.numbers.loops[i].filter);
  }
  return spectra * planned.shape().length * 2 * bytes_of_real(planned.filter->stored);
}

std::string cut_text(const pass& planned) {
  const tile_shape& shape = planned.shape();
  if (shape.makes == body::plane) return formatted("planes of {} x {}", shape.first, shape.second);
  const std::size_t total = planned.numbers.total;
  std::string text = planned.is_whole() ? formatted("lines of {}", shape.elements())
                                        : formatted("{} x {} of {}", total / shape.elements(),
                                                    shape.elements(), total);
  if (planned.numbers.prior > 1) text += formatted(" after {}", planned.numbers.prior);
  if (shape.is_cluster()) text += formatted(" as {} x {}", shape.first, shape.second);
  return text;
}

/// Returns which algorithm makes a length that is no product of radices, and why.
std::string algorithm_text(const pass& planned) {
  const auto& [by_chirp, by_rader] = planned.convolved_by;
  if (by_rader) {
    const tile_shape& shape = planned.shape();
    const std::size_t reals = shape.makes == body::real_rader ? 2 * shape.length : 0;
    return ", " + rader_text(shape.elements(), reals);
  }
  if (!by_chirp) return {};
  const auto [points, total] = std::pair{by_chirp->points, by_chirp->total};
  return ", " + chirp_text(points, total,
                           planned.shape().length == total
                               ? std::string{quicker_than_rader}
                               : formatted("no workgroup holds {} points", points));
}

}  // namespace

std::size_t pass::traffic_bytes() const {
  // A functor moves what its request states.
  const bool reads_terms = shape().makes == body::correlate && !in.fused;
  return side_bytes(*this, in, numbers.in, shape().source) * (reads_terms ? 2 * numbers.terms : 1) +
         side_bytes(*this, out, numbers.out, shape().sink) *
             (numbers.returns_terms ? numbers.terms + 1 : 1) +
         filter_bytes(*this);
}

std::vector<std::byte> pass::parameter_blocks() const {
  std::vector<std::byte> blocks;
  for (const auto* each : {&in.fused, &out.fused}) {
    if (!*each) continue;
    const std::size_t first_byte = blocks.size();
    blocks.resize(first_byte + (*each)->block_bytes());
    std::copy((*each)->parameters.begin(), (*each)->parameters.end(),
              blocks.begin() + static_cast<std::ptrdiff_t>(first_byte));
  }
  return blocks;
}

std::string pass::describe() const {
  const tile_shape& shape = numbers.shape;
  std::string text =
      cut_text(*this) +
      formatted(": {} elements a thread, {} threads, {} {} a {}, {} bytes of local memory",
                shape.elements_per_thread, shape.threads(), shape.lanes,
                shape.lanes_across && !shape.stage_in ? "neighbouring columns" : "transforms",
                shape.workgroups > 1 ? formatted("cluster of {}", shape.workgroups) : "workgroup",
                shape.scratch_bytes());
  if (shape.sink == row::half_spectrum) text += ", bins of a real transform separated";
  if (shape.source == row::half_spectrum) text += ", bins of a real transform combined";
  if (in_place_spacing || shape.bins != device::order::natural) text += ", bins scrambled";
  if (numbers.in.second > 0) text += ", two rows of reals as one";
  if (numbers.factors_in > 0) {
    text += formatted(", {} inputs times factors", numbers.inputs_with_factors());
  }
  if (numbers.n_turns > 0)
    text += formatted(", by right angles in {}", counted(numbers.n_turns, "turn"));
  if (shape.points > 0) text += formatted(", padded to {}", shape.length);
  if (shape.makes == body::correlate) {
    text += formatted(", correlations of {} pairs of rows summed", numbers.terms);
    if (numbers.returns_terms) text += ", the second of each";
  }
  if (shape.makes == body::diagonal_row) text += ", bins multiplied and transformed back";
  if (shape.makes == body::convolve || numbers.returns_terms)
    text += ", multiplied by a spectrum and transformed back";
  if (numbers.factors_out > 0) text += formatted(", {} outputs times factors", numbers.factors_out);
  text += algorithm_text(*this);
  if (numbers.prefetch_tiles > 0) {
    text += formatted(", input prefetched {} tiles ahead", numbers.prefetch_tiles);
  }
  if (numbers.max_workgroups > 0) {
    text += formatted(", by {} workgroups at most", numbers.max_workgroups);
  }
  const auto limits = [&](std::string_view name, const device::grid::side& side) {
    if (!side.is_limited) return;
    text += formatted(", {} {} to {}", name, side.valid_begin, side.valid_end - 1);
  };
  limits("inputs", numbers.in);
  limits("outputs", numbers.out);
  if (shape.keeps()) {
    text +=
        formatted(", {} rows of the batch one after another, whose values your store keeps", rows);
    if (shape.held_bytes > 0) {
      text += formatted(", {} bytes of each in registers", shape.held_bytes);
    }
  }
  if (in.fused) text += ", " + request::title_of_functor(in.fused->text, "your load");
  if (!out.fused) return text;
  const bool reduces = shape.partial_bytes > 0;
  return text + ", " +
         request::title_of_functor(out.fused->text, reduces ? "your reduction" : "your store");
}

pass_info info_of(const pass& planned) {
  return {.description = planned.describe(),
          .length = planned.shape().elements(),
          .prior = planned.numbers.prior,
          .threads = planned.shape().threads(),
          .workgroups = planned.workgroups(),
          .scratch_bytes = planned.shape().scratch_bytes(),
          .traffic_bytes = planned.traffic_bytes()};
}

}  // namespace wingbeat::planner
