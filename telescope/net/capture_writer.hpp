// SPDX-License-Identifier: Apache-2.0
// Writes datagrams to a pcap file, as packets of raw IP.
#pragma once

#include <sys/uio.h>  // iovec

#include <cstddef>  // size_t
#include <filesystem>
#include <mutex>
#include <span>
#include <string>

#include "formats/files/atomic_file.hpp"  // atomic_file
#include "net/endpoint.hpp"               // endpoint

namespace wingbeat::net {

/// For several threads at once.
class capture_writer {
 public:
  /// Opens the file, which appears when it is committed. Throws `file_error`.
  explicit capture_writer(const std::filesystem::path& file);

  /// Appends a datagram, sent now; or several of `segment_bytes` each, the last one shorter.
  void add(const endpoint& source, const endpoint& destination, std::span<const iovec> pieces,
           std::size_t segment_bytes);

  void commit();

 private:
  formats::atomic_file file_;
  std::mutex mutex_;     ///< Guards the file and the next member.
  std::string content_;  ///< Of the last datagrams.
};

}  // namespace wingbeat::net
