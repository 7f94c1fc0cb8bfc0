// SPDX-License-Identifier: Apache-2.0
#include "planner/recipe.hpp"

#include <fmt/core.h>

#include <bit>    // countr_zero
#include <cmath>  // sqrt
#include <optional>

#include "tuning/tuning.hpp"   // architecture
#include "wingbeat/error.hpp"  // plan_error

namespace wingbeat::planner {
namespace {

unsigned log2_of(std::size_t n) {
  return static_cast<unsigned>(std::countr_zero(n));
}

bool is_real(const plan_spec& what) {
  return what.kind == transform::forward_from_real || what.kind == transform::inverse_to_real;
}

double scale_of(const plan_spec& what) {
  const double n = static_cast<double>(what.lengths.front());
  switch (what.scale) {
    case scaling::none: return 1;
    case scaling::by_length: return 1 / n;
    case scaling::by_sqrt_length: return 1 / std::sqrt(n);
  }
  return 1;
}

/// What all passes of one request share.
pass common_pass(const plan_spec& what, const tuning::architecture& data) {
  pass all;
  all.real = what.real;
  all.is_forward = what.kind == transform::forward || what.kind == transform::forward_from_real;
  all.total = what.lengths.front() / (is_real(what) ? 2 : 1);
  all.in_pitch = all.out_pitch = all.total;
  all.bank_bytes = data.bank_bytes;
  return all;
}

bool fits(const pass& one, const device_info& where) {
  return one.threads() <= where.max_workgroup && one.scratch_bytes() <= where.local_memory_bytes;
}

/// The whole transform in one workgroup, if its data says so and the device has the room.
std::optional<pass> whole_pass(pass one, const tuning::shapes& data, row source, row sink,
                               const device_info& where) {
  const unsigned bits = log2_of(one.total);
  if (bits >= data.whole.size()) return std::nullopt;
  const tuning::shape& shape = data.whole[bits];
  one.length = one.total;
  one.elements_per_thread = shape.elements_per_thread;
  one.transforms = shape.transforms;
  one.half_trade = shape.half_trade;
  one.source = source;
  one.sink = sink;
  one.stage_in = shape.stage_in && source == row::complex_row;
  one.stage_out = shape.stage_out && sink == row::complex_row;
  while (!fits(one, where) && one.transforms > 1) one.transforms /= 2;
  if (!fits(one, where)) return std::nullopt;
  return one;
}

std::optional<pass> column_pass(pass one, unsigned bits, const tuning::shapes& data,
                                const device_info& where) {
  const unsigned shortest = data.columns.front().log2_length;
  if (bits < shortest || bits - shortest >= data.columns.size()) return std::nullopt;
  const tuning::column_shape& shape = data.columns[bits - shortest];
  one.length = std::size_t{1} << bits;
  one.elements_per_thread = shape.elements_per_thread;
  one.transforms = shape.columns;
  one.lanes_across = true;
  one.stage_out = one.prior == 1;  // its outputs are contiguous along each butterfly
  while (!fits(one, where) && one.transforms > 1) one.transforms /= 2;
  if (!fits(one, where)) return std::nullopt;
  return one;
}

/// Splits the length evenly over as few passes as fit, two at least.
std::vector<pass> column_passes(const pass& all, const tuning::shapes& data,
                                const device_info& where) {
  const unsigned bits = log2_of(all.total);
  for (unsigned count = 2; count <= 4; ++count) {
    std::vector<pass> made;
    std::size_t prior = 1;
    for (unsigned i = 0; i < count; ++i) {
      const unsigned share = bits / count + (i < bits % count ? 1 : 0);
      pass one = all;
      one.prior = prior;
      if (auto fitted = column_pass(one, share, data, where)) made.push_back(*fitted);
      prior <<= share;
    }
    if (made.size() == count) return made;
  }
  throw plan_error(
      fmt::format("length {} does not fit {}: {} bytes of local memory, workgroups of "
                  "{}; choose a shorter length or the host engine",
                  all.total, where.name, where.local_memory_bytes, where.max_workgroup));
}

void require_launchable(const std::vector<pass>& passes, std::size_t batch) {
  constexpr std::size_t most = (std::size_t{1} << 31) - 1;  // of one launch, on CUDA
  for (const pass& one : passes) {
    if (one.workgroups(batch) <= most) continue;
    throw plan_error(
        fmt::format("batch {} of length {} needs {} workgroups and one launch takes {}; "
                    "choose a smaller batch",
                    batch, one.total, one.workgroups(batch), most));
  }
}

/// Leads the passes from the input through the workspaces to the output.
void route(std::vector<pass>& passes) {
  for (std::size_t i = 0; i < passes.size(); ++i) {
    passes[i].from = i == 0 ? place::input : passes[i - 1].to;
    const bool is_last = i + 1 == passes.size();
    passes[i].to = is_last ? place::output : i % 2 == 0 ? place::workspace_a : place::workspace_b;
  }
}

}  // namespace

std::size_t recipe::traffic_bytes(std::size_t batch) const {
  std::size_t sum = 0;
  for (const pass& one : passes) sum += one.traffic_bytes(batch);
  return sum;
}

std::string recipe::describe() const {
  std::string text;
  for (std::size_t i = 0; i < passes.size(); ++i) {
    text += fmt::format("pass {}: {}\n", i + 1, passes[i].describe());
  }
  return text;
}

recipe make_recipe(const plan_spec& what, const device_info& where) {
  const tuning::architecture& data = tuning::for_device(where);
  const tuning::shapes& shapes = what.real == precision::fp32 ? data.fp32 : data.fp64;
  const pass all = common_pass(what, data);
  const bool to_bins = what.kind == transform::forward_from_real;
  const bool from_bins = what.kind == transform::inverse_to_real;
  const row source = from_bins ? row::half_spectrum : row::complex_row;
  const row sink = to_bins ? row::half_spectrum : row::complex_row;

  recipe made;
  if (const auto whole = whole_pass(all, shapes, source, sink, where)) {
    made.passes = {*whole};
  } else {
    made.passes = column_passes(all, shapes, where);
    made.passes.front().source = source;
    if (to_bins) {
      pass separate = all;
      separate.does = pass::kind::separate;
      made.passes.push_back(separate);
    }
  }
  // The last transform scales: separating bins is linear, so it may follow.
  for (auto one = made.passes.rbegin(); one != made.passes.rend(); ++one) {
    if (one->does != pass::kind::transform) continue;
    one->scale = scale_of(what);
    break;
  }
  const std::size_t padded = all.total + 1;
  const bool is_padded = what.where == placement::in_place;
  if (from_bins || (to_bins && is_padded)) made.passes.front().in_pitch = padded;
  if (to_bins || (from_bins && is_padded)) made.passes.back().out_pitch = padded;
  if (what.load.is_given()) made.passes.front().load = functor_of(what.load, to_bins);
  if (what.store.is_given()) made.passes.back().store = functor_of(what.store, from_bins);
  route(made.passes);
  require_launchable(made.passes, what.batch);

  const std::size_t row_bytes = what.batch * all.total * all.element_bytes();
  if (made.passes.size() > 1) made.workspace_a_bytes = row_bytes;
  if (made.passes.size() > 2) made.workspace_b_bytes = row_bytes;
  return made;
}

std::vector<pass> every_pass(const device_info& where) {
  std::vector<pass> all;
  for (const precision real : {precision::fp32, precision::fp64}) {
    for (std::size_t n = 2; n <= max_length; n *= 2) {
      for (const transform kind : {transform::forward, transform::inverse,
                                   transform::forward_from_real, transform::inverse_to_real}) {
        const recipe made = make_recipe({.lengths = {n}, .kind = kind, .real = real}, where);
        all.insert(all.end(), made.passes.begin(), made.passes.end());
      }
    }
  }
  return all;
}

}  // namespace wingbeat::planner
