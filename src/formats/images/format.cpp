// SPDX-License-Identifier: Apache-2.0
#include "formats/images/format.hpp"

#include "formats/images/mrc.hpp"   // is_mrc, open_mrc, mrc_sink
#include "formats/images/npy.hpp"   // open_npy_images, npy_sink
#include "formats/images/png.hpp"   // open_png, png_sink
#include "formats/images/tiff.hpp"  // is_tiff, open_tiff, tiff_sink

namespace wingbeat::formats {
namespace {

std::unique_ptr<image_sink> create_npy(atomic_file& file, const image_stack& shape,
                                       const image_write_options& options) {
  return npy_sink(file, shape,
                  options.is_int32              ? number_type::int32
                  : options.is_double_precision ? number_type::float64
                                                : number_type::float32);
}

std::unique_ptr<image_sink> create_mrc(atomic_file& file, const image_stack& shape,
                                       const image_write_options& options) {
  return mrc_sink(file, shape,
                  options.is_half_precision ? float_type::float16 : float_type::float32);
}

std::unique_ptr<image_sink> create_tiff(atomic_file& file, const image_stack& shape,
                                        const image_write_options&) {
  return tiff_sink(file, shape);
}

template <const auto& Magic>
bool starts_with(const byte_source&, std::string_view head) {
  return head.starts_with(Magic);
}
constexpr char npy_magic[] = "\x93NUMPY", png_magic[] = "\x89PNG\r\n\x1A\n";

constexpr image_format_entry formats[] = {
    {image_format::npy, {".npy"}, starts_with<npy_magic>, open_npy_images, create_npy},
    {image_format::png, {".png"}, starts_with<png_magic>, open_png, png_sink},
    {image_format::tiff,
     {".tif", ".tiff"},
     [](const byte_source&, std::string_view head) { return is_tiff(head); },
     open_tiff,
     create_tiff},
    {image_format::mrc,
     {".mrc", ".mrcs"},
     [](const byte_source& source, std::string_view) { return is_mrc(source); },
     open_mrc,
     create_mrc},
};

}  // namespace

std::span<const image_format_entry> image_formats() {
  return formats;
}

}  // namespace wingbeat::formats
