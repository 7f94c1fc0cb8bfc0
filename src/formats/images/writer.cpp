// SPDX-License-Identifier: Apache-2.0
#include "formats/images/writer.hpp"

#include <stdexcept>  // logic_error
#include <string>
#include <utility>  // move

#include "formats/images/mrc.hpp"   // mrc_sink
#include "formats/images/npy.hpp"   // npy_sink
#include "formats/images/png.hpp"   // write_png
#include "formats/images/tiff.hpp"  // tiff_sink
#include "formatted.hpp"            // formatted
#include "wingbeat/error.hpp"       // plan_error

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

/// Returns the format that the name has, of which all options must be.
image_format checked_format(const std::filesystem::path& file, const image_write_options& options) {
  const image_format format = image_format_of(file);
  check_options(file.string(), format, options);
  return format;
}

std::unique_ptr<image_sink> sink_of(image_format format, atomic_file& to, const image_stack& shape,
                                    const image_write_options& options) {
  switch (format) {
    case image_format::npy:
      return npy_sink(to, shape,
                      options.is_int32              ? number_type::int32
                      : options.is_double_precision ? number_type::float64
                                                    : number_type::float32);
    case image_format::mrc:
      return mrc_sink(to, shape,
                      options.is_half_precision ? float_type::float16 : float_type::float32);
    case image_format::tiff: return tiff_sink(to, shape);
    case image_format::png: break;
  }
  return nullptr;
}

}  // namespace

image_writer::image_writer(const std::filesystem::path& file, image_stack shape,
                           const image_write_options& options)
    : format_(checked_format(file, options)),
      shape_(std::move(shape)),
      options_(options),
      to_(file),
      sink_(sink_of(format_, to_, shape_, options)),
      n_left_(shape_.n_images * shape_.height * shape_.width * shape_.n_channels) {}

void image_writer::add(const image_samples& samples) {
  const std::size_t image = shape_.height * shape_.width * shape_.n_channels;
  if (size_of(samples) > n_left_ || size_of(samples) % image != 0) {
    throw std::logic_error("a stack takes as many whole images as its shape says");
  }
  if (sink_) {
    sink_->add(samples);
  } else {
    image_stack whole = shape_;
    whole.samples = samples;
    range_ = write_png(to_, whole, options_);
  }
  n_left_ -= size_of(samples);
}

std::optional<value_range> image_writer::commit() {
  if (n_left_ != 0) throw std::logic_error("a stack has as many images as its shape says");
  if (sink_) sink_->finish();
  to_.commit();
  return range_;
}

}  // namespace wingbeat::formats
