// SPDX-License-Identifier: Apache-2.0
// Devices of several processes that send to each other by NCCL, over links and networks, without
// memory of the processes.
#pragma once

#include <cstddef>  // size_t
#include <functional>
#include <memory>  // shared_ptr, unique_ptr
#include <span>
#include <string>
#include <vector>

#include "wingbeat/buffer.hpp"  // buffer_view

namespace wingbeat::backend {

class queue;

/// Device memory whose bytes go to another rank, or come from it.
struct message {
  std::size_t rank = 0;
  buffer_view bytes;
};

/// Asked while others are waited for: false gives up.
using may_wait = std::function<bool()>;

/// A rank of NCCL. After an error it is of no use any more, and nothing waits for it.
class nccl_rank {
 public:
  virtual ~nccl_rank() = default;

  /// Sends and receives after what was queued before, and returns when that is done. Every rank
  /// calls this; of two ranks, the one receives as many bytes as the other sends. Throws
  /// `device_error`.
  virtual void exchange(std::span<const message> sent, std::span<const message> received,
                        const may_wait& goes_on) = 0;
};

/// Returns why this queue has no NCCL; empty where it has.
[[nodiscard]] std::string nccl_problem(const queue& on);

/// Returns what ranks find each other by, made by one of them. Throws `device_error`.
[[nodiscard]] std::string new_nccl_id();

/// Joins the others: collective. Throws `device_error`, where two ranks have one device, too.
[[nodiscard]] std::unique_ptr<nccl_rank> join_nccl(const std::shared_ptr<queue>& on,
                                                   const std::string& id, std::size_t rank,
                                                   std::size_t size, const may_wait& goes_on);

/// What the ranks of a communicator of the caller's say: `texts[rank]`.
struct nccl_texts {
  std::size_t rank = 0;
  std::vector<std::string> texts;
};

/// Has all ranks of an ncclComm_t know a text of up to 255 bytes of each: collective. Throws
/// `plan_error` for another engine's queue, `device_error`.
[[nodiscard]] nccl_texts gather_by_nccl(queue& on, void* communicator, const std::string& text,
                                        const may_wait& goes_on);

}  // namespace wingbeat::backend
