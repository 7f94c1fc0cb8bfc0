// SPDX-License-Identifier: Apache-2.0
#include "formats/signals/npy.hpp"

#include <cmath>  // isfinite
#include <string>

#include "formats/files/byte_order.hpp"  // load, store
#include "formats/files/npy_header.hpp"  // npy_header, npy_type, npy_prefix, take_npy_header
#include "formats/files/refusal.hpp"     // printable, refuse, refuse_not_finite
#include "formats/images/samples.hpp"    // bytes_of, is_held_by_floats
#include "text/formatted.hpp"            // formatted

namespace wingbeat::formats {
namespace {

struct array_shape {
  std::size_t n_rows;
  std::size_t row_length;
};

npy_type parse_type(const npy_header& header, std::string_view name) {
  if (const auto type = npy_type_of(header.descr)) return *type;
  refuse(name,
         "holds samples of type '{}'{}; bool, integers, float16 to float64, complex64 and "
         "complex128 are read, so convert it with astype",
         printable(header.descr),
         header.descr.substr(header.descr.empty() ? 0 : 1).starts_with('O') ? " (Python objects)"
                                                                            : "");
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

double load_part(const std::byte* bytes, const npy_type& type) {
  return with_number(type.part, [&](auto number) {
    return static_cast<double>(load<decltype(number)>(bytes, type.order));
  });
}

std::complex<double> load_sample(const std::byte* bytes, const npy_type& type) {
  return {load_part(bytes, type),
          type.is_complex ? load_part(bytes + bytes_of(type.part), type) : 0};
}

}  // namespace

signal read_npy(std::span<const std::byte> content, std::string_view name) {
  const npy_header header = take_npy_header(content, name);
  const npy_type type = parse_type(header, name);
  const array_shape shape = parse_shape(header, name);
  require_npy_samples(shape.n_rows, shape.row_length, type, content.size(), name);

  signal result;
  result.n_rows = shape.n_rows;
  result.row_length = shape.row_length;
  result.is_table = header.shape.size() == 2;
  result.is_real = !type.is_complex;
  result.is_single_precision = is_held_by_floats(type.part);
  result.samples.reserve(shape.n_rows * shape.row_length);
  for (std::size_t row = 0; row < shape.n_rows; ++row) {
    for (std::size_t i = 0; i < shape.row_length; ++i) {
      const std::size_t index =
          header.is_fortran_order ? i * shape.n_rows + row : row * shape.row_length + i;
      const auto z = load_sample(&content[index * type.sample_bytes()], type);
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

std::string prefix_of(const signal& recording) {
  const char* const descr = recording.is_real ? (recording.is_single_precision ? "<f4" : "<f8")
                                              : (recording.is_single_precision ? "<c8" : "<c16");
  if (recording.has_row_axis()) return npy_prefix(descr, {recording.n_rows, recording.row_length});
  return npy_prefix(descr, {recording.row_length});
}

}  // namespace

void write_npy(atomic_file& file, const signal& recording) {
  file.write(prefix_of(recording));
  std::byte bytes[16];
  const std::size_t real_bytes = recording.is_single_precision ? 4 : 8;
  const auto put = [&](std::byte* place, double value) {
    if (recording.is_single_precision) {
      store(place, static_cast<float>(value));
    } else {
      store(place, value);
    }
  };
  for (const auto z : recording.samples) {
    put(bytes, z.real());
    put(bytes + real_bytes, z.imag());
    file.write(std::span<const std::byte>{bytes, (recording.is_real ? 1 : 2) * real_bytes});
  }
}

}  // namespace wingbeat::formats
