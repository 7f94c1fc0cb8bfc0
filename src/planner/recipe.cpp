// SPDX-License-Identifier: Apache-2.0
#include "planner/recipe.hpp"

#include <fmt/core.h>

#include <algorithm>  // all_of, max, stable_sort

#include "planner/lattice.hpp"             // lattice
#include "planner/pieces.hpp"              // pieces_of, plane_of
#include "planner/placing.hpp"             // place_pass
#include "planner/roots.hpp"               // table_of
#include "side.hpp"                        // is_real, factor_of, bytes_of_real
#include "tuning/tuning.hpp"               // for_device
#include "wingbeat/device/grid/chain.hpp"  // counter_bytes
#include "wingbeat/error.hpp"              // plan_error

namespace wingbeat::planner {
namespace {

/// What all passes of one request share.
pass common_pass(const plan_spec& what, const tuning::architecture& data) {
  pass all;
  all.real = common_precision(what);
  all.in.stored = all.out.stored = what.real;
  all.is_forward = what.kind == transform::forward || what.kind == transform::forward_from_real;
  all.bank_bytes = data.bank_bytes;
  return all;
}

/// A pass, and the axes it works on: one, or the two of a plane, of which this is the slower.
struct step {
  pass does;
  std::size_t axis = 0;
  bool begins = true;  ///< The first pass of its axis.
  bool ends = true;    ///< The last.
};

/// Chooses the steps of a request, in order.
class steps_of {
 public:
  steps_of(const plan_spec& what, const device_info& where, const tuning::architecture& data)
      : what_(what),
        where_(where),
        data_(data),
        in_(input_lattice(what)),
        common_(common_pass(what, data_)) {
    std::size_t left = what.lengths.size();
    const bool bins_become_reals = what.kind == transform::inverse_to_real;
    const pass plane = find_plane();
    if (plane.length > 0) {
      left -= 2;
      if (!bins_become_reals) steps_.push_back({plane, left});
    }
    if (bins_become_reals) {  // rows come last
      for (std::size_t a = 0; a < left; ++a) add_axis(a);
      if (plane.length > 0) steps_.push_back({plane, left});
    } else {
      while (left > 0) add_axis(--left);
    }
  }

  [[nodiscard]] std::vector<step> take() { return std::move(steps_); }

 private:
  /// Of the last two axes, if there is one for them; its length is 0 otherwise.
  [[nodiscard]] pass find_plane() const {
    const std::size_t n_axes = what_.lengths.size();
    pass none;
    none.length = 0;
    if (n_axes < 2) return none;
    const auto& rows = in_.axes[n_axes - 2];
    const auto& columns = in_.axes[n_axes - 1];
    const bool is_plain =
        columns.stride == 1 && !rows.is_limited && !columns.is_limited && what_.valid_out.empty();
    if (!is_plain) return none;
    return plane_of(rows.length, request_of(n_axes - 1), common_, data_, where_);
  }

  [[nodiscard]] axis_request request_of(std::size_t a) const {
    axis_request axis;
    axis.is_of_bins = is_real(what_.kind) && a + 1 == what_.lengths.size();
    axis.total = what_.lengths[a] / (axis.is_of_bins ? 2 : 1);
    axis.is_forward = common_.is_forward;
    return axis;
  }

  void add_axis(std::size_t a) {
    const std::size_t last = what_.lengths.size() - 1;
    axis_request axis = request_of(a);
    // Real rows between passes are packed; of the first pass the layout decides.
    const std::size_t densest = in_.axes[last].stride;
    const bool is_dense = in_.axes[a].stride <= densest && !has_closer_batch(in_.axes[a].stride);
    axis.is_row = a == last && (!steps_.empty() || is_dense || axis.is_of_bins);
    if (!axis.is_row) axis.columns = columns_beside(a);
    std::vector<pass> pieces;
    if (what_.bins == bin_order::scrambled) {
      pieces = scrambled_pieces_of(axis, common_, data_, where_);
    }
    if (pieces.empty()) pieces = pieces_of(axis, common_, data_, where_);
    for (std::size_t i = 0; i < pieces.size(); ++i) {
      steps_.push_back({pieces[i], a, i == 0, i + 1 == pieces.size()});
    }
  }

  [[nodiscard]] bool has_closer_batch(std::size_t stride) const {
    for (std::size_t b = 0; b < in_.distances.size(); ++b) {
      if (what_.batch.counts()[b] > 1 && in_.distances[b] < stride) return true;
    }
    return false;
  }
  /// Returns the columns that may lie side by side along axis a: of the last axis, of the batch.
  [[nodiscard]] std::size_t columns_beside(std::size_t a) const {
    const std::size_t of_axis = a + 1 == in_.axes.size() ? 1 : in_.axes.back().length;
    const bool has_batch = of_axis == 1 || has_batch_inside(in_, what_);
    return of_axis * (has_batch ? std::size_t{what_.batch} : 1);
  }

  const plan_spec& what_;
  const device_info& where_;
  const tuning::architecture& data_;
  lattice in_;
  pass common_;
  std::vector<step> steps_;
};

/// Does a pass write the places of the axis that it reads, and no others.
bool keeps_places(const step& one) {
  return one.does.stays || (one.begins && one.ends);
}

/// Returns the arrays between passes: 0 is the input, i + 1 what step i writes.
std::vector<lattice> lattices_of(const plan_spec& what, const std::vector<step>& steps) {
  std::vector<lattice> all{input_lattice(what)};
  const lattice to = output_lattice(what);
  const bool may_use_output =
      std::all_of(steps.begin(), steps.end(), keeps_places) && !to.has_parts && !to.is_pairs &&
      to.stored == common_precision(what) && !what.store.is_given() && what.valid_out.empty();
  const bool batch_inside =
      !is_real(what.kind) && has_batch_inside(all.front(), what) && has_batch_inside(to, what);
  lattice now = all.front();
  std::size_t last = what.lengths.size() - 1;
  for (std::size_t i = 0; i + 1 < steps.size(); ++i) {
    const step& one = steps[i];
    const auto end_axis = [&](std::size_t a) {
      now.axes[a] = to.axes[a];
      if (a == last) now.holds_bins = to.holds_bins;
    };
    if (one.ends) {
      end_axis(one.axis);
      if (one.does.does == pass::kind::plane) end_axis(one.axis + 1);
    } else {  // in between, the axis is whole
      const std::size_t n = one.does.total;
      now.axes[one.axis].length = n;
      now.axes[one.axis].valid = {0, n};
      now.axes[one.axis].is_limited = false;
      if (one.axis == last) now.holds_bins = false;
    }
    lattice made = packed_lattice(what, now, place::workspace_a, batch_inside);
    if (may_use_output) {
      const auto limits = made.axes;
      made = to;
      for (std::size_t a = 0; a < limits.size(); ++a) {
        made.axes[a].valid = limits[a].valid;
        made.axes[a].is_limited = limits[a].is_limited;
      }
    }
    const bool is_safe = keeps_places(one) && (i == 0 || made.elements() == all.back().elements());
    const bool was_a = all.back().where == place::workspace_a;
    if (!may_use_output && was_a && !is_safe) made.where = place::workspace_b;
    all.push_back(made);
  }
  all.push_back(to);
  return all;
}

std::size_t bytes_between(const plan_spec& what, const lattice& of) {
  std::size_t end = 1;  // of the longest stride
  for (std::size_t a = 0; a < of.axes.size(); ++a) {
    end = std::max(end, of.axes[a].stride * of.axes[a].length);
  }
  for (std::size_t b = 0; b < of.distances.size(); ++b) {
    end = std::max(end, of.distances[b] * what.batch.counts()[b]);
  }
  return end * 2 * bytes_of_real(of.stored);
}

void require_launchable(const launch& one, const plan_spec& what) {
  constexpr std::size_t most = (std::size_t{1} << 31) - 1;  // of one launch, on CUDA
  if (one.workgroups() <= most) return;
  throw plan_error(
      fmt::format("batch {} of length {} needs {} workgroups and one launch takes {}; "
                  "choose a smaller batch",
                  std::size_t{what.batch}, points_of(what), one.workgroups(), most));
}

/// May two passes be chained: of as many threads, on a device whose workgroups start in order and
/// see each other's writes, rows small enough for its cache.
bool is_chainable(const std::vector<step>& steps, const plan_spec& what, const device_info& where,
                  const tuning::chain_rule& rule, const lattice& between, std::size_t row_bytes) {
  if (where.runs_on != engine::cuda || steps.size() != 2) return false;
  if (between.distances.front() < between.elements()) return false;  // rows alternate
  const pass &first = steps[0].does, &second = steps[1].does;
  return !first.stays && row_bytes >= rule.least_bytes && row_bytes <= rule.most_bytes &&
         !first.is_cluster() && !second.is_cluster() && first.threads() == second.threads() &&
         what.batch.counts().size() == 1;
}

/// Gives the first pass as many threads as the second has, where its lanes allow that.
void match_threads(std::vector<step>& steps) {
  if (steps.size() != 2 || steps[0].does.is_cluster() || steps[1].does.is_cluster()) return;
  pass& first = steps[0].does;
  const unsigned per_lane = first.threads() / first.lanes;
  const unsigned wanted = steps[1].does.threads() / per_lane;
  if (!first.lanes_across && wanted > 0) first.lanes = wanted;
}

/// What the next pass reads is to stay there; and, measured, what long rows write whose inputs are
/// turned, and columns that turn theirs or write elsewhere than they read.
void keep_in_caches(std::vector<pass>& passes) {
  for (pass& one : passes) {
    const bool is_last = &one == &passes.back();
    const bool overwrites = one.in.where == one.out.where;
    const bool turns_or_moves = one.prior > 1 || !overwrites;
    const bool is_refused = one.is_long_and_turned() || (one.lanes_across && turns_or_moves);
    if (!is_last || is_refused) one.out.is_once = false;
  }
}

}  // namespace

std::size_t launch::workgroups() const {
  if (!is_chained()) return passes.front().workgroups();
  const std::size_t chunks = (passes.front().rows + chunk_rows - 1) / chunk_rows;
  return (chunks + 1) * chunk_rows * (passes[0].tiles_of_row() + passes[1].tiles_of_row());
}

std::size_t launch::scratch_bytes() const {
  std::size_t most = is_chained() ? 16 : 0;  // a ticket
  for (const pass& one : passes) most = std::max(most, one.scratch_bytes());
  return most;
}

std::size_t launch::traffic_bytes() const {
  std::size_t sum = 0;
  for (const pass& one : passes) sum += one.traffic_bytes();
  return is_chained() ? sum / 2 : sum;  // what lies between them stays in the cache
}

std::size_t launch::counter_bytes() const {
  return is_chained() ? device::grid::counter_bytes(passes.front().rows, chunk_rows) : 0;
}

std::vector<std::byte> launch::parameter_blocks() const {
  std::vector<std::byte> blocks;
  for (const pass& one : passes) {
    const auto more = one.parameter_blocks();
    blocks.insert(blocks.end(), more.begin(), more.end());
  }
  return blocks;
}

std::size_t launch::roots_of_pass(std::size_t which) const {
  return table_of<float>(passes[which]).size();
}

std::string launch::describe() const {
  if (!is_chained()) return passes.front().describe();
  return fmt::format("{}\n  then, {} rows at a time through the cache: {}", passes[0].describe(),
                     chunk_rows, passes[1].describe());
}

std::size_t recipe::traffic_bytes() const {
  std::size_t sum = 0;
  for (const launch& one : launches) sum += one.traffic_bytes();
  return sum;
}

std::string recipe::describe() const {
  std::string text;
  for (std::size_t i = 0; i < launches.size(); ++i) {
    text += fmt::format("pass {}: {}\n", i + 1, launches[i].describe());
  }
  return text;
}

double recipe::predicted_fraction(std::size_t copied_bytes) const {
  double copies = 0;  // bytes that a copy would move in the same time
  for (const pass& one : passes()) {
    if (one.fraction == 0) return 0;
    copies += static_cast<double>(one.traffic_bytes()) / one.fraction;
  }
  return static_cast<double>(copied_bytes) / copies;
}

std::size_t recipe::bin_at(std::size_t place) const {
  for (const launch& one : launches) {
    const pass& columns = one.passes.front();
    if (!columns.stays || columns.spacing == 1) continue;
    return place / columns.spacing + place % columns.spacing * columns.length;
  }
  return place;
}

std::vector<pass> recipe::passes() const {
  std::vector<pass> all;
  for (const launch& one : launches) {
    all.insert(all.end(), one.passes.begin(), one.passes.end());
  }
  return all;
}

recipe make_recipe(const plan_spec& what, const device_info& where) {
  return make_recipe(what, where, tuning::for_device(where));
}

recipe make_recipe(const plan_spec& what, const device_info& where,
                   const tuning::architecture& data) {
  const tuning::chain_rule& rule = tuning::shapes_for(data, what.real).chain;
  std::vector<step> steps = steps_of{what, where, data}.take();
  if (steps.size() == 2 && rule.most_bytes > 0) match_threads(steps);
  const auto lattices = lattices_of(what, steps);
  const std::size_t row_bytes = lattices[1].elements() * 2 * bytes_of_real(common_precision(what));
  const bool is_chained = is_chainable(steps, what, where, rule, lattices[1], row_bytes);

  std::vector<pass> passes;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const placing where_it_lies{what,        steps[i].axis,   steps[i].begins, steps[i].ends,
                                lattices[i], lattices[i + 1], is_chained};
    passes.push_back(placed(steps[i].does, where_it_lies));
  }
  keep_in_caches(passes);
  passes.back().scale = static_cast<double>(factor_of(what));

  recipe made;
  if (is_chained) {
    launch both;
    both.chunk_rows = std::max<std::size_t>(rule.chunk_bytes / row_bytes, 1);
    both.ring = rule.ring;
    passes.front().in.is_once = passes.back().out.is_once = true;
    passes.front().out.where = passes.back().in.where = place::workspace_a;
    both.passes = std::move(passes);
    made.workspace_a_bytes = both.counter_bytes() + both.ring * both.chunk_rows *
                                                        both.passes[0].out.distance *
                                                        both.passes[0].element_bytes();
    made.launches.push_back(std::move(both));
  } else {
    for (std::size_t i = 1; i + 1 < lattices.size(); ++i) {
      if (lattices[i].where == place::output) continue;
      auto& bytes =
          lattices[i].where == place::workspace_a ? made.workspace_a_bytes : made.workspace_b_bytes;
      bytes = std::max(bytes, bytes_between(what, lattices[i]));
    }
    for (pass& one : passes) made.launches.push_back({{std::move(one)}});
  }
  for (const launch& one : made.launches) require_launchable(one, what);
  return made;
}

}  // namespace wingbeat::planner
