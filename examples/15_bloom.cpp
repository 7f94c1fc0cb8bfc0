// SPDX-License-Identifier: Apache-2.0
// Bloom: bright points of a night scene glow in the shape of a star. What is brighter than white is
// convolved with a kernel image, mirrored at the edges, and added to the scene. Runs on every
// engine of this machine, compares pixels with the sums that define them, and writes a PPM if given
// a name:
//
//     15_bloom glow.ppm
#include <algorithm>  // max, min
#include <cmath>      // exp, pow, sin
#include <cstdint>    // uint32_t
#include <cstdio>
#include <vector>

#include "wingbeat/wingbeat.hpp"

namespace {

constexpr std::size_t height = 120, width = 200, channels = 3, taps = 101;

using image = std::vector<float>;  // [y][x][channel], linear light, 1 is white

/// Returns a night over the sea: a dark gradient, and lamps up to 400 times as bright as white.
image night() {
  image scene(height * width * channels);
  for (std::size_t i = 0; i < scene.size(); ++i) {
    const std::size_t y = i / channels / width, colour = i % channels;
    const float depth = static_cast<float>(y) / height;
    scene[i] = (0.01F + 0.03F * depth) * (colour == 2 ? 2.0F : 1.0F);
  }
  std::uint32_t state = 7;
  const auto random = [&state](std::size_t below) {
    state = state * 1664525 + 1013904223;
    return static_cast<std::size_t>(state >> 8) % below;
  };
  for (int lamp = 0; lamp < 14; ++lamp) {
    const std::size_t y = random(height), x = random(width);
    const float power = 20.0F * static_cast<float>(1 + random(20));
    float* const pixel = &scene[(y * width + x) * channels];
    const std::size_t warm = random(3);
    pixel[0] = power;
    pixel[1] = power * (warm == 0 ? 0.9F : 0.6F);
    pixel[2] = power * (warm == 2 ? 0.2F : 0.8F);
  }
  return scene;
}

/// Returns what a lens does to a point: a core, and rays that are longer in red than in blue.
image star() {
  image kernel(taps * taps * channels);
  for (std::size_t i = 0; i < kernel.size(); ++i) {
    const std::size_t pixel = i / channels;
    const float dy = static_cast<float>(pixel / taps) - (taps - 1) / 2;
    const float dx = static_cast<float>(pixel % taps) - (taps - 1) / 2;
    const float reach = 8.0F - 2.0F * static_cast<float>(i % channels);
    const float upright = std::exp(-std::abs(dx) - std::abs(dy) / reach);
    const float level = std::exp(-std::abs(dy) - std::abs(dx) / reach);
    kernel[i] = upright + level + 0.02F * std::exp(-(dx * dx + dy * dy) / 200);
  }
  return kernel;
}

/// Returns what is brighter than white.
image highlights(const image& scene) {
  image bright(scene.size());
  for (std::size_t i = 0; i < scene.size(); ++i) bright[i] = std::max(scene[i] - 1, 0.0F);
  return bright;
}

/// Returns the sum that defines one channel of a pixel.
double glow_at(const image& bright, const image& kernel, std::size_t y, std::size_t x,
               std::size_t channel) {
  const auto mirrored = [](std::size_t n, std::size_t size) {  // n may be below 0, and wraps
    const auto j = static_cast<std::ptrdiff_t>(n), end = static_cast<std::ptrdiff_t>(size);
    return static_cast<std::size_t>(j < 0 ? -1 - j : j >= end ? 2 * end - 1 - j : j);
  };
  double sum = 0, luminance = 0;
  for (std::size_t tap = 0; tap < taps * taps; ++tap) {
    const float* const t = &kernel[tap * channels];
    const std::size_t from_y = mirrored(y + (taps - 1) / 2 - tap / taps, height);
    const std::size_t from_x = mirrored(x + (taps - 1) / 2 - tap % taps, width);
    sum += double{t[channel]} * bright[(from_y * width + from_x) * channels + channel];
    luminance += 0.212639 * t[0] + 0.715169 * t[1] + 0.072192 * t[2];
  }
  return sum / luminance;
}

/// Returns the glow of the highlights, computed on one device.
image glow_on(const wingbeat::device_info& device, const image& bright, const image& kernel) {
  using namespace wingbeat;
  queue queue{device};
  const image_convolution glow{queue,
                               {.height = height,
                                .width = width,
                                .channels = channels,
                                .kernel_height = taps,
                                .kernel_width = taps,
                                .kernel_channels = channels,
                                .outside = border::mirror,
                                .normalise = normalisation::by_luminance}};
  std::printf("%s\n%s", device.name.c_str(), glow.explain().c_str());
  buffer star{queue, glow.kernel_bytes()}, spectra{queue, glow.spectra_bytes()};
  buffer in{queue, glow.image_bytes()}, out{queue, glow.output_bytes()};
  star.write(kernel.data(), star.size_bytes());
  in.write(bright.data(), in.size_bytes());
  glow.prepare(queue, star.view(), spectra.view());            // once for each kernel
  glow.enqueue(queue, spectra.view(), in.view(), out.view());  // for each frame
  image result(bright.size());
  out.read(result.data(), out.size_bytes());
  return result;
}

/// Returns whether pixels all over the picture are their sums.
bool is_right(const image& glow, const image& bright, const image& kernel) {
  double worst = 0, highest = 0;
  for (std::size_t i = 0; i < 40; ++i) {
    const std::size_t index = i == 0 ? 0 : i == 1 ? glow.size() - 1 : i * 7919 % glow.size();
    const std::size_t pixel = index / channels;
    const double expected = glow_at(bright, kernel, pixel / width, pixel % width, index % channels);
    worst = std::max(worst, std::abs(glow[index] - expected));
    highest = std::max(highest, expected);
  }
  std::printf("  40 pixels: within %.1e of their sums, the highest of which is %.2f\n", worst,
              highest);
  return worst < 1e-5 * highest + 1e-5;
}

/// Writes scene and glow in 8 bits: x / (1 + x), then a gamma of 2.2.
bool write_ppm(const char* name, const image& scene, const image& glow) {
  std::FILE* const file = std::fopen(name, "wb");
  if (file == nullptr) return false;
  std::fprintf(file, "P6\n%zu %zu\n255\n", width, height);
  for (std::size_t i = 0; i < scene.size(); ++i) {
    const float light = std::min(scene[i], 1.0F) + std::max(glow[i], 0.0F);
    const float grey = std::pow(light / (1 + light), 1 / 2.2F);
    std::fputc(static_cast<int>(255 * grey + 0.5F), file);
  }
  return std::fclose(file) == 0;
}

}  // namespace

int main(int argc, char** argv) {
  const image scene = night(), bright = highlights(scene), kernel = star();
  bool is_fine = true;
  image glow;
  for (const wingbeat::device_info& device : wingbeat::devices()) {
    glow = glow_on(device, bright, kernel);
    is_fine = is_right(glow, bright, kernel) && is_fine;
  }
  if (argc > 1 && !write_ppm(argv[1], scene, glow)) {
    std::fprintf(stderr, "cannot write %s; name a file in a folder that exists\n", argv[1]);
    return 1;
  }
  return is_fine ? 0 : 1;
}
