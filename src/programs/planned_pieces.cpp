// SPDX-License-Identifier: Apache-2.0
#include "programs/planned_pieces.hpp"

#include <utility>  // move

#include "arrays/order.hpp"       // arrays_of_passes
#include "planner/placement.hpp"  // placed
#include "text/reject.hpp"        // reject

namespace wingbeat::programs {
namespace {

using arrays::array;
using planner::body;

/// Returns the arrays between pieces: piece i reads array i and writes array i + 1.
std::vector<array> arrays_of(const plan_spec& spec, const array_sides& sides,
                             const std::vector<planned_piece>& pieces,
                             const tuning::placement_rules& rules) {
  std::vector<arrays::pass_outline> passes;
  for (const planned_piece& each : pieces) {
    passes.push_back(
        {axes_of(each.chosen, each.axis), each.ends, each.chosen.total, each.keeps_places()});
  }
  const std::size_t bytes = 2 * bytes_of_real(arrays::common_precision(spec));
  return arrays::arrays_of_passes(spec, sides.in, sides.out, passes,
                                  {.padding = {.multiple_of_odd = rules.line_bytes / bytes,
                                               .shortest_odd = rules.shortest_padded},
                                   .may_alternate = true});
}

/// Returns whether a pass may stream its output. Only the last pass may, because later passes read
/// the output of others from L2; and not columns with twiddles or columns that write elsewhere than
/// they read, which measured slower (bench/lessons/memory.md#stores-that-leave-l2-first).
bool may_stream(const planned_piece& each, const pass& next_pass, bool is_last) {
  const bool overwrites = next_pass.in.location == next_pass.out.location;
  return is_last && !(next_pass.shape().lanes_across && (each.chosen.prior > 1 || !overwrites));
}

}  // namespace

void require_launchable(const pass& each, const plan_spec& spec, const device_info& device) {
  if (each.shape().scratch_bytes() > device.local_memory_bytes) {
    reject(
        "partial results of {} bytes in each of {} threads do not fit {} bytes of local memory; "
        "let the store functor's be smaller",
        each.shape().partial_bytes, each.shape().threads(), device.local_memory_bytes);
  }
  constexpr std::size_t most = (std::size_t{1} << 31) - 1;  // workgroups of one launch, on CUDA
  if (each.workgroups() <= most) return;
  reject(
      "batch {} of length {} needs {} workgroups and one launch takes {}; "
      "choose a smaller batch",
      std::size_t{spec.batch}, request::points_of(spec), each.workgroups(), most);
}

program cleared_output(const plan_spec& spec) {
  program result;
  if (spec.store.clears_output) result.add(clear{spec.store.out_bytes});
  return result;
}

program program_of(const request::resolved_spec& request, const array_sides& sides,
                   const std::vector<planned_piece>& pieces, const spectrum_array* filter,
                   const device_info& device, const tuning::architecture& data) {
  const plan_spec& spec = request.spec;
  const auto arrays = arrays_of(spec, sides, pieces, data.placing);
  program result = cleared_output(spec);
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    const body makes = pieces[i].chosen.shape.makes;
    const bool multiplies = makes == body::convolve || makes == body::correlate;
    pass each = placed(pieces[i].chosen,
                       {request, pieces[i].axis, pieces[i].begins, pieces[i].ends, arrays[i],
                        arrays[i + 1], data.placing, device, multiplies ? filter : nullptr});
    each.out.streams &= may_stream(pieces[i], each, i + 1 == pieces.size());
    if (i + 1 == pieces.size()) each.numbers.scale = static_cast<double>(request::factor_of(spec));
    require_launchable(each, spec, device);
    result.add(std::move(each));
  }
  for (std::size_t i = 1; i + 1 < arrays.size(); ++i) {
    if (arrays[i].location == place::output) continue;
    result.reserve(arrays[i].location, arrays[i].bytes());
  }
  return result;
}

}  // namespace wingbeat::programs
