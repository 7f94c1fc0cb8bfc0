// SPDX-License-Identifier: Apache-2.0
// Kernels of one instruction set for transforms of lines of reals, one line in each lane.
#pragma once

#include <cstddef>  // size_t

#include "backend/host/kernels.hpp"                 // single_kernel
#include "wingbeat/device/functors/reductions.hpp"  // folded_samples

namespace wingbeat::backend::host {

/// Lines, in the terms of device::functors::line_numbers, between memory and columns of complex
/// numbers: element i of lane l is at (i - origin) pitch + l.
template <class Real>
struct lane_lines {
  const Real* in = nullptr;
  Real* out = nullptr;
  std::size_t pitch = 0;
  std::size_t length = 0, origin = 0, first = 0, end = 0;
  bool is_reversed = false, is_alternating = false, has_first_edge = false, has_last_edge = false;
  Real edge = 1;
  const Real* roots = nullptr;  ///< Of the reduction.  [e][re, im]

  Real* tile = nullptr;    ///< [j][column][re, im], a column for each lane
  std::size_t points = 0;  ///< Points of the inner transform.
  /// w^k, w = exp(-2 pi i / points), k <= points / 4, if an even number of reals is packed into
  /// half as many rows.  [k][re, im]
  const Real* packing = nullptr;
};

/// Reduction: one of reductions.hpp. Columns are transformed between load and store: forward, or
/// back if the reduction stores reals.
template <class Reduction, class Real>
struct line_kernel {
  void (*load)(const lane_lines<Real>& lines);   ///< Fills the tile.
  void (*store)(const lane_lines<Real>& lines);  ///< Columns of even real kinds are halved.
};

/// How rows of N reals, or their half spectra, are multiplied by a matrix, with outputs k in lanes
/// and inputs j as terms:
enum class matrix_form {
  plain,    ///< y[k] = sum_j F[j][k] x[j]
  folded,   ///< Bins 0 to N/2 of reals. Terms x[j] + x[N-j] and x[j] - x[N-j] alternate; the first
            ///< are summed to re, the second to im.
  unfolded  ///< Reals of bins 0 to N/2: the sum of all terms is y[k], k up to N/2; for y[N-k] the
            ///< second terms, those of im, are subtracted.
};

/// The longest row that a matrix multiplies, and the reals from its folded sums to its differences.
inline constexpr std::size_t longest_real_matrix = 128;
inline constexpr std::size_t folded_distance = longest_real_matrix / 2;

/// Returns the lanes of the vectors, of 16 or 32 bytes, that hold `n_lanes` outputs, each for the
/// sums of half the terms.
template <class Real>
constexpr int product_width(std::size_t n_lanes, int widest) {
  constexpr int narrow = 16 / int{sizeof(Real)};
  return n_lanes > std::size_t{narrow} && widest > narrow ? 2 * narrow : narrow;
}

/// A matrix, and the rows in memory that it multiplies; pitches count reals.
template <class Real>
struct row_product {
  std::size_t length = 0;  ///< N
  std::size_t n_in = 0;    ///< Reals of a row up to the last that is read.
  std::size_t n_lanes = 0;
  std::size_t n_tiles = 0;  ///< Vectors of lanes; if there are several, the last begins earlier
                            ///< rather than leave lanes unused.
  std::size_t n_terms = 0;
  /// The place of each term in a row or, if folded, behind it. After the first term, every other
  /// one is added to the second sums.
  const int* terms = nullptr;
  const Real* factors = nullptr;  ///< [term][tile][lane]
  std::size_t in_pitch = 0;
  std::size_t out_pitch = 0;
  std::size_t count = 0;
  /// For longer rows, N = B R1 R2 .., the stages; the matrix multiplies rows of B: see
  /// real_stages.hpp.
  const chain* stages = nullptr;
  const Real* roots = nullptr;
};

/// Returns the lanes of the stages' vectors, of 32 bytes at most.
template <class Real>
constexpr int staged_width(int widest) {
  constexpr int wide = 32 / int{sizeof(Real)};
  return widest < wide ? widest : wide;
}

/// Returns the reals from re to im of bins 0 to L/2 between stages: whole vectors.
template <class Real>
constexpr std::size_t plane_of(std::size_t length) {
  constexpr std::size_t wide = 32 / sizeof(Real);
  return (length / 2 + wide) / wide * wide;
}

/// The longest row that is transformed in stages, and the most reals of its planes.
inline constexpr std::size_t longest_staged = 2048;
inline constexpr std::size_t staged_reals = 5 * longest_staged / 2 + 64;

/// Small transforms that are multiplied together: as many as a cache line has reals.
template <class Real>
inline constexpr std::size_t transforms_beside = 64 / sizeof(Real);

/// The lines of small transforms of reals along one axis, and its matrix.
template <class Real>
struct axis_product {
  std::size_t length = 0;              ///< Of a line.
  std::size_t inside = 0;              ///< Points from one of a line to the next.
  std::size_t points = 0;              ///< Of a transform.
  const std::size_t* terms = nullptr;  ///< Which element of a line each is.
  const Real* factors = nullptr;       ///< [k][term]
  const Real* columns = nullptr;       ///< The same, [term][k], rows multiples of a cache line.
};

/// The kernels of one instruction set and precision.
template <class Real>
struct line_kernels : line_kernel<device::functors::even_extension, Real>,
                      line_kernel<device::functors::odd_extension, Real>,
                      line_kernel<device::functors::folded_samples, Real>,
                      line_kernel<device::functors::folded_bins, Real>,
                      line_kernel<device::functors::half_turned, Real>,
                      line_kernel<device::functors::odd_places, Real>,
                      line_kernel<device::functors::cas_bins, Real> {
  /// Kernels for a row_product<Real>: rows of one form and number of terms and lanes, in vectors of
  /// product_width(). Outputs may replace the inputs of their row.
  single_kernel (*product)(matrix_form form, std::size_t n_terms, std::size_t n_lanes);

  /// Same for rows in stages, forward and back.
  single_kernel staged_forward, staged_back;

  /// Small transforms along one axis, from one tile to another: transforms_beside of them,
  /// [point][transform], or one, [point].
  void (*along_axis)(const axis_product<Real>& axis, const Real* from, Real* to);
  void (*along_axis_of_one)(const axis_product<Real>& axis, const Real* from, Real* to);
};

struct line_set {
  line_kernels<float> fp32;
  line_kernels<double> fp64;
};

}  // namespace wingbeat::backend::host
