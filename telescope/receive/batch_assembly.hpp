// SPDX-License-Identifier: Apache-2.0
// Assembles an F-engine's packets into batches by timestamp: one heap of each substream. Each
// packet states its place, so any packet may be lost, late or sent twice.
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
  std::int64_t timestamp = 0;         ///< In ADC samples, unwrapped beyond 48 bits.
  std::vector<std::byte> voltages{};  ///< Missing voltages are 0.
  std::vector<bool> complete{};       ///< [substream]
  std::uint64_t missing = 0;          ///< As the engine reports; bit p: polarisation p.
  [[nodiscard]] bool is_complete() const;
};

struct substream_counts {
  std::uint64_t heaps = 0;       ///< Complete.
  std::uint64_t incomplete = 0;  ///< Only some packets arrived.
  std::uint64_t absent = 0;      ///< No packet arrived, but some of other substreams.
};

/// Each datagram is counted once: as a packet, a descriptor, a stop, or by the reason why it was
/// not placed. A stop with voltages is counted as both.
struct heap_receive_counts {
  std::uint64_t datagrams = 0;
  std::uint64_t packets = 0;  ///< Placed.
  std::uint64_t bytes = 0;    ///< Bytes of voltages in these.
  std::uint64_t descriptors = 0, stops = 0;
  std::array<std::uint64_t, spead::n_packet_faults> undecodable{};  ///< By `packet_fault`.
  std::size_t other_address_bytes = 0;  ///< In the latest packet of another flavour of SPEAD.
  std::uint64_t truncated = 0;          ///< Longer than the receive buffer.
  std::uint64_t foreign = 0;            ///< Without timestamp, engine, first channel or voltages.
  std::uint64_t undescribed = 0;        ///< Arrived before the layout was known.
  std::uint64_t other_engine = 0;       ///< From another engine than the one received.
  std::uint64_t wrong_size = 0;         ///< Another heap length than the layout's.
  std::uint64_t beyond_band = 0;        ///< With a first channel that no substream has.
  std::uint64_t duplicates = 0;         ///< Placed before.
  std::uint64_t late = 0;               ///< For a batch that was already passed on.

  std::vector<substream_counts> substreams = {};
  std::uint64_t batches = 0;             ///< Some of their packets arrived.
  std::uint64_t incomplete_batches = 0;  ///< Incomplete ones among these.
  /// Between the first and the last batch; no packet arrived.
  std::uint64_t absent_batches = 0;
  std::uint64_t flagged_batches = 0;     ///< The engine reports missing samples.
  std::uint64_t unfinished_batches = 0;  ///< Open when receiving was ended before the stream.
  std::uint64_t starved_batches = 0;     ///< Dropped, because earlier batches were not taken yet.
  std::uint64_t socket_drops = 0;        ///< Messages that the system dropped; not in `datagrams`.
  /// For a capture; not in `datagrams`. Cut frames were shortened by its snap length.
  std::uint64_t other_destinations = 0, other_frames = 0, cut_frames = 0;
  std::optional<std::int64_t> first_timestamp = {}, last_timestamp = {};  ///< Timestamps of
                                                                          ///< batches.
  std::int64_t batch_samples = 0;  ///< Distance of batches; 0: fewer than two arrived.
  std::optional<std::uint64_t> engine = {};

  /// Returns the number of incomplete heaps, absent heaps, and heaps of starved batches.
  [[nodiscard]] std::uint64_t lost_heaps() const;
};

struct batch_assembly_spec {
  layout_request layout = {};
  std::optional<std::uint64_t> engine = {};  ///< Unset: the engine of the first packet.
};

/// Assembles packets. One thread at a time.
class batch_assembly {
 public:
  /// Maximum of open batches; and of their bytes, unless two batches take more.
  static constexpr std::size_t max_open = 16, max_open_bytes = std::size_t{1} << 28;

  /// Calls `take` with each batch, in order of time. Throws `plan_error` for an impossible layout.
  batch_assembly(const batch_assembly_spec& spec, std::function<void(channel_batch&&)> take);

  /// Counts the datagram, and places it or counts why not. Throws `plan_error` if descriptors
  /// contradict the stated layout.
  void add(std::span<const std::byte> datagram, bool is_truncated = false);

  /// Passes on the open batches. If the stream continues (`is_cut`), incomplete batches at the end
  /// are dropped, and counted as unfinished, not as lost.
  void flush(bool is_cut = false);

  [[nodiscard]] const std::optional<channel_layout>& layout() const { return layout_; }
  [[nodiscard]] const heap_receive_counts& counts() const { return counts_; }

  /// Returns whether as many stop heaps arrived as there are substreams.
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
