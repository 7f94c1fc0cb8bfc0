// SPDX-License-Identifier: Apache-2.0
#include "formats/images/image.hpp"

#include <string>
#include <string_view>
#include <vector>

#include "formats/files/atomic_file.hpp"  // is_written_directly
#include "formats/files/extension.hpp"    // extension_of
#include "formats/images/format.hpp"      // image_formats
#include "formats/images/writer.hpp"      // image_writer
#include "text/formatted.hpp"             // formatted
#include "text/listed.hpp"                // listed
#include "wingbeat/error.hpp"             // plan_error

namespace wingbeat::formats {
namespace {

void check_stack(const std::string& name, const image_stack& stack) {
  const std::size_t n_claimed = stack.n_images * stack.height * stack.width * stack.n_channels;
  if (n_claimed == 0 || n_claimed != size_of(stack.samples) || stack.n_channels > 4) {
    throw plan_error(formatted(
        "cannot write {} samples as {} image(s) of {} x {} pixels with {} channel(s) to "
        "{}; give 1 to 4 channels and as many samples as the shape says",
        size_of(stack.samples), stack.n_images, stack.height, stack.width, stack.n_channels, name));
  }
}

}  // namespace

image_format image_format_of(const std::filesystem::path& file) {
  const std::string extension = extension_of(file);
  std::vector<std::string_view> endings;
  for (const image_format_entry& each : image_formats()) {
    for (const std::string_view ending : each.endings) {
      if (ending.empty()) continue;
      if (ending == extension) return each.format;
      endings.push_back(ending);
    }
  }
  if (extension.empty() && is_written_directly(file)) return image_format::npy;
  throw plan_error(formatted("cannot tell how to write the image {}; its name must end in {}",
                             file.string(), listed(endings)));
}

image_stack shape_of(const image_stack& stack) {
  return {.n_images = stack.n_images,
          .height = stack.height,
          .width = stack.width,
          .n_channels = stack.n_channels,
          .full_scale = stack.full_scale,
          .is_stack = stack.is_stack,
          .pixel_angstrom = stack.pixel_angstrom,
          .placement = stack.placement};
}

std::optional<value_range> write_images(const std::filesystem::path& file, const image_stack& stack,
                                        const image_write_options& options) {
  static_cast<void>(image_format_of(file));  // before the samples are counted
  check_stack(file.string(), stack);
  image_writer writer{file, shape_of(stack), options};
  writer.add(stack.samples);
  return writer.commit();
}

}  // namespace wingbeat::formats
