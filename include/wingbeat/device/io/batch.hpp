// SPDX-License-Identifier: Apache-2.0
// The transform of a batch that a team works on, and the places of its elements:
//     number = workgroup . transforms of a workgroup + the team's own,   it exists if < batch.
#pragma once

#include "wingbeat/device/io/contiguous.hpp"  // contiguous
#include "wingbeat/device/io/guarded.hpp"     // guarded
#include "wingbeat/device/io/strided.hpp"     // strided
#include "wingbeat/device/port.hpp"           // WINGBEAT_FN, size

namespace wingbeat::device::io {

/// One transform of a batch. Teams of the last workgroup may have none: their threads still take
/// part in every barrier, with zeros from `guarded`.
struct member {
  size number;
  bool exists;

  /// Returns the offset of this transform if those of a batch lie `pitch` apart; 0 if it does not
  /// exist, so that no pointer leaves the array.
  WINGBEAT_FN constexpr size offset(size pitch) const { return exists ? number * pitch : 0; }
};

/// Returns the transform of a team in a workgroup of a grid, which has at least
/// ceil(batch / transforms) workgroups:
///     const io::member who = io::member_of(team, group::index(), batch);
template <class Team>
WINGBEAT_FN member member_of(const Team& team, size workgroup, size batch) {
  const size number = workgroup * Team::shape_type::transforms + team.transform();
  return {number, number < batch};
}

/// Two transforms of a batch that share the registers of a team, 2m and 2m + 1 for its own m.
struct member_pair {
  member first;
  member second;
};

/// Returns the pair of a team, for `paired`. In an odd batch the second of the last pair is absent.
/// The grid has at least ceil(batch / (2 transforms)) workgroups.
template <class Team>
WINGBEAT_FN member_pair pair_of(const Team& team, size workgroup, size batch) {
  const size number = 2 * (workgroup * Team::shape_type::transforms + team.transform());
  return {{number, number < batch}, {number + 1, number + 1 < batch}};
}

/// Returns a load and store of one row: element i of transform b lies at address[b pitch + i].
/// Memory: touches only that, none if absent.
template <class Pointer>
WINGBEAT_FN guarded<contiguous<Pointer>> row_of(Pointer address, size pitch, member who) {
  return {{address + who.offset(pitch)}, who.exists};
}

/// Returns a load and store of one column: element i of transform b lies at address[i pitch + b];
/// the pitch is that of the rows.
/// Memory: touches only that, none if absent.
template <class Pointer>
WINGBEAT_FN guarded<strided<Pointer>> column_of(Pointer address, size pitch, member who) {
  return {{address + who.offset(1), pitch}, who.exists};
}

/// Matrices one after another in a batch, `columns` transforms in each.
struct matrices {
  size columns;
  size pitch;         ///< From one row to the next.
  size matrix_pitch;  ///< From one matrix to the next.
};

/// Returns a load and store of one column of many matrices: element i of transform b lies at
///     address[(b / columns) matrix_pitch + i pitch + b % columns].
/// Memory: touches only that, none if absent.
template <class Pointer>
WINGBEAT_FN guarded<strided<Pointer>> column_of(Pointer address, matrices in, member who) {
  const size matrix = who.offset(1) / in.columns;
  const size column = who.offset(1) % in.columns;
  return {{address + (matrix * in.matrix_pitch + column), in.pitch}, who.exists};
}

}  // namespace wingbeat::device::io
