// SPDX-License-Identifier: Apache-2.0
// All images of a file.
#pragma once

#include <filesystem>

#include "formats/images/reader.hpp"  // image_reader

namespace wingbeat::test {

inline formats::image_stack read_images(const std::filesystem::path& file) {
  formats::image_reader images{file};
  formats::image_stack stack = images.shape();
  stack.samples = images.read(0, stack.n_images);
  return stack;
}

}  // namespace wingbeat::test
