// SPDX-License-Identifier: Apache-2.0
// The elements of a problem in any layout: noise for its input, rows of its output.
#pragma once

#include <complex>
#include <cstddef>  // byte, size_t
#include <functional>
#include <span>
#include <vector>

#include "arrays/array.hpp"   // array
#include "wingbeat/plan.hpp"  // plan_spec

namespace wingbeat::cli {

/// A row along the last axis: its transform, an index of each axis before the last, and which of
/// its elements are meant: first, first + step and so on.
struct row_place {
  std::size_t transform = 0;
  std::vector<std::size_t> outer = {};
  std::size_t first = 0;
  std::size_t step = 1;
};

/// Copies `into.size()` bytes of a buffer, from `offset_bytes` on.
using byte_reader = std::function<void(std::size_t offset_bytes, std::span<std::byte> into)>;

/// Returns bytes that fill an input when repeated: reals in [-1, 1), rounded to the precision. They
/// are whole transforms of a packed layout, otherwise the whole buffer. Half-spectra are Hermitian
/// on the planes 0 and N/2, because not every library ignores the imaginary parts there.
[[nodiscard]] std::vector<std::byte> noise_block(const plan_spec& spec);

/// Returns a reader of endless repetitions of `block`, which must outlive it.
[[nodiscard]] byte_reader reader_of(const std::vector<std::byte>& block);

/// Returns elements of a row as doubles; imaginary parts of reals are 0. A whole row is one read,
/// elements with a step are read one by one.
[[nodiscard]] std::vector<std::complex<double>> row_of(const arrays::array& array, precision real,
                                                       const row_place& place,
                                                       const byte_reader& read);

}  // namespace wingbeat::cli
