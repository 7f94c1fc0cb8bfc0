// SPDX-License-Identifier: Apache-2.0
#include "formats/images/format.hpp"

#include <string>

#include "formats/files/extension.hpp"  // extension_of
#include "formats/images/fits.hpp"      // open_fits, fits_sink
#include "formats/images/hdf5.hpp"      // open_hdf5_images, hdf5_sink
#include "formats/images/jpeg.hpp"      // open_jpeg, jpeg_sink
#include "formats/images/mrc.hpp"       // is_mrc, open_mrc, mrc_sink
#include "formats/images/npy.hpp"       // open_npy_images, npy_sink
#include "formats/images/png.hpp"       // open_png, png_sink
#include "formats/images/tiff.hpp"      // open_tiff, tiff_sink
#include "text/formatted.hpp"           // formatted
#include "text/listed.hpp"              // listed
#include "wingbeat/error.hpp"           // plan_error

namespace wingbeat::formats {
namespace {

using namespace std::string_view_literals;

template <const auto& Magic>
bool starts_with(const byte_source&, std::string_view head) {
  return head.starts_with(Magic);
}
constexpr char npy_magic[] = "\x93NUMPY", png_magic[] = "\x89PNG\r\n\x1A\n",
               jpeg_magic[] = "\xFF\xD8\xFF", fits_magic[] = "SIMPLE  ",
               hdf5_magic[] = "\x89HDF\r\n\x1A\n";
constexpr auto is_npy = starts_with<npy_magic>, is_png = starts_with<png_magic>,
               is_jpeg = starts_with<jpeg_magic>, is_fits = starts_with<fits_magic>,
               is_hdf5 = starts_with<hdf5_magic>;

bool is_tiff(const byte_source&, std::string_view head) {
  const std::string_view magic = head.substr(0, 4);
  return magic == "II*\0"sv || magic == "MM\0*"sv || magic == "II+\0"sv || magic == "MM\0+"sv;
}

}  // namespace

std::span<const image_format_entry> image_formats() {
  using enum number_type;
  constexpr auto tiff_pages = [](atomic_file& file, const image_stack& shape,
                                 const image_write_options& options) {
    return tiff_sink(file, shape, options);
  };
  static const image_format_entry formats[] = {
      {{".npy"}, "1234", true, {float32, float64, int32}, is_npy, open_npy_images, npy_sink},
      {{".png"}, "1234", false, {uint8, uint16}, is_png, open_png, png_sink},
      {{".jpg", ".jpeg"}, "13", false, {uint8}, is_jpeg, open_jpeg, jpeg_sink},
      {{".tif", ".tiff"}, "1234", true, {float32, uint8, uint16}, is_tiff, open_tiff, tiff_pages},
      {{".fits", ".fit"}, "1", true, {float32, float64, int32}, is_fits, open_fits, fits_sink},
      {{".h5", ".hdf5"}, "1", true, {float32, float64}, is_hdf5, open_hdf5_images, hdf5_sink},
      {{".mrc", ".mrcs"}, "1", true, {float32, float16}, is_mrc, open_mrc, mrc_sink},
  };
  return formats;
}

const image_format_entry& entry_of(const std::filesystem::path& file) {
  std::string extension = extension_of(file);
  if (extension.empty() && is_written_directly(file)) extension = ".npy";
  std::vector<std::string_view> endings;
  for (const image_format_entry& each : image_formats()) {
    for (const std::string_view ending : each.endings) {
      if (ending == extension) return each;
      endings.push_back(ending);
    }
  }
  throw plan_error(formatted("cannot tell how to write the image {}; its name must end in {}",
                             file.string(), listed(endings)));
}

}  // namespace wingbeat::formats
