// SPDX-License-Identifier: Apache-2.0
#include "formats/images/format.hpp"

#include <algorithm>  // min
#include <string>
#include <utility>  // move
#include <vector>

#include "formats/files/byte_source.hpp"  // read_pieces
#include "formats/files/npy_header.hpp"   // npy_header, npy_type, npy_prefix, read_npy_header
#include "formats/files/refusal.hpp"      // printable, refuse
#include "formats/images/packed.hpp"      // packed_images, packed_sink

namespace wingbeat::formats {
namespace {

npy_type parse_type(const npy_header& header, std::string_view name) {
  const auto type = npy_type_of(header.descr);
  const bool is_read =
      type && (!type->is_complex || (!header.is_fortran_order && header.shape.size() < 4));
  if (is_read) return *type;
  refuse(name,
         "holds samples of type '{}'; an image is of bool, integers, float16, float32 or float64, "
         "or, in C order without channels, complex, so convert it with astype",
         printable(header.descr));
}

image_stack parse_shape(const npy_header& header, std::string_view name) {
  const auto& shape = header.shape;
  refuse_if(
      shape.size() < 2 || shape.size() > 4, name,
      "has {} dimension(s); an image has 2 (y, x), a stack 3 (image, y, x) or, with channels, "
      "4, so reshape it",
      shape.size());
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

  /// Walks the file, and keeps the numbers of the images asked for.
  [[nodiscard]] image_samples read(std::size_t first, std::size_t count) override {
    const std::size_t points = shape().height * shape().width * shape().n_channels;
    const std::size_t begin = first * points, end = begin + count * points;
    const std::size_t number_bytes = bytes_of(stored_.part);
    image_samples samples = zeros(stored_.part, end - begin);
    const auto keep = [&](std::span<const std::byte> numbers, std::size_t offset) {
      for (std::size_t n = offset / number_bytes; !numbers.empty(); ++n) {
        std::size_t rest = n, place = 0, stride = shape().n_images * points;
        for (const std::size_t length : lengths_) {
          stride /= length;
          place += rest % length * stride;
          rest /= length;
        }
        if (place >= begin && place < end) {
          decode(numbers.first(number_bytes), stored_.part, stored_.order, samples,
                 {place - begin, 1});
        }
        numbers = numbers.subspan(number_bytes);
      }
    };
    read_pieces(from_, start_, shape().n_images * points * number_bytes, number_bytes, keep);
    return samples;
  }

 private:
  const byte_source& from_;
  std::size_t start_;  ///< Of the samples in the file.
  npy_type stored_;
  std::vector<std::size_t> lengths_;
};

}  // namespace

std::unique_ptr<image_source> open_npy_images(const byte_source& source, std::size_t limit_bytes) {
  const std::string& name = source.name();
  const auto [header, start] = read_npy_header(source);
  npy_type stored = parse_type(header, name);
  image_stack shape = parse_shape(header, name);
  shape.is_complex = std::exchange(stored.is_complex, false);
  if (shape.is_complex) shape.n_channels = 2;
  const std::size_t n_samples = checked_n_samples(
      {std::min<std::size_t>(shape.n_images, 1), shape.height, shape.width, shape.n_channels},
      stored.part, limit_bytes, name);
  require_npy_samples(shape.n_images, n_samples, stored, source.size() - start, name);
  shape.full_scale = full_scale_of(stored.part);
  if (header.is_fortran_order) {
    return std::make_unique<fortran_images>(source, start, stored, header.shape, std::move(shape));
  }
  return std::make_unique<packed_images>(source, start, packed_numbers{stored.part, stored.order},
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
  const number_type type = options.type.value_or(number_type::float32);
  file.write(npy_prefix(type == number_type::int32     ? "<i4"
                        : type == number_type::float64 ? "<f8"
                                                       : "<f4",
                        shape));
  return std::make_unique<packed_sink>(file, packed_numbers{type, std::endian::little});
}

}  // namespace wingbeat::formats
