// SPDX-License-Identifier: Apache-2.0
// Reads files of captured frames: pcap and pcapng.
#pragma once

#include <cstddef>  // byte, size_t
#include <cstdint>  // int64_t, uint64_t
#include <filesystem>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "net/endpoint.hpp"   // endpoint
#include "net/fragments.hpp"  // fragment_joiner

namespace wingbeat::net {

struct captured_datagram {
  std::int64_t time_ns = 0;  ///< Time of capture since 1970.
  endpoint source = {}, destination = {};
  std::span<const std::byte> payload = {};  ///< Valid until the next datagram is read.
};

/// Counts of frames.
struct capture_counts {
  std::uint64_t datagrams = 0;  ///< Of UDP over IPv4.
  std::uint64_t others = 0;     ///< Other protocols.
  std::uint64_t fragments =
      0;  ///< Parts of datagrams that IPv4 fragmented, and that are not whole.
  std::uint64_t truncated = 0;  ///< Captured in part.
};

class capture_reader {
 public:
  /// Fills the given bytes, fewer only at the end of the file, and returns their number.
  using read_function = std::function<std::size_t(std::span<std::byte>)>;

  /// Reads the file's header. Throws `file_error` naming `name` for other formats, and for pcap of
  /// links that are not read.
  capture_reader(read_function read, std::string name);

  /// Returns the next datagram of UDP over IPv4; none at the end. Other frames are counted and
  /// skipped, fragments joined. Throws `file_error` for files that are damaged or end within a
  /// frame, and for pcapng frames of links that are not read.
  [[nodiscard]] std::optional<captured_datagram> next();

  [[nodiscard]] const capture_counts& counts() const { return counts_; }

  /// The maximum of a file that a reader keeps.
  static constexpr std::size_t memory_bytes = std::size_t{5} << 20;

 private:
  /// For pcapng: the link type of frames, and the start and tick length of the clock.
  struct interface {
    unsigned link = 0;
    std::uint64_t ticks_per_second = 1000000;
    std::int64_t offset_s = 0;
  };
  struct frame_bytes {
    std::int64_t time_ns = 0;
    std::size_t offset = 0, length = 0;  ///< In `buffer_`.
    unsigned link = 0;
  };

  [[nodiscard]] bool fill(std::size_t n_bytes);
  void require(std::size_t n_bytes);
  void skip(std::uint64_t n_bytes);
  [[nodiscard]] std::uint32_t load(std::size_t position, std::size_t n_bytes) const;
  void require_link(unsigned link) const;
  [[nodiscard]] std::optional<frame_bytes> next_of_pcap();
  [[nodiscard]] std::optional<frame_bytes> next_of_pcapng();
  [[nodiscard]] std::optional<frame_bytes> enhanced_packet(std::size_t n_bytes);
  [[nodiscard]] std::optional<frame_bytes> simple_packet(std::size_t n_bytes);
  void start_section();
  void add_interface(std::size_t n_bytes);
  void add_option(interface& description, unsigned code, std::size_t position,
                  std::size_t length) const;

  read_function read_;
  std::string name_;
  std::vector<std::byte> buffer_;
  bool is_big_endian_ = false, is_pcapng_ = false;
  std::int64_t tick_ns_ = 1000;        ///< For pcap.
  unsigned link_ = 0;                  ///< For pcap.
  std::vector<interface> interfaces_;  ///< For pcapng.
  std::int64_t last_ns_ = 0;
  std::uint64_t n_frames_ = 0;
  capture_counts counts_;
  fragment_joiner fragments_;
};

/// Returns a reader of the file. Throws `file_error`.
[[nodiscard]] capture_reader open_capture(const std::filesystem::path& file);

}  // namespace wingbeat::net
