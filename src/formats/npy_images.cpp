// SPDX-License-Identifier: Apache-2.0
#include "formats/npy_images.hpp"

#include <bit>      // endian
#include <cstdint>  // int32_t
#include <vector>

#include "formats/byte_order.hpp"  // store
#include "formats/npy_header.hpp"  // npy_header, npy_number_type, npy_prefix, take_npy_header
#include "formats/refusal.hpp"     // printable, refuse

namespace wingbeat::formats {
namespace {

struct stored_type {
  number_type type;
  std::endian order;
};

/// '<' and '>' are byte orders; '|' is none, of numbers of one byte.
stored_type parse_type(const npy_header& header, std::string_view name) {
  const std::string_view descr = header.descr;
  const auto type = npy_number_type(descr.substr(descr.empty() ? 0 : 1));
  const bool has_order = !descr.empty() && (descr[0] == '<' || descr[0] == '>');
  if (!type || !(has_order || (descr[0] == '|' && bytes_of(*type) == 1))) {
    refuse(name,
           "holds samples of type '{}'; an image is of real numbers (bool, integers, float16, "
           "float32 or float64), so convert it with astype",
           printable(descr));
  }
  return {*type, descr[0] == '>' ? std::endian::big : std::endian::little};
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

/// Checks the claim against the bytes there are, so that nothing is allocated on a lie.
void check_size(std::size_t n_samples, number_type type, std::size_t actual,
                std::string_view name) {
  const std::size_t claimed = n_samples * bytes_of(type);
  if (actual < claimed) {
    refuse(name,
           "is truncated: its header claims {} samples of {} bytes but {} bytes follow; copy or "
           "save it again",
           n_samples, bytes_of(type), actual);
  }
  if (actual > claimed) {
    refuse(name, "has {} bytes after its {} samples; save it again", actual - claimed, n_samples);
  }
}

/// In Fortran order the first axis is the fastest: each run along it is decoded with its stride.
void decode_fortran(std::span<const std::byte> content, stored_type stored,
                    const std::vector<std::size_t>& shape, image_samples& samples) {
  std::vector<std::size_t> strides(shape.size(), 1);
  for (std::size_t axis = shape.size() - 1; axis > 0; --axis) {
    strides[axis - 1] = strides[axis] * shape[axis];
  }
  const std::size_t run_bytes = shape[0] * bytes_of(stored.type);
  std::vector<std::size_t> index(shape.size(), 0);
  while (!content.empty()) {
    std::size_t first = 0;
    for (std::size_t axis = 1; axis < shape.size(); ++axis) first += index[axis] * strides[axis];
    decode(content.first(run_bytes), stored.type, stored.order, samples, {first, strides[0]});
    content = content.subspan(run_bytes);
    for (std::size_t axis = 1; axis < shape.size() && ++index[axis] == shape[axis]; ++axis) {
      index[axis] = 0;
    }
  }
}

/// Writes samples converted to `Number`.
template <class Number>
void write_as(atomic_file& to, const image_samples& samples) {
  std::visit(
      [&](const auto& values) {
        for (const auto value : values) {
          std::byte bytes[sizeof(Number)];
          store(bytes, static_cast<Number>(value));
          to.write(std::span<const std::byte>{bytes});
        }
      },
      samples);
}

class npy_images final : public image_sink {
 public:
  npy_images(atomic_file& to, number_type type) : to_(to), type_(type) {}

  void add(const image_samples& samples) override {
    switch (type_) {
      case number_type::float64: return write_as<double>(to_, samples);
      case number_type::int32: return write_as<std::int32_t>(to_, samples);
      default: return write_samples(to_, samples, float_type::float32);
    }
  }

 private:
  atomic_file& to_;
  number_type type_;
};

}  // namespace

image_stack read_npy_images(std::span<const std::byte> content, std::string_view name,
                            std::size_t limit_bytes) {
  const npy_header header = take_npy_header(content, name);
  const stored_type stored = parse_type(header, name);
  image_stack stack = parse_shape(header, name);
  const std::size_t n_samples =
      checked_n_samples({stack.n_images, stack.height, stack.width, stack.n_channels}, stored.type,
                        limit_bytes, name);
  check_size(n_samples, stored.type, content.size(), name);
  stack.full_scale = full_scale_of(stored.type);
  stack.samples = zeros(stored.type, n_samples);
  if (header.is_fortran_order) {
    decode_fortran(content, stored, header.shape, stack.samples);
  } else {
    decode(content, stored.type, stored.order, stack.samples, {});
  }
  return stack;
}

std::unique_ptr<image_sink> npy_sink(atomic_file& to, const image_stack& stack, number_type type) {
  std::vector<std::size_t> shape;
  if (stack.n_images > 1 || stack.is_stack || stack.n_channels > 1) {
    shape.push_back(stack.n_images);
  }
  shape.push_back(stack.height);
  shape.push_back(stack.width);
  if (stack.n_channels > 1) shape.push_back(stack.n_channels);
  const std::string_view descr = type == number_type::float64 ? "<f8"
                                 : type == number_type::int32 ? "<i4"
                                                              : "<f4";
  to.write(npy_prefix(descr, shape));
  return std::make_unique<npy_images>(to, type);
}

}  // namespace wingbeat::formats
