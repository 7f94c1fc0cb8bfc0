// SPDX-License-Identifier: Apache-2.0
// image_copy IN OUT [bits=8|16] [half] [range=BLACK:WHITE]: reads images and writes them, for the
// test against other programs. Prints the pixel size; a refusal goes to stderr with exit code 4.
#include <cstdio>
#include <cstdlib>  // strtod
#include <string_view>

#include "formats/images/reader.hpp"  // image_reader, write_images
#include "wingbeat/error.hpp"         // error

namespace {

using namespace wingbeat::formats;

value_range parse_range(const char* text) {
  char* rest = nullptr;
  const double black = std::strtod(text, &rest);
  return {black, std::strtod(rest + 1, nullptr)};
}

}  // namespace

int main(int n_arguments, char** arguments) try {
  if (n_arguments < 3) return 2;
  image_write_options options;
  for (int i = 3; i < n_arguments; ++i) {
    const std::string_view argument = arguments[i];
    if (argument == "half") options.type = number_type::float16;
    if (argument == "bits=8") options.type = number_type::uint8;
    if (argument == "bits=16") options.type = number_type::uint16;
    if (argument.starts_with("range=")) options.range = parse_range(arguments[i] + 6);
  }
  image_reader images{arguments[1]};
  image_stack stack = images.shape();
  stack.samples = images.read(0, stack.n_images);
  write_images(arguments[2], stack, options);
  const pixel_size& pixel = stack.pixel_angstrom;
  std::printf("%.9g %.9g %.9g\n", pixel.z, pixel.y, pixel.x);
  return 0;
} catch (const wingbeat::error& refused) {
  std::fprintf(stderr, "%s\n", refused.what());
  return 4;
}
