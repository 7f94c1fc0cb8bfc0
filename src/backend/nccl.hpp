// SPDX-License-Identifier: Apache-2.0
// Devices of several processes that send to each other by NCCL, over links and networks, bypassing
// the memory of the processes.
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

/// Device memory that is sent to another rank, or received from it.
struct message {
  std::size_t rank = 0;
  buffer_view bytes;
};

/// Called while waiting for other ranks; false gives up.
using may_wait = std::function<bool()>;

/// A rank of NCCL. After an error it is unusable, and nothing waits for it.
class nccl_rank {
 public:
  virtual ~nccl_rank() = default;

  /// Sends and receives after work that was queued before, and returns when that is done. Every
  /// rank calls this and receives as many bytes as each other rank sends to it. Throws
  /// `device_error`.
  virtual void exchange(std::span<const message> sent, std::span<const message> received,
                        const may_wait& goes_on) = 0;
};

/// Returns why this queue has no NCCL; empty if it has.
[[nodiscard]] std::string nccl_problem(const queue& on);

/// Returns an id by which ranks find each other; one of them makes it. Throws `device_error`.
[[nodiscard]] std::string new_nccl_id();

/// Joins the other ranks: collective. Throws `device_error`, also if two ranks have one device.
[[nodiscard]] std::unique_ptr<nccl_rank> join_nccl(const std::shared_ptr<queue>& on,
                                                   const std::string& id, std::size_t rank,
                                                   std::size_t size, const may_wait& goes_on);

/// The texts of the ranks of the caller's communicator: `texts[rank]`.
struct nccl_texts {
  std::size_t rank = 0;
  std::vector<std::string> texts;
};

/// Gathers a text of up to 255 bytes of each rank of an ncclComm_t on all ranks: collective. Throws
/// `plan_error` for another engine's queue, and `device_error`.
[[nodiscard]] nccl_texts gather_by_nccl(queue& on, void* communicator, const std::string& text,
                                        const may_wait& goes_on);

}  // namespace wingbeat::backend
