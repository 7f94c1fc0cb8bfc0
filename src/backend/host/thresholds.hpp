// SPDX-License-Identifier: Apache-2.0
// The limits at which the host engine changes its method, and the sizes that it handles at once.
// They are constants, not read from the machine, so that methods and groups, and thus all bits of
// results, only depend on the request.
#pragma once

#include <chrono>   // microseconds
#include <cstddef>  // size_t

namespace wingbeat::backend::host {

/// Each with its reason; bench/evidence/processor.md has the speeds that came with these values.
struct thresholds {
  // Threads
  // Work counts points times log2 of the length.
  double work_per_thread = 1 << 19;        ///< About 30 microseconds, the cost of waking a thread.
  double work_per_awake_thread = 1 << 16;  ///< About 4 microseconds, if workers wait awake.
  double min_shared_work = 1 << 18;  ///< 2^14 points took 31 us on three threads, 24 us on one.
  /// Workers of a pool of at least this many threads wait awake for a while, if the machine has as
  /// many processors: smaller machines need their processors for other work.
  unsigned min_pool_awake = 4;
  std::chrono::microseconds wait_awake{50};
  std::size_t tiles_per_thread = 8;   ///< Shares of a pass, so that threads end together.
  std::size_t mirror_per_thread = 4;  ///< Shares of one row's bins, for the same reason.
  std::size_t read_samples = std::size_t{1} << 17;    ///< Unpacked and counted by a thread at once.
  std::size_t share_elements = std::size_t{1} << 14;  ///< Elements of a column that several threads
                                                      ///< move.
  double work_per_summed_byte = 0.125;                ///< Per product of a direct sum.
  std::size_t least_summed_part = 2048;  ///< Results of one row summed by a thread at once.

  // Sums or transforms, in the order of summed_number: on one thread of a Xeon (Sapphire Rapids) by
  // bench/python_calls.py, 10,000 x 31 and 100,000 x 63 along one axis, 256^2 by 5 x 5 along two.
  double products_per_ns[5] = {20, 10, 7, 4, 7};
  double rate_of_half_vectors = 0.85;    ///< 32 bytes: fp64 12.1, with 64 bytes 14.6.
  double rate_of_quarter_vectors = 0.3;  ///< 16 bytes: fp32 8.9, with 64 bytes 21.
  double ns_of_transforms = 30'000;      ///< Time of a call by transforms, few points.
  double ns_of_point[5] = {1.5, 3, 2.2, 4.5, 4};
  double cost_of_axis = 2;  ///< Factor per point for each axis after the first.

  // Rows
  std::size_t stockham_bytes = std::size_t{1} << 17;  ///< A longer row is cut in two passes.
  std::size_t own_row_bytes = std::size_t{1} << 21;   ///< Threads share a longer row.
  std::size_t mirror_bytes = std::size_t{1} << 14;    ///< Rows that are combined with their mirror
                                                      ///< image in the inner cache.
  // Tiles
  std::size_t tile_bytes = std::size_t{1} << 15;      ///< Bytes of short rows in a tile: the inner
                                                      ///< cache.
  std::size_t max_tile_bytes = std::size_t{1} << 26;  ///< Bytes of all long rows in a tile.
  std::size_t short_row = 64;                         ///< Rows up to this length
  std::size_t short_rows = 64;   ///< are taken in groups of this many, to fill vectors.
  std::size_t line_columns = 8;  ///< Fewest columns, if they are neighbours: a cache line.
  std::size_t tile_padding = 8;  ///< Elements between longer rows, because rows a power of two
                                 ///< apart share few sets of the caches.
  std::size_t short_run = 4;     ///< Fewer columns are moved along their indices, because loops
                                 ///< cost.

  // Strips of columns, one in each vector lane
  std::size_t longest_strip = 32768;      ///< Elements of a column; a longer strip outgrows caches.
  std::size_t longest_wide_strip = 4096;  ///< Strips of longer columns are no wider than a cache
                                          ///< line.
  std::size_t longest_chirped_strip = 1024;    ///< For lengths convolved within twice as many.
  std::size_t longest_searched_chirp = 32768;  ///< For longer rows the search takes too long.
  double chirp_cost = 30;                      ///< Vector instructions per point for its products.
  std::size_t line_bytes = 64;

  // Rows of lengths other than powers of two
  std::size_t longest_in_lanes = 256;      ///< Up to here each lane may have its own row: strips of
                                           ///< longer rows outgrow the inner cache.
  std::size_t longest_matrix_side = 2048;  ///< Strips of such columns stay in the outer cache.

  // Several axes
  std::size_t crowded_rows = 64;  ///< Between passes, rows of a multiple of this many elements have
  std::size_t row_gap = 8;        ///< this many unused ones behind them, as `tile_padding`.
  std::size_t group_bytes = std::size_t{1} << 23;  ///< Transforms that run all passes together: an
                                                   ///< outer cache.
  std::size_t slab_bytes = std::size_t{1} << 20;   ///< Planes that run two passes together.
};

inline constexpr thresholds limits{};

}  // namespace wingbeat::backend::host
