// SPDX-License-Identifier: Apache-2.0
// Receives a digitiser's samples, from a network or a file, in chunks. It never waits for their
// user, unless it reads a file at full speed.
#pragma once

#include <chrono>
#include <cstddef>  // size_t
#include <cstdint>  // int64_t
#include <memory>   // unique_ptr
#include <optional>
#include <string>
#include <vector>

#include "net/endpoint.hpp"        // endpoint
#include "receive/chunk.hpp"       // chunk_geometry
#include "receive/chunk_pool.hpp"  // memory_source, received_chunk
#include "receive/counts.hpp"      // receive_counts
#include "receive/source.hpp"      // source

namespace wingbeat::receive {

struct receive_spec {
  chunk_geometry geometry = {};
  receive::source source = live_source{};
  std::size_t n_chunks = 4;       ///< At least one more than are open: 3, or 4 with several
                                  ///< threads.
  std::int64_t jump_samples = 0;  ///< How far a single packet may move time. 0: two chunks.
  bool masks_timestamps = false;  ///< Rounds timestamps down to whole packets, which then have a
                                  ///< power of two samples.
  /// A time near the first timestamp, which determines it beyond 48 bits. Unset: it is as sent.
  std::optional<std::int64_t> start_near = {};
  memory_source memory = {};  ///< Memory of the chunks' samples; empty: the chunks allocate it.
};

/// The maximum bytes of a receiver.
struct memory_bound {
  std::size_t chunks = 0;
  std::size_t buffers = 0;  ///< For messages, files, and held packets.
  std::size_t sockets = 0;  ///< In the system, as asked for; it may grant less.

  [[nodiscard]] std::size_t total() const { return chunks + buffers + sockets; }
};

/// Returns the bound; it holds for any packets. It does not include stacks of threads.
[[nodiscard]] memory_bound bound_of(const receive_spec& spec);

class receiver {
 public:
  /// Opens files and sockets; packets that arrive are kept there until `start`. Throws `plan_error`
  /// and `file_error`, in one sentence.
  explicit receiver(const receive_spec& spec);
  receiver(const receiver&) = delete;
  receiver& operator=(const receiver&) = delete;

  /// Stops.
  ~receiver();

  /// Starts the threads.
  void start();

  /// Stops the threads, after they have taken what has arrived, and passes on the open chunks. May
  /// be called again.
  void stop();

  /// Returns the next chunk; an empty one if there is none within `patience`.
  [[nodiscard]] received_chunk next(std::chrono::milliseconds patience);

  /// Returns whether no more chunks will come: the file has ended, or `stop` was called.
  [[nodiscard]] bool is_finished() const;

  /// Returns why a thread ended early, in one sentence; empty if none did.
  [[nodiscard]] std::string failure() const;

  /// May be called at any time, by any thread.
  [[nodiscard]] receive_counts counts() const;

  /// Returns the receiving endpoints, with the ports that the system chose.
  [[nodiscard]] std::vector<net::endpoint> endpoints() const;

  /// Returns a sentence about the NUMA node of packets and samples; empty for a file.
  [[nodiscard]] std::string memory_text() const;

  /// Returns the sockets' buffers; none for a file.
  [[nodiscard]] net::socket_buffers buffers() const;

 private:
  struct state;
  std::unique_ptr<state> state_;
};

}  // namespace wingbeat::receive
