// SPDX-License-Identifier: Apache-2.0
#include "programs/real_transforms.hpp"

#include <complex>
#include <numbers>  // sqrt2
#include <optional>
#include <string>
#include <utility>  // move

#include "arrays/array.hpp"            // array, pack
#include "arrays/order.hpp"            // common_precision
#include "programs/line_functors.hpp"  // line_side, line_reduction_of, load_of, store_of
#include "programs/reductions.hpp"     // reduced, roots_of
#include "text/formatted.hpp"          // formatted
#include "wingbeat/device/functors/diagonals.hpp"  // folded_diagonal
#include "wingbeat/good_length.hpp"                // is_good_length
#include "wingbeat/roots.hpp"                      // roots_of

namespace wingbeat::programs {
namespace {

using arrays::array;
using request::basis;
using request::traits;

/// Calls work(reduction, functor) with a functor of diagonals.hpp, if one transforms n points of a
/// kind, multiplies and transforms back at once.
template <class Work>
void with_diagonal(const traits& kind, std::size_t n, const Work& work) {
  namespace functors = device::functors;
  reduction chosen{.length = n};
  const bool is_extended = !kind.half_in && !kind.half_out && kind.functions != basis::cas;
  if (is_extended) chosen.length = kind.logical_length(n);
  if (kind.half_out || chosen.length % 2 == 1) return;
  if (kind.half_in) {
    chosen.factor = 2;
    chosen.roots = n / 2 + 1;
    chosen.order = 4 * n;
    chosen.are_loaded = true;
    work(chosen, compiled_reduction_of<functors::folded_diagonal>());
  } else if (!is_extended) {
    work(chosen, compiled_reduction_of<functors::cas_diagonal>());
  } else if (kind.functions == basis::cosine) {
    work(chosen, compiled_reduction_of<functors::even_diagonal>());
  } else {
    work(chosen, compiled_reduction_of<functors::odd_diagonal>());
  }
}

/// Adapts the lines of one side to the transform's kind. Sine transforms are cosine transforms of
/// reversed lines with alternating signs. An orthogonal transform scales ends that are their own
/// mirror images.
line_numbers lines_of_kind(line_numbers lines, const traits& kind, bool is_input,
                           bool orthogonalizes) {
  const bool is_half = is_input ? kind.half_in : kind.half_out;
  const bool other_half = is_input ? kind.half_out : kind.half_in;
  if (kind.functions == basis::sine && (is_half || other_half)) {
    // Type II alternates in and reverses out, III and IV the other way.
    const bool alternates = kind.half_in && kind.half_out ? !is_input : is_half;
    lines.is_alternating = alternates;
    lines.is_reversed = !alternates;
  }
  const auto is_edge = [&](std::size_t i) {
    return orthogonalizes && (is_input ? kind.is_own_mirror_in(i, lines.length)
                                       : kind.is_own_mirror_out(i, lines.length));
  };
  lines.has_first_edge = is_edge(0);
  lines.has_last_edge = is_edge(lines.length - 1);
  if (lines.has_first_edge || lines.has_last_edge) {
    lines.edge = is_input ? std::numbers::sqrt2 : 1 / std::numbers::sqrt2;
  }
  return lines;
}

/// Omits the factors sqrt 2 before and 1 / sqrt 2 behind for two points, which are both ends: they
/// cancel.
void cancel_edges(line_numbers& in, line_numbers& out) {
  if (in.length != 2 || !in.has_first_edge || !in.has_last_edge || !out.has_last_edge) return;
  in.has_first_edge = in.has_last_edge = out.has_first_edge = out.has_last_edge = false;
}

/// The transform of one axis.
struct axis_step {
  std::size_t axis;
  const traits& kind;
  bool is_finished = true;  ///< The step makes the axis as it is in the output.
  bool multiplies = false;  ///< The step reads products with the multiplier.
};

/// Returns the steps, the last axis first. With a multiplier there are two per axis; the last axis
/// is transformed last and transformed back first, so that one step can do both.
std::vector<axis_step> steps_of(const request::resolved_spec& request) {
  std::vector<axis_step> steps;
  const std::size_t n_axes = request.spec.lengths.size();
  const bool has_inverses = request.spec.multiplier.is_given();
  for (std::size_t a = 0; has_inverses && a < n_axes; ++a) {
    steps.push_back({a, request.kind_of_axis(a), false});
  }
  for (std::size_t a = n_axes; a-- > 0;) {
    const traits& kind = request.kind_of_axis(a);
    steps.push_back({a, has_inverses ? request::traits_of(kind.opposite) : kind, true,
                     has_inverses && a + 1 == n_axes});
  }
  return steps;
}

/// The two sides of a step.
struct step_sides {
  line_side<fused_load> in;
  line_side<fused_store> out;
};

/// Returns the scale factor of a step that writes `sink`.
double factor_of_end(const array& sink, const plan_spec& spec) {
  const bool is_last = sink.location == place::output;
  return is_last ? static_cast<double>(request::factor_of(spec)) : 1;
}

/// Returns a step without functors, from memory to memory.
backend::lines_of_reals lines_between(const axis_step& step, const step_sides& sides,
                                      std::size_t count, const plan_spec& spec) {
  return {.kind = step.kind.kind,
          .real = arrays::common_precision(spec),
          .count = count,
          .factor = factor_of_end(sides.out.memory, spec),
          .in = sides.in.lines,
          .out = sides.out.lines,
          .in_stored = sides.in.memory.stored,
          .out_stored = sides.out.memory.stored};
}

/// Returns the arrays and operands of a step. The roots of lines carry the scale: those of the
/// stored lines, if they read roots.
array_ends ends_of(const step_sides& sides, precision real, const reduction& chosen, double scale) {
  array_ends ends{.in = sides.in.memory.location, .out = sides.out.memory.location};
  const auto roots_of_lines = [&](const line_numbers& lines, double factor) {
    if (!lines.has_roots) return constant{};
    return real == precision::fp64 ? roots_of<double>(chosen, factor)
                                   : roots_of<float>(chosen, factor);
  };
  const bool is_later = sides.out.lines.has_roots;
  ends.load = arguments_of(sides.in, roots_of_lines(sides.in.lines, is_later ? 1 : scale));
  ends.store = arguments_of(sides.out, roots_of_lines(sides.out.lines, scale));
  return ends;
}

/// Resolves a request whose rows are lines as their functors number them; lines may alternate
/// element by element.
request::resolved_spec resolved(const plan_spec& inner, const step_sides& sides,
                                const reduction& chosen) {
  request::resolved_spec result{inner};
  const std::size_t columns = inner.batch.counts().back();
  result.lines = columns;
  if (columns == 1) {
    const bool is_stored = sides.out.lines.stride == 1 && sides.out.functor.partial_bytes == 0;
    result.are_functors_dense = sides.in.lines.stride == 1 && is_stored;
    result.is_gathered = chosen.is_scattered && is_stored;
    result.is_extended = chosen.length > sides.in.lines.length;
    return result;
  }
  for (array* side : {&result.in, &result.out}) {
    arrays::axis& along = side->axes.front();
    if (side->is_real() && along.length % 2 == 0) {
      side->elements_are = arrays::element::pair;
      along.length /= 2;
    }
    along.valid = along.placed = {0, along.length};
    side->batches.front().distance = along.length * columns;
    side->batches.back().distance = 1;
    along.stride = columns;
  }
  return result;
}

/// Returns whether an engine copies whole rows through tiles of its own, without kernels.
bool has_tiles(const backend::queue& on) {
  const engine runs_on = on.device().runs_on;
  return runs_on == engine::host || runs_on == engine::reference;
}

/// Calls work(reduction, functor) for n points of a kind.
template <class Work>
void with_reduction(const traits& kind, std::size_t n, const backend::queue& on, const Work& work) {
  const auto with_kernels = [&](const reduction& chosen, auto functor) {
    work(chosen, compiled_reduction_of<decltype(functor)>());
  };
  if (!has_tiles(on) && halved(kind, n, with_kernels)) return;
  reduced(kind, n, [&](const reduction& chosen, auto functor) {
    work(chosen, line_reduction_of<decltype(functor)>());
  });
}

/// Composes the program of a transform from reals to reals, axis by axis.
class composer {
 public:
  composer(const backend::engine& engine, const std::shared_ptr<backend::queue>& on,
           const request::resolved_spec& request)
      : engine_(engine), on_(on), request_(request), spec_(request.spec) {
    for (const arrays::axis& each : request.in.axes) ranges_.push_back(each.valid);
  }

  program compose() {
    const std::vector<axis_step> steps = steps_of(request_);
    array source = request_.in;
    const auto sink_of = [&](const axis_step& step) {
      const bool is_last = &step == &steps.back();
      return is_last ? request_.out : between(ranges_behind(step), source.location);
    };
    for (auto step = steps.begin(); step != steps.end(); ++step) {
      const bool has_inverse_next = step + 1 != steps.end() && step[1].multiplies;
      array sink = sink_of(step[has_inverse_next ? 1 : 0]);
      if (has_inverse_next && add_with_inverse(*step, source, sink)) {
        ++step;
      } else {
        sink = sink_of(*step);
        add(*step, source, sink);
      }
      ranges_ = ranges_behind(*step);
      source = sink;
    }
    return std::move(program_);
  }

 private:
  [[nodiscard]] std::vector<index_range> ranges_behind(const axis_step& step) const {
    std::vector<index_range> after = ranges_;
    after[step.axis] = step.is_finished ? request_.out.axes[step.axis].valid
                                        : index_range{0, spec_.lengths[step.axis]};
    return after;
  }

  /// Returns a packed array of the elements in `ranges`, in another place of the workspace than
  /// `used`.
  [[nodiscard]] array between(const std::vector<index_range>& ranges, place used) {
    array result;
    result.location = used == place::between_a ? place::between_b : place::between_a;
    result.stored = arrays::common_precision(spec_);
    result.elements_are = arrays::element::real;
    for (std::size_t a = 0; a < ranges.size(); ++a) {
      result.axes.push_back({.length = spec_.lengths[a], .valid = ranges[a], .placed = ranges[a]});
    }
    for (const std::size_t count : spec_.batch.counts()) result.batches.push_back({count});
    arrays::pack(result, false, {});
    program_.reserve(result.location, result.bytes());
    return result;
  }

  [[nodiscard]] step_sides sides_of(const axis_step& step, const array& from,
                                    const array& to) const {
    const traits& kind = step.kind;
    step_sides sides{
        {from, lines_of_kind(lines_of(from, step.axis, ranges_), kind, true, spec_.orthogonalize)},
        {to, lines_of_kind(lines_of(to, step.axis, ranges_), kind, false, spec_.orthogonalize)}};
    cancel_edges(sides.in.lines, sides.out.lines);
    sides.in.multiplies = step.multiplies;
    if (step.multiplies) sides.in.functor = spec_.multiplier;
    if (from.location == place::input) sides.in.functor = spec_.load;
    if (to.location == place::output) sides.out.functor = spec_.store;
    const fused_source &loads = sides.in.functor.source, &stores = sides.out.functor.source;
    sides.in.shares_text = sides.out.shares_text = loads.is_given() && loads.text == stores.text;
    return sides;
  }

  /// Returns the number of lines to transform side by side, if lines are neighbours in memory; 1 on
  /// engines with tiles of their own. Reals are then taken in pairs, or one by one for odd lengths.
  /// A functor that reduces needs all these lines in one row of its own.
  [[nodiscard]] std::size_t columns_of(std::size_t axis, const step_sides& sides,
                                       const reduction& chosen) const {
    const device::functors::line_loop& nearest = sides.in.lines.loops[0];
    const bool are_beside = nearest.stride < sides.in.lines.stride && nearest.count > 1;
    const bool has_bins = chosen.inner != transform::forward;
    const bool are_paired =
        chosen.length % 2 == 1 || chosen.length == 2 || is_good_length(chosen.length / 2);
    const bool are_of_one_row =
        sides.out.functor.partial_bytes == 0 || nearest.count <= lines_beside(axis) / spec_.batch;
    const bool may_be = !has_tiles(*on_) && (!has_bins || are_paired) && are_of_one_row;
    return are_beside && may_be ? nearest.count : 1;
  }

  void add(const axis_step& step, const array& from, const array& to) {
    with_reduction(step.kind, spec_.lengths[step.axis], *on_,
                   [&](const reduction& chosen, const line_reduction& functor) {
                     add(step, from, to, chosen, functor);
                   });
  }

  void add(const axis_step& step, const array& from, const array& to, const reduction& chosen,
           const line_reduction& functor) {
    step_sides sides = sides_of(step, from, to);
    line_numbers &in = sides.in.lines, &out = sides.out.lines;
    in.has_roots = chosen.are_loaded;
    out.has_roots = chosen.are_stored;
    in.fine_bits = out.fine_bits = fine_bits_of(chosen.roots);
    if (add_side_by_side(step, sides)) return;
    const std::size_t columns = columns_of(step.axis, sides, chosen);
    plan_spec inner{.lengths = {chosen.length},
                    .batch = {lines_beside(step.axis) / columns, columns},
                    .kind = chosen.inner,
                    .real = arrays::common_precision(spec_)};
    const double scale = chosen.factor * factor_of_end(to, spec_);
    const bool has_edge = out.has_first_edge || out.has_last_edge;  // rounded once, with the scale
    if (chosen.roots == 0) (has_edge ? out.scale : inner.factor) = scale;
    add_realised(inner, chosen, sides, step.kind, scale, functor);
  }

  /// Adds lines that the engine transforms itself. Returns false if it cannot; then nothing is
  /// added.
  bool add_side_by_side(const axis_step& step, const step_sides& sides) {
    if (sides.in.functor.is_given() || sides.out.functor.is_given()) return false;
    const auto part =
        engine_.realise(on_, lines_between(step, sides, lines_beside(step.axis), spec_));
    if (!part) return false;
    add_titled(*part, {.in = sides.in.memory.location, .out = sides.out.memory.location},
               std::string{step.kind.name});
    return true;
  }

  /// Adds an axis that is transformed, multiplied and transformed back in one step. Returns false
  /// if the engine cannot; then nothing is added.
  bool add_with_inverse(const axis_step& step, const array& from, const array& to) {
    const bool has_load = from.location == place::input && spec_.load.is_given();
    if (has_load || !spec_.multiplier.source.is_given()) return false;
    bool is_added = false;
    with_diagonal(
        step.kind, spec_.lengths[step.axis],
        [&](const reduction& chosen, const line_reduction& functor) {
          const traits& back = request::traits_of(step.kind.opposite);
          step_sides sides{
              {from, lines_of_kind(lines_of(from, step.axis, ranges_), step.kind, true, false)},
              {to, lines_of_kind(lines_of(to, step.axis, ranges_), back, false, false)}};
          sides.in.functor = spec_.multiplier;
          sides.in.multiplies = true;
          sides.in.multiplied_elements = request::points_of(spec_);
          if (to.location == place::output) sides.out.functor = spec_.store;
          sides.in.shares_text = sides.out.shares_text =
              spec_.multiplier.source.text == sides.out.functor.source.text;
          sides.in.lines.has_roots = chosen.are_loaded;
          sides.in.lines.fine_bits = fine_bits_of(chosen.roots);
          if (columns_of(step.axis, sides, chosen) > 1) return;
          plan_spec inner{.lengths = {chosen.length},
                          .batch = lines_beside(step.axis),
                          .kind = transform::dht,
                          .real = arrays::common_precision(spec_)};
          inner.factor = chosen.factor * factor_of_end(to, spec_);
          is_added = add_diagonal(inner, chosen, sides, step.kind, functor);
        });
    return is_added;
  }

  bool add_diagonal(plan_spec& inner, const reduction& chosen, const step_sides& sides,
                    const traits& kind, const line_reduction& functor) {
    inner.load = diagonal_load_of(sides.in, inner.real, functor);
    inner.store = store_of(sides.out, inner.real, chosen.length, functor);
    const std::optional<program> part = engine_.realise(on_, backend::diagonal_rows{inner});
    if (!part) return false;
    add_titled(*part, ends_of(sides, inner.real, chosen, 1),
               formatted("{} by reals of length {} and their bins, times your factors, and back",
                         kind.name, chosen.length));
    return true;
  }

  void add_titled(const program& part, const array_ends& ends, std::string title) {
    const std::size_t first = program_.steps.size();
    program_.add(part, ends);
    program_.steps[first].title = std::move(title);
  }

  void add_realised(plan_spec& inner, const reduction& chosen, const step_sides& sides,
                    const traits& kind, double scale, const line_reduction& functor) {
    const traits& made_by = request::traits_of(chosen.inner);
    inner.load = load_of(sides.in, inner.real, count_of(made_by.in, chosen.length), functor);
    inner.store = store_of(sides.out, inner.real, count_of(made_by.out, chosen.length), functor);
    add_titled(*engine_.realise(on_, resolved(inner, sides, chosen)),
               ends_of(sides, inner.real, chosen, scale),
               formatted("{} by {} of length {}, {}{}", kind.name, made_by.name, chosen.length,
                         chosen.description, sides.in.multiplies ? ", times your factors" : ""));
  }

  [[nodiscard]] std::size_t lines_beside(std::size_t axis) const {
    std::size_t count = spec_.batch;
    for (std::size_t a = 0; a < ranges_.size(); ++a) {
      if (a != axis) count *= ranges_[a].end - ranges_[a].first;
    }
    return count;
  }

  const backend::engine& engine_;
  const std::shared_ptr<backend::queue>& on_;
  const request::resolved_spec& request_;
  const plan_spec& spec_;
  std::vector<index_range> ranges_;  ///< Of each axis, in the array that the next step reads.
  program program_;
};

}  // namespace

program transform_program(const backend::engine& engine, const std::shared_ptr<backend::queue>& on,
                          const request::resolved_spec& request) {
  if (auto own = engine.realise(on, request)) return std::move(*own);
  return composer{engine, on, request}.compose();
}

}  // namespace wingbeat::programs
