// SPDX-License-Identifier: Apache-2.0
#include "formats/signals/npy.hpp"

#include <bit>      // endian
#include <cmath>    // isfinite
#include <cstdint>  // uint8_t .. int64_t
#include <limits>
#include <string>

#include "formats/files/byte_order.hpp"  // load, store
#include "formats/files/npy_header.hpp"  // npy_header, npy_number_type, npy_prefix, take_npy_header
#include "formats/files/refusal.hpp"     // printable, refuse, refuse_not_finite
#include "formats/images/samples.hpp"    // number_type, bytes_of, is_held_by_floats
#include "formatted.hpp"                 // formatted
#include "wingbeat/device/half.hpp"      // fp16

namespace wingbeat::formats {
namespace {

struct sample_type {
  std::endian order;
  number_type part;  ///< Of a complex number, real or imaginary.
  bool is_real;

  [[nodiscard]] std::size_t bytes() const { return (is_real ? 1u : 2u) * bytes_of(part); }
};

struct array_shape {
  std::size_t n_rows;
  std::size_t row_length;
};

sample_type parse_sample_type(const npy_header& header, std::string_view name) {
  const std::string_view descr = header.descr;
  const std::string_view kind = descr.substr(std::min<std::size_t>(1, descr.size()));
  const bool is_real = kind != "c8" && kind != "c16";
  const auto part = npy_number_type(kind == "c8" ? "f4" : kind == "c16" ? "f8" : kind);
  const bool has_order = !descr.empty() && (descr[0] == '<' || descr[0] == '>');
  if (!part || !(has_order || (descr[0] == '|' && bytes_of(*part) == 1))) {
    refuse(name,
           "holds samples of type '{}'{}; bool, integers, float16 to float64, complex64 and "
           "complex128 are read, so convert it with astype",
           printable(descr), kind.starts_with('O') ? " (Python objects)" : "");
  }
  return {descr[0] == '>' ? std::endian::big : std::endian::little, *part, is_real};
}

array_shape parse_shape(const npy_header& header, std::string_view name) {
  const auto& shape = header.shape;
  if (shape.empty() || shape.size() > 2) {
    refuse(name, "has {} dimensions; give one, or two as rows of samples", shape.size());
  }
  const array_shape result{shape.size() == 2 ? shape[0] : 1, shape.back()};
  if (result.n_rows == 0 || result.row_length == 0) {
    refuse(name, "has no samples; it must hold at least one");
  }
  return result;
}

/// Checks the claim against the bytes there are, so that nothing is allocated on a lie.
void check_size(array_shape shape, sample_type type, std::size_t actual, std::string_view name) {
  constexpr std::size_t most = std::numeric_limits<std::size_t>::max();
  const bool overflows = shape.row_length > most / type.bytes() ||
                         shape.n_rows > most / (type.bytes() * shape.row_length);
  if (overflows || actual < shape.n_rows * shape.row_length * type.bytes()) {
    refuse(name,
           "is truncated: its header claims {} x {} samples of {} bytes but {} bytes follow; "
           "copy or save it again",
           shape.n_rows, shape.row_length, type.bytes(), actual);
  }
  if (actual > shape.n_rows * shape.row_length * type.bytes()) {
    refuse(name, "has {} bytes after its {} x {} samples; save it again",
           actual - shape.n_rows * shape.row_length * type.bytes(), shape.n_rows, shape.row_length);
  }
}

double load_number(const std::byte* from, number_type type, std::endian order) {
  switch (type) {
    case number_type::uint8: return load<std::uint8_t>(from, order);
    case number_type::int8: return load<std::int8_t>(from, order);
    case number_type::uint16: return load<std::uint16_t>(from, order);
    case number_type::int16: return load<std::int16_t>(from, order);
    case number_type::uint32: return load<std::uint32_t>(from, order);
    case number_type::int32: return load<std::int32_t>(from, order);
    case number_type::uint64: return static_cast<double>(load<std::uint64_t>(from, order));
    case number_type::int64: return static_cast<double>(load<std::int64_t>(from, order));
    case number_type::float16: return device::fp16::widened(load<std::uint16_t>(from, order));
    case number_type::float32: return load<float>(from, order);
    case number_type::float64: break;
  }
  return load<double>(from, order);
}

std::complex<double> load_sample(const std::byte* from, sample_type type) {
  return {load_number(from, type.part, type.order),
          type.is_real ? 0.0 : load_number(from + bytes_of(type.part), type.part, type.order)};
}

}  // namespace

signal read_npy(std::span<const std::byte> content, std::string_view name) {
  const npy_header header = take_npy_header(content, name);
  const sample_type type = parse_sample_type(header, name);
  const array_shape shape = parse_shape(header, name);
  check_size(shape, type, content.size(), name);

  signal result;
  result.n_rows = shape.n_rows;
  result.row_length = shape.row_length;
  result.is_table = header.shape.size() == 2;
  result.is_real = type.is_real;
  result.is_single_precision = is_held_by_floats(type.part);
  result.samples.reserve(shape.n_rows * shape.row_length);
  for (std::size_t row = 0; row < shape.n_rows; ++row) {
    for (std::size_t i = 0; i < shape.row_length; ++i) {
      const std::size_t at =
          header.is_fortran_order ? i * shape.n_rows + row : row * shape.row_length + i;
      const auto z = load_sample(&content[at * type.bytes()], type);
      if (!std::isfinite(z.real()) || !std::isfinite(z.imag())) {
        refuse_not_finite(name, formatted("sample {} of row {}", i, row),
                          std::isfinite(z.real()) ? z.imag() : z.real());
      }
      result.samples.push_back(z);
    }
  }
  return result;
}

namespace {

std::string prefix_of(const signal& what) {
  const char* const descr = what.is_real ? (what.is_single_precision ? "<f4" : "<f8")
                                         : (what.is_single_precision ? "<c8" : "<c16");
  if (what.has_row_axis()) return npy_prefix(descr, {what.n_rows, what.row_length});
  return npy_prefix(descr, {what.row_length});
}

}  // namespace

void write_npy(atomic_file& to, const signal& what) {
  to.write(prefix_of(what));
  std::byte bytes[16];
  const std::size_t real_bytes = what.is_single_precision ? 4 : 8;
  const auto put = [&](std::byte* at, double value) {
    if (what.is_single_precision) {
      store(at, static_cast<float>(value));
    } else {
      store(at, value);
    }
  };
  for (const auto z : what.samples) {
    put(bytes, z.real());
    put(bytes + real_bytes, z.imag());
    to.write(std::span<const std::byte>{bytes, (what.is_real ? 1 : 2) * real_bytes});
  }
}

}  // namespace wingbeat::formats
