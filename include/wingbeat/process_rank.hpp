// SPDX-License-Identifier: Apache-2.0
// Which of the processes that share transforms this one is, and where they meet.
#pragma once

#include <cstddef>  // size_t
#include <string>

#include "wingbeat/cpp20.hpp"  // stops older C++

namespace wingbeat {

struct process_rank {
  /// "host:port" of rank 0, which listens there while the others come: a name, an IPv4 address, or
  /// an IPv6 address in brackets. Ports are open to whoever reaches them, so this is for networks
  /// whose machines trust each other.
  std::string address;
  std::size_t rank = 0, size = 1;
  std::size_t local = 0;  ///< Counts the ranks of this machine; say, to choose a device.
};

/// Returns what the launcher of this process says: torchrun by RANK, WORLD_SIZE, LOCAL_RANK,
/// MASTER_ADDR and the port after MASTER_PORT, at which torchrun itself listens (at MASTER_PORT,
/// where RANK is set by others); srun by SLURM_PROCID, SLURM_NTASKS and SLURM_LOCALID, with the
/// first host of SLURM_STEP_NODELIST and a port from 20,000 on by SLURM_JOB_ID and SLURM_STEP_ID,
/// unless MASTER_ADDR and MASTER_PORT are set. Throws `plan_error` where neither did, or for a
/// value that is no whole number.
[[nodiscard]] process_rank process_rank_of_environment();

}  // namespace wingbeat
