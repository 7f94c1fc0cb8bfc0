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
  bool is_row = true;  ///< Its elements are each other's nearest neighbours.
  row source = row::complex_row, sink = row::complex_row;
  bool is_forward = true;
  bool is_plain = false;       ///< No functor loads or stores its elements.
  bool is_of_reals = false;    ///< They are reals that become bins, or bins that become reals.
  bool is_computed = false;    ///< Functors make them of lines of reals.
  std::size_t bins = 0;        ///< Of reals: so many are given or wanted, the first; 0: all.
  std::size_t columns = 1;     ///< Neighbours, if it is no row, or if they are lines of reals.
  bool are_lines = false;      ///< Elements are of reals of lines side by side.
  bool is_whole = false;       ///< One workgroup is to have all elements of a row, if it can.
  std::size_t transforms = 1;  ///< Of this axis in one call: the batch times the other axes.
  row_transform transform_row = nullptr;  ///< For the spectra of long chirps.

  [[nodiscard]] bool has_half_spectrum() const {
    return source == row::half_spectrum || sink == row::half_spectrum;
  }
};

/// One pass of an axis, not placed yet: butterflies of `shape.elements()` after `prior`.
struct piece {
  tile_shape shape;
  std::size_t prior = 1;  ///< P: transformed before this pass.
  std::size_t total = 1;  ///< N: of the axis.
  unsigned resident = 0;  ///< Workgroups at once that a multiprocessor is to hold; 0: any.
  double fraction = 0;    ///< Of a copy's speed, as measured for its shape; 0: not measured.
  std::size_t prefetch_bytes = 0;  ///< How far ahead input is prefetched; 0: not at all.
  bool streams = false;            ///< Its output is written by streaming stores.
  bool may_pair_rows = false;      ///< Two rows of reals may be one of complex numbers.
  /// Outputs lie where inputs lay, which scrambles the bins of an axis of two passes: elements of
  /// the axis from one of a butterfly to the next.
  std::optional<std::size_t> in_place_spacing = std::nullopt;

  /// Of an axis whose length is no product of radices: it is convolved with the chirp; or of a
  /// piece that is, with that of its butterflies.
  struct part_of_chirp {
    std::shared_ptr<const chirp> numbers;
    bool begins = false, ends = false;  ///< Multiplies by the factors, before or behind.
    bool multiplies = false;            ///< Inputs by the spectrum, unless its body does.
  };
  std::optional<part_of_chirp> chirped = std::nullopt;
  std::shared_ptr<const rader> by_rader = nullptr;  ///< Of a body that needs its numbers.
  std::size_t n_turns = 0;                          ///< See `pass_numbers::n_turns`.
  /// Its direction, of a part of what is convolved; else it is the request's.
  std::optional<bool> is_forward = std::nullopt;

  [[nodiscard]] bool is_in_place() const { return in_place_spacing.has_value(); }
  /// Returns whether the axis has more elements between its passes than before and behind them.
  [[nodiscard]] bool is_padded() const { return chirped && shape.points == 0; }
};

/// Returns the pieces of an axis: one where it fits a workgroup or a cluster, two to four for a
/// longer axis. One whose length is no product of radices, or too large a one, is convolved: a
/// prime p within p - 1 where a workgroup can, else with a chirp within a length that costs least:
/// in one piece; or the last of several, which has all large prime factors; or in columns,
/// convolved rows and columns back, all in place; or, longer still, forward and back. Throws
/// `plan_error` where the device is too small for any.
[[nodiscard]] std::vector<piece> pieces_of(const axis_request& axis,
                                           const tuning::architecture& data,
                                           const device_info& device);

/// The same of an axis whose length is a product of radices; empty where there are none.
[[nodiscard]] std::vector<piece> radix_pieces_of(const axis_request& axis,
                                                 const tuning::architecture& data,
                                                 const device_info& device);

/// Returns the two pieces of an axis that no workgroup and no cluster takes whole, if its bins may
/// be scrambled: columns, then contiguous rows, each in place. An inverse has the same lengths,
/// rows first. Empty where natural order is expected to take no longer.
[[nodiscard]] std::vector<piece> scrambled_pieces_of(const axis_request& axis,
                                                     const tuning::architecture& data,
                                                     const device_info& device);

/// Returns the piece that makes rows of reals, of the pairs of an axis, bins that its load end
/// changes and reals again, if a workgroup can.
[[nodiscard]] std::optional<piece> diagonal_of(axis_request pairs, const tuning::architecture& data,
                                               const device_info& device);

/// Returns the piece that transforms planes of `rows` of this axis, if there is one.
[[nodiscard]] std::optional<piece> plane_of(std::size_t rows, const axis_request& axis,
                                            const tuning::architecture& data,
                                            const device_info& device);

}  // namespace wingbeat::planner
