// SPDX-License-Identifier: Apache-2.0
#include "formats/images/writer.hpp"

#include <stdexcept>  // logic_error
#include <string>
#include <utility>  // move

#include "formats/images/format.hpp"  // image_formats
#include "text/formatted.hpp"         // formatted
#include "wingbeat/error.hpp"         // plan_error

namespace wingbeat::formats {
namespace {

void check_options(const std::string& name, image_format format,
                   const image_write_options& options) {
  if (options.is_half_precision && format != image_format::mrc) {
    throw plan_error(formatted(
        "cannot write fp16 to {}; only .mrc files hold it, so choose fp32 or .mrc", name));
  }
  if (options.is_double_precision && format != image_format::npy) {
    throw plan_error(formatted(
        "cannot write fp64 to {}; only .npy files hold it, so choose fp32 or .npy", name));
  }
  if (options.is_int32 && (format != image_format::npy || options.is_double_precision)) {
    throw plan_error(formatted(
        "cannot write int32 to {}; only .npy files hold it, so choose fp32 or .npy", name));
  }
  if (format != image_format::png && (options.png_bits != 8 || options.png_range)) {
    throw plan_error(formatted(
        "{} holds fp32 values without a range or bits; leave them out or write a .png", name));
  }
  if (options.png_bits != 8 && options.png_bits != 16) {
    throw plan_error(
        formatted("cannot write {} bits a sample to {}; choose 8 or 16", options.png_bits, name));
  }
}

/// Returns what writes the format that the name has, of which all options must be.
std::unique_ptr<image_sink> sink_of(atomic_file& file, const image_stack& shape,
                                    const image_write_options& options) {
  const image_format format = image_format_of(file.path());
  for (const image_format_entry& each : image_formats()) {
    if (each.format == format) return each.create(file, shape, options);
  }
  return nullptr;
}

const std::filesystem::path& checked_name(const std::filesystem::path& file,
                                          const image_write_options& options) {
  check_options(file.string(), image_format_of(file), options);
  return file;
}

}  // namespace

image_writer::image_writer(const std::filesystem::path& file, image_stack shape,
                           const image_write_options& options)
    : shape_(std::move(shape)),
      to_(checked_name(file, options)),
      sink_(sink_of(to_, shape_, options)),
      n_left_(shape_.n_images * shape_.height * shape_.width * shape_.n_channels) {}

void image_writer::add(const image_samples& samples) {
  const std::size_t image = shape_.height * shape_.width * shape_.n_channels;
  if (size_of(samples) > n_left_ || size_of(samples) % image != 0) {
    throw std::logic_error("a stack takes as many whole images as its shape says");
  }
  sink_->add(samples);
  n_left_ -= size_of(samples);
}

std::optional<value_range> image_writer::commit() {
  if (n_left_ != 0) throw std::logic_error("a stack has as many images as its shape says");
  const auto range = sink_->finish();
  to_.commit();
  return range;
}

}  // namespace wingbeat::formats
