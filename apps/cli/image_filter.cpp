// SPDX-License-Identifier: Apache-2.0
#include "cli/image_filter.hpp"

#include <algorithm>  // clamp, max
#include <cmath>      // abs, ilogb, isfinite, ldexp
#include <optional>
#include <span>
#include <utility>  // move
#include <variant>
#include <vector>

#include "cli/choose.hpp"            // fp64_option
#include "convolving/convolver.hpp"  // convolver, require_finite_result
#include "convolving/geometry.hpp"   // wanted_of_full
#include "text/reject.hpp"           // reject

namespace wingbeat::cli {
namespace {

/// Rows or columns of the result: value i belongs to the image's row first + i, which the border's
/// rule supplies if it lies outside.
struct axis_range {
  std::ptrdiff_t first = 0;
  std::size_t count = 0;

  [[nodiscard]] std::ptrdiff_t at(std::size_t i) const {
    return first + static_cast<std::ptrdiff_t>(i);
  }
};

/// Returns the rows of the image under the kernel's centre.
axis_range centres_of(std::size_t image, std::size_t kernel, extent mode) {
  const index_range wanted = convolving::wanted_of_full(image, kernel, mode);
  const auto centre = static_cast<std::ptrdiff_t>((kernel - 1) / 2);
  return {static_cast<std::ptrdiff_t>(wanted.first) - centre, wanted.end - wanted.first};
}

/// Returns every row that the kernel reaches.
axis_range reached_by(axis_range centres, std::size_t kernel) {
  const auto behind = static_cast<std::ptrdiff_t>(kernel - 1 - (kernel - 1) / 2);
  return {centres.first - behind, centres.count + kernel - 1};
}

/// Returns which of n rows the border puts at `row`; none for a border of zeros.
std::optional<std::size_t> source_of(std::ptrdiff_t row, std::size_t n, border outside) {
  const auto count = static_cast<std::ptrdiff_t>(n);
  if (row >= 0 && row < count) return static_cast<std::size_t>(row);
  const auto modulo = [](std::ptrdiff_t i, std::ptrdiff_t m) { return (i % m + m) % m; };
  switch (outside) {
    case border::zero: return std::nullopt;
    case border::mirror: {
      const std::ptrdiff_t folded = modulo(row, 2 * count);
      return static_cast<std::size_t>(folded < count ? folded : 2 * count - 1 - folded);
    }
    case border::repeat: return static_cast<std::size_t>(modulo(row, count));
    case border::clamp:
      return static_cast<std::size_t>(std::clamp<std::ptrdiff_t>(row, 0, count - 1));
  }
  return std::nullopt;
}

std::vector<double> plane_of(const formats::image_stack& image, std::size_t channel) {
  std::vector<double> plane(image.height * image.width);
  for (std::size_t i = 0; i < plane.size(); ++i) {
    plane[i] = formats::sample_at(image.samples, i * image.n_channels + channel);
  }
  return plane;
}

/// Returns the exponent of a power of two above all magnitudes; 0 if all numbers are 0.
int exponent_of(std::span<const float> numbers) {
  float peak = 0;
  for (const float number : numbers) peak = std::max(peak, std::abs(number));
  return peak == 0 ? 0 : std::ilogb(peak) + 1;
}

void scale(std::span<float> numbers, int exponent) {
  for (float& number : numbers) number = std::ldexp(number, exponent);
}

/// Convolves in fp32; the passes themselves add borders and separate colours. With fp16 between
/// passes, images and kernel are scaled below 1 by powers of two, and results scaled back.
class single_filter {
 public:
  single_filter(const queue& on, const image_filter_spec& spec, const formats::image_stack& kernel)
      : on_(on),
        plan_(on, {.height = spec.height,
                   .width = spec.width,
                   .channels = spec.channels,
                   .kernel_height = kernel.height,
                   .kernel_width = kernel.width,
                   .kernel_channels = kernel.n_channels,
                   .mode = spec.mode,
                   .outside = spec.outside,
                   .between = spec.between,
                   .image_peak = spec.between == precision::fp16 ? 1.0 : 0.0,
                   .kernel_peak = spec.between == precision::fp16 ? 1.0 : 0.0}),
        spectra_(on, plan_.spectra_bytes()),
        in_(on, plan_.image_bytes()),
        out_(on, plan_.output_bytes()) {
    buffer values{on, plan_.kernel_bytes()};
    std::vector<float> taps = formats::to_floats(kernel.samples);
    kernel_ = convolving::magnitudes_of<float>(taps);
    if (is_scaled()) scale(taps, -(kernel_exponent_ = exponent_of(taps)));
    values.write(taps.data(), values.size_bytes());
    plan_.prepare(on_, values.view(), spectra_.view());
    on_.wait();  // `values` is destroyed next
  }

  [[nodiscard]] formats::image_samples operator()(formats::image_samples image) {
    std::vector<float> numbers = formats::to_floats(std::move(image));
    convolving::require_normal_result(kernel_, convolving::magnitudes_of<float>(numbers),
                                      precision::fp32, fp64_option);
    const int exponent = is_scaled() ? exponent_of(numbers) : 0;
    if (is_scaled()) scale(numbers, -exponent);
    in_.write(numbers.data(), in_.size_bytes());
    plan_.enqueue(on_, spectra_.view(), in_.view(), out_.view());
    numbers.resize(out_.size_bytes() / sizeof(float));
    out_.read(numbers.data(), out_.size_bytes());
    if (is_scaled()) scale_result(numbers, exponent);
    convolving::require_finite_result<float>(numbers, precision::fp32, fp64_option);
    return numbers;
  }

 private:
  [[nodiscard]] bool is_scaled() const { return plan_.spec().between == precision::fp16; }

  /// Scales results back; alpha, which is not convolved, only by the image's scale.
  void scale_result(std::vector<float>& numbers, int image_exponent) const {
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

/// Convolves in fp64, each colour separately; the host gathers the image with its border.
class double_filter {
 public:
  double_filter(const queue& on, const image_filter_spec& spec, const formats::image_stack& kernel)
      : spec_(spec),
        rows_(centres_of(spec.height, kernel.height, spec.mode)),
        columns_(centres_of(spec.width, kernel.width, spec.mode)),
        reached_rows_(reached_by(rows_, kernel.height)),
        reached_columns_(reached_by(columns_, kernel.width)) {
    const convolution_spec plane{.image = {reached_rows_.count, reached_columns_.count},
                                 .kernel = {kernel.height, kernel.width},
                                 .mode = extent::valid,
                                 .real = precision::fp64,
                                 .prepared = operand_role::kernel};
    for (std::size_t c = 0; c < kernel.n_channels; ++c) {
      planes_.emplace_back(on, plane, plane_of(kernel, c), fp64_option);
    }
  }

  [[nodiscard]] formats::image_samples operator()(formats::image_samples samples) {
    const std::vector<double> image = formats::to_doubles(std::move(samples));
    std::vector<double> result(rows_.count * columns_.count * spec_.channels);
    for (std::size_t c = 0; c < spec_.channels; ++c) {
      const bool is_alpha = spec_.channels % 2 == 0 && c + 1 == spec_.channels;
      const std::vector<double> plane = is_alpha ? gathered(image, c, rows_, columns_)
                                                 : planes_[planes_.size() > 1 ? c : 0](gathered(
                                                       image, c, reached_rows_, reached_columns_));
      for (std::size_t i = 0; i < plane.size(); ++i) result[i * spec_.channels + c] = plane[i];
    }
    return result;
  }

 private:
  /// Returns a channel of the reached rows and columns, with the border.
  [[nodiscard]] std::vector<double> gathered(std::span<const double> image, std::size_t channel,
                                             axis_range rows, axis_range columns) const {
    std::vector<double> plane;
    plane.reserve(rows.count * columns.count);
    for (std::size_t i = 0; i < rows.count; ++i) {
      const auto y = source_of(rows.at(i), spec_.height, spec_.outside);
      for (std::size_t j = 0; j < columns.count; ++j) {
        const auto x = source_of(columns.at(j), spec_.width, spec_.outside);
        plane.push_back(y && x ? image[(*y * spec_.width + *x) * spec_.channels + channel] : 0);
      }
    }
    return plane;
  }

  image_filter_spec spec_;
  axis_range rows_, columns_;                  ///< The image's, under the kernel's centre.
  axis_range reached_rows_, reached_columns_;  ///< All that the kernel reaches.
  std::vector<convolving::convolver> planes_;  ///< One for each channel of the kernel.
};

}  // namespace

struct image_filter::impl {
  std::variant<single_filter, double_filter> filter;
};

image_filter::image_filter(const queue& on, const image_filter_spec& spec,
                           const formats::image_stack& kernel) {
  if (spec.real == precision::fp32) {
    impl_ = std::make_unique<impl>(impl{single_filter{on, spec, kernel}});
  } else {
    impl_ = std::make_unique<impl>(impl{double_filter{on, spec, kernel}});
  }
}

image_filter::image_filter(image_filter&&) noexcept = default;
image_filter& image_filter::operator=(image_filter&&) noexcept = default;
image_filter::~image_filter() = default;

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

formats::image_samples image_filter::operator()(formats::image_samples image) {
  return std::visit([&](auto& filter) { return filter(std::move(image)); }, impl_->filter);
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
