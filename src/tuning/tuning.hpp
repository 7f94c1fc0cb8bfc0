// SPDX-License-Identifier: Apache-2.0
// What was found to run best where: data only, one file per architecture.
#pragma once

#include <cstddef>  // size_t
#include <span>

#include "wingbeat/devices.hpp"  // device_info
#include "wingbeat/plan.hpp"     // precision

namespace wingbeat::tuning {

// `resident`: workgroups at once that a multiprocessor is to have registers for, a bound that the
// compiler is told, and local memory; 0: as many as it can hold. What is left of that memory is the
// L1 cache, which joins what neighbouring threads read and write of rows that begin anywhere in a
// sector.

/// How one workgroup transforms one length.
struct shape {
  unsigned log2_length;          ///< Of the complex transform.
  unsigned elements_per_thread;  ///< At most the length.
  unsigned transforms;           ///< In one workgroup.
  bool half_trade = false;       ///< Exchange real parts, then imaginary parts.
  bool stage_in = false;         ///< Load through local memory, contiguously.
  bool stage_out = false;        ///< Store through local memory, contiguously.
  float fraction = 0;            ///< Of a copy's speed, as measured; 0: not measured.
  unsigned resident = 0;         ///< See above.
  unsigned mib_ahead = 0;        ///< Of input requested from memory before it is wanted.
  bool stores_once = false;      ///< Output is the first to leave the caches.
};

/// How columns are transformed: `columns` neighbours a workgroup.
struct column_shape {
  unsigned log2_length;
  unsigned elements_per_thread;
  unsigned columns;
  bool half_trade = false;   ///< Exchange real parts, then imaginary parts.
  unsigned resident = 0;     ///< See above.
  float fraction = 0;        ///< Of a copy's speed, as measured; 0: not measured.
  bool stores_once = false;  ///< Output over the input is the first to leave the caches.
};

/// How a cluster of workgroups makes a line of 2^log2_length points as 2^log2_first times the rest,
/// or a plane of 2^log2_first rows; `lanes` of them at once.
struct cluster_shape {
  unsigned log2_length;
  unsigned log2_first;
  unsigned elements_per_thread;
  unsigned workgroups;
  unsigned lanes = 1;
  unsigned resident = 1;   ///< See above.
  float fraction = 0;      ///< Of a copy's speed, as measured; 0: not measured.
  unsigned mib_ahead = 0;  ///< Of input requested from memory before it is wanted.
};

/// How a length too long for one pass is cut: into 2^log2_first, 2^log2_second and the rest, if
/// there is a rest.
struct cut {
  unsigned log2_length;
  unsigned log2_first;
  unsigned log2_second;
};

/// How rows are transformed, shortest length first: in one workgroup, in one cluster, or cut; and
/// planes of rows at once.
struct row_shapes {
  std::span<const shape> whole;  ///< Without gaps.
  std::span<const cluster_shape> lines = {};
  std::span<const cut> cuts = {};  ///< Others are cut evenly.
  std::span<const cluster_shape> planes = {};
  /// The columns whose bins meet their mirror images, without gaps; if none, those of any axis.
  std::span<const column_shape> mirrored = {};
};

/// One precision's shapes, shortest length first. Rows of reals and of bins are listed by the
/// length of the complex transform between them.
struct shapes {
  row_shapes rows;                ///< Of complex numbers.
  row_shapes rows_of_reals = {};  ///< That become bins; if nothing is whole, rows as `rows`.
  row_shapes rows_of_bins = {};   ///< That become reals; the same.
  std::span<const column_shape> columns;  ///< Without gaps.
  std::span<const cluster_shape> column_lines = {};
};

struct architecture {
  const char* name;
  unsigned bank_bytes;  ///< Width of all banks of local memory together; 0 on a CPU.
  shapes fp32;
  shapes fp64;
  shapes stored_in_16_bits = {};  ///< Computed in fp32; if no row is whole, as `fp32`.
};

/// Returns the shapes for plans that store this precision.
[[nodiscard]] const shapes& shapes_for(const architecture& data, precision stored);

/// Returns the data for a device: its own architecture's, or the nearest in kind.
[[nodiscard]] const architecture& for_device(const device_info& where);

[[nodiscard]] const architecture& hopper();
[[nodiscard]] const architecture& ampere();
[[nodiscard]] const architecture& opencl_gpu();
[[nodiscard]] const architecture& opencl_cpu();

}  // namespace wingbeat::tuning
