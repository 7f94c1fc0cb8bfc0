// SPDX-License-Identifier: Apache-2.0
// The chunks that are being filled, by one thread or several. A window of consecutive chunks is
// open; a packet of a later chunk moves it, and chunks that fall out are passed on as they are.
#pragma once

#include <cstddef>  // size_t
#include <cstdint>  // int64_t, uint64_t
#include <list>
#include <memory>  // shared_ptr
#include <mutex>
#include <optional>
#include <vector>

#include "receive/chunk_pool.hpp"  // chunk_pool
#include "receive/counts.hpp"      // receive_counts

namespace wingbeat::receive {

struct assembly_spec {
  std::size_t open_chunks = 2;    ///< At once; one more with several threads.
  std::int64_t jump_samples = 0;  ///< How far a single packet may move time. 0: two chunks.
  bool masks_timestamps = false;  ///< Rounds timestamps down to whole packets.
  bool waits = false;             ///< Waits for a free chunk instead of dropping packets.
  std::optional<std::int64_t> start_near = {};  ///< The first timestamp unwraps to near this.
};

/// Returns the nonnegative time that is congruent to `timestamp` modulo 2^48 and nearest to
/// `reference`.
[[nodiscard]] std::int64_t unwrapped(std::uint64_t timestamp, std::int64_t reference);

class chunk_assembly {
 public:
  /// Throws `plan_error` for fewer chunks than the window needs.
  chunk_assembly(std::shared_ptr<chunk_pool> pool, std::size_t n_chunks, const assembly_spec& spec);
  chunk_assembly(const chunk_assembly&) = delete;
  chunk_assembly& operator=(const chunk_assembly&) = delete;

  [[nodiscard]] receive_counts counts() const;

  /// Passes on all open chunks. No writer may be between `begin` and `end`.
  void flush();

  /// Ends waits for free chunks.
  void stop();

 private:
  friend class chunk_writer;

  struct open_chunk {
    std::int64_t index = 0;  ///< Its timestamp is `index` times the samples of a chunk.
    chunk* content = nullptr;
    unsigned n_writers = 0;                  ///< Writers that may still write.
    std::size_t n_placed = 0;                ///< Packets of all polarisations.
    bool is_first = false, is_last = false;  ///< Of an epoch: packets outside are not missing.
  };
  /// An open chunk that a writer may write to until it unpins it.
  struct pin {
    open_chunk* target = nullptr;
    std::int64_t index = 0;
    std::size_t n_placed = 0;
  };
  enum class place { open, late, far_ahead, far_behind, known, starved };

  // The functions below require that the mutex is held.
  void pin_all(std::vector<pin>& pins);
  void unpin_all(std::vector<pin>& pins);
  [[nodiscard]] std::int64_t unwrap(std::uint64_t timestamp) const;
  [[nodiscard]] place place_of(std::int64_t timestamp, bool may_jump);
  void restart(std::int64_t index);
  void advance(std::int64_t index);
  void retire_below(std::int64_t floor);
  void retire(std::list<open_chunk>::iterator chunk);
  void retire_complete();
  void publish_retired();
  void count_missing(const open_chunk& retired);
  [[nodiscard]] bool open(std::int64_t index);
  [[nodiscard]] std::int64_t floor() const {
    return newest_ - static_cast<std::int64_t>(spec_.open_chunks) + 1;
  }
  [[nodiscard]] std::int64_t index_of(std::int64_t timestamp) const {
    return timestamp / chunk_samples_;
  }

  std::shared_ptr<chunk_pool> pool_;
  assembly_spec spec_;
  std::int64_t chunk_samples_;
  mutable std::mutex mutex_;
  std::list<open_chunk> window_;   ///< Sorted by index.
  std::list<open_chunk> retired_;  ///< To be passed on, in order, once they have no writers.
  bool has_window_ = false, has_retired_ = false, is_stopped_ = false;
  std::int64_t newest_ = 0;  ///< The last index in the window.
  std::int64_t next_ = 0;    ///< All lower indices were retired, or counted as missing.
  std::uint64_t epoch_ = 0;
  receive_counts counts_;
};

}  // namespace wingbeat::receive
