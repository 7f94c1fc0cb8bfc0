// SPDX-License-Identifier: Apache-2.0
// An F-engine's output, from a network or a capture, in batches of all substreams.
#pragma once

#include <chrono>
#include <cstddef>  // size_t
#include <memory>   // unique_ptr
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "net/endpoint.hpp"            // endpoint
#include "receive/batch_assembly.hpp"  // batch_assembly_spec, channel_batch
#include "receive/source.hpp"          // live_source, capture_source

namespace wingbeat::receive {

struct heap_receive_spec {
  std::variant<live_source, capture_source> source = live_source{};
  batch_assembly_spec assembly = {};
  /// Maximum number of batches that wait to be taken. Beyond it, live batches are dropped and
  /// counted; a capture that is read at full speed waits. 0: as many as 2^28 bytes hold, but at
  /// least 8.
  std::size_t max_ready = 0;
};

class heap_receiver {
 public:
  /// Opens files and sockets; packets that arrive are kept there until `start`. Throws `plan_error`
  /// and `file_error`, in one sentence.
  explicit heap_receiver(const heap_receive_spec& spec);
  heap_receiver(const heap_receiver&) = delete;
  heap_receiver& operator=(const heap_receiver&) = delete;

  /// Stops.
  ~heap_receiver();

  /// Starts the threads. They end when the file ends, when a stop heap of each substream has
  /// arrived, or at `stop`.
  void start();

  /// Stops the threads, after they have taken what has arrived, and passes on the open batches. May
  /// be called again.
  void stop();

  /// Returns the next batch, in order of time; none if there is none within `patience`.
  [[nodiscard]] std::optional<channel_batch> next(std::chrono::milliseconds patience);

  /// Returns whether no more batches come.
  [[nodiscard]] bool is_finished() const;

  /// Returns why receiving ended early, in one sentence; empty if it did not.
  [[nodiscard]] std::string failure() const;

  /// Rethrows the `file_error` or `plan_error` that ended a thread early, if there is one.
  void rethrow_failure() const;

  /// May be called at any time, by any thread.
  [[nodiscard]] heap_receive_counts counts() const;

  /// Returns the layout once it is known.
  [[nodiscard]] std::optional<channel_layout> layout() const;

  /// Returns whether a stop heap of each substream arrived.
  [[nodiscard]] bool has_ended() const;

  /// Returns the receiving endpoints, with the ports that the system chose.
  [[nodiscard]] std::vector<net::endpoint> endpoints() const;

  /// Returns the sockets' buffers; none for a capture.
  [[nodiscard]] net::socket_buffers buffers() const;

 private:
  struct state;
  std::unique_ptr<state> state_;
};

}  // namespace wingbeat::receive
