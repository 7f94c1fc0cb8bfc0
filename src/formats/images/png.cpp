// SPDX-License-Identifier: Apache-2.0
#include "formats/images/format.hpp"

#include <png.h>

#include <algorithm>  // min
#include <array>
#include <bit>        // endian
#include <csetjmp>    // setjmp
#include <cstdint>    // uint32_t
#include <cstdio>     // snprintf
#include <exception>  // exception_ptr
#include <new>        // bad_alloc
#include <stdexcept>  // logic_error
#include <string>
#include <utility>  // move
#include <vector>

#include "formats/files/byte_order.hpp"    // load
#include "formats/files/refusal.hpp"       // printable, refuse
#include "formats/images/value_range.hpp"  // picture_sink

namespace wingbeat::formats {
namespace {

/// Deflate shrinks nothing to less than a 1032nd of its size.
constexpr std::size_t largest_ratio = 1032;

/// No length of libpng, which refuses it.
constexpr std::size_t beyond_limits = 0xFFFFFFFF;

/// What libpng's callbacks need. An exception must not cross libpng, so it waits here.
struct png_state {
  const byte_source* source = nullptr;
  atomic_file* file = nullptr;
  std::size_t offset = 0;
  char message[160] = "";
  std::exception_ptr failure = {};
};

[[noreturn]] void keep_error(png_structp png, png_const_charp message) {
  auto& state = *static_cast<png_state*>(png_get_error_ptr(png));
  std::snprintf(state.message, sizeof state.message, "%s", message);
  png_longjmp(png, 1);
}

void ignore_warning(png_structp, png_const_charp) {}

void take_bytes(png_structp png, png_bytep buffer, std::size_t n_bytes) {
  auto& state = *static_cast<png_state*>(png_get_io_ptr(png));
  const std::span<std::byte> bytes{reinterpret_cast<std::byte*>(buffer), n_bytes};
  if (state.source->read_some(state.offset, bytes) != n_bytes) png_error(png, "it ends too early");
  state.offset += n_bytes;
}

void put_bytes(png_structp png, png_bytep bytes, std::size_t n_bytes) {
  auto& state = *static_cast<png_state*>(png_get_io_ptr(png));
  try {
    state.file->write(
        std::span<const std::byte>{reinterpret_cast<const std::byte*>(bytes), n_bytes});
  } catch (...) {
    state.failure = std::current_exception();
  }
  if (state.failure) png_error(png, "not written");
}

/// libpng's handles. It reports errors by longjmp, which `run` catches.
class png_handles {
 public:
  explicit png_handles(png_state state) : state_(std::move(state)) {
    const auto create = is_read() ? png_create_read_struct : png_create_write_struct;
    png_ = create(PNG_LIBPNG_VER_STRING, &state_, keep_error, ignore_warning);
    if (png_ != nullptr) info_ = png_create_info_struct(png_);
    if (info_ == nullptr) {
      destroy();
      throw std::bad_alloc();
    }
    if (is_read()) {
      png_set_read_fn(png_, &state_, take_bytes);
    } else {
      png_set_write_fn(png_, &state_, put_bytes, [](png_structp) {});
    }
    png_set_user_limits(png_, PNG_UINT_31_MAX, PNG_UINT_31_MAX);
  }
  png_handles(const png_handles&) = delete;
  png_handles& operator=(const png_handles&) = delete;
  ~png_handles() { destroy(); }

  /// Runs `step`, which creates no objects with destructors: a jump would pass them by.
  template <class Step>
  void run(Step step) {
    if (setjmp(png_jmpbuf(png_)) == 0) {
      step(png_, info_);
      return;
    }
    if (state_.failure) std::rethrow_exception(state_.failure);
    if (!is_read()) {
      refuse(state_.file->path().string(), "cannot be written as a PNG of this size; write .tif");
    }
    refuse(state_.source->name(), "is truncated or damaged as a PNG ({}); copy or save it again",
           printable(state_.message, sizeof state_.message));
  }

 private:
  [[nodiscard]] bool is_read() const { return state_.source != nullptr; }
  void destroy() {
    if (is_read()) {
      png_destroy_read_struct(&png_, &info_, nullptr);
    } else {
      png_destroy_write_struct(&png_, &info_);
    }
  }

  png_state state_;
  png_structp png_ = nullptr;
  png_infop info_ = nullptr;
};

struct png_rows {
  std::size_t row_bytes;
  number_type type;
  int n_passes;  ///< Of an interlaced image 7, else 1.
};

/// Checks the claim against the bytes there are: a row takes one byte more, its filter.
void check_claim(std::size_t height, std::size_t stored_row_bytes, std::size_t actual,
                 std::string_view name) {
  refuse_if(
      height > actual * largest_ratio / (stored_row_bytes + 1), name,
      "claims {} rows of {} bytes, but {} bytes of PNG cannot hold them; copy or save it again",
      height, stored_row_bytes, actual);
}

/// Asks for numbers of 8 or 16 bits, unscaled, and palettes as colours; returns what will come, and
/// fills in its shape.
png_rows prepare(png_structp png, png_infop info, image_stack& shape) {
  const bool is_palette = png_get_color_type(png, info) == PNG_COLOR_TYPE_PALETTE;
  if (is_palette) {
    png_set_palette_to_rgb(png);
    if (png_get_valid(png, info, PNG_INFO_tRNS) != 0) png_set_tRNS_to_alpha(png);
  } else if (png_get_bit_depth(png, info) < 8) {
    png_set_packing(png);
  }
  const int n_passes = png_set_interlace_handling(png);
  png_read_update_info(png, info);
  shape.height = png_get_image_height(png, info);
  shape.width = png_get_image_width(png, info);
  shape.n_channels = png_get_channels(png, info);
  return {png_get_rowbytes(png, info),
          png_get_bit_depth(png, info) == 16 ? number_type::uint16 : number_type::uint8, n_passes};
}

/// Returns the images that an animation (APNG) says it has; 1 of a picture.
std::size_t n_frames_of(const byte_source& source) {
  std::array<std::byte, 12> chunk;  // its size and name, and the first number in it
  for (std::size_t offset = 8; source.read_some(offset, chunk) == chunk.size();) {
    const std::string_view name{reinterpret_cast<const char*>(&chunk[4]), 4};
    if (name == "acTL") return load<std::uint32_t>(&chunk[8], std::endian::big);
    if (name == "IDAT") break;
    offset += 12 + std::size_t{load<std::uint32_t>(chunk.data(), std::endian::big)};
  }
  return 1;
}

/// The one image of a file whose header was read. It is read once: libpng goes on from there.
class png_image final : public image_source {
 public:
  png_image(std::unique_ptr<png_handles> reader, png_rows rows, image_stack shape)
      : image_source(std::move(shape)), reader_(std::move(reader)), rows_(rows) {}

  [[nodiscard]] image_samples read(std::size_t, std::size_t) override {
    if (!reader_) throw std::logic_error("the image of a PNG is read once");
    const auto [row_bytes, type, n_passes] = rows_;
    const std::size_t height = shape().height, row_samples = shape().width * shape().n_channels;
    image_samples samples = zeros(type, height * row_samples);
    const bool is_interlaced = n_passes > 1;
    std::vector<std::byte> numbers(row_bytes * (is_interlaced ? height : 1));
    for (int pass = 1; pass < n_passes; ++pass) {
      for (std::size_t y = 0; y < height; ++y) read_row(&numbers[y * row_bytes]);
    }
    for (std::size_t y = 0; y < height; ++y) {
      std::byte* const row = &numbers[is_interlaced ? y * row_bytes : 0];
      read_row(row);
      decode({row, row_bytes}, type, std::endian::big, samples, {y * row_samples, 1});
    }
    reader_->run([](png_structp png, png_infop) { png_read_end(png, nullptr); });
    reader_ = nullptr;
    return samples;
  }

 private:
  void read_row(std::byte* row) {
    reader_->run([row](png_structp png, png_infop) {
      png_read_row(png, reinterpret_cast<png_bytep>(row), nullptr);
    });
  }

  std::unique_ptr<png_handles> reader_;
  png_rows rows_;
};

void encode_png(atomic_file& file, const image_stack& shape, number_type type,
                std::span<const std::byte> numbers) {
  constexpr int colour_types[] = {PNG_COLOR_TYPE_GRAY, PNG_COLOR_TYPE_GRAY_ALPHA,
                                  PNG_COLOR_TYPE_RGB, PNG_COLOR_TYPE_RGB_ALPHA};
  png_handles writer({.file = &file});
  writer.run([&](png_structp png, png_infop info) {
    png_set_IHDR(png, info, static_cast<png_uint_32>(std::min(shape.width, beyond_limits)),
                 static_cast<png_uint_32>(std::min(shape.height, beyond_limits)),
                 static_cast<int>(8 * bytes_of(type)), colour_types[shape.n_channels - 1],
                 PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
    png_write_info(png, info);
    const std::size_t row_bytes = numbers.size() / shape.height;
    for (std::size_t y = 0; y < shape.height; ++y) {
      png_write_row(png, reinterpret_cast<png_const_bytep>(&numbers[y * row_bytes]));
    }
    png_write_end(png, nullptr);
  });
}

}  // namespace

bool has_image_libraries() noexcept {
  return true;
}

std::unique_ptr<image_source> open_png(const byte_source& source, std::size_t limit_bytes) {
  auto reader = std::make_unique<png_handles>(png_state{.source = &source});
  const std::string& name = source.name();
  std::size_t height = 0;
  std::size_t stored_row_bytes = 0;
  int grey_bits = 8;
  reader->run([&](png_structp png, png_infop info) {
    png_read_info(png, info);
    height = png_get_image_height(png, info);
    stored_row_bytes = png_get_rowbytes(png, info);
    if (png_get_color_type(png, info) == PNG_COLOR_TYPE_GRAY) {
      grey_bits = png_get_bit_depth(png, info);
    }
  });
  if (const std::size_t n_frames = n_frames_of(source); n_frames > 1) {
    refuse(name, "is an animation of {} images; save the wanted one as a PNG", n_frames);
  }
  check_claim(height, stored_row_bytes, source.size(), name);
  png_rows rows = {};
  image_stack shape;
  reader->run([&](png_structp png, png_infop info) { rows = prepare(png, info, shape); });
  const std::size_t n_samples = checked_n_samples({shape.height, shape.width, shape.n_channels},
                                                  rows.type, limit_bytes, name);
  refuse_if(rows.row_bytes * shape.height != n_samples * bytes_of(rows.type), name,
            "has rows of {} bytes, which do not fit {} pixels; save it again", rows.row_bytes,
            shape.width);
  shape.full_scale = grey_bits < 8 ? (1 << grey_bits) - 1 : full_scale_of(rows.type);
  return std::make_unique<png_image>(std::move(reader), rows, std::move(shape));
}

std::unique_ptr<image_sink> png_sink(atomic_file& file, const image_stack& shape,
                                     const image_write_options& options) {
  return std::make_unique<picture_sink>(file, shape, options, encode_png);
}

}  // namespace wingbeat::formats
