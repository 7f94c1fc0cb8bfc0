// SPDX-License-Identifier: Apache-2.0
#include "formats/images/npy.hpp"

#include <algorithm>  // min
#include <cstdint>    // int32_t
#include <string>
#include <utility>  // move
#include <vector>

#include "formats/files/byte_order.hpp"   // store
#include "formats/files/byte_source.hpp"  // read_pieces
#include "formats/files/npy_header.hpp"   // npy_header, npy_type, npy_prefix, take_npy_header
#include "formats/files/refusal.hpp"      // printable, refuse
#include "formats/images/packed.hpp"      // packed_images

namespace wingbeat::formats {
namespace {

npy_type parse_type(const npy_header& header, std::string_view name) {
  const auto type = npy_type_of(header.descr);
  if (type && !type->is_complex) return *type;
  refuse(name,
         "holds samples of type '{}'; an image is of real numbers (bool, integers, float16, "
         "float32 or float64), so convert it with astype",
         printable(header.descr));
}

image_stack parse_shape(const npy_header& header, std::string_view name) {
  const auto& shape = header.shape;
  if (shape.size() < 2 || shape.size() > 4) {
    refuse(name,
           "has {} dimension(s); an image has 2 (y, x), a stack 3 (image, y, x) or, with channels, "
           "4, so reshape it",
           shape.size());
  }
  if (shape.size() == 4 && shape[3] > 4) {
    refuse(name, "has {} channels along its last axis; at most 4 (RGBA) are read, so choose some",
           shape[3]);
  }
  const std::size_t y_axis = shape.size() == 2 ? 0 : 1;
  image_stack stack;
  stack.is_stack = shape.size() > 2;
  if (stack.is_stack) stack.n_images = shape[0];
  stack.height = shape[y_axis];
  stack.width = shape[y_axis + 1];
  if (shape.size() == 4) stack.n_channels = shape[3];
  return stack;
}

/// An array in Fortran order: its first axis is the fastest.
class fortran_images final : public image_source {
 public:
  fortran_images(const byte_source& source, std::size_t start, npy_type stored,
                 std::vector<std::size_t> lengths, image_stack shape)
      : image_source(std::move(shape)),
        from_(source),
        start_(start),
        stored_(stored),
        lengths_(std::move(lengths)) {}

  /// Decodes, of each run along the first axis, the images asked for, or all rows of the only one.
  [[nodiscard]] image_samples read(std::size_t first, std::size_t count) override {
    image_samples samples =
        zeros(stored_.part, count * shape().height * shape().width * shape().n_channels);
    std::vector<std::size_t> strides(lengths_.size(), 1);
    for (std::size_t axis = lengths_.size() - 1; axis > 0; --axis) {
      strides[axis - 1] = strides[axis] * lengths_[axis];
    }
    const std::size_t number_bytes = bytes_of(stored_.part);
    const std::size_t run_bytes = lengths_[0] * number_bytes;
    const bool has_image_axis = lengths_.size() > 2;
    const std::size_t skipped_bytes = has_image_axis ? first * number_bytes : 0;
    const std::size_t taken_bytes = has_image_axis ? count * number_bytes : run_bytes;
    std::vector<std::size_t> index(lengths_.size(), 0);
    const auto decode_runs = [&](std::span<const std::byte> runs, std::size_t) {
      for (; !runs.empty(); runs = runs.subspan(run_bytes)) {
        std::size_t place = 0;
        for (std::size_t axis = 1; axis < index.size(); ++axis)
          place += index[axis] * strides[axis];
        decode(runs.subspan(skipped_bytes, taken_bytes), stored_.part, stored_.order, samples,
               {place, strides[0]});
        step(index);
      }
    };
    read_pieces(from_, start_, strides[0] * run_bytes, run_bytes, decode_runs);
    return samples;
  }

 private:
  /// Steps the indices of all axes but the first to those of the next run.
  void step(std::vector<std::size_t>& index) const {
    for (std::size_t axis = 1; axis < index.size() && ++index[axis] == lengths_[axis]; ++axis) {
      index[axis] = 0;
    }
  }

  const byte_source& from_;
  std::size_t start_;  ///< Of the samples in the file.
  npy_type stored_;
  std::vector<std::size_t> lengths_;
};

/// Writes samples converted to `Number`.
template <class Number>
void write_as(atomic_file& file, const image_samples& samples) {
  std::visit(
      [&](const auto& values) {
        for (const auto value : values) {
          std::byte bytes[sizeof(Number)];
          store(bytes, static_cast<Number>(value));
          file.write(std::span<const std::byte>{bytes});
        }
      },
      samples);
}

class npy_images final : public image_sink {
 public:
  npy_images(atomic_file& file, const image_write_options& options)
      : to_(file), options_(options) {}

  void add(const image_samples& samples) override {
    if (options_.is_int32) return write_as<std::int32_t>(to_, samples);
    if (options_.is_double_precision) return write_as<double>(to_, samples);
    write_samples(to_, samples, float_type::float32);
  }

 private:
  atomic_file& to_;
  image_write_options options_;
};

}  // namespace

std::unique_ptr<image_source> open_npy_images(const byte_source& source, std::size_t limit_bytes) {
  constexpr std::size_t max_header_bytes = std::size_t{1} << 20;
  const std::string& name = source.name();
  std::vector<std::byte> head(std::min(source.size(), max_header_bytes));
  source.read(0, head);
  std::span<const std::byte> rest = head;
  const npy_header header = take_npy_header(rest, name);
  const std::size_t start = head.size() - rest.size();
  const npy_type stored = parse_type(header, name);
  image_stack shape = parse_shape(header, name);
  const std::size_t n_samples = checked_n_samples(
      {std::min<std::size_t>(shape.n_images, 1), shape.height, shape.width, shape.n_channels},
      stored.part, limit_bytes, name);
  require_npy_samples(shape.n_images, n_samples, stored, source.size() - start, name);
  shape.full_scale = full_scale_of(stored.part);
  if (header.is_fortran_order) {
    return std::make_unique<fortran_images>(source, start, stored, header.shape, std::move(shape));
  }
  return std::make_unique<packed_images>(source, start, stored.part, stored.order,
                                         std::move(shape));
}

std::unique_ptr<image_sink> npy_sink(atomic_file& file, const image_stack& stack,
                                     const image_write_options& options) {
  std::vector<std::size_t> shape;
  if (stack.n_images > 1 || stack.is_stack || stack.n_channels > 1) {
    shape.push_back(stack.n_images);
  }
  shape.push_back(stack.height);
  shape.push_back(stack.width);
  if (stack.n_channels > 1) shape.push_back(stack.n_channels);
  const std::string_view descr = options.is_int32              ? "<i4"
                                 : options.is_double_precision ? "<f8"
                                                               : "<f4";
  file.write(npy_prefix(descr, shape));
  return std::make_unique<npy_images>(file, options);
}

}  // namespace wingbeat::formats
