// SPDX-License-Identifier: Apache-2.0
#include "backend/reach.hpp"

#include "backend/backend.hpp"  // queue

namespace wingbeat::backend {

bool reaches(const queue& on, const queue& other) {
  const auto is_process = [](const queue& each) {
    return each.device().runs_on == wingbeat::engine::host ||
           each.device().runs_on == wingbeat::engine::reference;
  };
  if (is_process(on)) return is_process(other);
  if (on.device().runs_on != other.device().runs_on) return false;
  return on.native_context() == other.native_context() ||
         (on.device().runs_on == wingbeat::engine::cuda && cuda_reaches(on, other));
}

}  // namespace wingbeat::backend
