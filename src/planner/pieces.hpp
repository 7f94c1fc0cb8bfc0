// SPDX-License-Identifier: Apache-2.0
// How an axis is cut into passes, and the shape of each.
#pragma once

#include <optional>
#include <vector>

#include "roots/chirp.hpp"                   // chirp
#include "roots/rader.hpp"                   // rader
#include "tuning/tuning.hpp"                 // architecture
#include "wingbeat/device/grid/numbers.hpp"  // tile_shape
#include "wingbeat/devices.hpp"              // device_info
#include "wingbeat/plan.hpp"                 // precision

namespace wingbeat::planner {

using device::grid::body;
using device::grid::product;
using device::grid::row;
using device::grid::tile_shape;

/// An axis to be cut.
struct axis_request {
  std::size_t total = 1;  ///< N, complex elements.
  precision stored = precision::fp32;
  bool is_row = true;  ///< Its elements are neighbours in memory.
  row source = row::complex_row, sink = row::complex_row;
  bool is_forward = true;
  bool is_plain = false;       ///< Neighbours in memory that no functor loads or stores.
  bool has_functors = false;   ///< A functor loads or stores elements of the transform.
  bool is_of_reals = false;    ///< Reals that become bins, or bins that become reals.
  bool is_computed = false;    ///< Functors make its elements from lines of reals.
  std::size_t bins = 0;        ///< Reals: number of first bins that are given or wanted; 0: all.
  std::size_t columns = 1;     ///< Neighbours of a column, or of a line of reals.
  bool are_lines = false;      ///< Elements are from lines of reals side by side.
  bool is_whole = false;       ///< One workgroup is to take the whole row, if it can.
  std::size_t transforms = 1;  ///< Of this axis, in one call: batch times other axes.
  row_transform transform_row = nullptr;  ///< Makes the spectra of long chirps.

  [[nodiscard]] bool has_half_spectrum() const {
    return source == row::half_spectrum || sink == row::half_spectrum;
  }
};

/// One pass of an axis, not placed in memory yet: butterflies of `shape.elements()` after `prior`.
struct piece {
  tile_shape shape;
  std::size_t prior = 1;           ///< P: product of the lengths of passes before.
  std::size_t total = 1;           ///< N: length of the axis.
  unsigned resident = 0;           ///< Workgroups that a multiprocessor should hold; 0: any.
  double fraction = 0;             ///< Measured fraction of a copy's speed; 0: not measured.
  std::size_t prefetch_bytes = 0;  ///< How far ahead input is prefetched; 0: not at all.
  bool streams = false;            ///< Its output is written by streaming stores.
  bool may_pair_rows = false;      ///< Two rows of reals may become a row of complex numbers.
  /// If outputs overwrite inputs (which scrambles the bins of an axis of two passes): the distance
  /// of a butterfly's elements, in elements of the axis.
  std::optional<std::size_t> in_place_spacing = std::nullopt;

  /// Makes a pass part of a chirp transform, over the whole axis or only over its butterflies; for
  /// a length that is no product of radices.
  struct part_of_chirp {
    std::shared_ptr<const chirp> numbers;
    bool begins = false, ends = false;  ///< Multiplies by the chirp first, last.
    bool multiplies = false;            ///< Multiplies inputs by the spectrum, unless the body
                                        ///< does.
  };
  std::optional<part_of_chirp> chirped = std::nullopt;
  std::shared_ptr<const rader> by_rader = nullptr;  ///< For a body in Rader's order.
  std::size_t n_turns = 0;                          ///< See `pass_numbers::n_turns`.
  /// Direction of a pass of a convolution; otherwise the request's.
  std::optional<bool> is_forward = std::nullopt;

  [[nodiscard]] bool is_in_place() const { return in_place_spacing.has_value(); }
  /// Returns whether the array between its passes is longer than those before and behind.
  [[nodiscard]] bool is_padded() const { return chirped && shape.points == 0; }
};

/// Returns the pieces of an axis: one that fits a workgroup or a cluster, or two to four for a
/// longer axis. If its length is no product of radices, or its largest factor is too large, the
/// axis is convolved: a prime p within p - 1 if a workgroup can, otherwise with a chirp within the
/// length that costs the least. The convolution is one piece; or the last of several, which then
/// has all large prime factors; or columns, convolved rows and columns back, all in place; or, for
/// the longest, a transform forward and one back. Throws `plan_error` if the device is too small.
[[nodiscard]] std::vector<piece> pieces_of(const axis_request& axis,
                                           const tuning::architecture& data,
                                           const device_info& device);

/// Returns the pieces of an axis whose length is a product of radices; empty if none fit.
[[nodiscard]] std::vector<piece> radix_pieces_of(const axis_request& axis,
                                                 const tuning::architecture& data,
                                                 const device_info& device);

/// Returns the two pieces of an axis too long for a workgroup and a cluster, if its bins may be
/// scrambled: columns, then contiguous rows, each in place. An inverse has the same lengths, rows
/// first. Empty if natural order is expected to be as fast.
[[nodiscard]] std::vector<piece> scrambled_pieces_of(const axis_request& axis,
                                                     const tuning::architecture& data,
                                                     const device_info& device);

/// Returns the piece in which one workgroup transforms rows of reals to bins, changes the bins by
/// the load functor and transforms them back to reals, if it can. `pairs`: the axis in pairs of
/// reals.
[[nodiscard]] std::optional<piece> diagonal_of(axis_request pairs, const tuning::architecture& data,
                                               const device_info& device);

/// Returns the piece that transforms planes of `rows` of this axis, if there is one.
[[nodiscard]] std::optional<piece> plane_of(std::size_t rows, const axis_request& axis,
                                            const tuning::architecture& data,
                                            const device_info& device);

}  // namespace wingbeat::planner
