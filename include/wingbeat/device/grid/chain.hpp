// SPDX-License-Identifier: Apache-2.0
// Two passes in one launch, what lies between them never leaving the cache: rows of the batch are
// taken in chunks, and chunk s is in its first pass while chunk s - 1 is in its second. Workgroups
// take tickets in order, so each waits only for some that have begun, and a chunk's place in the
// workspace is given to the chunk that comes `ring` later.
//
// Policy: chunk_rows, ring.
// Workspace: counters (see `counter_bytes`), then ring x chunk_rows rows.
#pragma once

#include "wingbeat/device/grid/tile.hpp"  // rows_of_batch
#include "wingbeat/device/index.hpp"      // minimum
#include "wingbeat/device/port.hpp"       // WINGBEAT_FN, WINGBEAT_GLOBAL, group

namespace wingbeat::device::grid {

/// Returns the bytes of the counters of one run, all 0 before it: the next ticket; workgroups done
/// with the first pass of each chunk, with its second. Rows start at a multiple of 256 bytes.
WINGBEAT_FN constexpr size counter_bytes(size batch, size chunk_rows) {
  const size counters = 1 + 2 * ((batch + chunk_rows - 1) / chunk_rows);
  return (counters * sizeof(unsigned) + 255) / 256 * 256;
}

/// First and Second are passes of as many threads; First stores what Second loads.
template <class First, class Second, class Policy, class Group = group>
class chain {
  static_assert(First::workgroup_threads == Second::workgroup_threads,
                "the passes of a chain are run by the same workgroups");
  static constexpr size rows = Policy::chunk_rows;
  static constexpr unsigned first_tiles = unsigned(First::tile_type::per_row() * rows);
  static constexpr unsigned second_tiles = unsigned(Second::tile_type::per_row() * rows);

 public:
  static constexpr unsigned tiles = first_tiles + second_tiles;  ///< Of one step.
  static constexpr unsigned workgroup_threads = First::workgroup_threads;

  WINGBEAT_FN chain(WINGBEAT_GLOBAL unsigned* counters, size batch, WINGBEAT_LOCAL char* scratch,
                    Group group = Group{})
      : counters_(counters), batch_(batch), scratch_(scratch), group_(group) {
    chunks_ = static_cast<unsigned>((batch + rows - 1) / rows);
  }

  /// Does one ticket's work. Grid: (chunks + 1) tiles.
  WINGBEAT_FN void run(const First& first, const Second& second) const {
    const unsigned ticket = taken();
    const unsigned step = ticket / tiles, turn = ticket % tiles;
    // Tiles of both passes take turns in proportion to their numbers.
    const auto before = [](unsigned t) {
      return static_cast<unsigned>(size(t) * first_tiles / tiles);
    };
    const unsigned mine = before(turn);
    if (before(turn + 1) > mine) {
      if (step < chunks_) run_first(first, step, mine);
    } else {
      if (step > 0) run_second(second, step - 1, turn - mine);
    }
  }

 private:
  WINGBEAT_FN unsigned taken() const {
    const auto ticket = reinterpret_cast<WINGBEAT_LOCAL unsigned*>(scratch_);
    if (group_.thread() == 0) *ticket = group_.take(counters_);
    group_.barrier();
    const unsigned mine = *ticket;
    group_.barrier();
    return mine;
  }

  WINGBEAT_FN WINGBEAT_GLOBAL unsigned* first_done(unsigned chunk) const {
    return counters_ + 1 + chunk;
  }
  WINGBEAT_FN WINGBEAT_GLOBAL unsigned* second_done(unsigned chunk) const {
    return counters_ + 1 + chunks_ + chunk;
  }
  WINGBEAT_FN void wait_for(WINGBEAT_GLOBAL unsigned* done, unsigned count) const {
    if (group_.thread() == 0) group_.await(done, count);
    group_.barrier();
  }
  WINGBEAT_FN void announce(WINGBEAT_GLOBAL unsigned* done) const {
    group_.barrier();
    if (group_.thread() == 0) group_.announce(done);
  }
  WINGBEAT_FN size rows_in(unsigned chunk) const {
    return minimum(rows, batch_ - size(chunk) * rows);
  }

  WINGBEAT_FN void run_first(const First& first, unsigned chunk, unsigned tile) const {
    if (chunk >= Policy::ring) wait_for(second_done(chunk - Policy::ring), second_tiles);
    first.run(tile, {size(chunk) * rows, chunk % Policy::ring * rows, rows_in(chunk)});
    announce(first_done(chunk));
  }
  WINGBEAT_FN void run_second(const Second& second, unsigned chunk, unsigned tile) const {
    wait_for(first_done(chunk), first_tiles);
    second.run(tile, {chunk % Policy::ring * rows, size(chunk) * rows, rows_in(chunk)});
    announce(second_done(chunk));
  }

  WINGBEAT_GLOBAL unsigned* counters_;
  size batch_;
  WINGBEAT_LOCAL char* scratch_;
  Group group_;
  unsigned chunks_;
};

}  // namespace wingbeat::device::grid
