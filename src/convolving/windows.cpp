// SPDX-License-Identifier: Apache-2.0
#include "convolving/windows.hpp"

#include <algorithm>  // copy_n, fill, max, min
#include <cmath>      // sqrt
#include <limits>

namespace wingbeat::convolving {
namespace {

/// Folds of `window` neighbours along the first axis of an array [n][inner], by van Herk's method:
/// the fold from a place to the end of its block of `window`, and the fold of the next block up to
/// the window's last place. Nothing is subtracted, so that a sum is as accurate as its own terms.
class window_fold {
 public:
  window_fold(std::size_t n, std::size_t inner, std::size_t window)
      : n_(n), inner_(inner), window_(window), values_(n * inner), suffixes_(n * inner) {}

  /// Where the array is put.
  [[nodiscard]] double* row(std::size_t i) { return values_.data() + i * inner_; }
  void clear() { std::fill(values_.begin(), values_.end(), 0.0); }

  /// Calls take(i, folds of i .. i + window - 1) for i = 0 .. n - window, and consumes the array.
  template <class Op, class Take>
  void fold(Op op, Take take) {
    suffixes_ = values_;
    for (std::size_t i = n_ - 1; i-- > 0;) {
      if ((i + 1) % window_ != 0) combine(op, suffixes_, i, i + 1);
    }
    for (std::size_t i = 1; i < n_; ++i) {
      if (i % window_ != 0) combine(op, values_, i, i - 1);
    }
    for (std::size_t i = 0; i + window_ <= n_; ++i) {
      double* const folds = suffixes_.data() + i * inner_;
      if (i % window_ != 0) {
        const double* const prefixes = row(i + window_ - 1);
        for (std::size_t j = 0; j < inner_; ++j) folds[j] = op(folds[j], prefixes[j]);
      }
      take(i, folds);
    }
  }

 private:
  template <class Op>
  void combine(Op op, std::vector<double>& into, std::size_t i, std::size_t neighbour) const {
    double* const row_begin = into.data() + i * inner_;
    const double* const other = into.data() + neighbour * inner_;
    for (std::size_t j = 0; j < inner_; ++j) row_begin[j] = op(row_begin[j], other[j]);
  }

  std::size_t n_, inner_, window_;
  std::vector<double> values_, suffixes_;
};

/// Returns the folds of value(image element) over each window. [result y][result x]
template <class Real, class Value, class Op>
std::vector<double> folds_of(const std::vector<Real>& image, const std::vector<axis_geometry>& axes,
                             Value value, Op op) {
  const axis_geometry &y = axes[0], &x = axes[1];
  std::vector<double> lines(y.image * x.result());  // [image y][result x]
  window_fold along_x{x.result() + x.kernel - 1, 1, x.kernel};
  for (std::size_t row = 0; row < y.image; ++row) {
    along_x.clear();
    const Real* const from = image.data() + row * x.image;
    for (std::size_t i = 0; i < x.image; ++i) *along_x.row(x.image_at + i) = value(from[i]);
    double* const to = lines.data() + row * x.result();
    along_x.fold(op, [&](std::size_t i, const double* fold) { to[i] = *fold; });
  }
  std::vector<double> folds(y.result() * x.result());
  constexpr std::size_t strip = 64;  // columns at once, which stay in the cache
  for (std::size_t first = 0; first < x.result(); first += strip) {
    const std::size_t width = std::min(strip, x.result() - first);
    window_fold along_y{y.result() + y.kernel - 1, width, y.kernel};
    for (std::size_t row = 0; row < y.image; ++row) {
      std::copy_n(lines.data() + row * x.result() + first, width, along_y.row(y.image_at + row));
    }
    along_y.fold(op, [&](std::size_t i, const double* fold) {
      std::copy_n(fold, width, folds.data() + i * x.result() + first);
    });
  }
  return folds;
}

/// Returns how many elements of the window at a place lie within the image.
std::size_t n_inside(const axis_geometry& axis, std::size_t place) {
  const std::size_t end = std::min(place + axis.kernel, axis.image_at + axis.image);
  return end - std::max(place, axis.image_at);
}

template <class Real>
double mean_of(const std::vector<Real>& image) {
  double sum = 0;
  for (const Real value : image) sum += double(value);
  return sum / static_cast<double>(image.size());
}

}  // namespace

template <class Real>
centred_image<Real> centred(const std::vector<Real>& image, const std::vector<axis_geometry>& axes,
                            double error) {
  centred_image<Real> result;
  result.mean = static_cast<Real>(mean_of(image));
  double energy = 0;
  for (const Real value : image) {
    result.values.push_back(value - result.mean);
    energy += double(result.values.back()) * double(result.values.back());
  }
  const auto itself = [](Real value) { return double(value); };
  const auto least =
      folds_of(image, axes, itself, [](double a, double b) { return std::min(a, b); });
  const auto most =
      folds_of(image, axes, itself, [](double a, double b) { return std::max(a, b); });
  const auto plus = [](double a, double b) { return a + b; };
  const auto sums = folds_of(result.values, axes, itself, plus);
  const auto squares = folds_of(
      result.values, axes, [](Real value) { return double(value) * double(value); }, plus);

  constexpr double rounding = std::numeric_limits<Real>::epsilon();
  const double of_sums =
      std::numeric_limits<double>::epsilon() * static_cast<double>(axes[0].kernel + axes[1].kernel);
  const auto n = static_cast<double>(axes[0].kernel * axes[1].kernel);
  const double as_image = energy / static_cast<double>(image.size()) * n;
  const double least_variation = std::max(rounding * rounding * energy, error * error * as_image);
  const double mean = result.mean;
  result.inverse_norms.resize(sums.size());
  for (std::size_t i = 0; i < sums.size(); ++i) {
    const std::size_t width = axes[1].result();
    const auto inside =
        static_cast<double>(n_inside(axes[0], i / width) * n_inside(axes[1], i % width));
    // The sum of (f - its mean)^2 over all n of the window, with f = g + mean in the image and 0
    // outside: that of g, and what the step at the image's edge adds.
    const double step = (1 - inside / n) * mean * (2 * sums[i] + mean * inside);
    const double variation = squares[i] - sums[i] * sums[i] / n + step;
    const double unresolved = std::max(least_variation, of_sums * squares[i]);
    const bool is_constant = least[i] == most[i] || variation <= unresolved;
    result.inverse_norms[i] = is_constant ? Real{0} : static_cast<Real>(1 / std::sqrt(variation));
  }
  return result;
}

template centred_image<float> centred(const std::vector<float>&, const std::vector<axis_geometry>&,
                                      double);
template centred_image<double> centred(const std::vector<double>&,
                                       const std::vector<axis_geometry>&, double);

}  // namespace wingbeat::convolving
