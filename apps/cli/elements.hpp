// SPDX-License-Identifier: Apache-2.0
// The numbers of a problem wherever its layout puts them: a block of noise in, rows of bytes out.
#pragma once

#include <complex>
#include <cstddef>  // byte, size_t
#include <functional>
#include <span>
#include <vector>

#include "side.hpp"           // side
#include "wingbeat/plan.hpp"  // plan_spec

namespace wingbeat::cli {

/// Where a row along the last axis is: its transform, an index of each axis before the last, and
/// which of its elements are meant: first, first + step and so on.
struct row_place {
  std::size_t transform = 0;
  std::vector<std::size_t> outer = {};
  std::size_t first = 0;
  std::size_t step = 1;
};

/// Copies `into.size()` bytes that lie `offset_bytes` behind a buffer's start.
using byte_reader = std::function<void(std::size_t offset_bytes, std::span<std::byte> into)>;

/// Returns bytes that fill an input when repeated: reals in [-1, 1), rounded to the precision.
/// Packed they are whole transforms, otherwise all of the buffer. Half spectra are those of real
/// signals: bins that mirror each other on the planes 0 and N/2 are conjugate, since not every
/// library ignores the difference.
[[nodiscard]] std::vector<std::byte> noise_block(const plan_spec& what);

/// Returns a reader of endless repetitions of `block`, which must outlive it.
[[nodiscard]] byte_reader reader_of(const std::vector<std::byte>& block);

/// Returns elements of one row along the last axis, widened; imaginary parts of reals are 0. A row
/// is read at once, single elements of it one by one.
[[nodiscard]] std::vector<std::complex<double>> row_of(const side& from, precision real,
                                                       const row_place& at,
                                                       const byte_reader& read);

}  // namespace wingbeat::cli
