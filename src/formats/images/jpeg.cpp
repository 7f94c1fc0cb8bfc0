// SPDX-License-Identifier: Apache-2.0
#include "formats/images/format.hpp"

#include <algorithm>  // min
#include <bit>        // endian
#include <csetjmp>    // setjmp
#include <cstdint>    // uint16_t, uint32_t
#include <cstdio>     // libjpeg names FILE
#include <cstdlib>    // free
#include <stdexcept>  // logic_error
#include <string>
#include <utility>  // move
#include <vector>

#include <jerror.h>  // JWRN_EXTRANEOUS_DATA
#include <jpeglib.h>

#include "formats/files/byte_order.hpp"    // load
#include "formats/files/refusal.hpp"       // printable, refuse
#include "formats/images/value_range.hpp"  // picture_sink

namespace wingbeat::formats {
namespace {

constexpr int exif_marker = JPEG_APP0 + 1;

/// libjpeg's errors, and its warnings of damaged data, are a longjmp that `run` catches.
struct jpeg_errors {
  jpeg_error_mgr manager = {};  // the first member: libjpeg's pointer to it is one to all
  std::jmp_buf begin;
  char message[JMSG_LENGTH_MAX] = "";

  jpeg_errors() {
    jpeg_std_error(&manager);
    manager.error_exit = [](j_common_ptr jpeg) {
      auto& errors = *reinterpret_cast<jpeg_errors*>(jpeg->err);
      errors.manager.format_message(jpeg, errors.message);
      std::longjmp(errors.begin, 1);
    };
    manager.emit_message = [](j_common_ptr jpeg, int level) {
      if (level < 0 && jpeg->err->msg_code != JWRN_EXTRANEOUS_DATA) jpeg->err->error_exit(jpeg);
    };
  }

  /// Runs `step`, which creates no objects with destructors; returns whether it was completed.
  template <class Step>
  [[nodiscard]] bool run(Step step) {
    if (setjmp(begin) != 0) return false;
    step();
    return true;
  }
};

/// Returns the orientation of the first directory of EXIF, which lies as in a TIFF; 1 without one.
int orientation_of(std::span<const std::byte> exif) {
  constexpr std::size_t head_bytes = 6, entry_bytes = 12;  // "Exif", two zeros
  constexpr unsigned orientation = 274;
  if (exif.size() < head_bytes + 10 || exif[0] != std::byte{'E'}) return 1;
  const auto tiff = exif.subspan(head_bytes);
  const std::endian order = tiff[0] == std::byte{'M'} ? std::endian::big : std::endian::little;
  const auto number = [&](std::size_t offset) {
    return offset + 2 <= tiff.size() ? load<std::uint16_t>(&tiff[offset], order) : 0u;
  };
  const std::size_t directory = load<std::uint32_t>(&tiff[4], order);
  for (std::size_t i = 0; i < number(directory); ++i) {
    const std::size_t entry = directory + 2 + i * entry_bytes;
    if (number(entry) != orientation) continue;
    const unsigned value = number(entry + 8);
    return value >= 1 && value <= 8 ? static_cast<int>(value) : 1;
  }
  return 1;
}

/// The one image of a file whose header was read. It is read once: libjpeg goes on from there.
class jpeg_image final : public image_source {
 public:
  jpeg_image(const byte_source& source, std::size_t limit_bytes)
      : name_(source.name()), content_(std::min(source.size(), limit_bytes)) {
    source.read(0, content_);
    jpeg_.err = &errors_.manager;
    run([&] {
      jpeg_create_decompress(&jpeg_);
      jpeg_mem_src(&jpeg_, reinterpret_cast<const unsigned char*>(content_.data()),
                   content_.size());
      jpeg_save_markers(&jpeg_, exif_marker, 0xFFFF);
      jpeg_read_header(&jpeg_, TRUE);
    });
    refuse_if(jpeg_.num_components != 1 && jpeg_.num_components != 3, name_,
              "is a JPEG of {} colours, such as CMYK, which are of inks; convert it to RGB, as "
              "ImageMagick does: convert IN -colorspace sRGB OUT.png",
              jpeg_.num_components);
    jpeg_.out_color_space = jpeg_.num_components == 1 ? JCS_GRAYSCALE : JCS_RGB;
    for (auto* marker = jpeg_.marker_list; marker != nullptr; marker = marker->next) {
      if (orientation_ != 1) break;
      orientation_ = orientation_of({reinterpret_cast<const std::byte*>(marker->data),
                                     static_cast<std::size_t>(marker->data_length)});
    }
    image_stack shape;
    shape.height = jpeg_.image_height;
    shape.width = jpeg_.image_width;
    if (orientation_ >= 5) std::swap(shape.height, shape.width);
    shape.n_channels = static_cast<std::size_t>(jpeg_.num_components);
    shape.full_scale = 255;
    static_cast<void>(checked_n_samples({shape.height, shape.width, shape.n_channels},
                                        number_type::uint8, limit_bytes, name_));
    set_shape(std::move(shape));
  }

  [[nodiscard]] image_samples read(std::size_t, std::size_t) override {
    if (std::exchange(is_read_, true)) throw std::logic_error("the image of a JPEG is read once");
    run([&] { jpeg_start_decompress(&jpeg_); });
    const std::size_t height = jpeg_.output_height, width = jpeg_.output_width;
    const std::size_t channels = shape().n_channels;
    std::vector<float> samples(height * width * channels);
    std::vector<JSAMPLE> row(width * channels);
    const bool is_turned = orientation_ >= 5;
    const bool mirrors_y =
        orientation_ == 3 || orientation_ == 4 || orientation_ == 6 || orientation_ == 7;
    const bool mirrors_x =
        orientation_ == 2 || orientation_ == 3 || orientation_ == 7 || orientation_ == 8;
    for (std::size_t stored_y = 0; stored_y < height; ++stored_y) {
      JSAMPROW target = row.data();
      run([&] { jpeg_read_scanlines(&jpeg_, &target, 1); });
      const std::size_t y = mirrors_y ? height - 1 - stored_y : stored_y;
      for (std::size_t i = 0; i < row.size(); ++i) {
        const std::size_t stored_x = i / channels;
        const std::size_t x = mirrors_x ? width - 1 - stored_x : stored_x;
        const std::size_t pixel = is_turned ? x * height + y : y * width + x;
        samples[pixel * channels + i % channels] = row[i];
      }
    }
    run([&] { jpeg_finish_decompress(&jpeg_); });
    return samples;
  }

 private:
  template <class Step>
  void run(Step step) {
    if (errors_.run(step)) return;
    refuse(name_, "is damaged or not read as a JPEG ({}); copy or save it again",
           printable(errors_.message, sizeof errors_.message));
  }

  jpeg_errors errors_;
  std::string name_;
  std::vector<std::byte> content_;
  struct decompressor : jpeg_decompress_struct {
    decompressor() : jpeg_decompress_struct{} {}
    ~decompressor() { jpeg_destroy_decompress(this); }
  } jpeg_;
  int orientation_ = 1;
  bool is_read_ = false;
};

void encode_jpeg(atomic_file& file, const image_stack& shape, number_type,
                 std::span<const std::byte> numbers) {
  constexpr int quality = 95;
  jpeg_errors errors;
  jpeg_compress_struct jpeg = {};
  jpeg.err = &errors.manager;
  unsigned char* content = nullptr;
  unsigned long n_bytes = 0;
  const bool is_complete = errors.run([&] {
    jpeg_create_compress(&jpeg);
    jpeg_mem_dest(&jpeg, &content, &n_bytes);
    jpeg.image_width = static_cast<JDIMENSION>(std::min<std::size_t>(shape.width, 1 << 20));
    jpeg.image_height = static_cast<JDIMENSION>(std::min<std::size_t>(shape.height, 1 << 20));
    jpeg.input_components = static_cast<int>(shape.n_channels);
    jpeg.in_color_space = shape.n_channels == 1 ? JCS_GRAYSCALE : JCS_RGB;
    jpeg_set_defaults(&jpeg);
    jpeg_set_quality(&jpeg, quality, TRUE);
    for (int i = 0; i < jpeg.num_components; ++i) {
      jpeg.comp_info[i].h_samp_factor = jpeg.comp_info[i].v_samp_factor = 1;
    }
    jpeg_start_compress(&jpeg, TRUE);
    for (std::size_t y = 0; y < shape.height; ++y) {
      auto* row = reinterpret_cast<JSAMPROW>(
          const_cast<std::byte*>(&numbers[y * shape.width * shape.n_channels]));
      jpeg_write_scanlines(&jpeg, &row, 1);
    }
    jpeg_finish_compress(&jpeg);
  });
  jpeg_destroy_compress(&jpeg);
  const std::unique_ptr<unsigned char, void (*)(void*)> owned{content, std::free};
  refuse_if(!is_complete, file.path().string(),
            "cannot be written as a JPEG ({}); write .png or .tif", errors.message);
  file.write(std::span<const std::byte>{reinterpret_cast<const std::byte*>(content), n_bytes});
}

}  // namespace

std::unique_ptr<image_source> open_jpeg(const byte_source& source, std::size_t limit_bytes) {
  return std::make_unique<jpeg_image>(source, limit_bytes);
}

std::unique_ptr<image_sink> jpeg_sink(atomic_file& file, const image_stack& shape,
                                      const image_write_options& options) {
  return std::make_unique<picture_sink>(file, shape, options, encode_jpeg);
}

}  // namespace wingbeat::formats
