// SPDX-License-Identifier: Apache-2.0
#include "formats/images/format.hpp"

#include "formats/images/mrc.hpp"   // is_mrc, open_mrc, mrc_sink
#include "formats/images/npy.hpp"   // open_npy_images, npy_sink
#include "formats/images/png.hpp"   // open_png, png_sink
#include "formats/images/tiff.hpp"  // is_tiff, open_tiff, tiff_sink

namespace wingbeat::formats {
namespace {

template <const auto& Magic>
bool starts_with(const byte_source&, std::string_view head) {
  return head.starts_with(Magic);
}
constexpr char npy_magic[] = "\x93NUMPY", png_magic[] = "\x89PNG\r\n\x1A\n";

constexpr image_format_entry formats[] = {
    {image_format::npy, {".npy"}, starts_with<npy_magic>, open_npy_images, npy_sink},
    {image_format::png, {".png"}, starts_with<png_magic>, open_png, png_sink},
    {image_format::tiff,
     {".tif", ".tiff"},
     [](const byte_source&, std::string_view head) { return is_tiff(head); },
     open_tiff,
     [](atomic_file& file, const image_stack& shape, const image_write_options&) {
       return tiff_sink(file, shape);
     }},
    {image_format::mrc,
     {".mrc", ".mrcs"},
     [](const byte_source& source, std::string_view) { return is_mrc(source); },
     open_mrc,
     mrc_sink},
};

}  // namespace

std::span<const image_format_entry> image_formats() {
  return formats;
}

}  // namespace wingbeat::formats
