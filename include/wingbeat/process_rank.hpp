// SPDX-License-Identifier: Apache-2.0
// The number of this process among those that share transforms, and the address where they meet.
#pragma once

#include <cstddef>  // size_t
#include <string>

#include "wingbeat/cpp20.hpp"  // stops older C++

namespace wingbeat {

struct process_rank {
  /// "host:port" of rank 0, which listens there until the others have connected: a name, an IPv4
  /// address, or an IPv6 address in brackets. The port accepts anyone who reaches it, so use it
  /// only in networks whose machines trust each other.
  std::string address;
  std::size_t rank = 0, size = 1;
  std::size_t local = 0;  ///< Number among the ranks of this machine; for example to choose a
                          ///< device.
};

/// Returns what the launcher of this process set. torchrun sets RANK, WORLD_SIZE, LOCAL_RANK and
/// MASTER_ADDR; the port is MASTER_PORT + 1, because torchrun itself listens at MASTER_PORT
/// (MASTER_PORT itself, if another launcher set RANK). srun sets SLURM_PROCID, SLURM_NTASKS and
/// SLURM_LOCALID; the address is the first host of SLURM_STEP_NODELIST and a port from 20,000 on,
/// derived from SLURM_JOB_ID and SLURM_STEP_ID, unless MASTER_ADDR and MASTER_PORT are set. Throws
/// `plan_error` without such variables, or for a value that is not a whole number.
[[nodiscard]] process_rank process_rank_of_environment();

}  // namespace wingbeat
