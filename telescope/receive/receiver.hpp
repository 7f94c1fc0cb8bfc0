// SPDX-License-Identifier: Apache-2.0
// A digitiser's samples, from a network or a file, in chunks. It never waits for the one who uses
// them, unless it reads a file at full speed.
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
  std::size_t n_chunks = 4;       ///< One more than are open: 3, or 4 with several threads.
  std::int64_t jump_samples = 0;  ///< How far time may jump at one packet's word. 0: two chunks.
  bool masks_timestamps = false;  ///< Rounds timestamps down to whole packets: a power of two.
  /// A time that the first timestamp is near to, to know it beyond 48 bits. Unset: it is as sent.
  std::optional<std::int64_t> start_near = {};
  memory_source memory = {};  ///< Of the chunks' samples; empty: their own.
};

/// What a receiver takes at most, in bytes.
struct memory_bound {
  std::size_t chunks = 0;
  std::size_t buffers = 0;  ///< Of messages, files, and packets that are kept.
  std::size_t sockets = 0;  ///< Of the system, as asked for; it may grant less.

  [[nodiscard]] std::size_t total() const { return chunks + buffers + sockets; }
};

/// Returns the bound; it holds whatever packets say. Stacks of threads are not in it.
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

  /// Stops the threads, after what has arrived, and hands on the chunks that are open. May be
  /// called again.
  void stop();

  /// Returns the next chunk; an empty one where none comes within this time.
  [[nodiscard]] received_chunk next(std::chrono::milliseconds patience);

  /// Returns whether no more chunks come: the file has ended, or `stop` was called.
  [[nodiscard]] bool is_finished() const;

  /// Returns why a thread ended early, in one sentence; empty if none did.
  [[nodiscard]] std::string failure() const;

  /// May be called at any time, by any thread.
  [[nodiscard]] receive_counts counts() const;

  /// Returns where it receives, with the ports that the system chose.
  [[nodiscard]] std::vector<net::endpoint> endpoints() const;

  /// Returns in a sentence which NUMA node packets and samples have memory of; empty of a file.
  [[nodiscard]] std::string memory_text() const;

  /// Returns the sockets' buffers; none of a file.
  [[nodiscard]] net::socket_buffers buffers() const;

 private:
  struct state;
  std::unique_ptr<state> state_;
};

}  // namespace wingbeat::receive
