// SPDX-License-Identifier: Apache-2.0
#include <png.h>

#include <csetjmp>    // setjmp
#include <exception>  // exception_ptr
#include <new>        // bad_alloc
#include <string>
#include <vector>

#include "formats/files/refusal.hpp"  // refuse
#include "formats/images/png.hpp"
#include "formats/images/value_range.hpp"  // check_range, range_of, scaled
#include "text/formatted.hpp"              // formatted
#include "wingbeat/error.hpp"              // plan_error

namespace wingbeat::formats {
namespace {

/// What libpng's callbacks need. An exception must not cross libpng, so it waits here.
struct write_state {
  atomic_file& file;
  std::exception_ptr failure = {};
};

[[noreturn]] void jump(png_structp png, png_const_charp) {
  png_longjmp(png, 1);
}

void ignore_warning(png_structp, png_const_charp) {}

void put_bytes(png_structp png, png_bytep bytes, std::size_t n_bytes) {
  auto& state = *static_cast<write_state*>(png_get_io_ptr(png));
  try {
    state.file.write(
        std::span<const std::byte>{reinterpret_cast<const std::byte*>(bytes), n_bytes});
  } catch (...) {
    state.failure = std::current_exception();
  }
  if (state.failure) png_error(png, "not written");
}

void flush_nothing(png_structp) {}

/// libpng's handles. It reports errors by longjmp, which `run` catches.
class png_writer {
 public:
  explicit png_writer(atomic_file& file) : state_{file} {
    png_ = png_create_write_struct(PNG_LIBPNG_VER_STRING, nullptr, jump, ignore_warning);
    if (png_ != nullptr) info_ = png_create_info_struct(png_);
    if (info_ == nullptr) {
      png_destroy_write_struct(&png_, nullptr);
      throw std::bad_alloc();
    }
    png_set_write_fn(png_, &state_, put_bytes, flush_nothing);
    png_set_user_limits(png_, PNG_UINT_31_MAX, PNG_UINT_31_MAX);
  }
  png_writer(const png_writer&) = delete;
  png_writer& operator=(const png_writer&) = delete;
  ~png_writer() { png_destroy_write_struct(&png_, &info_); }

  /// Runs `step`, which creates no objects with destructors: a jump would pass them by.
  template <class Step>
  void run(Step step) {
    if (setjmp(png_jmpbuf(png_)) == 0) {
      step(png_, info_);
      return;
    }
    if (state_.failure) std::rethrow_exception(state_.failure);
    refuse(state_.file.path().string(), "cannot be written as a PNG of this size; write .tif");
  }

 private:
  write_state state_;
  png_structp png_ = nullptr;
  png_infop info_ = nullptr;
};

void check_image(const std::string& name, const image_stack& stack,
                 const image_write_options& options) {
  if (stack.n_images != 1) {
    throw plan_error(formatted(
        "cannot write {} images to {}; a PNG holds one, so choose one or write .tif, .mrc or .npy",
        stack.n_images, name));
  }
  if (stack.width > PNG_UINT_31_MAX || stack.height > PNG_UINT_31_MAX) {
    throw plan_error(formatted("cannot write {} x {} pixels to {}; a PNG has at most {} a side",
                               stack.height, stack.width, name, PNG_UINT_31_MAX));
  }
  if (options.png_range) check_range(*options.png_range, name);
}

void fill_row(std::vector<png_byte>& row, const image_stack& stack, std::size_t first,
              value_range range, bool has_16_bits) {
  const std::size_t n_samples = stack.width * stack.n_channels;
  const value_range alpha{0, stack.full_scale == 0 ? 1 : stack.full_scale};
  for (std::size_t i = 0; i < n_samples; ++i) {
    const double value = sample_at(stack.samples, first + i);
    const value_range& bounds = is_alpha(stack, i) ? alpha : range;
    if (has_16_bits) {
      const unsigned number = scaled(value, bounds, 65535);
      row[2 * i] = static_cast<png_byte>(number >> 8);
      row[2 * i + 1] = static_cast<png_byte>(number & 0xFFu);
    } else {
      row[i] = static_cast<png_byte>(scaled(value, bounds, 255));
    }
  }
}

/// Returns the range that was used.
value_range write_png(atomic_file& file, const image_stack& stack,
                      const image_write_options& options) {
  const value_range range = options.png_range ? *options.png_range : range_of(stack);
  constexpr int colour_types[] = {PNG_COLOR_TYPE_GRAY, PNG_COLOR_TYPE_GRAY_ALPHA,
                                  PNG_COLOR_TYPE_RGB, PNG_COLOR_TYPE_RGB_ALPHA};
  const int colour_type = colour_types[stack.n_channels - 1];
  const bool has_16_bits = options.png_bits == 16;
  const std::size_t row_samples = stack.width * stack.n_channels;
  std::vector<png_byte> row(row_samples * (has_16_bits ? 2 : 1));
  png_writer writer(file);
  writer.run([&](png_structp png, png_infop info) {
    png_set_IHDR(png, info, static_cast<png_uint_32>(stack.width),
                 static_cast<png_uint_32>(stack.height), options.png_bits, colour_type,
                 PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
    png_write_info(png, info);
  });
  for (std::size_t y = 0; y < stack.height; ++y) {
    fill_row(row, stack, y * row_samples, range, has_16_bits);
    writer.run([&](png_structp png, png_infop) { png_write_row(png, row.data()); });
  }
  writer.run([](png_structp png, png_infop) { png_write_end(png, nullptr); });
  return range;
}

/// The one image of a file, which is written when it is there.
class png_image final : public image_sink {
 public:
  png_image(atomic_file& file, const image_stack& shape, const image_write_options& options)
      : to_(file), image_(shape_of(shape)), options_(options) {}

  void add(const image_samples& samples) override {
    image_.samples = samples;
    range_ = write_png(to_, image_, options_);
  }

  std::optional<value_range> finish() override { return range_; }

 private:
  atomic_file& to_;
  image_stack image_;
  image_write_options options_;
  std::optional<value_range> range_;
};

}  // namespace

std::unique_ptr<image_sink> png_sink(atomic_file& file, const image_stack& shape,
                                     const image_write_options& options) {
  check_image(file.path().string(), shape, options);
  return std::make_unique<png_image>(file, shape, options);
}

}  // namespace wingbeat::formats
