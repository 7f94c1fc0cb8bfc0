// SPDX-License-Identifier: Apache-2.0
#include <png.h>

#include <array>
#include <bit>        // endian
#include <csetjmp>    // setjmp
#include <cstdint>    // uint32_t
#include <cstdio>     // snprintf
#include <new>        // bad_alloc
#include <stdexcept>  // logic_error
#include <string>
#include <utility>  // move
#include <vector>

#include "formats/files/byte_order.hpp"  // load
#include "formats/files/refusal.hpp"     // printable, refuse
#include "formats/images/png.hpp"

namespace wingbeat::formats {
namespace {

/// Deflate shrinks nothing to less than a 1032nd of its size.
constexpr std::size_t largest_ratio = 1032;

struct png_state {
  const byte_source* source;
  std::size_t offset = 0;
  char message[160] = "";
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

/// libpng's handles. It reports errors by longjmp, which `run` catches.
class png_reader {
 public:
  explicit png_reader(const byte_source& source) : state_{&source} {
    png_ = png_create_read_struct(PNG_LIBPNG_VER_STRING, &state_, keep_error, ignore_warning);
    if (png_ != nullptr) info_ = png_create_info_struct(png_);
    if (info_ == nullptr) {
      png_destroy_read_struct(&png_, nullptr, nullptr);
      throw std::bad_alloc();
    }
    png_set_read_fn(png_, &state_, take_bytes);
    png_set_user_limits(png_, PNG_UINT_31_MAX, PNG_UINT_31_MAX);
  }
  png_reader(const png_reader&) = delete;
  png_reader& operator=(const png_reader&) = delete;
  ~png_reader() { png_destroy_read_struct(&png_, &info_, nullptr); }

  /// Runs `step`, which creates no objects with destructors: a jump would pass them by.
  template <class Step>
  void run(std::string_view name, Step step) {
    if (setjmp(png_jmpbuf(png_)) == 0) {
      step(png_, info_);
      return;
    }
    refuse(name, "is truncated or damaged as a PNG ({}); copy or save it again",
           printable(state_.message, sizeof state_.message));
  }

 private:
  png_state state_;
  png_structp png_ = nullptr;
  png_infop info_ = nullptr;
};

struct png_layout {
  std::size_t height, width, n_channels, row_bytes;
  bool has_16_bits;
  int n_passes;  ///< Of an interlaced image 7, else 1.

  [[nodiscard]] number_type type() const {
    return has_16_bits ? number_type::uint16 : number_type::uint8;
  }
};

/// Checks the claim against the bytes there are: a row takes one byte more, its filter.
void check_claim(std::size_t height, std::size_t stored_row_bytes, std::size_t actual,
                 std::string_view name) {
  if (height > actual * largest_ratio / (stored_row_bytes + 1)) {
    refuse(
        name,
        "claims {} rows of {} bytes, but {} bytes of PNG cannot hold them; copy or save it again",
        height, stored_row_bytes, actual);
  }
}

/// Asks for numbers of 8 or 16 bits, unscaled, and palettes as colours; returns what will come.
png_layout prepare(png_structp png, png_infop info) {
  const bool is_palette = png_get_color_type(png, info) == PNG_COLOR_TYPE_PALETTE;
  if (is_palette) {
    png_set_palette_to_rgb(png);
    if (png_get_valid(png, info, PNG_INFO_tRNS) != 0) png_set_tRNS_to_alpha(png);
  } else if (png_get_bit_depth(png, info) < 8) {
    png_set_packing(png);
  }
  const int n_passes = png_set_interlace_handling(png);
  png_read_update_info(png, info);
  return {png_get_image_height(png, info),    png_get_image_width(png, info),
          png_get_channels(png, info),        png_get_rowbytes(png, info),
          png_get_bit_depth(png, info) == 16, n_passes};
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
  png_image(std::unique_ptr<png_reader> reader, png_layout layout, const std::string& name,
            image_stack shape)
      : image_source(std::move(shape)), reader_(std::move(reader)), layout_(layout), name_(name) {}

  [[nodiscard]] image_samples read(std::size_t, std::size_t) override {
    if (!reader_) throw std::logic_error("the image of a PNG is read once");
    const number_type type = layout_.type();
    image_samples samples = zeros(type, layout_.height * layout_.width * layout_.n_channels);
    const bool is_interlaced = layout_.n_passes > 1;
    std::vector<std::byte> numbers(layout_.row_bytes * (is_interlaced ? layout_.height : 1));
    const std::size_t row_samples = layout_.width * layout_.n_channels;
    for (int pass = 1; pass < layout_.n_passes; ++pass) {
      for (std::size_t y = 0; y < layout_.height; ++y) read_row(&numbers[y * layout_.row_bytes]);
    }
    for (std::size_t y = 0; y < layout_.height; ++y) {
      std::byte* const row = &numbers[is_interlaced ? y * layout_.row_bytes : 0];
      read_row(row);
      decode({row, layout_.row_bytes}, type, std::endian::big, samples, {y * row_samples, 1});
    }
    reader_->run(name_, [](png_structp png, png_infop) { png_read_end(png, nullptr); });
    reader_ = nullptr;
    return samples;
  }

 private:
  void read_row(std::byte* row) {
    reader_->run(name_, [row](png_structp png, png_infop) {
      png_read_row(png, reinterpret_cast<png_bytep>(row), nullptr);
    });
  }

  std::unique_ptr<png_reader> reader_;
  png_layout layout_;
  std::string name_;
};

}  // namespace

bool has_image_libraries() noexcept {
  return true;
}

std::unique_ptr<image_source> open_png(const byte_source& source, std::size_t limit_bytes) {
  auto reader = std::make_unique<png_reader>(source);
  const std::string& name = source.name();
  std::size_t height = 0;
  std::size_t stored_row_bytes = 0;
  int grey_bits = 8;
  reader->run(name, [&](png_structp png, png_infop info) {
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
  png_layout layout = {};
  reader->run(name, [&](png_structp png, png_infop info) { layout = prepare(png, info); });
  const std::size_t n_samples = checked_n_samples({layout.height, layout.width, layout.n_channels},
                                                  layout.type(), limit_bytes, name);
  if (layout.row_bytes * layout.height != n_samples * bytes_of(layout.type())) {
    refuse(name, "has rows of {} bytes, which do not fit {} pixels; save it again",
           layout.row_bytes, layout.width);
  }
  image_stack shape;
  shape.height = layout.height;
  shape.width = layout.width;
  shape.n_channels = layout.n_channels;
  shape.full_scale = grey_bits < 8 ? (1 << grey_bits) - 1 : full_scale_of(layout.type());
  return std::make_unique<png_image>(std::move(reader), layout, name, std::move(shape));
}

}  // namespace wingbeat::formats
