// SPDX-License-Identifier: Apache-2.0
// The kernels of a filter bank for one instruction set. Each product and sum is rounded, in the
// order of the formulas, so all sets have identical results.
#pragma once

#include <cstddef>  // size_t
#include <cstdint>  // uint32_t, uint64_t

#include "backend/bank.hpp"  // heap_sample

namespace wingbeat::backend::host {

/// Channels that are finished together, and positions that are filtered together: a power of two,
/// and a multiple of all vectors.
inline constexpr std::size_t bank_block = 64;

/// Rows whose windows follow each other by `step`:  y[r][j] = sum_m w[m][j] x[(r + m) step + j].
struct filtered_rows {
  const float* x = nullptr;
  const float* w = nullptr;  // [j / bank_block][m][j % bank_block]
  float* y = nullptr;        ///< Rows with space for whole blocks.
  std::size_t step = 0;      ///< Floats; weights fill whole blocks, with zeros.
  std::size_t taps = 1;
  std::size_t count = 1;     ///< Rows.
  std::size_t y_pitch = 0;   ///< Floats from one row of y to the next.
  float* scratch = nullptr;  ///< (taps + count - 1) bank_block floats.
};

/// Dither of `bank_block` channels from `first_channel` on, of two polarisations.
struct dither_block {
  std::uint64_t seed = 0;
  std::uint64_t time = 0;
  std::uint32_t first_channel = 0;
  std::uint32_t channels = 0;  ///< Of the whole bank.
  std::uint32_t pair = 0;      ///< Number of the first polarisation, halved.
  float* out = nullptr;        // [word][channel]
};

/// Bins times coarse times steps times gains, plus dither, limited and rounded.
struct finished_bins {
  const float* bins = nullptr;   // [channel][re, im]
  const float* gains = nullptr;  // [channel][re, im]
  const float* steps = nullptr;  // [re, im][bank_block]
  float coarse[2] = {1, 0};
  const float* dither = nullptr;  ///< [re, im][bank_block]; null: none.
  std::size_t count = 0;          ///< At most `bank_block`.
  float limit = 0;
  std::byte* out = nullptr;
};

/// Samples as integers and as floats; packed or integer samples are the input.
struct read_block {
  const std::byte* packed = nullptr;  ///< Null: the integers are the input.
  std::size_t packed_bytes = 0;       ///< Readable bytes.
  unsigned bits = 0;
  std::size_t skip = 0;  ///< Samples before the first in its group of eight.
  std::size_t count = 0;
  std::int16_t* integers = nullptr;
  float* out = nullptr;
};

struct bank_kernels {
  /// Returns the sum of squares.
  std::uint64_t (*read)(const read_block& block);
  void (*filter)(const filtered_rows& rows);
  void (*dither)(const dither_block& block);
  /// Returns the number of limited values.
  std::uint32_t (*finish)(heap_sample output, const finished_bins& given);
};

}  // namespace wingbeat::backend::host
