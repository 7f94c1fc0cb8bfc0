// SPDX-License-Identifier: Apache-2.0
// Sources of packets: sockets, a capture of a network, or a recording of samples.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>  // byte, size_t
#include <cstdint>  // int64_t
#include <filesystem>
#include <memory>  // unique_ptr
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "net/endpoint.hpp"  // endpoint
#include "net/socket_buffers.hpp"
#include "receive/chunk.hpp"   // chunk_geometry
#include "receive/counts.hpp"  // receive_counts

namespace wingbeat::receive {

/// Linux sockets. The endpoints are split between the threads in contiguous parts. Memory of
/// packets comes from the NUMA node of the interfaces.
struct live_source {
  std::vector<net::endpoint> endpoints = {};
  /// Names or addresses; endpoint i is received on interface i modulo their number. Empty: the
  /// system's choice.
  std::vector<std::string> interfaces = {};
  std::size_t buffer_bytes = std::size_t{128} << 20;  ///< Of all sockets together.
  std::vector<int> affinity = {-1};    ///< One thread for each, on this processor; -1: any.
  std::size_t messages_per_call = 32;  ///< At most; each has up to 64 KiB.
};

/// The speed at which a file is read.
enum class replay_speed {
  full,  ///< As fast as chunks are used: the receiver waits, and drops nothing.
  real   ///< As fast as it was recorded: a receiver without free chunks drops packets.
};

/// A file of pcap or pcapng.
struct capture_source {
  std::filesystem::path file = {};
  std::vector<net::endpoint> destinations = {};  ///< Datagrams to other destinations are skipped;
                                                 ///< empty: none are.
  replay_speed speed = replay_speed::full;
};

/// Packed samples, one file per polarisation. An incomplete packet at the end is counted as a
/// packet of wrong size. Samples at full scale, -2^(b-1) or beyond +-(2^(b-1) - 2), count as
/// saturated.
struct recording_source {
  std::vector<std::filesystem::path> files = {};
  std::int64_t first_timestamp = 0;  ///< A multiple of a packet's samples.
  replay_speed speed = replay_speed::full;
  double adc_rate_hz = 0;  ///< Used at real speed.
};

using source = std::variant<live_source, capture_source, recording_source>;

/// A request to stop, which ends waits.
class stop_request {
 public:
  void set();
  [[nodiscard]] bool is_set() const { return is_set_; }

  /// Waits until this time; returns false if the request came first.
  [[nodiscard]] bool wait_until(std::chrono::steady_clock::time_point time);

 private:
  std::atomic<bool> is_set_ = false;
  std::mutex mutex_;
  std::condition_variable changed_;
};

/// Receives datagrams, batch by batch.
class datagram_sink {
 public:
  virtual ~datagram_sink() = default;
  virtual void begin() = 0;
  virtual void add(std::span<const std::byte> datagram, bool is_truncated) = 0;
  virtual void end() = 0;
};

/// One thread's part of a source of datagrams.
class datagram_feed {
 public:
  virtual ~datagram_feed() = default;

  /// Passes datagrams to the sink until the source ends or the request comes. Throws `file_error`.
  virtual void run(datagram_sink& sink, stop_request& stop) = 0;

  /// Returns the counts that the sink does not see.
  [[nodiscard]] virtual receive_counts counts() const = 0;

  /// Returns the endpoints of its sockets; none without sockets.
  [[nodiscard]] virtual std::vector<net::endpoint> endpoints() const { return {}; }

  /// Returns the sockets' buffers.
  [[nodiscard]] virtual net::socket_buffers buffers() const { return {}; }
};

using feed_list = std::vector<std::unique_ptr<datagram_feed>>;

/// Opens a source, with a feed for each thread. Throws `plan_error` and `file_error`.
[[nodiscard]] feed_list open_feeds(const source& input, const chunk_geometry& geometry);

/// Returns whether a source waits for the user of its data.
[[nodiscard]] bool waits(const source& input);

/// Returns the NUMA node of a source's interfaces; none for files, or if the interfaces have none.
[[nodiscard]] std::optional<int> memory_node_of(const source& input);

/// Returns the threads of a source; and the bytes that its feeds keep in addition to socket
/// buffers.
[[nodiscard]] std::size_t n_threads(const source& input);
[[nodiscard]] std::size_t feed_bytes(const source& input, const chunk_geometry& geometry);

/// Used by `open_feeds`, for one kind each.
[[nodiscard]] feed_list open_live(const live_source& live);
[[nodiscard]] std::unique_ptr<datagram_feed> open_capture_feed(const capture_source& capture);
[[nodiscard]] std::unique_ptr<datagram_feed> open_recording(const recording_source& recording,
                                                            const chunk_geometry& geometry);

}  // namespace wingbeat::receive
