// SPDX-License-Identifier: Apache-2.0
// The sizes of socket buffers, as asked for and as granted by the system.
#pragma once

#include <cstddef>  // size_t
#include <string>

namespace wingbeat::net {

/// The sum over several sockets.
struct socket_buffers {
  std::size_t asked_bytes = 0, granted_bytes = 0;
  std::size_t n_sockets = 0;

  void add(const socket_buffers& more);
  [[nodiscard]] bool is_short() const { return granted_bytes < asked_bytes; }
};

/// Returns a sentence: "receive buffers: 128.0 MiB asked for by --recv-buffer, ..". If they are
/// short, it says what to do; `limit` is the name of the system's limit, such as
/// "net.core.rmem_max".
[[nodiscard]] std::string sentence_of(const socket_buffers& buffers, const char* noun,
                                      const char* option, const char* limit);

}  // namespace wingbeat::net
