// SPDX-License-Identifier: Apache-2.0
#include "formats/images/format.hpp"

#include <string>

#include "formats/files/extension.hpp"  // extension_of
#include "text/listed.hpp"              // listed
#include "text/reject.hpp"              // reject

namespace wingbeat::formats {
std::span<const image_format_entry> image_formats() {
  using enum number_type;
  constexpr auto tiff_pages = [](atomic_file& file, const image_stack& shape,
                                 const image_write_options& options) {
    return tiff_sink(file, shape, options);
  };
  static const image_format_entry formats[] = {
      {"an array in .npy",
       {".npy"},
       "1234",
       true,
       {float32, float64, int32},
       open_npy_images,
       npy_sink},
      {"a PNG image", {".png"}, "1234", false, {uint8, uint16}, open_png, png_sink},
      {"a JPEG image", {".jpg", ".jpeg"}, "13", false, {uint8}, open_jpeg, jpeg_sink},
      {"a TIFF image",
       {".tif", ".tiff"},
       "1234",
       true,
       {float32, uint8, uint16},
       open_tiff,
       tiff_pages},
      {"a FITS file",
       {".fits", ".fit"},
       "1",
       true,
       {float32, float64, int32},
       open_fits,
       fits_sink},
      {"an HDF5 file",
       {".h5", ".hdf5"},
       "1",
       true,
       {float32, float64},
       open_hdf5_images,
       hdf5_sink},
      {"an MRC image", {".mrc", ".mrcs"}, "1", true, {float32, float16}, open_mrc, mrc_sink},
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
  reject("cannot tell how to write the image {}; its name must end in {}", file.string(),
         listed(endings));
}

}  // namespace wingbeat::formats
