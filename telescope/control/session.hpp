// SPDX-License-Identifier: Apache-2.0
// A client of the control server: its connection, and the sensors that it samples.
#pragma once

#include <cstddef>  // size_t
#include <map>

#include "control/connection.hpp"
#include "control/katcp_server.hpp"
#include "control/sampling.hpp"

namespace wingbeat::control {

struct katcp_server::session {
  connection link;
  std::size_t number;           ///< Counts connections.
  bool has_requested = false;   ///< It has sent a request that the server knows.
  bool has_more_lines = false;  ///< Lines wait for the next turn.
  std::map<sensor*, sampler> samplers{};

  /// No more requests are read from a client that does not read its replies.
  [[nodiscard]] bool is_blocked() const noexcept {
    constexpr std::size_t max_bytes = std::size_t{256} << 10;
    return link.backlog_bytes() > max_bytes;
  }

  [[nodiscard]] bool is_finished() const noexcept {
    return link.is_lost() || (link.has_ended() && !has_more_lines && link.backlog_bytes() == 0);
  }
};

/// Returns seconds of a clock that never steps back.
[[nodiscard]] double steady_s();

}  // namespace wingbeat::control
