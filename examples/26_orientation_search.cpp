// SPDX-License-Identifier: Apache-2.0
// Finds a molecule in a noisy image by its projections, as 2D template matching in electron
// cryo-microscopy does: 648 orientations of a volume and two filters, of which no template and no
// map of scores leaves the device.
#include <array>
#include <cmath>  // cos, exp, sin, sqrt
#include <complex>
#include <cstdio>  // printf
#include <numbers>
#include <random>
#include <vector>

#include "wingbeat/wingbeat.hpp"

namespace {

using namespace wingbeat;

constexpr std::size_t n = 32, bins = n / 2 + 1;

/// Returns five bells of different weight, without symmetry, [z][y][x] with the centre at n/2.
std::vector<float> molecule() {
  constexpr std::array<std::array<double, 4>, 5> bells{
      {{0, 0, 0, 3}, {6, 1, 2, 2}, {-4, 5, -2, 2.5}, {-1, -5, 5, 1.5}, {2, 3, -7, 2}}};
  std::vector<float> volume(n * n * n);
  for (std::size_t i = 0; i < volume.size(); ++i) {
    const auto from_centre = [](std::size_t index) { return static_cast<double>(index) - n / 2; };
    const double z = from_centre(i / n / n), y = from_centre(i / n % n), x = from_centre(i % n);
    for (const auto& [cz, cy, cx, weight] : bells) {
      const double r2 = (z - cz) * (z - cz) + (y - cy) * (y - cy) + (x - cx) * (x - cx);
      volume[i] += static_cast<float>(weight * std::exp(-r2 / 3));
    }
  }
  return volume;
}

/// Returns the spectrum of a volume as a search takes it: the centre at the corner before the
/// transform, the zero frequency of z and y at n/2 after it. Dividing by sinc^2 makes up for the
/// linear interpolation of slices.
std::vector<std::complex<float>> spectrum_of(queue& queue, const std::vector<float>& volume) {
  const auto moved = [](std::size_t i) { return (i + n / 2) % n; };
  const auto sinc2 = [](std::size_t i) {
    const double x = std::numbers::pi * (static_cast<double>(i) - n / 2) / n;
    return x == 0 ? 1 : std::sin(x) * std::sin(x) / (x * x);
  };
  std::vector<float> cornered(volume.size());
  for (std::size_t i = 0; i < volume.size(); ++i) {
    const std::size_t z = i / n / n, y = i / n % n, x = i % n;
    cornered[(moved(z) * n + moved(y)) * n + moved(x)] =
        static_cast<float>(volume[i] / (sinc2(z) * sinc2(y) * sinc2(x)));
  }
  const plan forward{queue, {.lengths = {n, n, n}, .kind = transform::forward_from_real}};
  std::vector<std::complex<float>> result(n * n * bins), spectrum(result.size());
  buffer in{queue, cornered.size() * sizeof(float)}, out{queue, result.size() * sizeof result[0]};
  in.write(cornered.data(), in.size_bytes());
  forward.enqueue(queue, in.view(), out.view());
  out.read(result.data(), out.size_bytes());
  for (std::size_t i = 0; i < result.size(); ++i) {
    const std::size_t z = i / bins / n, y = i / bins % n;
    spectrum[(moved(z) * n + moved(y)) * bins + i % bins] = result[i];
  }
  return spectrum;
}

/// Returns the first two columns of Rz(phi) Ry(theta) Rz(psi).
plane_axes axes_of(double phi, double theta, double psi) {
  const double a = std::cos(phi), b = std::sin(phi), c = std::cos(theta), d = std::sin(theta);
  const double e = std::cos(psi), f = std::sin(psi);
  const auto real = [](double value) { return static_cast<float>(value); };
  return {real(a * c * e - b * f),
          real(-a * c * f - b * e),
          real(b * c * e + a * f),
          real(a * e - b * c * f),
          real(-d * e),
          real(d * f)};
}

buffer uploaded(const queue& queue, const auto& values) {
  buffer memory{queue, values.size() * sizeof values[0]};
  memory.write(values.data(), memory.size_bytes());
  return memory;
}

}  // namespace

int main() {
  constexpr std::size_t height = 150, width = 210, n_filters = 2;
  std::vector<plane_axes> rotations;  // psi varies fastest: its slices share a plane
  for (int theta = 10; theta < 180; theta += 20) {
    for (int phi = 0; phi < 360; phi += 60) {
      for (int psi = 0; psi < 360; psi += 30) {
        constexpr double degree = std::numbers::pi / 180;
        rotations.push_back(axes_of(phi * degree, theta * degree, psi * degree));
      }
    }
  }
  std::vector<float> filters(n_filters * n * bins, 1);  // [filter][ky][kx]
  for (std::size_t i = 0; i < n * bins; ++i) {          // the second leaves out what is coarse
    const std::size_t ky = i / bins, kx = i % bins;
    const std::size_t distance = ky < n / 2 ? ky : n - ky;
    filters[n * bins + i] = kx * kx + distance * distance < 9 ? 0 : 1;
  }

  wingbeat::queue queue;  // of the best device
  const buffer spectrum = uploaded(queue, spectrum_of(queue, molecule()));
  const buffer curves = uploaded(queue, filters);
  orientation_search search{queue, {.image = {height, width}, .box = n, .filters = n_filters}};
  search.set_volume(queue, spectrum.view());
  search.set_filters(queue, curves.view());

  // Noise of variance 1 / (height width), and rotation 100 where its score will be 15.
  constexpr std::size_t planted = 100, top = 71, left = 140;
  std::mt19937 random{1};
  std::normal_distribution<float> noise{0, 1 / std::sqrt(static_cast<float>(height * width))};
  std::vector<float> image(height * width), templates(n_filters * n * n);
  for (float& value : image) value = noise(random);
  const buffer projections{queue, templates.size() * sizeof(float)};
  search.project(queue, rotations[planted], projections.view());
  queue.wait();
  projections.read(templates.data(), projections.size_bytes());
  for (std::size_t i = 0; i < n * n; ++i) {
    image[(top + i / n) * width + left + i % n] += 15 * templates[i] / (height * width);
  }

  const buffer micrograph = uploaded(queue, image);
  search.begin(queue, micrograph.view());
  search.add(queue, rotations, 0);
  const search_state found = search.state(queue);
  const peak best = found.peaks(1, 0, n).at(0);
  const std::size_t place = best.y * found.width + best.x;
  const double mean = found.map(score_map::mean)[place];
  const double variance = found.map(score_map::variance)[place];
  std::printf("rotation %zu, filter %zu at (%zu, %zu): score %.1f, z %.1f\n",
              static_cast<std::size_t>(best.number) / n_filters,
              static_cast<std::size_t>(best.number) % n_filters, best.y, best.x, best.score,
              (best.score - mean) / std::sqrt(variance));
  return best.number == planted * n_filters && best.y == top && best.x == left ? 0 : 1;
}
