// SPDX-License-Identifier: Apache-2.0
// Moves an array from boxes that ranks have to other boxes, on their devices or between processes.
#pragma once

#include <cstddef>  // size_t
#include <span>
#include <string>
#include <vector>

#include "request/traits.hpp"         // domain
#include "wingbeat/buffer.hpp"        // buffer_view
#include "wingbeat/distribution.hpp"  // redistribution
#include "wingbeat/domain.hpp"        // domain
#include "wingbeat/plan.hpp"          // plan, precision

namespace wingbeat::distributing {

/// Has work that is queued from now on wait for what is queued on all ranks of this process.
void wait_for_each_other(const domain& ranks);

class box_exchange {
 public:
  using views = std::span<const buffer_view>;

  /// Numbers are stored as `real`. Throws as plans do.
  box_exchange(const domain& ranks, redistribution change, request::domain side, precision real);

  /// Queues the copies on all ranks of this process; over several processes, which all call this,
  /// exchanges them by TCP.
  void run(views from, views to);

  [[nodiscard]] std::size_t sent_bytes() const { return change_.sent() * element_bytes_; }

 private:
  /// A box that is copied on the device of the rank that has it.
  struct copy {
    std::size_t sender = 0, receiver = 0;
    plan copies;
    std::size_t from_bytes = 0, to_bytes = 0;  ///< Where its first element lies.
  };

  [[nodiscard]] plan plan_of(const transfer& moved, request::domain side, precision real) const;
  void send(views from, views to);

  domain ranks_;
  redistribution change_;
  std::size_t element_bytes_;
  std::vector<copy> copies_ = {};  ///< Within this process.
};

}  // namespace wingbeat::distributing
