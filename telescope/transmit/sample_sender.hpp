// SPDX-License-Identifier: Apache-2.0
// A simulated digitiser: sends a period of samples to the network repeatedly, paced, with
// increasing timestamps.
#pragma once

#include <chrono>
#include <cstddef>  // size_t
#include <cstdint>  // int64_t, uint64_t
#include <memory>   // shared_ptr, unique_ptr
#include <optional>
#include <string>
#include <vector>

#include "net/capture_writer.hpp"  // capture_writer
#include "net/endpoint.hpp"        // endpoint
#include "net/socket_buffers.hpp"
#include "transmit/disturbance.hpp"    // disturbance_spec
#include "transmit/sample_period.hpp"  // sample_format, sample_period

namespace wingbeat::transmit {

struct sample_sender_spec {
  /// [polarisation] The packets of each polarisation take turns on its endpoints.
  std::vector<std::vector<net::endpoint>> destinations = {};
  std::string interface = {};  ///< Name or address; empty: the system's choice.
  sample_format format = {};
  double adc_rate_hz = 0;
  double rate_factor = 1;  ///< How much faster than real time; 0: no pacing.
  /// A multiple of a packet's samples, at least 0; sent modulo 2^48.
  std::int64_t first_timestamp = 0;
  std::optional<std::uint64_t> n_packets = {};  ///< Per polarisation; unset: no end.
  disturbance_spec disturbed = {};
  double descriptor_interval_s = 5;  ///< 0: once, at the beginning.
  std::size_t buffer_bytes = std::size_t{4} << 20;
  unsigned ttl = 4;                                ///< For multicast.
  std::shared_ptr<net::capture_writer> copy = {};  ///< Takes what is sent, too; unset: nothing.
};

/// Counts of one polarisation. Time advances for packets that are dropped or refused, too.
struct sent_samples {
  std::uint64_t packets = 0;  ///< The system took them; includes those sent twice.
  std::uint64_t bytes = 0;    ///< Bytes of samples in these packets; the next two count the same
                              ///< packets.
  std::uint64_t samples = 0;
  std::uint64_t saturated_samples = 0;
  std::uint64_t failed_packets = 0;  ///< The system refused them.
  disturbance_counts disturbed = {};
};

struct sample_sender_counts {
  std::vector<sent_samples> polarisations = {};
  std::uint64_t descriptor_heaps = 0, stop_heaps = 0;  ///< The system took them.
  std::int64_t next_timestamp = 0;                     ///< Of the next samples; not wrapped.
  double late_s = 0;  ///< How far the samples fell behind real time, because sending took too long.
};

/// Sends in the thread that calls `send` and `stop`; any thread may call the other functions.
class sample_sender {
 public:
  /// Throws `plan_error` and `file_error`, in one sentence.
  sample_sender(const sample_sender_spec& spec, std::shared_ptr<const sample_period> period);
  sample_sender(const sample_sender&) = delete;
  sample_sender& operator=(const sample_sender&) = delete;
  ~sample_sender();

  /// How far sending may fall behind and still catch up at full speed.
  static constexpr std::chrono::milliseconds max_lag{50};

  /// Waits until they are due, and sends the next packets of all polarisations, at most a
  /// millisecond of them, and descriptors if they are due. Waits at most 50 ms, so it may have sent
  /// nothing. Returns false if no packets are left.
  bool send();

  /// Sends a stop heap to each destination.
  void stop();

  /// Sends another period from now on: sample t is its sample t modulo its length, whenever it is
  /// set. Returns the first timestamp of the new period. Throws `plan_error` for another format or
  /// number of polarisations.
  std::int64_t set_period(std::shared_ptr<const sample_period> period);

  [[nodiscard]] sample_sender_counts counts() const;

  /// Returns the socket's buffer.
  [[nodiscard]] const net::socket_buffers& buffers() const;

  /// Returns the system's reason for the last refused packet; empty if none was refused.
  [[nodiscard]] std::string failure() const;

 private:
  struct state;
  std::unique_ptr<state> state_;
};

}  // namespace wingbeat::transmit
