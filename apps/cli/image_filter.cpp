// SPDX-License-Identifier: Apache-2.0
#include "cli/image_filter.hpp"

#include <algorithm>    // max
#include <cmath>        // abs, ilogb, isfinite, ldexp
#include <memory>       // make_shared
#include <type_traits>  // is_same_v
#include <utility>      // move
#include <vector>

#include "cli/choose.hpp"            // fp64_option
#include "convolving/convolver.hpp"  // magnitudes_of, require_finite_result
#include "convolving/geometry.hpp"   // wanted_of_full
#include "text/reject.hpp"           // reject

namespace wingbeat::cli {
namespace {

/// Rows or columns of the result: the first is the image's under the kernel's centre.
struct axis_range {
  std::ptrdiff_t first = 0;
  std::size_t count = 0;
};

axis_range centres_of(std::size_t image, std::size_t kernel, extent mode) {
  const index_range wanted = convolving::wanted_of_full(image, kernel, mode);
  const auto centre = static_cast<std::ptrdiff_t>((kernel - 1) / 2);
  return {static_cast<std::ptrdiff_t>(wanted.first) - centre, wanted.end - wanted.first};
}

/// Returns the exponent of a power of two above all magnitudes; 0 if all numbers are 0.
template <class Real>
int exponent_of(const std::vector<Real>& numbers) {
  Real peak = 0;
  for (const Real number : numbers) peak = std::max(peak, std::abs(number));
  return peak == 0 ? 0 : std::ilogb(peak) + 1;
}

template <class Real>
void scale(std::vector<Real>& numbers, int exponent) {
  for (Real& number : numbers) number = std::ldexp(number, exponent);
}

/// Convolves in fp32 or fp64; the passes themselves add borders and separate colours. With fp16
/// between passes, images and kernel are scaled below 1 by powers of two, and results scaled back.
template <class Real>
class planned_filter {
 public:
  planned_filter(const queue& on, const image_filter_spec& spec, const formats::image_stack& kernel)
      : on_(on),
        plan_(on, {.height = spec.height,
                   .width = spec.width,
                   .channels = spec.channels,
                   .kernel_height = kernel.height,
                   .kernel_width = kernel.width,
                   .kernel_channels = kernel.n_channels,
                   .mode = spec.mode,
                   .outside = spec.outside,
                   .stored = spec.real,
                   .between = spec.between,
                   .image_peak = spec.between == precision::fp16 ? 1.0 : 0.0,
                   .kernel_peak = spec.between == precision::fp16 ? 1.0 : 0.0}),
        spectra_(on, plan_.spectra_bytes()),
        in_(on, plan_.image_bytes()),
        out_(on, plan_.output_bytes()) {
    buffer values{on, plan_.kernel_bytes()};
    std::vector<Real> taps = numbers_of(kernel.samples);
    kernel_ = convolving::magnitudes_of<Real>(taps);
    if (is_scaled()) scale(taps, -(kernel_exponent_ = exponent_of(taps)));
    values.write(taps.data(), values.size_bytes());
    plan_.prepare(on_, values.view(), spectra_.view());
    on_.wait();  // `values` is destroyed next
  }

  [[nodiscard]] formats::image_samples operator()(formats::image_samples image) {
    std::vector<Real> numbers = numbers_of(std::move(image));
    convolving::require_normal_result(kernel_, convolving::magnitudes_of<Real>(numbers),
                                      plan_.spec().stored, fp64_option);
    const int exponent = is_scaled() ? exponent_of(numbers) : 0;
    if (is_scaled()) scale(numbers, -exponent);
    in_.write(numbers.data(), in_.size_bytes());
    plan_.enqueue(on_, spectra_.view(), in_.view(), out_.view());
    numbers.resize(out_.size_bytes() / sizeof(Real));
    out_.read(numbers.data(), out_.size_bytes());
    if (is_scaled()) scale_result(numbers, exponent);
    convolving::require_finite_result<Real>(numbers, plan_.spec().stored, fp64_option);
    return numbers;
  }

 private:
  static std::vector<Real> numbers_of(formats::image_samples samples) {
    if constexpr (std::is_same_v<Real, double>) {
      return formats::to_doubles(std::move(samples));
    } else {
      return formats::to_floats(std::move(samples));
    }
  }

  [[nodiscard]] bool is_scaled() const { return plan_.spec().between == precision::fp16; }

  /// Scales results back; alpha, which is not convolved, only by the image's scale.
  void scale_result(std::vector<Real>& numbers, int image_exponent) const {
    const std::size_t channels = plan_.spec().channels;
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      const bool is_alpha = channels % 2 == 0 && i % channels == channels - 1;
      numbers[i] = std::ldexp(numbers[i], image_exponent + (is_alpha ? 0 : kernel_exponent_));
    }
  }

  queue on_;
  image_convolution plan_;
  buffer spectra_, in_, out_;
  convolving::magnitudes kernel_;
  int kernel_exponent_ = 0;
};

template <class Real>
image_filter planned(const queue& on, const image_filter_spec& spec,
                     const formats::image_stack& kernel) {
  return [filter = std::make_shared<planned_filter<Real>>(on, spec, kernel)](
             formats::image_samples image) { return (*filter)(std::move(image)); };
}

}  // namespace

image_filter filter_of(const queue& on, const image_filter_spec& spec,
                       const formats::image_stack& kernel) {
  return spec.real == precision::fp64 ? planned<double>(on, spec, kernel)
                                      : planned<float>(on, spec, kernel);
}

formats::image_stack result_shape(const image_filter_spec& spec, const formats::image_stack& kernel,
                                  const formats::image_stack& images) {
  formats::image_stack result = formats::shape_of(images);
  const axis_range rows = centres_of(spec.height, kernel.height, spec.mode);
  const axis_range columns = centres_of(spec.width, kernel.width, spec.mode);
  result.height = rows.count;
  result.width = columns.count;
  if (result.placement) result.placement->first = {columns.first, rows.first, 0};
  return result;
}

formats::image_stack reversed(const formats::image_stack& kernel) {
  formats::image_stack result = kernel;
  std::vector<double> samples(formats::size_of(kernel.samples));
  const std::size_t pixels = samples.size() / kernel.n_channels;
  for (std::size_t i = 0; i < samples.size(); ++i) {
    const std::size_t pixel = pixels - 1 - i / kernel.n_channels;
    samples[i] =
        formats::sample_at(kernel.samples, pixel * kernel.n_channels + i % kernel.n_channels);
  }
  result.samples = std::move(samples);
  return result;
}

formats::image_stack normalised(const formats::image_stack& kernel, normalisation rule,
                                const std::string& name) {
  if (rule == normalisation::none) return kernel;
  std::vector<double> divisors(kernel.n_channels, 0.0);
  auto samples = formats::to_doubles(kernel.samples);
  for (std::size_t i = 0; i < samples.size(); ++i) divisors[i % kernel.n_channels] += samples[i];
  if (rule == normalisation::by_luminance && kernel.n_channels == 3) {
    // BT.709 luminance, as `normalisation` defines it.
    const double luminance =
        0.212639 * divisors[0] + 0.715169 * divisors[1] + 0.072192 * divisors[2];
    divisors.assign(3, luminance);
  }
  for (const double divisor : divisors) {
    if (divisor != 0 && std::isfinite(1 / divisor)) continue;
    reject("the values of {} sum up to {:g}, by which nothing can be divided; use --normalise none",
           name, divisor);
  }
  for (std::size_t i = 0; i < samples.size(); ++i) samples[i] /= divisors[i % kernel.n_channels];
  formats::image_stack result = kernel;
  result.samples = std::move(samples);
  return result;
}

}  // namespace wingbeat::cli
