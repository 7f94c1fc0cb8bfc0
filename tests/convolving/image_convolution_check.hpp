// SPDX-License-Identifier: Apache-2.0
// Runs a convolution of an image on an engine, between guard bands of NaNs and over poisoned
// memory, and compares every pixel with the sum that defines it.
#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>    // abs, sqrt
#include <cstring>  // memcpy
#include <vector>

#include "support/signal.hpp"  // fill_noise
#include "verify/guarded.hpp"  // guarded, bytes
#include "wingbeat/device/half.hpp"
#include "wingbeat/wingbeat.hpp"

namespace wingbeat::test {

using device::half_float;
using verify::bytes, verify::guarded;

inline std::string text_of(const image_convolution_spec& spec) {
  return fmt::format("{}x{}x{} {}, kernel {}x{}x{}, {}, {}, normalise {}, {} between", spec.height,
                     spec.width, spec.channels, name_of(spec.stored), spec.kernel_height,
                     spec.kernel_width, spec.kernel_channels, name_of(spec.mode),
                     name_of(spec.outside), name_of(spec.normalise), name_of(spec.between));
}

/// Returns which of n pixels stands for pixel i, one step of the border at a time; n for none.
inline std::size_t bordered(std::ptrdiff_t i, std::size_t n, border outside) {
  const auto size = static_cast<std::ptrdiff_t>(n);
  while (i < 0 || i >= size) {
    switch (outside) {
      case border::zero: return n;
      case border::mirror: i = i < 0 ? -1 - i : 2 * size - 1 - i; break;
      case border::repeat: i += i < 0 ? size : -size; break;
      case border::clamp: i += i < 0 ? 1 : -1; break;
      case border::reflect: i = size == 1 ? 0 : i < 0 ? -i : 2 * size - 2 - i; break;
    }
  }
  return static_cast<std::size_t>(i);
}

/// Pixels, kernels and results as plain numbers, [y][x][channel].
using pixels = std::vector<float>;

/// The sums of one request, in long double.
class image_oracle {
 public:
  image_oracle(const image_convolution_spec& spec, const pixels& image, pixels kernel)
      : spec_(spec), image_(image), kernel_(kernel.begin(), kernel.end()) {
    normalise();
    for (const long double t : kernel_) kernel_energy_ += t * t;
    for (const long double t : kernel_) kernel_magnitude_ += std::abs(t);
    for (const float f : image_) image_maximum_ = std::max(image_maximum_, std::abs((double)f));
  }

  [[nodiscard]] std::size_t height() const { return count(spec_.height, spec_.kernel_height); }
  [[nodiscard]] std::size_t width() const { return count(spec_.width, spec_.kernel_width); }

  /// Returns channel c of pixel (y, x) of the result.
  [[nodiscard]] long double value(std::size_t y, std::size_t x, std::size_t c) const {
    if (c + 1 == spec_.channels && spec_.channels % 2 == 0) {
      return pixel(y + first(spec_.kernel_height) - (spec_.kernel_height - 1) / 2,
                   x + first(spec_.kernel_width) - (spec_.kernel_width - 1) / 2, c);
    }
    long double sum = 0;
    const std::size_t colour = c % spec_.kernel_channels;
    for (std::size_t j = 0; j < spec_.kernel_height; ++j) {
      for (std::size_t i = 0; i < spec_.kernel_width; ++i) {
        const std::size_t tap = (j * spec_.kernel_width + i) * spec_.kernel_channels + colour;
        sum += kernel_[tap] *
               pixel(y + first(spec_.kernel_height) - j, x + first(spec_.kernel_width) - i, c);
      }
    }
    return sum;
  }

  /// Rounding errors are relative to the norms of the kernel and of the pixels in one transform.
  [[nodiscard]] long double bound(long double expected) const {
    const double n = static_cast<double>((height() + 2 * spec_.kernel_height) *
                                         (width() + 2 * spec_.kernel_width));
    const bool is_double = spec_.stored == precision::fp64;
    const long double epsilon = is_double ? std::numeric_limits<double>::epsilon()
                                          : double{std::numeric_limits<float>::epsilon()};
    const long double full = 8 * epsilon * std::sqrt(n * kernel_energy_) * image_maximum_;
    // Spectra and workspace of 16 bits: five roundings, relative to the largest possible result.
    const long double u = spec_.between == precision::fp16   ? 0x1p-11L
                          : spec_.between == precision::bf16 ? 0x1p-8L
                                                             : 0;
    const long double narrow = 5 * u * kernel_magnitude_ * image_maximum_;
    if (spec_.stored != precision::fp16) return full + narrow;
    return full + narrow + 0x1p-11L * std::abs(expected) + 0x1p-25L;  // one rounding to fp16
  }

 private:
  void normalise() {
    constexpr long double weights[] = {0.212639L, 0.715169L, 0.072192L};
    const std::size_t n = spec_.kernel_channels;
    long double sums[3] = {}, luminance = 0;
    for (std::size_t i = 0; i < kernel_.size(); ++i) sums[i % n] += kernel_[i];
    for (std::size_t c = 0; c < 3; ++c) luminance += weights[c] * sums[c % n];
    for (std::size_t i = 0; i < kernel_.size(); ++i) {
      if (spec_.normalise == normalisation::by_sum) kernel_[i] /= sums[i % n];
      if (spec_.normalise == normalisation::by_luminance) kernel_[i] /= luminance;
    }
  }
  /// Returns the index in the full result of the first value that is wanted.
  [[nodiscard]] std::size_t first(std::size_t kernel) const {
    if (spec_.mode == extent::full) return 0;
    return spec_.mode == extent::same ? (kernel - 1) / 2 : kernel - 1;
  }
  [[nodiscard]] std::size_t count(std::size_t image, std::size_t kernel) const {
    if (spec_.mode == extent::full) return image + kernel - 1;
    return spec_.mode == extent::same ? image : image - kernel + 1;
  }
  /// Differences of unsigned numbers wrap, and are negative as signed ones.
  [[nodiscard]] long double pixel(std::size_t y, std::size_t x, std::size_t c) const {
    y = bordered(static_cast<std::ptrdiff_t>(y), spec_.height, spec_.outside);
    x = bordered(static_cast<std::ptrdiff_t>(x), spec_.width, spec_.outside);
    if (y == spec_.height || x == spec_.width) return 0;
    return image_[(y * spec_.width + x) * spec_.channels + c];
  }

  image_convolution_spec spec_;
  const pixels& image_;
  std::vector<long double> kernel_;
  long double kernel_energy_ = 0, kernel_magnitude_ = 0;
  double image_maximum_ = 0;
};

/// One request on one queue.
class image_runner {
 public:
  image_runner(const queue& on, const image_convolution_spec& spec)
      : on_(on), spec_(spec), made_(on, spec) {}

  [[nodiscard]] const image_convolution& convolution() const { return made_; }

  /// Returns the result for this image and kernel; of fp16, all images are rounded to it before.
  pixels run(const pixels& image, const pixels& kernel) {
    const std::vector<double> result = results(image, kernel);
    return {result.begin(), result.end()};
  }

  /// Runs noise and compares all of the result with the oracle's.
  void check() {
    SCOPED_TRACE(text_of(spec_));
    pixels image = noise(spec_.height * spec_.width * spec_.channels, 1);
    pixels kernel = noise(spec_.kernel_height * spec_.kernel_width * spec_.kernel_channels, 2);
    if (spec_.normalise != normalisation::none) {
      for (float& t : kernel) t = std::abs(t) + 0.1F;
    }
    if (spec_.stored == precision::fp16) {
      for (float& f : image) f = half_float(f);
    }
    expect_sums({spec_, image, kernel}, results(image, kernel));
  }

 private:
  std::vector<double> results(const pixels& image, const pixels& kernel) {
    if (spec_.stored == precision::fp16) return run_as<half_float, float>(image, kernel);
    if (spec_.stored == precision::fp64) return run_as<double, double>(image, kernel);
    return run_as<float, float>(image, kernel);
  }

  template <class Element>
  static bytes bytes_of(const std::vector<Element>& values) {
    const auto* const first = reinterpret_cast<const unsigned char*>(values.data());
    return {first, first + values.size() * sizeof(Element)};
  }

  static pixels noise(std::size_t count, std::uint64_t seed) {
    pixels x(count);
    fill_noise(x.data(), x.size(), seed);
    return x;
  }

  void expect_sums(const image_oracle& oracle, const std::vector<double>& got) const {
    const std::vector<std::size_t> lengths{oracle.height(), oracle.width()};
    ASSERT_EQ(made_.result(), lengths);
    ASSERT_EQ(got.size(), lengths[0] * lengths[1] * spec_.channels);
    for (std::size_t i = 0; i < got.size(); ++i) {
      const std::size_t c = i % spec_.channels, pixel = i / spec_.channels;
      const long double expected = oracle.value(pixel / lengths[1], pixel % lengths[1], c);
      const bool is_alpha = c + 1 == spec_.channels && spec_.channels % 2 == 0;
      ASSERT_LE(std::abs(got[i] - expected), is_alpha ? 0 : oracle.bound(expected))
          << "pixel " << pixel / lengths[1] << ", " << pixel % lengths[1] << ", channel " << c;
    }
  }

  template <class Element, class Real>
  std::vector<double> run_as(const pixels& image, const pixels& kernel) {
    std::vector<Element> stored;
    for (const float f : image) stored.push_back(Element(f));
    const std::vector<Real> values_of_kernel(kernel.begin(), kernel.end());
    EXPECT_EQ(made_.image_bytes(), stored.size() * sizeof(Element));
    EXPECT_EQ(made_.kernel_bytes(), kernel.size() * sizeof(Real));
    // All bits set are a NaN in every precision: a read outside shows in the result.
    constexpr unsigned char nan = 0xff;
    const auto around = [&](const bytes& inner) { return guarded{on_, inner, 0, nan}; };
    const guarded in = around(bytes_of(stored)), taps = around(bytes_of(values_of_kernel));
    const guarded spectra = around(bytes(made_.spectra_bytes(), nan));
    const guarded out = around(bytes(made_.output_bytes(), nan));
    made_.prepare(on_, taps.view(), spectra.view());
    bytes first;
    for (int i = 0; i < 2; ++i) {
      made_.enqueue(on_, spectra.view(), in.view(), out.view());
      on_.wait();
      const bytes result = out.inner();
      if (i > 0) {
        EXPECT_EQ(result, first) << "a second run differs";
      }
      first = result;
    }
    const std::optional<std::string> nothing;
    EXPECT_EQ(in.trespass("image", bytes(made_.image_bytes(), 0)), nothing);
    EXPECT_EQ(taps.trespass("kernel", bytes(made_.kernel_bytes(), 0)), nothing);
    EXPECT_EQ(spectra.trespass("spectra", bytes(made_.spectra_bytes(), 1)), nothing);
    EXPECT_EQ(out.trespass("result", bytes(first.size(), 1)), nothing);
    std::vector<Element> values(first.size() / sizeof(Element));
    std::memcpy(values.data(), first.data(), first.size());
    return {values.begin(), values.end()};
  }

  queue on_;
  image_convolution_spec spec_;
  image_convolution made_;
};

}  // namespace wingbeat::test
