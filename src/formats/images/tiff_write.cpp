// SPDX-License-Identifier: Apache-2.0
#include <tiffio.h>

#include <cerrno>
#include <cstdarg>  // va_list
#include <cstdint>  // uint16_t, uint32_t
#include <cstring>  // strerror
#include <limits>
#include <utility>  // move
#include <vector>

#include "formats/files/refusal.hpp"  // refuse
#include "formats/images/format.hpp"
#include "formats/images/tiff_source.hpp"  // tiff_options
#include "formats/images/value_range.hpp"  // picture_numbers, range_of
#include "text/reject.hpp"                 // reject

namespace wingbeat::formats {
namespace {

/// The pages of a file. Only the shape of the stack is held.
class tiff_pages final : public image_sink {
 public:
  tiff_pages(atomic_file& file, image_stack shape, const image_write_options& options, bool is_big)
      : to_(file), shape_(std::move(shape)), options_(options) {
    const tiff_options quiet{[](TIFF*, void*, const char*, const char*, va_list) { return 1; },
                             nullptr};
    handle_.reset(TIFFFdOpenExt(file.duplicate(), "TIFF", is_big ? "wl8" : "wl4", quiet.get()));
    require(handle_ != nullptr);
  }

  void add(const image_samples& samples) override {
    const std::size_t points = shape_.height * shape_.width * shape_.n_channels;
    const number_type type = options_.type.value_or(number_type::float32);
    for (std::size_t first = 0; first < size_of(samples); first += points) {
      set_fields(type);
      std::vector<std::byte> page;
      if (type == number_type::float32) {
        page = stored(samples, first, points, type, std::endian::native, to_.path().string());
      } else {
        if (!options_.range) options_.range = range_of(samples, shape_.n_channels);
        page = picture_numbers(samples, first, points, shape_, *options_.range, type,
                               std::endian::native);
      }
      const auto n_bytes = static_cast<tmsize_t>(page.size());
      require(TIFFWriteEncodedStrip(handle_.get(), 0, page.data(), n_bytes) == n_bytes);
      require(TIFFWriteDirectory(handle_.get()) != 0);
      ++n_done_;
    }
  }

  std::optional<value_range> finish() override {
    handle_ = nullptr;
    return options_.range;
  }

 private:
  struct closer {
    void operator()(TIFF* handle) const noexcept { TIFFClose(handle); }
  };

  void require(bool is_done) const {
    if (is_done) return;
    refuse(to_.path().string(), "cannot be written as a TIFF, of which {} pages are done ({})",
           n_done_, std::strerror(errno));
  }

  void set_fields(number_type type) {
    TIFF* const handle = handle_.get();
    const auto set = [&](std::uint32_t tag, auto value) { TIFFSetField(handle, tag, value); };
    set(TIFFTAG_IMAGEWIDTH, static_cast<std::uint32_t>(shape_.width));
    set(TIFFTAG_IMAGELENGTH, static_cast<std::uint32_t>(shape_.height));
    set(TIFFTAG_ROWSPERSTRIP, static_cast<std::uint32_t>(shape_.height));
    set(TIFFTAG_BITSPERSAMPLE, static_cast<int>(8 * bytes_of(type)));
    set(TIFFTAG_SAMPLESPERPIXEL, static_cast<int>(shape_.n_channels));
    set(TIFFTAG_SAMPLEFORMAT,
        type == number_type::float32 ? SAMPLEFORMAT_IEEEFP : SAMPLEFORMAT_UINT);
    set(TIFFTAG_COMPRESSION, COMPRESSION_NONE);
    set(TIFFTAG_PLANARCONFIG, PLANARCONFIG_CONTIG);
    set(TIFFTAG_PHOTOMETRIC, shape_.n_channels > 2 ? PHOTOMETRIC_RGB : PHOTOMETRIC_MINISBLACK);
    std::uint16_t alpha = EXTRASAMPLE_UNASSALPHA;
    if (shape_.n_channels % 2 == 0) TIFFSetField(handle, TIFFTAG_EXTRASAMPLES, 1, &alpha);
    const pixel_size& pixel = shape_.pixel_angstrom;
    if (!(pixel.x > 0 && pixel.y > 0)) return;
    set(TIFFTAG_RESOLUTIONUNIT, RESUNIT_CENTIMETER);
    set(TIFFTAG_XRESOLUTION, 1e8 / pixel.x);
    set(TIFFTAG_YRESOLUTION, 1e8 / pixel.y);
  }

  atomic_file& to_;
  image_stack shape_;
  image_write_options options_;
  std::size_t n_done_ = 0;
  std::unique_ptr<TIFF, closer> handle_;
};

}  // namespace

std::unique_ptr<image_sink> tiff_sink(atomic_file& file, const image_stack& stack,
                                      const image_write_options& options,
                                      std::uint64_t largest_classic_bytes) {
  constexpr std::size_t longest = std::numeric_limits<std::uint32_t>::max();
  constexpr double directory_bytes = 512;
  reject_if(stack.height > longest || stack.width > longest,
            "cannot write {} x {} pixels to {}; TIFF allows {} a side", stack.height, stack.width,
            file.path().string(), longest);
  reject_if(!file.can_rewrite(),
            "cannot write a TIFF to {}, where nothing can be changed later; "
            "write a file, or .npy",
            file.path().string());
  const double page_bytes =
      directory_bytes +
      4.0 * static_cast<double>(stack.height) * static_cast<double>(stack.width * stack.n_channels);
  const bool is_big =
      static_cast<double>(stack.n_images) * page_bytes > static_cast<double>(largest_classic_bytes);
  return std::make_unique<tiff_pages>(file, shape_of(stack), options, is_big);
}

}  // namespace wingbeat::formats
