// SPDX-License-Identifier: Apache-2.0
#include "backend/reach.hpp"

#include "backend/cuda/context.hpp"  // entered
#include "backend/cuda/queue.hpp"    // queue

namespace wingbeat::backend {

bool cuda_reaches(const queue& on, const queue& other) {
  const auto& mine = static_cast<const cuda::queue&>(on);
  const cuda::entered current{mine.api(), mine.context()};
  const cuda::result enabled =
      mine.api().context_enable_peer(static_cast<const cuda::queue&>(other).context(), 0);
  return enabled == cuda::success || enabled == cuda::peer_access_already_enabled;
}

}  // namespace wingbeat::backend
