// SPDX-License-Identifier: Apache-2.0
#include <limits>  // numeric_limits
#include <string>

#include "formats/files/byte_order.hpp"  // store
#include "formats/files/npy_header.hpp"  // npy_header, npy_type, npy_prefix, read_npy_header
#include "formats/files/refusal.hpp"     // printable, refuse
#include "formats/signals/format.hpp"    // open_npy, write_npy
#include "formats/signals/numbers.hpp"   // open_numbers

namespace wingbeat::formats {
namespace {

npy_type parse_type(const npy_header& header, std::string_view name) {
  if (const auto type = npy_type_of(header.descr)) return *type;
  refuse(name,
         "holds samples of type '{}'{}; bool, integers, float16 to float64, complex64 and "
         "complex128 are read, so convert it with astype",
         printable(header.descr),
         header.descr.substr(header.descr.empty() ? 0 : 1).starts_with('O') ? " (Python objects)"
                                                                            : "");
}

std::string prefix_of(const signal& recording) {
  const char* const descr = recording.is_real ? (recording.is_single_precision ? "<f4" : "<f8")
                                              : (recording.is_single_precision ? "<c8" : "<c16");
  if (recording.has_row_axis()) return npy_prefix(descr, {recording.n_rows, recording.row_length});
  return npy_prefix(descr, {recording.row_length});
}

}  // namespace

std::unique_ptr<sample_reader> open_npy(std::shared_ptr<const byte_source> source) {
  const std::string& name = source->name();
  const auto [header, begin] = read_npy_header(*source);
  const npy_type type = parse_type(header, name);
  const auto& axes = header.shape;
  const bool has_tables = axes.size() == 3 && axes[0] > 1 && !header.is_fortran_order;
  refuse_if(axes.empty() || (axes.size() > 2 && !has_tables), name,
            "has {} dimensions; give one, or two as rows of samples", axes.size());
  const std::size_t n_rows = axes.size() == 1 ? 1 : axes[axes.size() - 2];
  refuse_if(has_tables && n_rows > std::numeric_limits<std::size_t>::max() / axes[0], name,
            "has more rows than memory can hold; it is damaged");
  signal shape{.n_rows = has_tables ? axes[0] * n_rows : n_rows,
               .row_length = axes.back(),
               .n_tables = has_tables ? axes[0] : 1,
               .is_table = axes.size() > 1,
               .is_real = !type.is_complex,
               .is_single_precision = is_held_by_floats(type.part)};
  refuse_if(shape.n_rows == 0 || shape.row_length == 0, name,
            "has no samples; it must hold at least one");
  const std::size_t sample_bytes = type.sample_bytes();
  require_npy_samples(shape.n_rows, shape.row_length, type, source->size() - begin, name);
  number_layout layout{type, begin, sample_bytes, shape.row_length * sample_bytes};
  if (header.is_fortran_order) {
    layout.channel_bytes = sample_bytes;
    layout.frame_bytes = shape.n_rows * sample_bytes;
  }
  return open_numbers(std::move(source), layout, std::move(shape));
}

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
