// SPDX-License-Identifier: Apache-2.0
#include "backend/host/plan.hpp"

#include <algorithm>  // max, min
#include <cstring>    // memset
#include <string>
#include <vector>

#include "backend/host/axes/axis_pass.hpp"  // axis_pass
#include "backend/host/axes/passes.hpp"     // passes_of, distances_of
#include "backend/host/thresholds.hpp"      // limits
#include "request/resolved.hpp"             // resolved_spec, factor_of, points_of
#include "text/formatted.hpp"               // formatted

namespace wingbeat::backend::host {
namespace {

/// The batch as groups: one index of each dimension before `split`, a chunk of `split`, and all of
/// the dimensions behind it.
struct grouping {
  std::vector<std::size_t> counts;
  std::size_t split = 0;
  std::size_t chunk = 1;

  [[nodiscard]] std::size_t n_before() const {
    std::size_t n = 1;
    for (std::size_t b = 0; b < split; ++b) n *= counts[b];
    return n;
  }
  /// Returns the counts of one group with `n` indices of the split dimension.
  [[nodiscard]] std::vector<std::size_t> of_group(std::size_t n) const {
    std::vector<std::size_t> result = counts;
    for (std::size_t b = 0; b < split; ++b) result[b] = 1;
    result[split] = n;
    return result;
  }
  [[nodiscard]] bool is_one() const { return split == 0 && chunk == counts.front(); }
  [[nodiscard]] std::size_t n_rest() const { return counts[split] % chunk; }
};

grouping grouped(const plan_spec& spec, std::size_t number_bytes) {
  grouping result;
  result.counts = spec.batch.counts();
  if (result.counts.empty()) result.counts.push_back(1);
  result.chunk = result.counts.front();
  if (spec.lengths.size() == 1) return result;
  std::size_t room =
      std::max<std::size_t>(limits.group_bytes / (request::points_of(spec) * number_bytes), 1);
  result.split = result.counts.size() - 1;
  while (result.split > 0 && result.counts[result.split] <= room)
    room /= result.counts[result.split--];
  result.chunk = std::min(room, result.counts[result.split]);
  return result;
}

template <class Real>
class host_plan final : public backend::call {
 public:
  host_plan(const named_set& set, const request::resolved_spec& request)
      : request_(request), groups_(grouped(request.spec, 2 * sizeof(Real))) {
    const plan_spec& spec = request_.spec;
    if (spec.load.is_given()) functors_.load = &spec.load.callable;
    if (spec.store.is_given()) functors_.store = &spec.store.callable;
    in_distances_ = distances_of(request.in, spec.load.is_given());
    out_distances_ = distances_of(request.out, spec.store.is_given());
    whole_ = make_group(set, groups_.of_group(groups_.chunk));
    if (groups_.n_rest() != 0) rest_ = make_group(set, groups_.of_group(groups_.n_rest()));
    work_bytes_ = std::max(whole_.work_bytes, rest_.work_bytes);
    for (const group* each : {&whole_, &rest_}) {
      for (const auto& pass : each->passes) {
        scratch_bytes_ = std::max(scratch_bytes_, pass.scratch_bytes());
      }
    }
    if (groups_.is_one() && whole_.passes.size() == 1) direct_ = whole_.passes.front().direct();
  }

  [[nodiscard]] std::size_t workspace_bytes() const noexcept override {
    const std::size_t needed = work_bytes_ + scratch_bytes_;
    return needed == 0 ? 0 : needed + alignment_bytes;  // a caller's memory may start anywhere
  }

  [[nodiscard]] std::size_t traffic_bytes() const noexcept override {
    std::size_t bytes = request_.moved_in() + request_.moved_out();
    const std::size_t number_bytes = 2 * sizeof(Real);
    const std::size_t n_transforms = request_.spec.batch;
    const std::size_t n_of_group = batch_shape{groups_.of_group(groups_.chunk)};
    const bool is_cached = request::points_of(request_.spec) * number_bytes <= limits.group_bytes;
    for (const auto& pass : whole_.passes) {
      const std::size_t columns = pass.planned().n_columns() / n_of_group * n_transforms;
      const std::size_t row = pass.planned().complex_length();
      bytes += 2 * pass.n_inner_crossings() * columns * row * number_bytes;
      if (&pass == &whole_.passes.back() || is_cached) continue;
      const auto [first, last] = pass.planned().out.valid;
      bytes += 2 * columns * (last - first) * number_bytes;
    }
    return bytes;
  }

  [[nodiscard]] std::string explain() const override {
    std::string text;
    for (const auto& pass : whole_.passes) {
      if (!text.empty()) text += '\n';
      if (whole_.passes.size() > 1) text += formatted("axis {}: ", pass.planned().axis);
      text += pass.explain();
    }
    return text;
  }

  void enqueue(queue&, const backend::run& given) const override {
    if (direct_.call != nullptr) {
      return direct_.call(direct_.prepared, start_of(given.in), start_of(given.out));
    }
    std::byte* const work = aligned_start_of(given.workspace);
    const plan_spec& spec = request_.spec;
    begin_of_end in{start_of(given.in), 0, host_arguments{spec.load.operands, given.load}};
    begin_of_end out{start_of(given.out), 0, host_arguments{spec.store.operands, given.store}};
    if (spec.store.clears_output) std::memset(out.memory, 0, spec.store.out_bytes);
    if (groups_.is_one()) return run(whole_, in, out, work);
    const std::size_t n_before = groups_.n_before();
    for (std::size_t before = 0; before < n_before; ++before) {
      std::size_t in_first = 0, out_first = 0, rest = before;
      for (std::size_t b = groups_.split; b-- > 0; rest /= groups_.counts[b]) {
        in_first += rest % groups_.counts[b] * in_distances_[b];
        out_first += rest % groups_.counts[b] * out_distances_[b];
      }
      const std::size_t count = groups_.counts[groups_.split];
      for (std::size_t i = 0; i < count; i += groups_.chunk) {
        in.offset = in_first + i * in_distances_[groups_.split];
        out.offset = out_first + i * out_distances_[groups_.split];
        run(count - i < groups_.chunk ? rest_ : whole_, in, out, work);
      }
    }
  }

  [[nodiscard]] direct_run direct() const noexcept override { return direct_; }

 private:
  /// Passes that some slabs go through before the next slabs do.
  struct leg {
    std::size_t begin = 0;
    std::size_t end = 0;
    std::size_t n_slabs = 1;
    std::size_t together = 1;
  };
  /// The passes of a group, and the workspace between them.
  struct group {
    std::vector<axis_pass<Real>> passes;
    std::vector<leg> legs;
    std::size_t work_bytes = 0;
  };
  [[nodiscard]] group make_group(const named_set& set,
                                 const std::vector<std::size_t>& counts) const {
    group result;
    const pass_list list = passes_of(request_, counts);
    result.work_bytes = aligned_up(list.work_bytes);
    result.passes.reserve(list.passes.size());
    for (const pass& each : list.passes) {
      const bool is_last = &each == &list.passes.back();
      const long double scale = is_last ? request::factor_of(request_.spec) : 1;
      result.passes.emplace_back(set, each, scale, functors_);
    }
    prepare_legs(result);
    return result;
  }

  /// Two passes, neither along axis 0, can go plane by plane.
  static void prepare_legs(group& sequence) {
    for (std::size_t first = 0; first < sequence.passes.size(); first = sequence.legs.back().end) {
      leg result{first, first + 1, 1, 1};
      const pass& planned = sequence.passes[first].planned();
      if (sequence.passes.size() == 3 && first < 2 && planned.n_slabs > 1 &&
          sequence.passes[first + 1].planned().n_slabs == planned.n_slabs) {
        const std::size_t plane =
            planned.n_columns() / planned.n_slabs * planned.length * 2 * sizeof(Real);
        result = {first, first + 2, planned.n_slabs,
                  std::max<std::size_t>(limits.slab_bytes / plane, 1)};
      }
      sequence.legs.push_back(result);
    }
  }

  void run(const group& sequence, const begin_of_end& in, const begin_of_end& out,
           std::byte* workspace) const {
    const begin_of_end between{workspace, 0};
    const auto begin_of = [&](const pass_end& end) -> const begin_of_end& {
      return end.location == place::input ? in : end.location == place::output ? out : between;
    };
    const auto run_pass = [&](const axis_pass<Real>& pass, std::size_t first, std::size_t count) {
      pass.run(begin_of(pass.planned().in), begin_of(pass.planned().out), workspace + work_bytes_,
               first, count);
    };
    for (const leg& each : sequence.legs) {
      if (each.n_slabs == 1) {
        run_pass(sequence.passes[each.begin], 0, sequence.passes[each.begin].planned().n_columns());
        continue;
      }
      for (std::size_t slab = 0; slab < each.n_slabs; slab += each.together) {
        const std::size_t together = std::min(each.together, each.n_slabs - slab);
        for (std::size_t i = each.begin; i < each.end; ++i) {
          const std::size_t columns = sequence.passes[i].planned().n_columns() / each.n_slabs;
          run_pass(sequence.passes[i], slab * columns, together * columns);
        }
      }
    }
  }

  request::resolved_spec request_;
  functors functors_;
  grouping groups_;
  std::vector<std::size_t> in_distances_;
  std::vector<std::size_t> out_distances_;
  group whole_;
  group rest_;  ///< The rest of the split dimension; empty if chunks divide it.
  std::size_t work_bytes_ = 0;
  std::size_t scratch_bytes_ = 0;
  direct_run direct_;
};

}  // namespace

std::shared_ptr<const backend::call> make_plan(const named_set& set,
                                               const request::resolved_spec& request) {
  if (request.spec.real == precision::fp64) {
    return std::make_shared<host_plan<double>>(set, request);
  }
  return std::make_shared<host_plan<float>>(set, request);
}

}  // namespace wingbeat::backend::host
