// SPDX-License-Identifier: Apache-2.0
// A transform in phases, planned for the ranks of a domain: the last pass of a phase stores each
// element in the memory of the rank that goes on with it. Where several passes make much, rows are
// made in chunks: what is for others is stored beside, and copied while the next chunk is made; or
// few workgroups of a second queue store it there, while the pass behind takes the chunk before.
// What is for other processes is stored beside, too, and sent to them, unless they share memory.
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

/// Returns what a run of transforms moves through memory: all of it, and in the last pass. Compiles
/// nothing.
[[nodiscard]] phase_bytes traffic_of(const queue& on, const plan_spec& spec);

class cut_transform {
 public:
  using views = std::span<const buffer_view>;

  /// Returns how many bytes of those that a rank has are a chunk, where there are at least two.
  [[nodiscard]] static std::size_t usual_chunk_bytes(std::size_t rank_bytes);

  /// `sent_by`: what sends to other processes, of which there are some; null where there are none,
  /// or where they share memory.
  cut_transform(const domain& ranks, phased_transform steps, std::size_t chunk_bytes,
                transport* sent_by = nullptr);
  cut_transform(cut_transform&&) = delete;

  /// Waits until other processes have closed this one's memory.
  ~cut_transform();

  /// Returns the seconds that it is expected to take.
  [[nodiscard]] double expected_s() const;

  /// Plans it, and allocates memory for what ranks receive. Throws `plan_error` or `device_error`.
  void prepare();

  /// Opens memory of other processes, where they share it: collective, after `prepare` on all.
  void open_peers();

  using operands = std::span<const run_operands>;

  /// Queues one run on all ranks, whose views were checked; with the arguments of functors of each
  /// rank, or none.
  void run(views in, views out, operands given = {});

  [[nodiscard]] const phased_transform& steps() const { return steps_; }
  [[nodiscard]] std::size_t workspace_bytes(std::size_t rank) const;
  /// Returns lines of all phases.
  [[nodiscard]] std::string explain() const;

 private:
  /// A phase on one rank: its rows in chunks, of at most two sizes.
  struct rank_phase {
    std::vector<index_range> chunks = {};    ///< Of the rank's share, counted from its begin.
    std::map<std::size_t, plan> plans = {};  ///< By the rows of a chunk.
  };
  /// What a rank has beside its queue.
  struct rank_memory {
    std::optional<queue> beside = {};  ///< Copies chunks, or stores them.
    // Of each phase:
    buffer received[3] = {};  ///< What it leaves, if not in the output.
    buffer staged[3] = {};    ///< What goes to others: of each in their order.
    buffer arrived[3] = {};   ///< What others sent, which is then put in its rows.
    buffer roots = {};        ///< That stores multiply by.
    buffer unused = {};       ///< In place of memory of each rank that has nothing.
  };

  [[nodiscard]] const device_info& own_device() const { return ranks_.at(ranks_.first()).device(); }
  [[nodiscard]] std::vector<index_range> chunks_of(std::size_t number, std::size_t rank) const;
  /// Returns the indices of which a rank makes chunks in a phase, if any.
  [[nodiscard]] std::size_t count_of_rows(std::size_t number, std::size_t rank) const;
  void prepare(std::size_t number, std::size_t rank);
  /// Whether what a phase leaves for others is sent to their processes.
  [[nodiscard]] bool is_sent() const { return transport_ != nullptr; }
  /// Whether other processes store in this one's memory.
  [[nodiscard]] bool is_opened() const { return ranks_.group() && !is_sent(); }
  [[nodiscard]] bool leaves_in_output(std::size_t number) const;
  [[nodiscard]] buffer_view unused_of(std::size_t rank, std::size_t peer) const;
  [[nodiscard]] buffer_view left_by(std::size_t number, std::size_t rank, views out) const;
  /// Returns what a phase leaves for another rank on this one, which is copied there later; where
  /// nothing is, the memory of that rank.
  [[nodiscard]] buffer_view stored_for(std::size_t peer, std::size_t number, std::size_t rank,
                                       const index_range& chunk, views out) const;
  /// Returns the memory of others that the store of a phase is given.
  [[nodiscard]] std::vector<buffer_view> peers_of(std::size_t number, std::size_t rank,
                                                  const index_range& chunk, views out) const;
  /// Whether a rank stores what is for others beside, packed for each.
  [[nodiscard]] bool is_staged(std::size_t number, std::size_t rank) const {
    return is_sent() || (work_[number][rank].chunks.size() > 1 && !is_of_two(number));
  }
  /// Returns what ranks do at once in a phase.
  [[nodiscard]] phase_bytes bytes_of(std::size_t number) const;
  [[nodiscard]] bool is_follower(std::size_t number) const {
    return number > 0 && steps_.has_follower(number - 1);
  }
  /// Whether a phase and another take turns on two queues.
  [[nodiscard]] bool is_of_two(std::size_t number) const {
    return steps_.has_follower(number) || is_follower(number);
  }
  /// Returns the queue of a rank that makes a phase: beside, where others work meanwhile.
  [[nodiscard]] queue& queue_of(std::size_t number, std::size_t rank);
  void run_phase(std::size_t number, views in, views out, operands given);
  /// Queues chunk i of a phase on all ranks, and what is done with it beside.
  void run_turn(std::size_t number, std::size_t i, views in, views out, operands given);
  /// Has a chunk of the phase behind wait for those of all ranks.
  void wait_for_chunk(std::size_t number, std::size_t rank);
  void run_chunk(std::size_t number, std::size_t rank, const index_range& chunk, views in,
                 views out, operands given);
  /// Returns the part of what a phase reads that is of a chunk.
  [[nodiscard]] buffer_view chunk_of(const buffer_view& whole, std::size_t number, std::size_t rank,
                                     const index_range& chunk, std::size_t size_bytes) const;
  /// Returns the arguments of a rank's plan of a phase: those of the functors of the request.
  [[nodiscard]] run_operands arguments_of(std::size_t number, std::size_t rank,
                                          operands given) const;
  /// Sends what a phase left for other processes, and receives what they did.
  void exchange(std::size_t number, views out);
  void copy_chunk(std::size_t number, std::size_t rank, const index_range& chunk, views out);
  void wait_for_each_other();

  domain ranks_;
  phased_transform steps_;
  std::size_t chunk_bytes_;
  transport* transport_;
  std::vector<std::vector<rank_phase>> work_;  // [phase][rank]
  std::vector<rank_memory> memory_;            // [rank]
  std::vector<peer_memory> opened_ = {};       // [phase], of processes
  std::unique_ptr<processes::shared_barrier> barrier_ = {};
};

}  // namespace wingbeat::distributing
