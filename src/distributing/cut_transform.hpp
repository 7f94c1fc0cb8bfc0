// SPDX-License-Identifier: Apache-2.0
// A transform in phases, planned for the ranks of a domain: the last pass of a phase stores each
// element in the memory of the rank that continues with it. Where several passes make much data,
// rows are made in chunks. Either what other ranks need is staged, and copied while the next chunk
// is made; or a few workgroups of a second queue store it there, while the next pass takes the
// previous chunk. What other processes need is staged, too, and sent to them, unless they share
// memory.
#pragma once

#include <cstddef>  // size_t
#include <map>
#include <memory>  // unique_ptr
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "distributing/cost.hpp"          // phase_bytes
#include "distributing/phases.hpp"        // phased_transform
#include "distributing/shared_ranks.hpp"  // peer_memory
#include "distributing/transport.hpp"     // transport
#include "processes/shared_barrier.hpp"   // shared_barrier
#include "wingbeat/buffer.hpp"            // buffer, buffer_view
#include "wingbeat/domain.hpp"            // domain
#include "wingbeat/plan.hpp"              // plan

namespace wingbeat::distributing {

/// Returns the bytes that a run moves through memory: in all, and in the last pass. Compiles
/// nothing.
[[nodiscard]] phase_bytes traffic_of(const queue& on, const plan_spec& spec);

class cut_transform {
 public:
  using views = std::span<const buffer_view>;

  /// Returns the bytes of a chunk for a rank that has `rank_bytes`, if there are at least two
  /// chunks.
  [[nodiscard]] static std::size_t usual_chunk_bytes(std::size_t rank_bytes);

  /// `sent_by` sends to other processes; null if there are none, or if they share memory.
  cut_transform(const domain& ranks, phased_transform steps, std::size_t chunk_bytes,
                transport* sent_by = nullptr);
  cut_transform(cut_transform&&) = delete;

  /// Waits until other processes have closed this one's memory.
  ~cut_transform();

  /// Returns the seconds that a run is expected to take.
  [[nodiscard]] double expected_s() const;

  /// Plans the transform and allocates memory for what ranks receive. Throws `plan_error` or
  /// `device_error`.
  void prepare();

  /// Opens memory of other processes, if they share it. Collective, after `prepare` on all.
  void open_peers();

  using operands = std::span<const run_operands>;

  /// Queues one run on all ranks. The views were checked. `given`: the arguments of each rank's
  /// functors, or empty.
  void run(views in, views out, operands given = {});

  [[nodiscard]] const phased_transform& steps() const { return steps_; }
  [[nodiscard]] std::size_t workspace_bytes(std::size_t rank) const;
  /// Returns lines about all phases.
  [[nodiscard]] std::string explain() const;

 private:
  /// A phase on one rank: its rows in chunks, of at most two sizes.
  struct rank_phase {
    std::vector<index_range> chunks = {};    ///< Ranges in the rank's share.
    std::map<std::size_t, plan> plans = {};  ///< By the rows of a chunk.
  };
  /// What a rank has besides its queue.
  struct rank_memory {
    std::optional<queue> beside = {};  ///< A second queue that copies or stores chunks.
    // for each phase:
    buffer received[3] = {};  ///< What the phase leaves, if not in the output.
    buffer staged[3] = {};    ///< Data for other ranks, in their order.
    buffer arrived[3] = {};   ///< Data sent by others, to be put into its rows.
    buffer roots = {};        ///< Roots that stores multiply by.
    buffer unused = {};       ///< Memory given for a rank that has nothing.
  };

  [[nodiscard]] const device_info& own_device() const { return ranks_.at(ranks_.first()).device(); }
  [[nodiscard]] std::vector<index_range> chunks_of(std::size_t number, std::size_t rank) const;
  /// Returns how many indices, if any, a rank cuts into chunks in a phase.
  [[nodiscard]] std::size_t count_of_rows(std::size_t number, std::size_t rank) const;
  void prepare(std::size_t number, std::size_t rank);
  /// Whether data of a phase is sent to other processes.
  [[nodiscard]] bool is_sent() const { return transport_ != nullptr; }
  /// Whether other processes store in this one's memory.
  [[nodiscard]] bool is_opened() const { return ranks_.group() && !is_sent(); }
  [[nodiscard]] bool leaves_in_output(std::size_t number) const;
  [[nodiscard]] buffer_view unused_of(std::size_t rank, std::size_t peer) const;
  [[nodiscard]] buffer_view left_by(std::size_t number, std::size_t rank, views out) const;
  /// Returns the memory on this rank in which a phase leaves what another rank receives by a later
  /// copy; without staging, the memory of that rank.
  [[nodiscard]] buffer_view stored_for(std::size_t peer, std::size_t number, std::size_t rank,
                                       const index_range& chunk, views out) const;
  /// Returns the memory of other ranks that the store of a phase needs.
  [[nodiscard]] std::vector<buffer_view> peers_of(std::size_t number, std::size_t rank,
                                                  const index_range& chunk, views out) const;
  /// Whether a rank stages data for others, packed for each of them.
  [[nodiscard]] bool is_staged(std::size_t number, std::size_t rank) const {
    return is_sent() || (work_[number][rank].chunks.size() > 1 && !is_of_two(number));
  }
  /// Returns the bytes that ranks move at once in a phase.
  [[nodiscard]] phase_bytes bytes_of(std::size_t number) const;
  [[nodiscard]] bool is_follower(std::size_t number) const {
    return number > 0 && steps_.has_follower(number - 1);
  }
  /// Whether a phase and its neighbour alternate on two queues.
  [[nodiscard]] bool is_of_two(std::size_t number) const {
    return steps_.has_follower(number) || is_follower(number);
  }
  /// Returns the queue of a rank that runs a phase: the second one if another phase runs meanwhile.
  [[nodiscard]] queue& queue_of(std::size_t number, std::size_t rank);
  void run_phase(std::size_t number, views in, views out, operands given);
  /// Queues chunk i of a phase on all ranks, and its copies on second queues.
  void run_turn(std::size_t number, std::size_t i, views in, views out, operands given);
  /// Makes a chunk of the next phase wait for the chunks of all ranks.
  void wait_for_chunk(std::size_t number, std::size_t rank);
  void run_chunk(std::size_t number, std::size_t rank, const index_range& chunk, views in,
                 views out, operands given);
  /// Returns the part of a phase's input that belongs to a chunk.
  [[nodiscard]] buffer_view chunk_of(const buffer_view& whole, std::size_t number, std::size_t rank,
                                     const index_range& chunk, std::size_t size_bytes) const;
  /// Returns the arguments of a rank's plan of a phase: those of the spec's functors.
  [[nodiscard]] run_operands arguments_of(std::size_t number, std::size_t rank,
                                          operands given) const;
  /// Sends what a phase left for other processes, and receives what they left for this one.
  void exchange(std::size_t number, views out);
  void copy_chunk(std::size_t number, std::size_t rank, const index_range& chunk, views out);
  void wait_for_each_other();

  domain ranks_;
  phased_transform steps_;
  std::size_t chunk_bytes_;
  transport* transport_;
  std::vector<std::vector<rank_phase>> work_;  // [phase][rank]
  std::vector<rank_memory> memory_;            // [rank]
  std::vector<peer_memory> opened_ = {};       // [phase], memory of other processes
  std::unique_ptr<processes::shared_barrier> barrier_ = {};
};

}  // namespace wingbeat::distributing
