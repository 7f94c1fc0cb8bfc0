// SPDX-License-Identifier: Apache-2.0
// Moves an array from boxes that ranks have to other boxes, on their devices or between processes.
#pragma once

#include <cstddef>  // size_t
#include <span>
#include <string>
#include <vector>

#include "distributing/transport.hpp"  // messages
#include "request/traits.hpp"          // domain
#include "wingbeat/buffer.hpp"         // buffer, buffer_view
#include "wingbeat/distribution.hpp"   // redistribution
#include "wingbeat/domain.hpp"         // domain
#include "wingbeat/plan.hpp"           // plan, precision

namespace wingbeat::distributing {

/// Has work that is queued from now on wait for what is queued on all ranks of this process.
void wait_for_each_other(const domain& ranks);

class box_exchange {
 public:
  using views = std::span<const buffer_view>;

  /// Numbers are stored as `real`. Throws as plans do.
  box_exchange(const domain& ranks, redistribution change, request::domain side, precision real);

  /// Queues the copies on all ranks of this process; over several processes, which all call this,
  /// what goes to others is packed, sent and put in its place.
  void run(views from, views to);

  [[nodiscard]] std::size_t sent_bytes() const { return change_.sent() * element_bytes_; }
  /// Returns the bytes of memory that this process's rank has for what is sent.
  [[nodiscard]] std::size_t workspace_bytes() const {
    return packed_out_.size_bytes() + packed_in_.size_bytes();
  }

 private:
  /// A box that is copied on the device of the rank that has it; where its first element lies.
  struct copy {
    std::size_t sender = 0, receiver = 0;
    plan copies;
    std::size_t from_bytes = 0, to_bytes = 0;
  };

  /// Returns the plan that copies what two boxes have in common.
  [[nodiscard]] plan plan_of(std::size_t rank, const box& elements, const box& from, const box& to,
                             request::domain side, precision real) const;
  /// Adds the copies of a transfer to another process, or from one.
  void add_packed(const transfer& moved, request::domain side, precision real);

  domain ranks_;
  redistribution change_;
  std::size_t element_bytes_;
  std::vector<copy> copies_ = {};                ///< Within this process.
  std::vector<copy> packs_ = {}, unpacks_ = {};  ///< To others, and from others.
  buffer packed_out_ = {}, packed_in_ = {};
  messages sent_ = {}, received_ = {};
};

}  // namespace wingbeat::distributing
