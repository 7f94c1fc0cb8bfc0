// SPDX-License-Identifier: Apache-2.0
// An F-engine's packets to batches: one heap of each substream, put together by timestamp. Each
// packet states where it belongs, so that any of them may be lost, late or sent twice.
#pragma once

#include <array>
#include <cstddef>  // byte, size_t
#include <cstdint>  // int64_t, uint64_t
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <vector>

#include "receive/channel_layout.hpp"  // channel_layout
#include "spead/heap_assembler.hpp"    // heap_assembler
#include "spead/packet.hpp"            // n_packet_faults, packet

namespace wingbeat::receive {

/// The voltages of all channels over the time of one heap.
struct channel_batch {
  std::int64_t timestamp = 0;         ///< ADC samples: unwrapped beyond 48 bits.
  std::vector<std::byte> voltages{};  ///< Missing ones are 0.
  std::vector<bool> complete{};       ///< [substream]
  std::uint64_t missing = 0;          ///< As the engine says; bit p: polarisation p.
  [[nodiscard]] bool is_complete() const;
};

struct substream_counts {
  std::uint64_t heaps = 0;       ///< Complete.
  std::uint64_t incomplete = 0;  ///< Some packets came.
  std::uint64_t absent = 0;      ///< None came, but of other substreams.
};

/// Each datagram is counted once: as a packet, a descriptor, a stop, or for why it was not placed.
/// A stop beside voltages is counted as both.
struct heap_receive_counts {
  std::uint64_t datagrams = 0;
  std::uint64_t packets = 0;  ///< Placed.
  std::uint64_t bytes = 0;    ///< Of voltages, in these.
  std::uint64_t descriptors = 0, stops = 0;
  std::array<std::uint64_t, spead::n_packet_faults> undecodable{};  ///< By `packet_fault`.
  std::size_t other_address_bytes = 0;  ///< Of the latest packet of another flavour of SPEAD.
  std::uint64_t truncated = 0;          ///< Longer than the room for it.
  std::uint64_t foreign = 0;            ///< No timestamp, engine, first channel or voltages.
  std::uint64_t undescribed = 0;        ///< Before the layout was known.
  std::uint64_t other_engine = 0;       ///< Of another engine than the one received.
  std::uint64_t wrong_size = 0;         ///< Another heap length than the layout's.
  std::uint64_t beyond_band = 0;        ///< A first channel that no substream has.
  std::uint64_t duplicates = 0;         ///< Placed before.
  std::uint64_t late = 0;               ///< Of a batch that is handed on.

  std::vector<substream_counts> substreams = {};
  std::uint64_t batches = 0;             ///< Some of whose packets came.
  std::uint64_t incomplete_batches = 0;  ///< Of these.
  /// Between the first and the last batch, of which nothing came.
  std::uint64_t absent_batches = 0;
  std::uint64_t flagged_batches = 0;     ///< Whose engine says that samples are missing.
  std::uint64_t unfinished_batches = 0;  ///< Open when receiving was ended before the stream.
  std::uint64_t starved_batches = 0;     ///< Dropped, because those before were not taken yet.
  std::uint64_t socket_drops = 0;        ///< Messages that the system dropped; not in `datagrams`.
  /// Of a capture, not in `datagrams`. Cut frames were not kept whole, by its snap length.
  std::uint64_t other_destinations = 0, other_frames = 0, cut_frames = 0;
  std::optional<std::int64_t> first_timestamp = {}, last_timestamp = {};  ///< Of batches.
  std::int64_t batch_samples = 0;  ///< From one to the next; 0: fewer than two came.
  std::optional<std::uint64_t> engine = {};

  /// Returns the heaps that are incomplete, of which nothing came, and of starved batches.
  [[nodiscard]] std::uint64_t lost_heaps() const;
};

struct batch_assembly_spec {
  layout_request layout = {};
  std::optional<std::uint64_t> engine = {};  ///< Unset: that of the first packet.
};

/// Puts packets together. One thread at a time.
class batch_assembly {
 public:
  /// Open batches at most, and the bytes that they take at most unless two take more.
  static constexpr std::size_t max_open = 16, max_open_bytes = std::size_t{1} << 28;

  /// `take` is called with each batch, in order of time. Throws `plan_error` for an impossible
  /// layout.
  batch_assembly(const batch_assembly_spec& spec, std::function<void(channel_batch&&)> take);

  /// Counts the datagram, and places it or counts why not. Throws `plan_error` where descriptors
  /// contradict what was stated.
  void add(std::span<const std::byte> datagram, bool is_truncated = false);

  /// Hands on what is open. Of a stream that goes on (`is_cut`), incomplete batches at the end are
  /// dropped, and counted as unfinished, not as lost.
  void flush(bool is_cut = false);

  [[nodiscard]] const std::optional<channel_layout>& layout() const { return layout_; }
  [[nodiscard]] const heap_receive_counts& counts() const { return counts_; }

  /// Returns whether as many stop heaps came as there are substreams.
  [[nodiscard]] bool has_ended() const {
    return layout_ && counts_.stops >= layout_->n_substreams();
  }

 private:
  struct open_batch {
    channel_batch content{};
    std::vector<spead::received_parts> parts{};  ///< [substream]
    std::size_t n_complete = 0;
  };
  struct placement {
    std::optional<std::uint64_t> timestamp = {}, engine = {}, first_channel = {};
    std::uint64_t missing = 0;
    std::optional<std::uint64_t> voltages = {};  ///< Where they start in the heap.

    [[nodiscard]] bool is_whole() const { return timestamp && engine && first_channel && voltages; }
  };

  [[nodiscard]] bool is_description(const spead::packet& packet);
  void describe(std::span<const std::byte> datagram);
  void set_layout(const channel_layout& layout);
  void place(const spead::packet& packet, const placement& position);
  [[nodiscard]] open_batch* find(std::int64_t timestamp);
  void close_first();

  batch_assembly_spec spec_;
  std::function<void(channel_batch&&)> take_;
  std::optional<channel_layout> layout_;
  std::size_t max_open_ = max_open;
  static constexpr std::size_t max_descriptions = 64;
  std::array<std::uint64_t, max_descriptions> description_ids_{};  ///< Of the latest heaps.
  std::size_t n_descriptions_ = 0;
  spead::heap_assembler descriptions_;
  std::map<std::int64_t, open_batch> open_;
  std::optional<std::int64_t> reference_, last_closed_;
  heap_receive_counts counts_;
};

}  // namespace wingbeat::receive
