// SPDX-License-Identifier: Apache-2.0
#include "cli/elements.hpp"

#include <algorithm>  // clamp, min
#include <bit>        // bit_cast
#include <cstdint>    // uint64_t
#include <cstring>    // memcpy

#include "wingbeat/device/half.hpp"  // fp16::nearest, fp16::widened

namespace wingbeat::cli {
namespace {

/// Returns number i of a stream of noise: splitmix64's finaliser over a counter, so that numbers
/// need no order.
double noise(std::uint64_t i) {
  std::uint64_t x = (i + 20) * 0x9e3779b97f4a7c15U;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9U;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebU;
  x ^= x >> 31;
  return static_cast<double>(x >> 11) * 0x1p-52 - 1;
}

/// Rounds to nearest, ties to even; of the numbers here none is a NaN.
std::uint16_t bf16_of(float x) {
  const auto bits = std::bit_cast<std::uint32_t>(x);
  return static_cast<std::uint16_t>((bits + 0x7fffU + (bits >> 16 & 1U)) >> 16);
}

void store(double x, precision real, std::byte* to) {
  const auto put = [to](auto number) { std::memcpy(to, &number, sizeof number); };
  switch (real) {
    case precision::fp32: return put(static_cast<float>(x));
    case precision::fp64: return put(x);
    case precision::fp16:
      return put(static_cast<std::uint16_t>(device::fp16::nearest(static_cast<float>(x))));
    case precision::bf16: return put(bf16_of(static_cast<float>(x)));
  }
}

double load(const std::byte* from, precision real) {
  const auto get = [from](auto number) {
    std::memcpy(&number, from, sizeof number);
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
std::size_t unit_of(const side& of, const row_place& at) {
  std::size_t unit = at.transform * of.batches.front().distance;
  for (std::size_t a = 0; a < at.outer.size(); ++a) unit += at.outer[a] * of.axes[a].stride;
  return unit;
}

/// Where the real and the imaginary part of element i of a row are, in bytes.
struct element_places {
  std::size_t real, imaginary;
};

element_places places_of(const side& of, const row_place& at, std::size_t i) {
  const std::size_t unit = unit_of(of, at) + i * of.axes.back().stride;
  const std::size_t real = unit * of.unit_bytes();
  return {real,
          of.imaginary_at != 0 ? (unit + of.imaginary_at) * of.unit_bytes() : real + of.real_bytes};
}

/// Steps `at` to the next row of a transform; returns false after the last.
bool step(const side& of, row_place& at) {
  for (std::size_t a = at.outer.size(); a-- > 0;) {
    if (++at.outer[a] < of.axes[a].length) return true;
    at.outer[a] = 0;
  }
  return false;
}

/// Makes bin k of one transform the conjugate of its mirror image on the planes 0 and N/2.
void mirror_planes(const side& of, precision real, std::size_t transform, std::byte* block) {
  const std::size_t last = of.axes.back().length - 1;
  row_place at{transform, std::vector<std::size_t>(of.axes.size() - 1)};
  do {
    row_place mirrored = at;
    for (std::size_t a = 0; a < at.outer.size(); ++a) {
      mirrored.outer[a] = (of.axes[a].length - at.outer[a]) % of.axes[a].length;
    }
    for (const std::size_t bin : {std::size_t{0}, last}) {
      const auto to = places_of(of, at, bin), from = places_of(of, mirrored, bin);
      const bool is_own = mirrored.outer == at.outer;
      store(load(block + from.real, real), real, block + to.real);
      store(is_own ? 0 : -load(block + from.imaginary, real), real, block + to.imaginary);
    }
  } while (step(of, at));
}

/// Returns elements begin .. end - 1 of a row. Planar parts are far apart, neighbours are read at
/// once.
std::vector<std::complex<double>> elements_of(const side& from, precision real, const row_place& at,
                                              std::size_t begin, std::size_t end,
                                              const byte_reader& read) {
  const auto first = places_of(from, at, begin), last = places_of(from, at, end - 1);
  const auto part = [&](std::size_t begin_bytes, std::size_t end_bytes) {
    std::vector<std::byte> bytes(end_bytes - begin_bytes);
    read(begin_bytes, bytes);
    return bytes;
  };
  const bool is_pair = !from.is_real && from.imaginary_at == 0;
  const auto reals = part(first.real, last.real + from.real_bytes * (is_pair ? 2 : 1));
  const auto imaginaries = from.imaginary_at != 0
                               ? part(first.imaginary, last.imaginary + from.real_bytes)
                               : std::vector<std::byte>{};
  const std::size_t step_bytes = from.axes.back().stride * from.unit_bytes();
  std::vector<std::complex<double>> row(end - begin);
  for (std::size_t i = 0; i < row.size(); ++i) {
    const std::byte* const re = reals.data() + i * step_bytes;
    row[i].real(load(re, real));
    if (is_pair) row[i].imag(load(re + from.real_bytes, real));
    if (!imaginaries.empty()) row[i].imag(load(imaginaries.data() + i * step_bytes, real));
  }
  return row;
}

std::size_t block_transforms(const plan_spec& what, const side& in) {
  if (!what.in.is_packed()) return what.batch;
  constexpr std::size_t enough_bytes = std::size_t{1} << 24;
  const std::size_t one = in.batches.front().distance * in.unit_bytes();
  return std::clamp<std::size_t>(enough_bytes / one, 1, what.batch);
}

}  // namespace

std::vector<std::byte> noise_block(const plan_spec& what) {
  const side in = input_side(what);
  const std::size_t transforms = block_transforms(what, in);
  const std::size_t packed_bytes = transforms * in.batches.front().distance * in.unit_bytes();
  std::vector<std::byte> block(what.in.is_packed() ? packed_bytes : in.bytes());
  for (std::size_t i = 0; i < block.size() / in.real_bytes; ++i) {
    store(noise(i), what.real, block.data() + i * in.real_bytes);
  }
  if (what.kind == transform::inverse_to_real) {
    for (std::size_t t = 0; t < transforms; ++t) mirror_planes(in, what.real, t, block.data());
  }
  return block;
}

byte_reader reader_of(const std::vector<std::byte>& block) {
  return [&block](std::size_t offset_bytes, std::span<std::byte> into) {
    for (std::size_t done = 0; done < into.size();) {
      const std::size_t at = (offset_bytes + done) % block.size();
      const std::size_t some = std::min(into.size() - done, block.size() - at);
      std::memcpy(into.data() + done, block.data() + at, some);
      done += some;
    }
  };
}

std::vector<std::complex<double>> row_of(const side& from, precision real, const row_place& at,
                                         const byte_reader& read) {
  const std::size_t n = from.axes.back().length;
  if (at.step == 1 && at.first == 0) return elements_of(from, real, at, 0, n, read);
  std::vector<std::complex<double>> some;
  for (std::size_t i = at.first; i < n; i += at.step) {
    some.push_back(elements_of(from, real, at, i, i + 1, read).front());
  }
  return some;
}

}  // namespace wingbeat::cli
