// SPDX-License-Identifier: Apache-2.0
// The elements of arrays in any layout: their places, noise for an input, rows of either side.
#pragma once

#include <complex>
#include <cstddef>  // byte, size_t
#include <functional>
#include <span>
#include <vector>

#include "arrays/array.hpp"   // array
#include "wingbeat/plan.hpp"  // plan_spec

namespace wingbeat::verify {

/// Where the parts of an element lie, in bytes from the start of its buffer.
struct element_place {
  bool is_in_memory = false;
  std::size_t real = 0, imaginary = 0;
};

/// Returns the place of an element by the formula of plan.hpp. Elements are numbered over all
/// transforms of the batch, the last axis densest.
[[nodiscard]] element_place place_of(const arrays::array& array, std::size_t number);

/// Returns an element; 0 if it is not in memory.
[[nodiscard]] std::complex<long double> load_element(const arrays::array& array, std::size_t number,
                                                     const void* memory);

/// Stores an element of an input, rounded: nothing if it is not in memory, and no imaginary part
/// that `is_real_alone`.
void store_element(const plan_spec& spec, const arrays::array& in, std::size_t number,
                   std::complex<long double> element, void* memory);

/// Returns whether the imaginary part of an input's element is never read: in bin 0 and, for even
/// N, bin N/2 of a single axis that becomes real.
[[nodiscard]] bool is_real_alone(const plan_spec& spec, std::size_t number);

/// Returns the numbers of this precision in `stored`.
[[nodiscard]] std::vector<double> numbers_of(std::span<const std::byte> stored, precision real);

/// Returns samples as pairs of numbers, or as their real parts alone.
[[nodiscard]] std::vector<double> numbers_of(std::span<const std::complex<double>> samples,
                                             bool are_real);

/// Returns number i of a stream of noise in [-1, 1).
[[nodiscard]] double noise_at(std::size_t i);

/// Copies `into.size()` bytes of a buffer, from `offset_bytes` on.
using byte_reader = std::function<void(std::size_t offset_bytes, std::span<std::byte> into)>;

/// Returns bytes that fill an input when repeated: reals in [-1, 1), rounded to the precision. They
/// are whole transforms for a packed layout, otherwise the whole buffer. Half-spectra are Hermitian
/// on the planes 0 and N/2, because not every library ignores the imaginary parts there.
[[nodiscard]] std::vector<std::byte> noise_block(const plan_spec& spec);

/// Returns a reader of endless repetitions of `block`, which must outlive it.
[[nodiscard]] byte_reader reader_of(std::span<const std::byte> block);

/// Returns elements begin .. end - 1 of a row along the last axis, as doubles, in one read, or two
/// for planar numbers. Rows are numbered over all transforms. Imaginary parts of reals are 0.
[[nodiscard]] std::vector<std::complex<double>> elements_of(const arrays::array& array,
                                                            std::size_t number, std::size_t begin,
                                                            std::size_t end,
                                                            const byte_reader& read);

/// Returns a whole row.
[[nodiscard]] std::vector<std::complex<double>> row_of(const arrays::array& array,
                                                       std::size_t number, const byte_reader& read);

}  // namespace wingbeat::verify
