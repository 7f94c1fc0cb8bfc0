// SPDX-License-Identifier: Apache-2.0
#include "verify/elements.hpp"

#include <algorithm>  // clamp, min
#include <cstdint>    // uint64_t
#include <cstring>    // memcpy

#include "reference/stored.hpp"  // load_number, store_number
#include "request/resolved.hpp"  // input_array, traits_of
#include "verify/row.hpp"        // mirrored, shape

namespace wingbeat::verify {
namespace {

double load(const std::byte* source, precision stored) {
  return static_cast<double>(reference::load_number(reinterpret_cast<const char*>(source), stored));
}

void store(double x, precision stored, std::byte* target) {
  reference::store_number(reinterpret_cast<char*>(target), stored, x);
}

/// Makes bin k of every transform of a block the conjugate of its mirror image on the planes 0 and
/// N/2.
void mirror_planes(const arrays::array& array, std::size_t n_transforms,
                   std::vector<std::byte>& block) {
  shape outer;
  for (const arrays::axis& axis : array.axes) outer.push_back(axis.length);
  const std::size_t n = outer.back();
  outer.pop_back();
  const std::size_t n_rows = points_of(outer);
  for (std::size_t row = 0; row < n_transforms * n_rows; ++row) {
    const std::size_t opposite = row / n_rows * n_rows + mirrored(row % n_rows, outer);
    for (const std::size_t bin : {std::size_t{0}, n - 1}) {
      const auto own = place_of(array, row * n + bin);
      const auto other = place_of(array, opposite * n + bin);
      const double im = opposite == row ? 0 : -load(&block[other.imaginary], array.stored);
      store(load(&block[other.real], array.stored), array.stored, &block[own.real]);
      store(im, array.stored, &block[own.imaginary]);
    }
  }
}

std::size_t block_transforms(const plan_spec& spec, const arrays::array& in) {
  if (!spec.in.is_packed()) return spec.batch;
  constexpr std::size_t enough_bytes = std::size_t{1} << 24;
  const std::size_t transform_bytes = in.batches.front().distance * in.unit_bytes();
  return std::clamp<std::size_t>(enough_bytes / transform_bytes, 1, spec.batch);
}

}  // namespace

element_place place_of(const arrays::array& array, std::size_t number) {
  std::size_t unit = 0;
  bool is_in_memory = true;
  for (std::size_t a = array.axes.size(); a-- > 0;) {
    const arrays::axis& axis = array.axes[a];
    const std::size_t i = number % axis.length;
    number /= axis.length;
    unit += (i - axis.placed.first) * axis.stride;  // modulo 2^64 if it is not in memory
    is_in_memory = is_in_memory && axis.valid.first <= i && i < axis.valid.end;
  }
  for (std::size_t b = array.batches.size(); b-- > 0;) {
    unit += number % array.batches[b].count * array.batches[b].distance;
    number /= array.batches[b].count;
  }
  const std::size_t real = unit * array.unit_bytes();
  const std::size_t distance = array.has_parts ? array.parts_distance : 1;
  return {is_in_memory, real, real + distance * array.real_bytes()};
}

std::complex<long double> load_element(const arrays::array& array, std::size_t number,
                                       const void* memory) {
  const auto [is_in_memory, re, im] = place_of(array, number);
  if (!is_in_memory) return 0;
  const char* const first = static_cast<const char*>(memory);
  return {reference::load_number(first + re, array.stored),
          array.is_real() ? 0 : reference::load_number(first + im, array.stored)};
}

void store_element(const plan_spec& spec, const arrays::array& in, std::size_t number,
                   std::complex<long double> element, void* memory) {
  const auto [is_in_memory, re, im] = place_of(in, number);
  if (!is_in_memory) return;
  char* const first = static_cast<char*>(memory);
  reference::store_number(first + re, in.stored, element.real());
  if (in.is_real() || is_real_alone(spec, number)) return;
  reference::store_number(first + im, in.stored, element.imag());
}

bool is_real_alone(const plan_spec& spec, std::size_t number) {
  if (traits_of(spec.kind).in != domain::hermitian || spec.lengths.size() > 1) return false;
  const std::size_t n = spec.lengths.front(), bin = number % (n / 2 + 1);
  return bin == 0 || 2 * bin == n;
}

std::vector<double> numbers_of(std::span<const std::byte> stored, precision real) {
  std::vector<double> values(stored.size() / bytes_of_real(real));
  for (std::size_t i = 0; i < values.size(); ++i) {
    values[i] = load(&stored[i * bytes_of_real(real)], real);
  }
  return values;
}

std::vector<double> numbers_of(std::span<const std::complex<double>> samples, bool are_real) {
  std::vector<double> values;
  values.reserve(samples.size() * (are_real ? 1 : 2));
  for (const auto& sample : samples) {
    values.push_back(sample.real());
    if (!are_real) values.push_back(sample.imag());
  }
  return values;
}

/// The finaliser of splitmix64 over a counter, so that numbers can be computed in any order.
double noise_at(std::size_t i) {
  std::uint64_t x = (i + 20) * 0x9e3779b97f4a7c15U;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9U;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebU;
  x ^= x >> 31;
  return static_cast<double>(x >> 11) * 0x1p-52 - 1;
}

std::vector<std::byte> noise_block(const plan_spec& spec) {
  const arrays::array in = request::input_array(spec);
  const std::size_t transforms = block_transforms(spec, in);
  const std::size_t packed_bytes = transforms * in.batches.front().distance * in.unit_bytes();
  std::vector<std::byte> block(spec.in.is_packed() ? packed_bytes : in.valid_bytes());
  for (std::size_t i = 0; i < block.size() / in.real_bytes(); ++i) {
    store(noise_at(i), in.stored, &block[i * in.real_bytes()]);
  }
  if (traits_of(spec.kind).in == domain::hermitian) mirror_planes(in, transforms, block);
  return block;
}

byte_reader reader_of(std::span<const std::byte> block) {
  return [block](std::size_t offset_bytes, std::span<std::byte> into) {
    for (std::size_t done = 0; done < into.size();) {
      const std::size_t offset = (offset_bytes + done) % block.size();
      const std::size_t n_bytes = std::min(into.size() - done, block.size() - offset);
      std::memcpy(into.data() + done, block.data() + offset, n_bytes);
      done += n_bytes;
    }
  };
}

std::vector<std::complex<double>> elements_of(const arrays::array& array, std::size_t number,
                                              std::size_t begin, std::size_t end,
                                              const byte_reader& read) {
  const std::size_t n = array.axes.back().length;
  const auto first = place_of(array, number * n + begin),
             last = place_of(array, number * n + end - 1);
  const auto part = [&](std::size_t begin_bytes, std::size_t end_bytes) {
    std::vector<std::byte> bytes(end_bytes - begin_bytes);
    read(begin_bytes, bytes);
    return bytes;
  };
  const bool is_pair = !array.is_real() && !array.has_parts;
  const auto reals = part(first.real, last.real + array.real_bytes() * (is_pair ? 2 : 1));
  const auto imaginaries = array.has_parts
                               ? part(first.imaginary, last.imaginary + array.real_bytes())
                               : std::vector<std::byte>{};
  const std::size_t step_bytes = array.axes.back().stride * array.unit_bytes();
  std::vector<std::complex<double>> elements(end - begin);
  for (std::size_t i = 0; i < elements.size(); ++i) {
    const std::byte* const re = reals.data() + i * step_bytes;
    elements[i].real(load(re, array.stored));
    if (is_pair) elements[i].imag(load(re + array.real_bytes(), array.stored));
    if (array.has_parts) {
      elements[i].imag(load(imaginaries.data() + i * step_bytes, array.stored));
    }
  }
  return elements;
}

std::vector<std::complex<double>> row_of(const arrays::array& array, std::size_t number,
                                         const byte_reader& read) {
  return elements_of(array, number, 0, array.axes.back().length, read);
}

}  // namespace wingbeat::verify
