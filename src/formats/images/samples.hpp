// SPDX-License-Identifier: Apache-2.0
// The numbers of an image: as a file stores them, and as a program computes with them.
#pragma once

#include <bit>      // endian
#include <cstddef>  // byte, size_t
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "formats/files/atomic_file.hpp"  // atomic_file
#include "formats/files/number_type.hpp"  // number_type

namespace wingbeat::formats {

/// Floats where a float holds every number of the file's type exactly, else doubles; 64-bit
/// integers beyond 2^53 are rounded to them.
using image_samples = std::variant<std::vector<float>, std::vector<double>>;

/// Returns the samples as floats, each rounded to the nearest; floats are moved, not copied.
[[nodiscard]] std::vector<float> to_floats(image_samples samples);

/// Returns the samples as doubles, exactly; doubles are moved, not copied.
[[nodiscard]] std::vector<double> to_doubles(image_samples samples);

[[nodiscard]] std::size_t size_of(const image_samples& samples) noexcept;

/// Returns sample `i`, which must be below `size_of(samples)`.
[[nodiscard]] double sample_at(const image_samples& samples, std::size_t i);

/// Returns the product of `lengths`, the number of samples that a file claims.
/// Throws `file_error` naming `name` where a length is 0, or where the samples, as floats or
/// doubles, take more than `limit_bytes`. Nothing has been allocated then.
[[nodiscard]] std::size_t checked_n_samples(std::initializer_list<std::size_t> lengths,
                                            number_type type, std::size_t limit_bytes,
                                            std::string_view name);

/// Returns `n_samples` zeros, floats or doubles as the type demands.
[[nodiscard]] image_samples zeros(number_type type, std::size_t n_samples);

/// Where decoded numbers go: number i becomes sample first + i stride.
struct sample_place {
  std::size_t first = 0;
  std::size_t stride = 1;
};

/// Decodes all numbers of `content` into `samples`, which `zeros` made for the same type.
void decode(std::span<const std::byte> content, number_type type, std::endian order,
            image_samples& samples, sample_place place);

/// Returns samples first .. first + n_samples - 1 as a file has them: floats are rounded, NaN and
/// infinities stay; those of integers are such numbers. Throws `file_error` naming `name` for a
/// finite sample that would become infinite.
[[nodiscard]] std::vector<std::byte> stored(const image_samples& samples, std::size_t first,
                                            std::size_t n_samples, number_type type,
                                            std::endian order, const std::string& name);

/// Writes all samples as `stored` has them.
void write_samples(atomic_file& file, const image_samples& samples, number_type type,
                   std::endian order = std::endian::little);

/// Returns `value` rounded to the type, which is one of floats.
[[nodiscard]] double rounded_to(number_type type, double value) noexcept;

}  // namespace wingbeat::formats
