// SPDX-License-Identifier: Apache-2.0
#include "formats/image.hpp"

#include <algorithm>  // transform
#include <new>        // bad_alloc
#include <string>

#include "formats/mrc.hpp"         // is_mrc, read_mrc, write_mrc
#include "formats/npy_images.hpp"  // read_npy_images, write_npy_images
#include "formats/png.hpp"         // read_png, write_png
#include "formats/refusal.hpp"     // printable, refuse
#include "formats/tiff.hpp"        // read_tiff, write_tiff
#include "formats/whole_file.hpp"  // read_whole_file
#include "formatted.hpp"           // formatted
#include "wingbeat/error.hpp"      // plan_error

namespace wingbeat::formats {
namespace {

void check_stack(const std::string& name, const image_stack& stack) {
  const std::size_t n_claimed = stack.n_images * stack.height * stack.width * stack.n_channels;
  if (n_claimed == 0 || n_claimed != size_of(stack.samples) || stack.n_channels > 4) {
    throw plan_error(formatted(
        "cannot write {} samples as {} image(s) of {} x {} pixels with {} channel(s) to "
        "{}; give 1 to 4 channels and as many samples as the shape says",
        size_of(stack.samples), stack.n_images, stack.height, stack.width, stack.n_channels, name));
  }
}

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
  if (format != image_format::png && (options.png_bits != 8 || options.png_range)) {
    throw plan_error(formatted(
        "{} holds fp32 values without a range or bits; leave them out or write a .png", name));
  }
  if (options.png_bits != 8 && options.png_bits != 16) {
    throw plan_error(
        formatted("cannot write {} bits a sample to {}; choose 8 or 16", options.png_bits, name));
  }
}

}  // namespace

image_stack read_images(std::span<const std::byte> content, std::string_view name,
                        std::size_t limit_bytes) {
  using namespace std::string_view_literals;
  const std::string_view text{reinterpret_cast<const char*>(content.data()), content.size()};
  if (text.starts_with("\x93NUMPY")) return read_npy_images(content, name, limit_bytes);
  if (text.starts_with("\x89PNG\r\n\x1A\n")) return read_png(content, name, limit_bytes);
  for (const auto magic : {"II*\0"sv, "MM\0*"sv, "II+\0"sv, "MM\0+"sv}) {
    if (text.starts_with(magic)) return read_tiff(content, name, limit_bytes);
  }
  if (is_mrc(content)) return read_mrc(content, name, limit_bytes);
  refuse(name, "starts with '{}' and is no PNG, TIFF, MRC or .npy file; convert it to one of them",
         printable(text.substr(0, 8)));
}

image_stack read_images(const std::filesystem::path& file, std::size_t limit_bytes) try {
  return read_images(read_whole_file(file, limit_bytes), file.string(), limit_bytes);
} catch (const std::bad_alloc&) {
  refuse(file.string(), "does not fit into memory; split or crop it");
}

image_format image_format_of(const std::filesystem::path& file) {
  std::string extension = file.extension().string();
  std::transform(extension.begin(), extension.end(), extension.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
  if (extension == ".npy") return image_format::npy;
  if (extension == ".mrc" || extension == ".mrcs") return image_format::mrc;
  if (extension == ".tif" || extension == ".tiff") return image_format::tiff;
  if (extension == ".png") return image_format::png;
  throw plan_error(
      formatted("cannot tell how to write the image {}; its name must end in .npy, .mrc, .mrcs, "
                ".tif, .tiff or .png",
                file.string()));
}

std::optional<value_range> write_images(const std::filesystem::path& file, const image_stack& stack,
                                        const image_write_options& options) {
  const std::string name = file.string();
  const image_format format = image_format_of(file);
  check_stack(name, stack);
  check_options(name, format, options);
  atomic_file to(file);
  std::optional<value_range> range;
  switch (format) {
    case image_format::npy: write_npy_images(to, stack, options.is_double_precision); break;
    case image_format::mrc:
      write_mrc(to, stack, options.is_half_precision ? float_type::float16 : float_type::float32);
      break;
    case image_format::tiff: write_tiff(to, stack); break;
    case image_format::png: range = write_png(to, stack, options); break;
  }
  to.commit();
  return range;
}

}  // namespace wingbeat::formats
