// SPDX-License-Identifier: Apache-2.0
#include "net/capture_writer.hpp"

#include <algorithm>  // min
#include <chrono>
#include <cstdint>  // uint8_t, uint16_t, uint32_t

namespace wingbeat::net {
namespace {

constexpr std::size_t ip_bytes = 20, udp_bytes = 8;

/// Appends a number of `n_bytes` bytes, the highest first.
void put(std::string& target, std::uint64_t value, std::size_t n_bytes) {
  for (std::size_t i = n_bytes; i-- > 0;) target += static_cast<char>(value >> 8 * i & 0xff);
}

/// Returns a header of IPv4; its checksum is the complement of the sum of its words.
std::string ip_header(std::uint32_t source, std::uint32_t destination, std::size_t n_bytes) {
  constexpr std::uint32_t version_and_length = 0x4500, hops_and_udp = 0x4011, whole = 0x4000;
  const std::uint32_t length = static_cast<std::uint32_t>(ip_bytes + udp_bytes + n_bytes);
  std::uint32_t sum = version_and_length + length + whole + hops_and_udp + (source >> 16) +
                      (source & 0xffff) + (destination >> 16) + (destination & 0xffff);
  while (sum >> 16 != 0) sum = (sum & 0xffff) + (sum >> 16);
  std::string header;
  put(header, version_and_length, 2);
  put(header, length, 2);
  put(header, whole, 4);
  put(header, hops_and_udp, 2);
  put(header, ~sum & 0xffff, 2);
  put(header, source, 4);
  put(header, destination, 4);
  return header;
}

}  // namespace

capture_writer::capture_writer(const std::filesystem::path& file) : file_(file) {
  constexpr std::uint64_t nanoseconds = 0xa1b23c4d, version = 0x00020004, raw_ip = 101;
  std::string header;
  put(header, nanoseconds, 4);
  put(header, version, 4);
  put(header, 0, 8);
  put(header, 262144, 4);
  put(header, raw_ip, 4);
  file_.write(header);
}

void capture_writer::add(const endpoint& source, const endpoint& destination,
                         std::span<const iovec> pieces, std::size_t segment_bytes) {
  using namespace std::chrono;
  const auto now_ns = static_cast<std::uint64_t>(
      duration_cast<nanoseconds>(system_clock::now().time_since_epoch()).count());
  const std::lock_guard hold{mutex_};
  content_.clear();
  for (const iovec& piece : pieces) {
    content_.append(static_cast<const char*>(piece.iov_base), piece.iov_len);
  }
  const std::size_t step = segment_bytes == 0 ? content_.size() : segment_bytes;
  std::string head;
  for (std::size_t begin = 0; begin < content_.size(); begin += step) {
    const std::string_view payload = std::string_view{content_}.substr(begin, step);
    const std::size_t n_bytes = ip_bytes + udp_bytes + payload.size();
    head.clear();
    put(head, now_ns / 1000000000, 4);
    put(head, now_ns % 1000000000, 4);
    put(head, n_bytes, 4);
    put(head, n_bytes, 4);
    head += ip_header(source.address, destination.address, payload.size());
    put(head, source.port, 2);
    put(head, destination.port, 2);
    put(head, udp_bytes + payload.size(), 2);
    put(head, 0, 2);
    file_.write(head);
    file_.write(payload);
  }
}

void capture_writer::commit() {
  const std::lock_guard hold{mutex_};
  file_.commit();
}

}  // namespace wingbeat::net
