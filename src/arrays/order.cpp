// SPDX-License-Identifier: Apache-2.0
#include "arrays/order.hpp"

#include <algorithm>  // all_of, max, reverse
#include <utility>    // move

namespace wingbeat::arrays {
namespace {

bool is_complex(const array& source) {
  return source.elements_are == element::complex;
}

/// Chooses the arrays one after another.
class array_chooser {
 public:
  array_chooser(const plan_spec& spec, const array& in, const array& out,
                const std::vector<pass_outline>& passes, const workspace_rules& rules)
      : spec_(spec), in_(in), out_(out), rules_(rules), reached_(in) {
    const auto is_in_place = [](const pass_outline& each) { return each.is_in_place; };
    uses_output_ = can_work_in_output() && std::all_of(passes.begin(), passes.end(), is_in_place);
    batch_inside_ = rules.may_alternate && is_complex(in) && is_complex(out) &&
                    in.has_batch_inside() && out.has_batch_inside();
    arrays_.push_back(in);
    for (std::size_t i = 0; i + 1 < passes.size(); ++i) {
      advance(passes[i]);
      arrays_.push_back(uses_output_ ? shared_output() : workspace_behind(passes[i]));
    }
    arrays_.push_back(out);
  }

  [[nodiscard]] std::vector<array> take() { return std::move(arrays_); }

 private:
  [[nodiscard]] bool can_work_in_output() const {
    return is_complex(out_) && !out_.has_parts && out_.stored == common_precision(spec_) &&
           !spec_.store.is_given() && out_.is_whole();
  }

  /// Updates which elements exist after a pass.
  void advance(const pass_outline& pass) {
    if (pass.ends) {
      for (std::size_t a = pass.axes.first; a <= pass.axes.last(); ++a) {
        reached_.axes[a] = out_.axes[a];
      }
      return;
    }
    axis& cut = reached_.axes[pass.axes.first];  // whole until its last pass
    cut.length = pass.total;
    cut.valid = cut.placed = {0, pass.total};
    cut.is_limited = false;
  }

  [[nodiscard]] array shared_output() const {
    array shared = out_;
    for (std::size_t a = 0; a < shared.axes.size(); ++a) {
      shared.axes[a].valid = reached_.axes[a].valid;
      shared.axes[a].is_limited = reached_.axes[a].is_limited;
    }
    return shared;
  }

  /// Returns the elements of an axis that need room in every array between passes. For the axis of
  /// a real side, only bins need room.
  [[nodiscard]] std::size_t cropped_room(std::size_t a) const {
    const auto room_on = [a](const array& side) {
      return is_complex(side) || a + 1 != side.axes.size() ? side.axes[a].valid_count() : 0;
    };
    return std::max(room_on(in_), room_on(out_));
  }

  [[nodiscard]] array workspace_behind(const pass_outline& pass) const {
    array packed;
    packed.stored = common_precision(spec_);
    packed.axes = reached_.axes;
    for (const batch& each : reached_.batches) packed.batches.push_back({each.count});
    for (std::size_t a = 0; a < packed.axes.size(); ++a) {
      axis& each = packed.axes[a];
      each.placed = {0, each.length};
      if (!rules_.is_cropped) continue;
      each.placed = {each.valid.first, each.valid.first + cropped_room(a)};
    }
    pack(packed, batch_inside_, rules_.padding);
    const array& read = arrays_.back();
    const bool may_overwrite =
        pass.is_in_place && (arrays_.size() == 1 || packed.elements() == read.elements());
    const bool reads_a = read.location == place::workspace_a;
    packed.location = reads_a && !may_overwrite ? place::workspace_b : place::workspace_a;
    return packed;
  }

  const plan_spec& spec_;
  const array &in_, &out_;
  const workspace_rules& rules_;
  array reached_;  ///< Lengths and ranges after the passes so far.
  std::vector<array> arrays_;
  bool uses_output_ = false, batch_inside_ = false;
};

}  // namespace

std::vector<axis_span> order_of_axes(const array& in, const array& out, std::size_t together) {
  const std::size_t n_axes = in.axes.size();
  std::vector<axis_span> order;
  for (std::size_t a = 0; a < n_axes - together; ++a) order.push_back({a, 1});
  order.push_back({n_axes - together, together});
  if (!is_complex(in) || is_complex(out)) std::reverse(order.begin(), order.end());
  return order;
}

precision common_precision(const plan_spec& spec) {
  return spec.real == precision::fp64 ? precision::fp64 : precision::fp32;
}

std::vector<array> arrays_of_passes(const plan_spec& spec, const array& in, const array& out,
                                    const std::vector<pass_outline>& passes,
                                    const workspace_rules& rules) {
  return array_chooser{spec, in, out, passes, rules}.take();
}

}  // namespace wingbeat::arrays
