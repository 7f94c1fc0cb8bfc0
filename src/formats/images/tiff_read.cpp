// SPDX-License-Identifier: Apache-2.0
#include <algorithm>  // find, min
#include <bit>        // endian
#include <cmath>      // isfinite
#include <cstdint>    // uint16_t, uint32_t, uint64_t
#include <iterator>   // begin, end
#include <optional>
#include <string_view>
#include <utility>  // move
#include <vector>

#include "formats/files/refusal.hpp"  // refuse
#include "formats/images/format.hpp"
#include "formats/images/packed.hpp"       // packed_images
#include "formats/images/tiff_claims.hpp"  // claimed_images, refuse_images_without_pages
#include "formats/images/tiff_source.hpp"  // tiff_source

namespace wingbeat::formats {
namespace {

struct tiff_page {
  std::uint64_t offset;  ///< Of its directory.
  std::uint32_t height, width;
  std::uint16_t n_bits, n_stored;  ///< Of a sample; samples of a pixel.
  std::uint16_t format, planes, meaning, compression;
  std::uint32_t n_sections;
  bool has_tiles;
  bool has_alpha;    ///< Grey, and one sample that is said to be alpha.
  bool is_complex;   ///< Stored are the real and the imaginary part.
  number_type type;  ///< Of what comes out.

  [[nodiscard]] bool has_palette() const { return meaning == PHOTOMETRIC_PALETTE; }
  [[nodiscard]] bool is_jpeg_of_colours() const {
    return compression == COMPRESSION_JPEG && meaning == PHOTOMETRIC_YCBCR;
  }
  [[nodiscard]] bool has_separate_planes() const {
    return planes == PLANARCONFIG_SEPARATE && n_stored > 1;
  }
  [[nodiscard]] std::size_t n_channels() const { return has_palette() ? 3 : n_stored; }
};

/// Returns the most bytes that one byte of the file may become. LZW's longest string has almost
/// 2^12 bytes; zstd's blocks of one byte have 2^17 in 4.
std::size_t largest_ratio(std::uint16_t compression) {
  switch (compression) {
    case COMPRESSION_NONE: return 1;
    case COMPRESSION_PACKBITS: return 64;
    case COMPRESSION_DEFLATE:
    case COMPRESSION_ADOBE_DEFLATE: return 1032;
    case COMPRESSION_LZW: return 4096;
    default: return 1 << 16;
  }
}

/// Refuses a compression that libtiff does not decode, and JPEG of TIFF 6.0, which it decodes as
/// its writers meant it.
void require_codec(std::uint16_t compression, std::string_view name) {
  if (compression != COMPRESSION_OJPEG && TIFFIsCODECConfigured(compression) != 0) return;
  constexpr std::uint16_t first_eer = 65000, last_eer = 65002;
  const bool is_eer = compression >= first_eer && compression <= last_eer;
  refuse(name,
         "is compressed by TIFF's method {}{}, which this libtiff does not decode; save it by LZW, "
         "as {}",
         compression, is_eer ? " (EER)" : "",
         is_eer ? "relion_convert_to_tiff does" : "tiffcp does: tiffcp -c lzw IN OUT");
}

bool is_unsigned(std::uint16_t format) {
  return format == SAMPLEFORMAT_UINT || format == SAMPLEFORMAT_VOID;
}

std::optional<number_type> number_type_of(std::uint16_t format, std::uint16_t n_bits) {
  using enum number_type;
  struct stored_type {
    unsigned format, n_bits;
    number_type type;
  };
  constexpr unsigned u = SAMPLEFORMAT_UINT, i = SAMPLEFORMAT_INT, f = SAMPLEFORMAT_IEEEFP;
  constexpr stored_type known[] = {{u, 32, uint32},  {u, 64, uint64},  {i, 8, int8},
                                   {i, 16, int16},   {i, 32, int32},   {i, 64, int64},
                                   {f, 16, float16}, {f, 32, float32}, {f, 64, float64}};
  if (is_unsigned(format) && n_bits >= 1 && n_bits <= 16) return n_bits <= 8 ? uint8 : uint16;
  for (const stored_type& each : known) {
    if (each.format == (is_unsigned(format) ? u : format) && each.n_bits == n_bits)
      return each.type;
  }
  return std::nullopt;
}

std::uint16_t short_field(const tiff_source& source, std::uint32_t tag) {
  std::uint16_t value = 0;
  TIFFGetFieldDefaulted(source.handle(), tag, &value);
  return value;
}

/// Refuses what is not read, of a page whose numbers have a type.
void check_kind(const tiff_page& page, std::string_view name) {
  refuse_if(page.n_stored < 1 || page.n_stored > 4, name,
            "has {} channels; a TIFF of 1 (grey) to 4 (RGBA) is read, so choose some",
            page.n_stored);
  const bool is_read = page.is_jpeg_of_colours() || page.meaning == PHOTOMETRIC_MINISBLACK ||
                       page.meaning == PHOTOMETRIC_MINISWHITE || page.meaning == PHOTOMETRIC_RGB ||
                       page.has_palette();
  refuse_if(!is_read, name,
            "has TIFF colours of kind {}; grey, RGB and palettes are read, so convert it",
            page.meaning);
  const bool is_grey = page.meaning != PHOTOMETRIC_RGB && !page.is_jpeg_of_colours();
  refuse_if(is_grey && page.n_stored > 1 && !page.has_alpha, name,
            "has {} grey channels, none of them alpha; save each as a page", page.n_stored);
  refuse_if(page.is_complex && page.n_stored > 1, name,
            "has {} complex channels; save each as a page", page.n_stored);
  refuse_if(page.n_sections > 1, name,
            "has pages of {} sections (ImageDepth); save each section as a page", page.n_sections);
  refuse_if(
      page.has_palette() && (page.n_stored != 1 || page.n_bits > 8 || !is_unsigned(page.format)),
      name,
      "has a palette for {} samples of {} bits; one unsigned sample of at most 8 bits is "
      "read, so convert it to RGB",
      page.n_stored, page.n_bits);
}

tiff_page parse_page(const tiff_source& source, std::string_view name) {
  TIFF* const handle = source.handle();
  tiff_page page = {};
  page.offset = TIFFCurrentDirOffset(handle);
  TIFFGetField(handle, TIFFTAG_IMAGELENGTH, &page.height);
  TIFFGetField(handle, TIFFTAG_IMAGEWIDTH, &page.width);
  page.n_bits = short_field(source, TIFFTAG_BITSPERSAMPLE);
  page.n_stored = short_field(source, TIFFTAG_SAMPLESPERPIXEL);
  page.format = short_field(source, TIFFTAG_SAMPLEFORMAT);
  page.planes = short_field(source, TIFFTAG_PLANARCONFIG);
  page.compression = short_field(source, TIFFTAG_COMPRESSION);
  page.meaning = PHOTOMETRIC_MINISBLACK;
  TIFFGetField(handle, TIFFTAG_PHOTOMETRIC, &page.meaning);
  page.has_tiles = TIFFIsTiled(handle) != 0;
  TIFFGetFieldDefaulted(handle, TIFFTAG_IMAGEDEPTH, &page.n_sections);
  std::uint16_t n_extra = 0, *extra = nullptr;
  page.has_alpha = TIFFGetField(handle, TIFFTAG_EXTRASAMPLES, &n_extra, &extra) != 0 &&
                   n_extra == 1 && extra[0] != EXTRASAMPLE_UNSPECIFIED;
  require_codec(page.compression, name);
  page.is_complex =
      page.format == SAMPLEFORMAT_COMPLEXINT || page.format == SAMPLEFORMAT_COMPLEXIEEEFP;
  if (page.is_complex) {
    page.n_bits /= 2;
    page.format = page.format == SAMPLEFORMAT_COMPLEXINT ? SAMPLEFORMAT_INT : SAMPLEFORMAT_IEEEFP;
  }
  const auto type = number_type_of(page.format, page.n_bits);
  refuse_if(!type, name,
            "has TIFF samples of format {} with {} bits; unsigned integers of 1 to 16, 32 and 64 "
            "bits, signed of 8 to 64 and floats of 16, 32 and 64 are read, so convert it",
            page.format, page.n_bits);
  check_kind(page, name);
  page.type = page.has_palette() ? number_type::uint16 : *type;
  if (page.is_complex) {
    page.n_stored = 2;
    page.planes = PLANARCONFIG_CONTIG;
  }
  return page;
}

bool is_alike(const tiff_page& a, const tiff_page& b) {
  return a.height == b.height && a.width == b.width && a.n_channels() == b.n_channels() &&
         a.type == b.type && a.is_complex == b.is_complex;
}

/// Returns the pages that are images; their shapes and types are equal.
std::vector<tiff_page> list_pages(tiff_source& source, std::string_view name) {
  std::vector<tiff_page> pages;
  for (;;) {
    std::uint32_t kind = 0;
    TIFFGetFieldDefaulted(source.handle(), TIFFTAG_SUBFILETYPE, &kind);
    if ((kind & (FILETYPE_REDUCEDIMAGE | FILETYPE_MASK)) == 0) {
      pages.push_back(parse_page(source, name));
      const tiff_page &first = pages.front(), &last = pages.back();
      refuse_if(!is_alike(first, last), name,
                "has pages that differ: {} x {} pixels with {} channel(s) of {} bits, and {} x {} "
                "with {} of {}; save pages of one shape and type",
                first.height, first.width, first.n_channels(), first.n_bits, last.height,
                last.width, last.n_channels(), last.n_bits);
    }
    if (TIFFLastDirectory(source.handle()) != 0) break;
    if (TIFFReadDirectory(source.handle()) == 0) source.refuse_damaged();
  }
  if (pages.empty()) refuse(name, "holds thumbnails and masks alone; save its images as pages");
  return pages;
}

/// Makes a page the current one.
void open_page(const tiff_source& source, const tiff_page& page, std::string_view name) {
  constexpr std::uint16_t predicted[] = {COMPRESSION_LZW, COMPRESSION_DEFLATE,
                                         COMPRESSION_ADOBE_DEFLATE, COMPRESSION_LZMA,
                                         COMPRESSION_ZSTD};
  if (std::find(std::begin(predicted), std::end(predicted), page.compression) ==
      std::end(predicted)) {
    const std::uint16_t predictor = source.ignored_predictor(page.offset);
    refuse_if(predictor != PREDICTOR_NONE, name,
              "has Predictor {} without LZW, deflate, LZMA or zstd, which some programs undo and "
              "others ignore; save it with one of them, or without",
              predictor);
  }
  if (TIFFSetSubDirectory(source.handle(), page.offset) == 0) source.refuse_damaged();
  if (page.is_jpeg_of_colours()) {
    TIFFSetField(source.handle(), TIFFTAG_JPEGCOLORMODE, JPEGCOLORMODE_RGB);
  }
}

/// Returns where the images of the only page begin, if others follow it without pages; nothing
/// where they do not lie there as plain numbers.
std::optional<std::uint64_t> first_byte_of(const tiff_source& source, const tiff_page& page,
                                           std::size_t n_images, const byte_source& content) {
  TIFF* const handle = source.handle();
  const std::uint64_t page_bytes =
      std::uint64_t{page.height} * page.width * page.n_stored * page.n_bits / 8;
  const std::uint64_t begin = TIFFGetStrileOffset(handle, 0);
  std::uint64_t end = begin;
  bool is_plain = page.compression == COMPRESSION_NONE && !page.has_tiles && page.n_bits % 8 == 0 &&
                  !page.has_separate_planes() && !page.has_palette() &&
                  short_field(source, TIFFTAG_FILLORDER) == FILLORDER_MSB2LSB;
  for (std::uint32_t i = 0; i < TIFFNumberOfStrips(handle) && is_plain; ++i) {
    is_plain = TIFFGetStrileOffset(handle, i) == end;
    end += TIFFGetStrileByteCount(handle, i);
  }
  const bool is_there = is_plain && end - begin == page_bytes && begin <= content.size() &&
                        (content.size() - begin) / page_bytes >= n_images;
  return is_there ? std::optional{begin} : std::nullopt;
}

/// Images without pages, behind the only page.
struct packed_claim {
  std::size_t n_images;
  std::uint64_t first_byte;
};

/// Returns the images that lie behind the only page as it says, more than 1, or nothing. Refuses
/// those that are not there, and those that nothing describes.
std::optional<packed_claim> claimed_behind(tiff_source& source, const std::vector<tiff_page>& pages,
                                           const byte_source& content) {
  if (pages.size() == 1) {
    const tiff_page& page = pages.front();
    open_page(source, page, content.name());
    const image_claim claim =
        claimed_images(source.handle(), std::size_t{page.height} * page.width * page.n_channels());
    if (claim.n_images > 1) {
      const auto begin = first_byte_of(source, page, claim.n_images, content);
      if (begin) return packed_claim{claim.n_images, *begin};
      refuse_if(claim.is_certain, content.name(),
                "says that it holds {} images, has one page, and not their numbers one behind the "
                "other; copy it again, or save each image as a page",
                claim.n_images);
    }
  }
  refuse_images_without_pages(source.handle(), content);
  return std::nullopt;
}

/// Decodes the blocks of a page, which are strips or tiles, into the stack.
class page_decoder {
 public:
  page_decoder(tiff_source& source, const tiff_page& page, std::size_t first,
               image_samples& samples)
      : source_(source), page_(page), first_(first), samples_(samples) {}

  void decode_blocks(std::size_t content_bytes, std::size_t limit_bytes, std::string_view name) {
    open_page(source_, page_, name);
    find_blocks();
    refuse_if(page_.has_palette() && !find_palette(), name,
              "has no palette although its TIFF page needs one; save it again");
    const std::size_t most = content_bytes * largest_ratio(page_.compression);
    refuse_if(block_bytes_ == 0 || block_bytes_ > most || block_bytes_ > limit_bytes, name,
              "claims {} of {} bytes, which {} bytes of TIFF cannot hold and the limit of {} bytes "
              "may not allow; copy or save it again",
              page_.has_tiles ? "tiles" : "strips", block_bytes_, content_bytes, limit_bytes);
    block_.resize(block_bytes_);
    const std::size_t n_planes = page_.has_separate_planes() ? page_.n_stored : 1;
    for (std::size_t plane = 0; plane < n_planes; ++plane) {
      for (std::size_t y = 0; y < page_.height; y += block_height_) {
        for (std::size_t x = 0; x < page_.width; x += block_width_) decode_block(plane, y, x);
      }
    }
  }

 private:
  void find_blocks() {
    TIFF* const handle = source_.handle();
    std::uint32_t height = 0;
    std::uint32_t width = page_.width;
    if (page_.has_tiles) {
      TIFFGetField(handle, TIFFTAG_TILELENGTH, &height);
      TIFFGetField(handle, TIFFTAG_TILEWIDTH, &width);
      block_bytes_ = static_cast<std::size_t>(TIFFTileSize64(handle));
      row_bytes_ = static_cast<std::size_t>(TIFFTileRowSize64(handle));
    } else {
      TIFFGetFieldDefaulted(handle, TIFFTAG_ROWSPERSTRIP, &height);
      height = std::min(height, page_.height);
      block_bytes_ = static_cast<std::size_t>(TIFFVStripSize64(handle, height));
      row_bytes_ = static_cast<std::size_t>(TIFFScanlineSize64(handle));
    }
    block_height_ = height;
    block_width_ = width;
    n_interleaved_ = page_.has_separate_planes() ? 1 : page_.n_stored;
    const std::size_t row_bits = std::size_t{width} * n_interleaved_ * page_.n_bits;
    if (height == 0 || width == 0 || row_bytes_ != (row_bits + 7) / 8 ||
        block_bytes_ / row_bytes_ < height) {
      source_.refuse_damaged();
    }
  }

  bool find_palette() {
    std::uint16_t *red = nullptr, *green = nullptr, *blue = nullptr;
    if (TIFFGetField(source_.handle(), TIFFTAG_COLORMAP, &red, &green, &blue) == 0) return false;
    for (std::size_t i = 0; i < std::size_t{1} << page_.n_bits; ++i) {
      palette_.insert(palette_.end(), {red[i], green[i], blue[i]});
    }
    return true;
  }

  void decode_block(std::size_t plane, std::size_t y, std::size_t x) {
    TIFF* const handle = source_.handle();
    const std::size_t n_rows = std::min(block_height_, page_.height - y);
    const auto sample = static_cast<std::uint16_t>(plane);
    const auto y32 = static_cast<std::uint32_t>(y);
    const std::size_t wanted = page_.has_tiles ? block_bytes_ : n_rows * row_bytes_;
    const auto size = static_cast<tmsize_t>(wanted);
    const tmsize_t n_read =
        page_.has_tiles
            ? TIFFReadEncodedTile(
                  handle, TIFFComputeTile(handle, static_cast<std::uint32_t>(x), y32, 0, sample),
                  block_.data(), size)
            : TIFFReadEncodedStrip(handle, TIFFComputeStrip(handle, y32, sample), block_.data(),
                                   size);
    if (n_read != size) source_.refuse_damaged();
    const std::size_t n_pixels = std::min(block_width_, page_.width - x);
    for (std::size_t row = 0; row < n_rows; ++row) {
      const std::size_t pixel = (y + row) * page_.width + x;
      decode_row({&block_[row * row_bytes_], row_bytes_}, n_pixels,
                 {first_ + pixel * page_.n_channels() + plane,
                  page_.has_separate_planes() ? std::size_t{page_.n_stored} : 1});
    }
  }

  void decode_row(std::span<const std::byte> row, std::size_t n_pixels, sample_place place) {
    const std::size_t n_numbers = n_pixels * n_interleaved_;
    const bool is_unpacked = page_.n_bits % 8 != 0;
    if (is_unpacked || page_.has_palette()) unpack(row, n_numbers);
    if (page_.has_palette()) {
      auto& samples = std::get<std::vector<float>>(samples_);
      for (std::size_t i = 0; i < n_numbers; ++i) {
        for (std::size_t c = 0; c < 3; ++c) {
          samples[place.first + 3 * i + c] = palette_[3 * std::size_t{unpacked_[i]} + c];
        }
      }
      return;
    }
    const auto bytes = is_unpacked ? std::as_bytes(std::span{unpacked_})
                                   : row.first(n_numbers * bytes_of(page_.type));
    decode(bytes, is_unpacked ? number_type::uint16 : page_.type, std::endian::native, samples_,
           place);
  }

  /// Takes numbers of 1 to 16 bits apart, the highest bits first.
  void unpack(std::span<const std::byte> row, std::size_t n_numbers) {
    unpacked_.resize(n_numbers);
    std::size_t bit = 0;
    for (std::uint16_t& number : unpacked_) {
      number = 0;
      for (const std::size_t end = bit + page_.n_bits; bit < end; ++bit) {
        number = static_cast<std::uint16_t>(
            number << 1 | (std::to_integer<unsigned>(row[bit / 8]) >> (7 - bit % 8) & 1u));
      }
    }
  }

  tiff_source& source_;
  const tiff_page& page_;
  std::size_t first_;  ///< The page's first sample in `samples_`.
  image_samples& samples_;
  std::size_t block_height_ = 0, block_width_ = 0, block_bytes_ = 0, row_bytes_ = 0;
  std::size_t n_interleaved_ = 1;       ///< Samples of a pixel that lie together.
  std::vector<std::uint16_t> palette_;  // [entry][red, green, blue]
  std::vector<std::byte> block_;
  std::vector<std::uint16_t> unpacked_;
};

/// Checks the claim of each page against the bytes there are.
void check_claim(const tiff_page& page, std::size_t content_bytes, std::string_view name) {
  const std::size_t ratio = largest_ratio(page.compression);
  const std::size_t pixel_bits = std::size_t{page.n_stored} * page.n_bits;
  const std::size_t row_bytes = (page.width * pixel_bits + 7) / 8;
  refuse_if(page.height > content_bytes * ratio / row_bytes, name,
            "claims {} x {} pixels of {} bits, which {} bytes of TIFF cannot hold; copy or save it "
            "again",
            page.height, page.width, pixel_bits, content_bytes);
}

/// Returns the distance of pixels, from the resolution if that is per centimetre.
double pixel_angstrom(const tiff_source& source, std::uint32_t tag) {
  constexpr double angstrom_per_centimetre = 1e8;
  float resolution = 0;
  const bool is_told = TIFFGetField(source.handle(), tag, &resolution) != 0 &&
                       short_field(source, TIFFTAG_RESOLUTIONUNIT) == RESUNIT_CENTIMETER;
  if (!is_told || !std::isfinite(resolution) || !(resolution > 0)) return 0;
  return angstrom_per_centimetre / static_cast<double>(resolution);
}

class tiff_images final : public image_source {
 public:
  tiff_images(std::unique_ptr<tiff_source> tiff, std::vector<tiff_page> pages,
              const byte_source& source, std::size_t limit_bytes, image_stack shape)
      : image_source(std::move(shape)),
        tiff_(std::move(tiff)),
        pages_(std::move(pages)),
        source_(source),
        limit_bytes_(limit_bytes) {}

  [[nodiscard]] image_samples read(std::size_t first, std::size_t count) override {
    const std::size_t points = shape().height * shape().width * shape().n_channels;
    image_samples samples = zeros(pages_.front().type, count * points);
    for (std::size_t i = 0; i < count; ++i) {
      page_decoder(*tiff_, pages_[first + i], i * points, samples)
          .decode_blocks(source_.size(), limit_bytes_, source_.name());
    }
    return samples;
  }

 private:
  std::unique_ptr<tiff_source> tiff_;
  std::vector<tiff_page> pages_;
  const byte_source& source_;
  std::size_t limit_bytes_;
};

}  // namespace

std::unique_ptr<image_source> open_tiff(const byte_source& source, std::size_t limit_bytes) {
  auto tiff = std::make_unique<tiff_source>(source, limit_bytes);
  image_stack stack;
  stack.pixel_angstrom = {.z = 0,
                          .y = pixel_angstrom(*tiff, TIFFTAG_YRESOLUTION),
                          .x = pixel_angstrom(*tiff, TIFFTAG_XRESOLUTION)};
  std::vector<tiff_page> pages = list_pages(*tiff, source.name());
  const tiff_page& shape = pages.front();
  const auto claimed = claimed_behind(*tiff, pages, source);
  stack.n_images = claimed ? claimed->n_images : pages.size();
  stack.height = shape.height;
  stack.width = shape.width;
  stack.n_channels = shape.n_channels();
  static_cast<void>(checked_n_samples({1, stack.height, stack.width, stack.n_channels}, shape.type,
                                      limit_bytes, source.name()));
  for (const tiff_page& page : pages) check_claim(page, source.size(), source.name());
  stack.is_complex = shape.is_complex;
  stack.full_scale = full_scale_of(shape.type);
  if (stack.full_scale > 0 && !shape.has_palette()) stack.full_scale = (1 << shape.n_bits) - 1;
  if (claimed) {
    const std::endian order =
        TIFFIsBigEndian(tiff->handle()) ? std::endian::big : std::endian::little;
    return std::make_unique<packed_images>(source, claimed->first_byte,
                                           packed_numbers{shape.type, order}, std::move(stack));
  }
  return std::make_unique<tiff_images>(std::move(tiff), std::move(pages), source, limit_bytes,
                                       std::move(stack));
}

}  // namespace wingbeat::formats
