// SPDX-License-Identifier: Apache-2.0
#include "convolving/image_request.hpp"

#include <array>
#include <cmath>   // abs, isfinite
#include <limits>  // numeric_limits

#include "convolving/interleaved.hpp"  // load_of_pixels, store_of_pixels
#include "convolving/request.hpp"      // require_valid
#include "request/names.hpp"           // require_known, require_named, unnamed
#include "text/formatted.hpp"          // formatted
#include "text/reject.hpp"             // reject

namespace wingbeat {
namespace convolving {
namespace {

constexpr std::array luminance_weights{0.212639, 0.715169, 0.072192};  // BT.709, linear R, G, B

/// Returns the pixels of one axis at which a mode wants results: those under the kernel's centre.
continued_axis centres_of(std::size_t image, std::size_t kernel,
                          const image_convolution_spec& spec) {
  const auto before = static_cast<std::ptrdiff_t>((kernel - 1) / 2);
  switch (spec.mode) {
    case extent::full: return {spec.outside, image, -before, image + kernel - 1};
    case extent::same: return {spec.outside, image, 0, image};
    case extent::valid:
      return {spec.outside, image, static_cast<std::ptrdiff_t>(kernel / 2), image - kernel + 1};
  }
  return {};
}

/// Returns the pixels that these results depend on. Zeros outside need no elements.
continued_axis reached_by(const continued_axis& centres, std::size_t kernel, extent mode) {
  const border outside = centres.outside;
  if (outside == border::zero || mode == extent::valid) {
    return {outside, centres.image, 0, centres.image};
  }
  return {outside, centres.image, centres.begin - static_cast<std::ptrdiff_t>(kernel / 2),
          centres.length + kernel - 1};
}

void require_choices(const image_convolution_spec& spec) {
  request::require_named(spec.mode, "mode", "full, same or valid");
  request::require_named(spec.outside, "outside", "zero, mirror, repeat, clamp or reflect");
  request::require_named(spec.normalise, "normalise", "none, by_sum or by_luminance");
  const bool is_double = spec.stored == precision::fp64;
  request::require_known(
      is_double || spec.stored == precision::fp32 || spec.stored == precision::fp16, "stored",
      spec.stored, "fp32, fp16 or fp64");
  reject_if(is_double && spec.between != precision::fp32 && spec.between != precision::fp64,
            "between is {} and stored is fp64, which mixes with no other precision; leave one of "
            "them out",
            name_of(spec.between));
}

void require_channels(const image_convolution_spec& spec) {
  reject_if(spec.channels < 1 || spec.channels > 4,
            "channels is {}; give 1 for grey, 2 for grey and alpha, 3 for RGB or 4 for RGBA",
            spec.channels);
  const std::size_t colours = colours_of(spec);
  if (spec.kernel_channels == 1 || spec.kernel_channels == colours) return;
  reject(
      "kernel_channels is {} and the image's colours are {}; give the kernel 1 channel for "
      "all of them, or one for each",
      spec.kernel_channels, colours);
}

void require_lengths(const image_convolution_spec& spec, std::string_view axis, std::size_t image,
                     std::size_t kernel) {
  reject_if(image == 0 || kernel == 0, "{0} is {1} and kernel_{0} is {2}; give at least 1 for each",
            axis, image, kernel);
  // A border continues the image by up to two kernels.
  reject_if(image > max_length || kernel > max_length || image + 2 * kernel > max_length,
            "{0} is {1} and kernel_{0} is {2}; the image and two kernels together have at "
            "most {3}, so cut the image into tiles",
            axis, image, kernel, max_length);
  reject_if(spec.mode == extent::valid && kernel > image,
            "kernel_{0} is {2} and {0} is {1}, so the kernel lies within the image nowhere; "
            "choose mode same or full",
            axis, image, kernel);
}

/// Returns the precision of arithmetic and kernels.
precision arithmetic_of(const image_convolution_spec& spec) {
  return spec.stored == precision::fp64 ? precision::fp64 : precision::fp32;
}

/// Returns the convolution of the planes of colours, as if they were plain memory.
convolution_spec plain_planes_of(const image_convolution_spec& spec) {
  const continued_axis rows =
      reached_by(centres_of(spec.height, spec.kernel_height, spec), spec.kernel_height, spec.mode);
  const continued_axis columns =
      reached_by(centres_of(spec.width, spec.kernel_width, spec), spec.kernel_width, spec.mode);
  const bool is_continued = spec.outside != border::zero && spec.mode != extent::valid;
  return {.image = {rows.length, columns.length},
          .kernel = {spec.kernel_height, spec.kernel_width},
          .kind = operation::convolve,
          .mode = is_continued ? extent::valid : spec.mode,
          .real = arithmetic_of(spec),
          .between = spec.stored == precision::fp64 ? precision::fp64 : spec.between,
          .image_peak = spec.image_peak,
          .kernel_peak = spec.kernel_peak,
          .images = colours_of(spec),
          .kernels = spec.kernel_channels,
          .pairs = spec.kernel_channels > 1 ? pairing::pairwise : pairing::each_with_each,
          .prepared = operand_role::kernel};
}

/// Returns the divisor of one colour of a kernel with these sums.
double divisor_of(const std::vector<double>& sums, std::size_t colour, normalisation division) {
  if (division == normalisation::by_sum || sums.size() == 1) return sums[colour];
  double luminance = 0;
  for (std::size_t c = 0; c < sums.size(); ++c) luminance += luminance_weights[c] * sums[c];
  return luminance;
}

}  // namespace

std::size_t colours_of(const image_convolution_spec& spec) noexcept {
  return spec.channels < 3 ? 1 : 3;
}

void require_valid(const image_convolution_spec& spec) {
  require_choices(spec);
  require_channels(spec);
  require_lengths(spec, "height", spec.height, spec.kernel_height);
  require_lengths(spec, "width", spec.width, spec.kernel_width);
  require_valid(plain_planes_of(spec));
}

std::vector<std::size_t> result_of(const image_convolution_spec& spec) {
  return {centres_of(spec.height, spec.kernel_height, spec).length,
          centres_of(spec.width, spec.kernel_width, spec).length};
}

convolution_spec planes_of(const image_convolution_spec& spec) {
  const continued_axis centre_rows = centres_of(spec.height, spec.kernel_height, spec);
  const continued_axis centre_columns = centres_of(spec.width, spec.kernel_width, spec);
  const continued_axis rows = reached_by(centre_rows, spec.kernel_height, spec.mode);
  const continued_axis columns = reached_by(centre_columns, spec.kernel_width, spec.mode);
  convolution_spec planes = plain_planes_of(spec);
  const bool is_plain = spec.channels == 1 && spec.stored != precision::fp16;
  if (!is_plain || !rows.is_image() || !columns.is_image()) {
    planes.image_load =
        load_of_pixels({spec.height, spec.width, spec.channels, spec.stored}, rows, columns);
  }
  if (!is_plain) {
    planes.store =
        store_of_pixels({centre_rows.length, centre_columns.length, spec.channels, spec.stored},
                        spec.width, centre_rows, centre_columns);
  }
  if (spec.kernel_channels > 1) {
    const auto whole = [](std::size_t n) { return continued_axis{border::zero, n, 0, n}; };
    planes.kernel_load = load_of_pixels(
        {spec.kernel_height, spec.kernel_width, spec.kernel_channels, arithmetic_of(spec)},
        whole(spec.kernel_height), whole(spec.kernel_width));
  }
  return planes;
}

template <class Real>
void normalise(std::span<Real> kernel, const image_convolution_spec& spec) {
  if (spec.normalise == normalisation::none) return;
  const std::size_t colours = spec.kernel_channels;
  std::vector<double> sums(colours), magnitudes(colours);
  for (std::size_t i = 0; i < kernel.size(); ++i) {
    sums[i % colours] += kernel[i];
    magnitudes[i % colours] += std::abs(kernel[i]);
  }
  std::vector<double> divisors;
  for (std::size_t c = 0; c < colours; ++c) {
    const double divisor = divisor_of(sums, c, spec.normalise);
    const double magnitude = divisor_of(magnitudes, c, spec.normalise);
    // Sums of numbers that should cancel keep some of their last bits.
    const bool is_finite = std::isfinite(divisor);
    const bool is_zero =
        std::abs(divisor) <= magnitude * double{std::numeric_limits<Real>::epsilon()};
    if (is_zero || !is_finite) {
      reject(
          "the kernel's {} is {} and it cannot be divided by that; use "
          "normalisation::none, or another kernel",
          spec.normalise == normalisation::by_luminance ? std::string{"luminance"}
                                                        : formatted("sum of channel {}", c),
          is_finite ? 0.0 : divisor);
    }
    divisors.push_back(divisor);
  }
  for (std::size_t i = 0; i < kernel.size(); ++i) {
    kernel[i] = static_cast<Real>(kernel[i] / divisors[i % colours]);
  }
}

template void normalise(std::span<float>, const image_convolution_spec&);
template void normalise(std::span<double>, const image_convolution_spec&);

}  // namespace convolving

std::string_view name_of(border outside) noexcept {
  switch (outside) {
    case border::zero: return "zero";
    case border::mirror: return "mirror";
    case border::repeat: return "repeat";
    case border::clamp: return "clamp";
    case border::reflect: return "reflect";
  }
  return request::unnamed;
}

std::string_view name_of(normalisation division) noexcept {
  switch (division) {
    case normalisation::none: return "none";
    case normalisation::by_sum: return "sum";
    case normalisation::by_luminance: return "luminance";
  }
  return request::unnamed;
}

}  // namespace wingbeat
