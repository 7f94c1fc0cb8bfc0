// SPDX-License-Identifier: Apache-2.0
#include "cli/image_files.hpp"

#include <algorithm>  // count_if, max
#include <cmath>      // abs, isfinite, isnan, NAN
#include <limits>     // numeric_limits
#include <utility>    // move
#include <variant>    // visit

#include "text/counted.hpp"    // counted
#include "text/formatted.hpp"  // formatted
#include "text/reject.hpp"     // reject
#include "wingbeat/error.hpp"  // plan_error, file_error

namespace wingbeat::cli {
namespace {

/// Which images of a file some are: from `first` of `n_images` on.
struct file_part {
  std::string file;
  std::size_t first = 0, n_images = 1;
};

/// Returns "row 3, column 4" of sample `i`, with its image where there are several.
std::string place_text(const formats::image_stack& images, const file_part& part, std::size_t i) {
  const std::size_t pixel = i / images.n_channels;
  const std::size_t row = pixel / images.width;
  const std::string place =
      formatted("row {}, column {}", row % images.height, pixel % images.width);
  if (part.n_images == 1) return place;
  return formatted("image {}, {}", part.first + row / images.height, place);
}

void require_real(const formats::image_stack& images, const std::string& file) {
  if (!images.is_complex) return;
  throw file_error(
      formatted("{}: its samples are complex, which transform --axes 2 alone takes; "
                "give real ones, such as their magnitudes",
                file));
}

/// Whether NaN is a sample that is not there.
enum class absence { refused, allowed };

void require_finite(const formats::image_stack& images, const file_part& part, precision real,
                    absence nan = absence::refused) {
  const double most = real == precision::fp64 ? std::numeric_limits<double>::max()
                                              : double{std::numeric_limits<float>::max()};
  const double least = std::numeric_limits<float>::min();
  double largest = 0;
  bool is_rounded = false;
  for (std::size_t i = 0; i < formats::size_of(images.samples); ++i) {
    const double value = formats::sample_at(images.samples, i);
    if (std::abs(value) <= most) {
      largest = std::max(largest, std::abs(value));
      is_rounded |= value != double{static_cast<float>(value)};
      continue;
    }
    if (nan == absence::allowed && std::isnan(value)) continue;
    if (std::isfinite(value)) {
      throw file_error(formatted("{}: {} is {:g}, beyond the range of fp32; use --precision fp64",
                                 part.file, place_text(images, part, i), value));
    }
    throw file_error(formatted("{}: {} is {}; every sample must be a finite number, so replace it",
                               part.file, place_text(images, part, i),
                               std::isnan(value) ? "NaN" : "infinite"));
  }
  if (real == precision::fp64 || largest >= least || !is_rounded) return;
  throw file_error(formatted(
      "{}: magnitudes up to {:.3g} are below the range of fp32, which begins at {:.3g}; use "
      "--precision fp64",
      part.file, largest, least));
}

}  // namespace

formats::image_stack read_finite(formats::image_reader& images, const std::string& file,
                                 std::size_t first, std::size_t count, precision real,
                                 bool takes_complex) {
  if (!takes_complex) require_real(images.shape(), file);
  formats::image_stack part = images.shape();
  part.samples = images.read(first, count);
  part.n_images = count;
  require_finite(part, {.file = file, .first = first, .n_images = images.shape().n_images}, real);
  return part;
}

std::size_t frame_of(const std::string& file, const formats::image_stack& images,
                     std::optional<std::size_t> frame) {
  reject_if(images.n_images > 1 && !frame,
            "{} holds {} images, and one is taken; choose it with --frame", file, images.n_images);
  if (frame.value_or(0) < images.n_images) return frame.value_or(0);
  reject("{} has no image {}; it holds {}, counted from 0", file, *frame,
         counted(images.n_images, "image"));
}

formats::image_stack read_searched(formats::image_reader& images, const std::string& file,
                                   std::size_t number, precision real) {
  require_real(images.shape(), file);
  formats::image_stack image = images.shape();
  image.samples = images.read(number, 1);
  image.n_images = 1;
  image.is_stack = false;
  if (image.placement) image.placement->first[2] = static_cast<std::ptrdiff_t>(number);
  image = to_grey(std::move(image));
  require_finite(image, {.file = file, .first = number, .n_images = images.shape().n_images}, real,
                 absence::allowed);
  return image;
}

void apply_mask(const std::string& file, formats::image_stack& image) {
  formats::image_reader masks{file};
  const formats::image_stack& shape = masks.shape();
  reject_if(shape.n_images != 1 || shape.height != image.height || shape.width != image.width,
            "{} holds {} of {} and the image is {}; give one mask of its size", file,
            counted(shape.n_images, "image"), size_text(shape.height, shape.width),
            size_text(image.height, image.width));
  const formats::image_stack mask = to_grey(read_finite(masks, file, 0, 1, precision::fp64));
  std::visit(
      [&](auto& samples) {
        for (std::size_t i = 0; i < samples.size(); ++i) {
          if (formats::sample_at(mask.samples, i) == 0) samples[i] = NAN;
        }
      },
      image.samples);
}

std::size_t count_absent(const formats::image_stack& image) {
  return std::visit(
      [](const auto& samples) {
        return static_cast<std::size_t>(
            std::count_if(samples.begin(), samples.end(), [](auto x) { return std::isnan(x); }));
      },
      image.samples);
}

formats::image_stack to_grey(formats::image_stack images) {
  const std::size_t channels = images.n_channels;
  if (channels == 1) return images;
  constexpr double red = 0.2126, green = 0.7152, blue = 0.0722;
  std::vector<double> grey(images.n_images * images.height * images.width);
  for (std::size_t i = 0; i < grey.size(); ++i) {
    const auto channel = [&](std::size_t c) {
      return formats::sample_at(images.samples, i * channels + c);
    };
    grey[i] =
        channels == 2 ? channel(0) : red * channel(0) + green * channel(1) + blue * channel(2);
  }
  images.samples = std::move(grey);
  images.n_channels = 1;
  return images;
}

formats::image_stack without_alpha(formats::image_stack images) {
  const std::size_t channels = images.n_channels;
  if (channels % 2 == 1) return images;
  std::vector<double> colours;
  for (std::size_t i = 0; i < formats::size_of(images.samples); ++i) {
    if (i % channels + 1 < channels) colours.push_back(formats::sample_at(images.samples, i));
  }
  images.samples = std::move(colours);
  images.n_channels = channels - 1;
  return images;
}

std::string_view channels_text(std::size_t n_channels) {
  switch (n_channels) {
    case 1: return "grey";
    case 2: return "alpha";
    case 3: return "colours";
    default: return "colours and alpha";
  }
}

std::string size_text(std::size_t height, std::size_t width) {
  return formatted("{} x {}", height, width);
}

std::optional<formats::number_type> float_type_of(const std::string& file, precision real) {
  if (real == precision::fp64 && formats::is_stored_as(file, formats::number_type::float64)) {
    return formats::number_type::float64;
  }
  return std::nullopt;
}

void write_result(const std::string& file, const formats::image_stack& images, precision real,
                  const formats::image_write_options& options) {
  formats::image_write_options complete = options;
  if (!complete.type) complete.type = float_type_of(file, real);
  static_cast<void>(formats::write_images(file, images, complete));
}

}  // namespace wingbeat::cli
