// SPDX-License-Identifier: Apache-2.0
// Images and kernels of any size: an image correlated with several templates, its spectrum made
// once; and a stack of images blurred by one kernel, whose spectrum is made once.
#include <algorithm>  // max, max_element
#include <cmath>      // abs
#include <cstdio>     // printf
#include <vector>

#include "wingbeat/wingbeat.hpp"

namespace {

using namespace wingbeat;

constexpr std::size_t height = 101, width = 67, h = 9, w = 12;

/// Any image will do.
std::vector<float> pattern(std::size_t count, unsigned state) {
  std::vector<float> values(count);
  for (float& value : values) {
    state = state * 1664525 + 1013904223;
    value = static_cast<float>(state >> 8) / (1 << 23) - 1;
  }
  return values;
}

/// Returns whether each template, a part of the image, has its largest value where it was cut out.
bool finds_templates(queue& queue) {
  constexpr std::size_t count = 3, at_y[count] = {0, 40, 92}, at_x[count] = {55, 20, 0};
  const std::vector<float> image = pattern(height * width, 1);
  std::vector<float> templates;  // [template][y][x]
  for (std::size_t t = 0; t < count; ++t) {
    for (std::size_t i = 0; i < h * w; ++i) {
      templates.push_back(image[(at_y[t] + i / w) * width + at_x[t] + i % w]);
    }
  }

  const convolution find{queue,
                         {.image = {height, width},
                          .kernel = {h, w},
                          .kind = operation::correlate,
                          .mode = extent::valid,
                          .kernels = count}};
  buffer in{queue, find.image_bytes()}, spectra{queue, find.spectra_bytes()};
  buffer batch{queue, find.kernel_bytes()}, out{queue, find.output_bytes()};
  in.write(image.data(), in.size_bytes());
  batch.write(templates.data(), batch.size_bytes());
  find.prepare(queue, in.view(), spectra.view());                 // once for the image
  find.enqueue(queue, spectra.view(), batch.view(), out.view());  // for each batch of templates
  std::vector<float> maps(count * find.result()[0] * find.result()[1]);  // [template][y][x]
  out.read(maps.data(), out.size_bytes());

  std::printf("%s", find.explain().c_str());
  const std::size_t columns = find.result()[1], places = find.result()[0] * columns;
  bool is_found = true;
  for (std::size_t t = 0; t < count; ++t) {
    const auto map = maps.begin() + static_cast<std::ptrdiff_t>(t * places);
    const auto most = std::max_element(map, map + static_cast<std::ptrdiff_t>(places)) - map;
    const std::size_t y = static_cast<std::size_t>(most) / columns;
    const std::size_t x = static_cast<std::size_t>(most) % columns;
    std::printf("template %zu: largest at (%zu, %zu)\n", t, y, x);
    is_found = is_found && y == at_y[t] && x == at_x[t];
  }
  return is_found;
}

/// Returns whether a mean over 3 x 3 pixels of every image of a stack is that.
bool blurs_stack(queue& queue) {
  constexpr std::size_t n_images = 5;
  const convolution blur{queue,
                         {.image = {height, width},
                          .kernel = {3, 3},
                          .mode = extent::same,
                          .images = n_images,
                          .prepared = operand_role::kernel}};
  const std::vector<float> images = pattern(n_images * height * width, 2);
  const std::vector<float> mean(9, 1.0F / 9);
  buffer kernel{queue, blur.kernel_bytes()}, spectrum{queue, blur.spectra_bytes()};
  buffer in{queue, blur.image_bytes()}, out{queue, blur.output_bytes()};
  kernel.write(mean.data(), kernel.size_bytes());
  in.write(images.data(), in.size_bytes());
  blur.prepare(queue, kernel.view(), spectrum.view());
  blur.enqueue(queue, spectrum.view(), in.view(), out.view());
  std::vector<float> blurred(images.size());  // [image][y][x]
  out.read(blurred.data(), out.size_bytes());

  float worst = 0;
  for (std::size_t n = 0; n < n_images; ++n) {
    const float* const image = &images[n * height * width];
    float sum = 0;
    for (std::size_t i = 0; i < 9; ++i) sum += image[(49 + i / 3) * width + 29 + i % 3] / 9;
    worst = std::max(worst, std::abs(sum - blurred[(n * height + 50) * width + 30]));
  }
  std::printf("pixel (50, 30) of %zu images: within %.1e of its mean\n", n_images, double{worst});
  return worst < 1e-5F;
}

}  // namespace

int main() {
  wingbeat::queue queue;  // of the best device
  const bool is_found = finds_templates(queue), is_blurred = blurs_stack(queue);
  return is_found && is_blurred ? 0 : 1;
}
