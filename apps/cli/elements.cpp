// SPDX-License-Identifier: Apache-2.0
#include "cli/elements.hpp"

#include <algorithm>  // clamp, min
#include <bit>        // bit_cast
#include <cstdint>    // uint64_t
#include <cstring>    // memcpy

#include "request/resolved.hpp"      // input_array, traits_of
#include "wingbeat/device/half.hpp"  // fp16::nearest, fp16::widened

namespace wingbeat::cli {
namespace {

/// Returns number i of a stream of noise, by the finaliser of splitmix64 over a counter, so that
/// numbers can be computed in any order.
double noise(std::uint64_t i) {
  std::uint64_t x = (i + 20) * 0x9e3779b97f4a7c15U;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9U;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebU;
  x ^= x >> 31;
  return static_cast<double>(x >> 11) * 0x1p-52 - 1;
}

/// Rounds to nearest, ties to even; the noise has no NaNs.
std::uint16_t bf16_of(float x) {
  const auto bits = std::bit_cast<std::uint32_t>(x);
  return static_cast<std::uint16_t>((bits + 0x7fffU + (bits >> 16 & 1U)) >> 16);
}

void store(double x, precision real, std::byte* target) {
  const auto put = [target](auto number) { std::memcpy(target, &number, sizeof number); };
  switch (real) {
    case precision::fp32: return put(static_cast<float>(x));
    case precision::fp64: return put(x);
    case precision::fp16:
      return put(static_cast<std::uint16_t>(device::fp16::nearest(static_cast<float>(x))));
    case precision::bf16: return put(bf16_of(static_cast<float>(x)));
  }
}

double load(const std::byte* source, precision real) {
  const auto get = [source](auto number) {
    std::memcpy(&number, source, sizeof number);
    return number;
  };
  switch (real) {
    case precision::fp32: return get(float{});
    case precision::fp64: return get(double{});
    case precision::fp16: return device::fp16::widened(get(std::uint16_t{}));
    case precision::bf16: return std::bit_cast<float>(std::uint32_t{get(std::uint16_t{})} << 16);
  }
  return 0;
}

/// Returns the first unit of a row.
std::size_t unit_of(const arrays::array& array, const row_place& place) {
  std::size_t unit = place.transform * array.batches.front().distance;
  for (std::size_t a = 0; a < place.outer.size(); ++a)
    unit += place.outer[a] * array.axes[a].stride;
  return unit;
}

/// Where the real and the imaginary part of element i of a row are, in bytes.
struct element_places {
  std::size_t real, imaginary;
};

element_places places_of(const arrays::array& array, const row_place& place, std::size_t i) {
  const std::size_t unit = unit_of(array, place) + i * array.axes.back().stride;
  const std::size_t real = unit * array.unit_bytes();
  return {real, array.has_parts ? (unit + array.parts_distance) * array.unit_bytes()
                                : real + array.real_bytes()};
}

/// Steps `at` to the next row of a transform; returns false after the last.
bool step(const arrays::array& array, row_place& place) {
  for (std::size_t a = place.outer.size(); a-- > 0;) {
    if (++place.outer[a] < array.axes[a].length) return true;
    place.outer[a] = 0;
  }
  return false;
}

/// Makes bin k of one transform the conjugate of its mirror image on the planes 0 and N/2.
void mirror_planes(const arrays::array& array, precision real, std::size_t transform,
                   std::byte* block) {
  const std::size_t last = array.axes.back().length - 1;
  row_place place{transform, std::vector<std::size_t>(array.axes.size() - 1)};
  do {
    row_place mirrored = place;
    for (std::size_t a = 0; a < place.outer.size(); ++a) {
      mirrored.outer[a] = (array.axes[a].length - place.outer[a]) % array.axes[a].length;
    }
    for (const std::size_t bin : {std::size_t{0}, last}) {
      const auto to = places_of(array, place, bin), from = places_of(array, mirrored, bin);
      const bool is_own = mirrored.outer == place.outer;
      store(load(block + from.real, real), real, block + to.real);
      store(is_own ? 0 : -load(block + from.imaginary, real), real, block + to.imaginary);
    }
  } while (step(array, place));
}

/// Returns elements begin .. end - 1 of a row, in one read, or two of planar numbers.
std::vector<std::complex<double>> elements_of(const arrays::array& array, precision real,
                                              const row_place& place, std::size_t begin,
                                              std::size_t end, const byte_reader& read) {
  const auto first = places_of(array, place, begin), last = places_of(array, place, end - 1);
  const auto part = [&](std::size_t begin_bytes, std::size_t end_bytes) {
    std::vector<std::byte> bytes(end_bytes - begin_bytes);
    read(begin_bytes, bytes);
    return bytes;
  };
  const bool is_pair = !array.is_real() && array.parts_distance == 0;
  const auto reals = part(first.real, last.real + array.real_bytes() * (is_pair ? 2 : 1));
  const auto imaginaries = array.has_parts
                               ? part(first.imaginary, last.imaginary + array.real_bytes())
                               : std::vector<std::byte>{};
  const std::size_t step_bytes = array.axes.back().stride * array.unit_bytes();
  std::vector<std::complex<double>> row(end - begin);
  for (std::size_t i = 0; i < row.size(); ++i) {
    const std::byte* const re = reals.data() + i * step_bytes;
    row[i].real(load(re, real));
    if (is_pair) row[i].imag(load(re + array.real_bytes(), real));
    if (!imaginaries.empty()) row[i].imag(load(imaginaries.data() + i * step_bytes, real));
  }
  return row;
}

std::size_t block_transforms(const plan_spec& spec, const arrays::array& in) {
  if (!spec.in.is_packed()) return spec.batch;
  constexpr std::size_t enough_bytes = std::size_t{1} << 24;
  const std::size_t transform_bytes = in.batches.front().distance * in.unit_bytes();
  return std::clamp<std::size_t>(enough_bytes / transform_bytes, 1, spec.batch);
}

}  // namespace

std::vector<std::byte> noise_block(const plan_spec& spec) {
  const arrays::array in = request::input_array(spec);
  const std::size_t transforms = block_transforms(spec, in);
  const std::size_t packed_bytes = transforms * in.batches.front().distance * in.unit_bytes();
  std::vector<std::byte> block(spec.in.is_packed() ? packed_bytes : in.valid_bytes());
  for (std::size_t i = 0; i < block.size() / in.real_bytes(); ++i) {
    store(noise(i), spec.real, block.data() + i * in.real_bytes());
  }
  if (request::traits_of(spec.kind).in == request::domain::hermitian) {
    for (std::size_t t = 0; t < transforms; ++t) mirror_planes(in, spec.real, t, block.data());
  }
  return block;
}

byte_reader reader_of(const std::vector<std::byte>& block) {
  return [&block](std::size_t offset_bytes, std::span<std::byte> into) {
    for (std::size_t done = 0; done < into.size();) {
      const std::size_t offset = (offset_bytes + done) % block.size();
      const std::size_t n_bytes = std::min(into.size() - done, block.size() - offset);
      std::memcpy(into.data() + done, block.data() + offset, n_bytes);
      done += n_bytes;
    }
  };
}

std::vector<std::complex<double>> row_of(const arrays::array& array, precision real,
                                         const row_place& place, const byte_reader& read) {
  const std::size_t n = array.axes.back().length;
  if (place.step == 1 && place.first == 0) return elements_of(array, real, place, 0, n, read);
  std::vector<std::complex<double>> elements;
  for (std::size_t i = place.first; i < n; i += place.step) {
    elements.push_back(elements_of(array, real, place, i, i + 1, read).front());
  }
  return elements;
}

}  // namespace wingbeat::cli
