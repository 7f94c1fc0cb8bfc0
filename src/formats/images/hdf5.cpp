// SPDX-License-Identifier: Apache-2.0
#include "formats/images/format.hpp"

#include <utility>  // move
#include <vector>

#include "formats/files/hdf5.hpp"     // hdf5_dataset, hdf5_writer
#include "formats/files/refusal.hpp"  // refuse

namespace wingbeat::formats {
namespace {

class dataset_images final : public image_source {
 public:
  dataset_images(std::unique_ptr<hdf5_dataset> dataset, image_stack shape)
      : image_source(std::move(shape)), dataset_(std::move(dataset)) {}

  [[nodiscard]] image_samples read(std::size_t first, std::size_t count) override {
    std::vector<std::size_t> begin(dataset_->lengths().size()), counts = dataset_->lengths();
    if (begin.size() > 2) {
      begin[0] = first;
      counts[0] = count;
    }
    std::vector<double> numbers(count * shape().height * shape().width * shape().n_channels);
    dataset_->read(begin, counts, numbers);
    if (!dataset_->is_held_by_floats()) return numbers;
    return std::vector<float>(numbers.begin(), numbers.end());
  }

 private:
  std::unique_ptr<hdf5_dataset> dataset_;
};

class images_in_dataset final : public image_sink {
 public:
  images_in_dataset(const atomic_file& file, const image_stack& shape, bool is_single_precision)
      : shape_{shape.height, shape.width},
        writer_(file, layout_of(shape, is_single_precision)),
        is_stack_(has_stack_axis(shape)) {}

  void add(const image_samples& samples) override {
    const std::vector<double> numbers = to_doubles(samples);
    std::vector<std::size_t> first{n_written_, 0, 0};
    std::vector<std::size_t> counts{numbers.size() / (shape_[0] * shape_[1]), shape_[0], shape_[1]};
    n_written_ += counts[0];
    if (!is_stack_) {
      first.erase(first.begin());
      counts.erase(counts.begin());
    }
    writer_.write(first, counts, numbers);
  }

  std::optional<value_range> finish() override {
    writer_.finish();
    return {};
  }

 private:
  static bool has_stack_axis(const image_stack& shape) {
    return shape.is_stack || shape.n_images > 1;
  }

  static hdf5_layout layout_of(const image_stack& shape, bool is_single_precision) {
    hdf5_layout layout{.name = "images", .is_single_precision = is_single_precision};
    const auto add = [&](const char* name, std::size_t length, double size) {
      const bool is_known = size > 0;
      layout.axes.push_back(
          even_axis(name, is_known ? "angstrom" : "", length, is_known ? size : 1));
    };
    if (has_stack_axis(shape)) add("image", shape.n_images, shape.pixel_angstrom.z);
    add("y", shape.height, shape.pixel_angstrom.y);
    add("x", shape.width, shape.pixel_angstrom.x);
    return layout;
  }

  std::vector<std::size_t> shape_;  ///< Of an image.
  hdf5_writer writer_;
  bool is_stack_;
  std::size_t n_written_ = 0;
};

}  // namespace

std::unique_ptr<image_source> open_hdf5_images(const byte_source& source, std::size_t limit_bytes) {
  auto dataset = std::make_unique<hdf5_dataset>(source);
  const std::vector<std::size_t>& lengths = dataset->lengths();
  const std::size_t rank = lengths.size();
  refuse_if(rank < 2 || rank > 3, dataset->name(),
            "has rank {}; an image has 2 axes (y, x), a stack 3", rank);
  image_stack shape{.n_images = rank == 3 ? lengths[0] : 1,
                    .height = lengths[rank - 2],
                    .width = lengths[rank - 1],
                    .n_channels = dataset->is_complex() ? 2u : 1u,
                    .is_stack = rank == 3,
                    .is_complex = dataset->is_complex()};
  const number_type type =
      dataset->is_held_by_floats() ? number_type::float32 : number_type::float64;
  static_cast<void>(checked_n_samples({shape.height, shape.width, shape.n_channels}, type,
                                      limit_bytes, dataset->name()));
  return std::make_unique<dataset_images>(std::move(dataset), std::move(shape));
}

std::unique_ptr<image_sink> hdf5_sink(atomic_file& file, const image_stack& stack,
                                      const image_write_options& options) {
  return std::make_unique<images_in_dataset>(file, stack, options.type != number_type::float64);
}

}  // namespace wingbeat::formats
