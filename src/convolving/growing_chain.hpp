// SPDX-License-Identifier: Apache-2.0
// A chain while it is made: its plans, and the workspace that they share.
#pragma once

#include <algorithm>  // max
#include <cstddef>    // size_t
#include <memory>     // shared_ptr
#include <utility>    // move

#include "backend/backend.hpp"          // queue, engine
#include "convolving/chain.hpp"         // chain, stage
#include "convolving/stored_scale.hpp"  // stored_between
#include "request/validation.hpp"       // validated

namespace wingbeat::convolving {

/// A chain to which plans are added.
class growing_chain {
 public:
  growing_chain(const std::shared_ptr<backend::queue>& on, const chain_request& request)
      : on_(on), engine_(request.engine_for(*on)), between_(stored_between(request.spec)) {
    chain_.count = request.count;
  }

  /// Returns the request with the stored types of spectra and workspace where it reads or writes
  /// those.
  [[nodiscard]] plan_spec with_stored_types(plan_spec spec, memory from, memory to) const {
    if (from != memory::signals && !spec.load.is_given()) spec.in.stored = between_;
    if (to != memory::output) spec.out.stored = between_;
    return spec;
  }

  stage& add(stage made) {
    chain_.plan_bytes = std::max(chain_.plan_bytes, made.plan->workspace_bytes());
    chain_.stages.push_back(std::move(made));
    return chain_.stages.back();
  }
  stage& add(const plan_spec& given, memory from, memory to) {
    const plan_spec spec = with_stored_types(given, from, to);
    const bool loads_product = spec.load.is_given() && from != memory::signals;
    return add({engine_.make_plan(on_, request::validated(spec, on_->device())), from, to, false,
                loads_product});
  }

  /// Returns the workspace beside `used`, with room for so many numbers.
  memory workspace_beside(memory used, std::size_t numbers) {
    const bool is_a = used != memory::workspace_a;
    std::size_t& bytes = chain_.array_bytes[is_a ? 0 : 1];
    bytes = std::max(bytes, numbers * 2 * bytes_of_real(between_));
    return is_a ? memory::workspace_a : memory::workspace_b;
  }

  chain take() { return std::move(chain_); }

 private:
  const std::shared_ptr<backend::queue>& on_;
  const backend::engine& engine_;
  precision between_;
  chain chain_;
};

}  // namespace wingbeat::convolving
