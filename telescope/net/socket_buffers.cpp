// SPDX-License-Identifier: Apache-2.0
#include "net/socket_buffers.hpp"

#include "text/counted.hpp"  // counted
#include "text/formatted.hpp"

namespace wingbeat::net {
namespace {

constexpr std::size_t max_bytes =
    0x3fffffff;  // of a socket: the system stores twice this in an int

std::string mebibytes(std::size_t n_bytes) {
  return formatted("{:.1f} MiB", static_cast<double>(n_bytes) / 0x1p20);
}

}  // namespace

void socket_buffers::add(const socket_buffers& more) {
  asked_bytes += more.asked_bytes;
  granted_bytes += more.granted_bytes;
  n_sockets += more.n_sockets;
}

std::string sentence_of(const socket_buffers& buffers, const char* noun, const char* option,
                        const char* limit) {
  const std::string both = formatted(
      "{} of {}: {} asked for by {}, {} granted", noun, counted(buffers.n_sockets, "socket"),
      mebibytes(buffers.asked_bytes), option, mebibytes(buffers.granted_bytes));
  if (!buffers.is_short()) return both;
  const std::size_t share = buffers.asked_bytes / buffers.n_sockets;
  if (share > max_bytes) {
    return formatted("{}; a socket has at most {}, so give more endpoints or a smaller {}", both,
                     mebibytes(max_bytes), option);
  }
  return formatted("{}; set {} to {} or more by sysctl, or give a smaller {}", both, limit, share,
                   option);
}

}  // namespace wingbeat::net
