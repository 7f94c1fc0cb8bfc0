// SPDX-License-Identifier: Apache-2.0
#include "formats/images/image.hpp"

#include <algorithm>  // find
#include <string>
#include <string_view>
#include <vector>

#include "formats/images/format.hpp"  // entry_of, image_formats
#include "formats/images/writer.hpp"  // image_writer
#include "text/counted.hpp"           // counted
#include "text/listed.hpp"            // listed
#include "text/reject.hpp"            // reject

namespace wingbeat::formats {
namespace {

void check_stack(const std::string& name, const image_stack& stack) {
  const std::size_t n_claimed = stack.n_images * stack.height * stack.width * stack.n_channels;
  reject_if(n_claimed == 0 || n_claimed != size_of(stack.samples) || stack.n_channels > 4,
            "cannot write {} samples as {} image(s) of {} x {} pixels with {} channel(s) to {}; "
            "give 1 to 4 channels and as many samples as the shape says",
            size_of(stack.samples), stack.n_images, stack.height, stack.width, stack.n_channels,
            name);
}

}  // namespace

bool is_stored_as(const std::filesystem::path& file, number_type type) {
  const auto& types = entry_of(file).types;
  return std::find(types.begin(), types.end(), type) != types.end();
}

void require_holds(const std::filesystem::path& file, std::size_t n_images,
                   std::size_t n_channels) {
  const auto holds = [&](const image_format_entry& format) {
    return (n_images == 1 || format.holds_stacks) &&
           format.channels.find(static_cast<char>('0' + n_channels)) != std::string_view::npos;
  };
  if (holds(entry_of(file))) return;
  std::vector<std::string_view> endings;
  for (const image_format_entry& each : image_formats()) {
    if (holds(each)) endings.push_back(each.endings[0]);
  }
  reject("{} cannot hold {} of {}; write {}", file.string(), counted(n_images, "image"),
         counted(n_channels, "channel"), listed(endings));
}

std::optional<value_range> write_images(const std::filesystem::path& file, const image_stack& stack,
                                        const image_write_options& options) {
  static_cast<void>(entry_of(file));  // before the samples are counted
  check_stack(file.string(), stack);
  image_writer writer{file, shape_of(stack), options};
  writer.add(stack.samples);
  return writer.commit();
}

}  // namespace wingbeat::formats
