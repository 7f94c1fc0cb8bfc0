// SPDX-License-Identifier: Apache-2.0
// Sends channelised voltages to the network: each batch as one heap per substream, with the packets
// interleaved and paced.
#pragma once

#include <cstddef>  // byte, size_t
#include <cstdint>  // int64_t, uint64_t
#include <memory>   // unique_ptr
#include <span>
#include <string>
#include <vector>

#include "net/capture_writer.hpp"  // capture_writer
#include "net/endpoint.hpp"        // endpoint
#include "net/socket_buffers.hpp"
#include "spead/channel_heap.hpp"    // channel_heap_format
#include "wingbeat/channeliser.hpp"  // heap_sample

namespace wingbeat::transmit {

struct sender_spec {
  std::vector<net::endpoint> destinations = {};  ///< One per substream.
  /// Names or addresses. The substreams are split between them in contiguous parts. Empty: the
  /// system's choice.
  std::vector<std::string> interfaces = {};
  std::size_t channels = 0;  ///< Of all substreams.
  std::size_t spectra_per_heap = 0;
  std::size_t polarisations = 2;
  heap_sample samples = heap_sample::int8;
  bool has_missing = false;                 ///< Heaps say which polarisations have missing samples.
  std::uint64_t engine = 0;                 ///< Number of this F-engine, below `array_size`.
  std::uint64_t array_size = 65536;         ///< Number of engines; the step of heap ids.
  std::size_t packet_payload_bytes = 8192;  ///< A multiple of 8.
  double batch_interval_s = 0;              ///< Between batches; 0: no pacing.
  double rate_factor = 1.1;  ///< How much faster than that packets are sent; 0: no pacing.
  /// Packets of a substream in succession, which the interface cuts from one message. 0: as many as
  /// a message holds with one destination, and 1 with several.
  std::size_t packets_in_succession = 0;
  double descriptor_interval_s = 5;                 ///< 0: once, at the beginning.
  std::size_t buffer_bytes = std::size_t{1} << 20;  ///< Per socket.
  unsigned ttl = 4;                                 ///< For multicast.
  std::shared_ptr<net::capture_writer> copy = {};   ///< Takes what is sent, too; unset: nothing.
};

/// The voltages of all channels over the time of one heap.
struct batch {
  std::int64_t timestamp = 0;                ///< ADC samples; sent modulo 2^48.
  std::span<const std::byte> voltages = {};  ///< [channel][spectrum][pol][re, im]
  std::uint64_t missing = 0;                 ///< Bit p: polarisation p; sent if `has_missing`.
};

/// Counts of voltages; packets and bytes include descriptors and stop heaps.
struct sender_counts {
  std::uint64_t heaps = 0;          ///< The system took all of their packets.
  std::uint64_t bytes = 0;          ///< Payload of these.
  std::uint64_t samples = 0;        ///< Complex values of these.
  std::uint64_t skipped_heaps = 0;  ///< Withheld, because samples are missing.
  std::uint64_t failed_heaps = 0;   ///< The system refused some of their packets.
  std::uint64_t packets = 0;        ///< The system took them.
  std::uint64_t failed_packets = 0;
  std::uint64_t descriptor_heaps = 0;
  std::uint64_t stop_heaps = 0;
};

/// Sends in the thread that calls it. Other threads may only call `counts` at the same time.
class heap_sender {
 public:
  /// Opens a socket for each interface. Throws `plan_error` and `file_error`, in one sentence.
  explicit heap_sender(const sender_spec& spec);
  heap_sender(const heap_sender&) = delete;
  heap_sender& operator=(const heap_sender&) = delete;
  ~heap_sender();

  /// Returns the bytes of a batch's voltages.
  [[nodiscard]] std::size_t batch_bytes() const;

  /// Sends descriptors if they are due, then the batch; returns when the system has taken the last
  /// packet, or refused it. Waits to keep the pace. Throws `plan_error` for voltages of another
  /// size.
  void send(const batch& next);

  /// Counts a batch that is withheld.
  void skip();

  /// Sends a stop heap to each destination.
  void stop();

  [[nodiscard]] sender_counts counts() const;

  /// Returns the sockets' buffers.
  [[nodiscard]] net::socket_buffers buffers() const;

  /// Returns the system's reason for the last refused packet; empty if none was refused.
  [[nodiscard]] std::string failure() const;

 private:
  struct state;
  std::unique_ptr<state> state_;
};

}  // namespace wingbeat::transmit
