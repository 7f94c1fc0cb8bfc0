// SPDX-License-Identifier: Apache-2.0
#include "convolving/score_tile.hpp"

#include <algorithm>  // copy_n, fill, max, min
#include <bit>        // bit_width
#include <cmath>      // sqrt
#include <cstdint>    // uint8_t
#include <limits>

namespace wingbeat::convolving {
namespace {

using backend::host_score_rows;
using backend::score_division;

/// Maximum change by rounding: of a normalised score, absolute; of a squared difference, relative.
constexpr double tolerance = 0x1p-16;
/// A product's error is at most five times the root mean square, which is 1.6 units of rounding.
constexpr double rounding_of_products = 8 * 0x1p-24;
/// Above this ratio of the mean fourth power to the square of the mean square, few values dominate.
constexpr double most_kurtosis = 1000;
/// Smaller products vanish in fp32.
constexpr double least_fp32 = 1e-28;
/// Ratio of a window's squares to the image's below which transforms do not resolve the window.
constexpr double unresolved = 0x1p-98;

/// Products per pixel of a tile that may be summed again in fp64.
constexpr std::size_t summed_again = 6;

}  // namespace

summed_arrays::summed_arrays(const scores_spec& spec)
    : has_squares(spec.is_normalised || spec.kind == score_kind::sqdiff),
      has_raw(spec.is_normalised && spec.kind == score_kind::sqdiff),
      first_sum(std::size_t{has_squares} + std::size_t{has_raw}),
      n_sums(spec.is_normalised && spec.kind == score_kind::ccoeff ? spec.channels : 0) {}

tile_memory::tile_memory(const queue& on, const tile_products& products, const scores_spec& spec)
    : on_(on),
      windows_(products.shape().image[1], spec.templates[0], spec.templates[1],
               summed_arrays{spec}.count()),
      workspace_(products.workspace_bytes()),
      tiles_(spec.channels * ((products.image_bytes() + 7) / 8)),
      products_(2 * ((products.output_bytes() + 7) / 8)),
      row_(2 * products.shape().image[1]) {}

template <class Real>
Real* score_tile<Real>::values(std::size_t channel) const {
  return reinterpret_cast<Real*>(memory_.tiles_.data() +
                                 channel * (memory_.tiles_.size() / spec_.channels));
}
template <class Real>
Real* score_tile<Real>::products(std::size_t i) const {
  return reinterpret_cast<Real*>(memory_.products_.data() + i * (memory_.products_.size() / 2));
}

template <class Real>
template <class Pixel>
void score_tile<Real>::load(const scored_image<Pixel>& image, const tile_place& place) const {
  const std::size_t height = products_.shape().image[0], width = products_.shape().image[1];
  const std::size_t n_rows = place.height + spec_.templates[0] - 1;
  const std::size_t n_across = place.width + spec_.templates[1] - 1, step = spec_.channels;
  const auto scale = static_cast<Real>(image.scale);
  for (std::size_t c = 0; c < step; ++c) {
    const auto shift = static_cast<Real>(image.shifts[c]);
    for (std::size_t y = 0; y < height; ++y) {
      Real* const row = values(c) + y * width;
      std::size_t x = 0;
      if (y < n_rows) {
        const Pixel* const pixels =
            image.pixels + ((place.y + y) * spec_.image[1] + place.x) * step + c;
        if constexpr (std::is_same_v<Real, float>) {
          const backend::pixel_rows<Pixel>& rows = host_score_rows();
          if (step == 1) rows.load(pixels, scale, shift, row, x = n_across);
        }
        for (; x < n_across; ++x) row[x] = static_cast<Real>(pixels[x * step]) * scale - shift;
      }
      std::fill(row + x, row + width, Real{0});
    }
  }
}

template <class Real>
void score_tile<Real>::multiply() const {
  const std::size_t spectrum = taps_.spectra.size() / spec_.channels;
  for (std::size_t c = 0; c < spec_.channels; ++c) {
    auto* const taps = const_cast<std::byte*>(taps_.spectra.data()) + c * spectrum;
    Real* const sums = products(std::min<std::size_t>(c, 1));
    products_.run(memory_.on_, {taps, 0, spectrum}, {values(c), 0, products_.image_bytes()},
                  {sums, 0, products_.output_bytes()}, memory_.workspace());
    if (c == 0) continue;
    const std::size_t count = products_.output_bytes() / sizeof(Real);
    for (std::size_t i = 0; i < count; ++i) products(0)[i] += sums[i];
  }
}

template <class Real>
double score_tile<Real>::product_error() const {
  if constexpr (std::is_same_v<Real, double>) return 0;
  if (products_.shape().is_summed) {
    return 0x1p-24 *
           static_cast<double>(spec_.templates[0] + spec_.templates[1] + spec_.channels + 2);
  }
  const std::size_t n_values = products_.image_bytes() / sizeof(Real);
  const std::size_t n_products = products_.output_bytes() / sizeof(Real);
  const auto measured = [](const Real* numbers, std::size_t count) {
    const backend::pixel_rows<float>& rows = host_score_rows();
    return rows.measure(reinterpret_cast<const float*>(numbers), count);
  };
  double squares = 0, fourth_powers = 0;
  for (std::size_t c = 0; c < spec_.channels; ++c) {
    const auto own = measured(values(c), n_values);
    squares += own.squares;
    fourth_powers = std::max(fourth_powers, own.fourth_powers);
  }
  const double mean_square = squares / static_cast<double>(n_values);
  const double largest = std::sqrt(mean_square * taps_.squares);
  if (squares == 0) return 0;
  const bool has_spikes = fourth_powers > most_kurtosis * mean_square * squares;
  if (largest < least_fp32 || (has_spikes && !spec_.is_normalised)) {
    return std::numeric_limits<double>::infinity();
  }
  if (spec_.kind != score_kind::sqdiff && !spec_.is_normalised) return 0;
  const double of_products =
      measured(products(0), n_products).squares / static_cast<double>(n_products);
  return rounding_of_products * (std::sqrt(of_products) + largest);
}

template <class Real>
template <class Pixel>
bool score_tile<Real>::take_windows(const Pixel* pixels, double scale, std::size_t y,
                                    std::size_t width) const {
  const auto& rows = host_score_rows();
  const backend::real_rows<Real>& reals = rows;
  window_sums& windows = memory_.windows_;
  const std::size_t n_across = products_.shape().image[1];
  double* const unused = memory_.row_.data();
  for (std::size_t c = 0; c < spec_.channels; ++c) {
    double* const same = arrays_.n_sums > 0 ? windows.row(arrays_.first_sum + c) : unused;
    const bool is_first = c == 0 && arrays_.has_squares;
    double* const squares = is_first ? windows.row(0) : unused + n_across;
    const Real* const row = values(c) + y * n_across;
    reals.square(row, same, squares, n_across);
    if (c > 0 && arrays_.has_squares) rows.add(windows.row(0), squares, n_across);
  }
  if (arrays_.has_raw) {
    double* const raw = windows.row(1);
    for (std::size_t x = 0; x < n_across; ++x) {
      raw[x] = 0;
      for (std::size_t c = 0; c < spec_.channels && x < width; ++c) {
        const double value = scale * double(pixels[x * spec_.channels + c]);
        raw[x] += value * value;
      }
    }
  }
  return windows.push();
}

template <class Real>
const double* score_tile<Real>::make_row(std::size_t y, std::size_t width) const {
  const auto& rows = host_score_rows();
  const backend::real_rows<Real>& reals = rows;
  const window_sums& windows = memory_.windows_;
  const bool is_difference = spec_.kind == score_kind::sqdiff;
  double* const numerators = memory_.row_.data();
  const Real* const row = products(0) + y * products_.shape().result[1];
  const double factor = is_difference ? -2 : 1, offset = is_difference ? taps_.squares : 0;
  reals.begin(row, factor, offset, numerators, width);
  if (is_difference) rows.add(numerators, windows.sums(0), width);
  if (!spec_.is_normalised) return nullptr;
  if (arrays_.n_sums == 0) return windows.sums(arrays_.has_raw ? 1 : 0);
  const auto n = static_cast<double>(spec_.templates[0] * spec_.templates[1]);
  double* const squares = numerators + products_.shape().image[1];
  std::copy_n(windows.sums(0), width, squares);
  for (std::size_t c = 0; c < arrays_.n_sums; ++c) {
    rows.subtract_squares(squares, windows.sums(arrays_.first_sum + c), 1 / n, width);
  }
  return squares;
}

template <class Real>
template <class Pixel>
score_division score_tile<Real>::division(const scored_image<Pixel>& image, double error) const {
  score_division result;
  const bool is_summed = products_.shape().is_summed;
  result.factor = spec_.is_normalised ? 1 / std::sqrt(taps_.power) : image.factor;
  result.numerator = -std::numeric_limits<double>::infinity();
  if (spec_.kind == score_kind::sqdiff) {
    result.smallest = 0;
    result.of_flat = 1;
    // If a product is close to the template's squares, it has their rounding error. With direct
    // sums, a window of squares s^2 T is unresolved if (1 - s)^2 < c s.
    const double c = 2 * error / tolerance, root = (std::sqrt(c) + std::sqrt(c + 4)) / 2;
    const double unresolved_part = is_summed ? c * root * root * taps_.squares : c;
    if (error > 0) result.numerator = unresolved_part + 0x1p-21 * taps_.squares / tolerance;
    return result;
  }
  if (!spec_.is_normalised) {
    result.smallest = result.numerator;
    return result;
  }
  result.least = unresolved * image.energy;
  if (arrays_.n_sums > 0) {
    const std::size_t n = spec_.templates[0] * spec_.templates[1];
    result.rounding =
        static_cast<double>(2 * std::bit_width(n)) * std::numeric_limits<double>::epsilon();
  }
  const double part = error * error / (tolerance * tolerance);
  if (error > 0)
    (is_summed ? result.resolved_part : result.resolved) = is_summed ? part : part / taps_.power;
  return result;
}

/// Returns the sum of a window's products, or of squared differences, in fp64.
template <class Real>
template <class Pixel>
double score_tile<Real>::exact(const scored_image<Pixel>& image, std::size_t y,
                               std::size_t x) const {
  const std::size_t step = spec_.channels, width = spec_.templates[1];
  const double* tap = taps_.values.data();
  double sum = 0;
  for (std::size_t row = 0; row < spec_.templates[0]; ++row) {
    const Pixel* pixel = image.pixels + ((y + row) * spec_.image[1] + x) * step;
    for (std::size_t i = 0; i < width; ++i) {
      for (std::size_t c = 0; c < step; ++c) {
        const double value = double(*pixel++) * image.scale - image.shifts[c];
        const double term = *tap++;
        sum += spec_.kind == score_kind::sqdiff ? (term - value) * (term - value) : term * value;
      }
    }
  }
  return sum;
}

/// Writes a row of scores. Returns how many of them are unresolved.
template <class Real>
template <class Score>
std::size_t score_tile<Real>::finish(const score_division& rule, const double* denominators,
                                     Score* scores, std::size_t width) const {
  const double* const numerators = memory_.row_.data();
  const backend::real_rows<Score>& rows = host_score_rows();
  if (denominators == nullptr) return rows.store(rule, numerators, scores, width);
  return rows.divide(rule, numerators, denominators, memory_.windows_.sums(0), scores, width);
}

/// Sums the unresolved scores of a row in fp64.
template <class Real>
template <class Pixel>
void score_tile<Real>::sum_again(const scored_image<Pixel>& image, const tile_place& row,
                                 const score_division& rule, const double* denominators) const {
  double* const numerators = memory_.row_.data();
  const double* const squares = memory_.windows_.sums(0);
  for (std::size_t x = 0; x < row.width; ++x) {
    const bool is_small =
        denominators != nullptr &&
        denominators[x] < std::max(rule.resolved, rule.resolved_part * squares[x]);
    if (is_small || numerators[x] < rule.numerator) numerators[x] = exact(image, row.y, row.x + x);
  }
}

template <class Real>
template <class Pixel>
bool score_tile<Real>::run(const scored_image<Pixel>& image, const tile_place& place) {
  load(image, place);
  multiply();
  const double error = product_error();
  if (error == std::numeric_limits<double>::infinity()) return false;
  const std::size_t h = spec_.templates[0], n_across = place.width + spec_.templates[1] - 1;
  const std::size_t out_pitch = spec_.image[1] - spec_.templates[1] + 1;
  const score_division rule = division(image, error), resolved = division(image, 0);
  const std::size_t most_again = summed_again * products_.image_bytes() / sizeof(Real) /
                                 (spec_.templates[0] * spec_.templates[1]);
  std::size_t n_again = 0;
  memory_.windows_.clear();
  for (std::size_t i = 0; i < place.height + h - 1; ++i) {
    const Pixel* const pixels =
        image.pixels + ((place.y + i) * spec_.image[1] + place.x) * spec_.channels;
    const bool is_whole =
        arrays_.count() == 0 ? i + 1 >= h : take_windows(pixels, image.scale, i, n_across);
    if (!is_whole) continue;
    const tile_place row{place.y + i + 1 - h, place.x, 1, place.width};
    score_of<Pixel>* const scores = image.scores + row.y * out_pitch + row.x;
    const double* const denominators = make_row(i + 1 - h, row.width);
    const std::size_t n_unresolved = finish(rule, denominators, scores, row.width);
    if (n_unresolved == 0) continue;
    n_again += n_unresolved;
    if (n_again > most_again) return false;
    sum_again(image, row, rule, denominators);
    static_cast<void>(finish(resolved, denominators, scores, row.width));
  }
  return true;
}

template class score_tile<float>;
template class score_tile<double>;
template bool score_tile<float>::run(const scored_image<std::uint8_t>&, const tile_place&);
template bool score_tile<double>::run(const scored_image<std::uint8_t>&, const tile_place&);
template bool score_tile<float>::run(const scored_image<float>&, const tile_place&);
template bool score_tile<double>::run(const scored_image<float>&, const tile_place&);
template bool score_tile<double>::run(const scored_image<double>&, const tile_place&);

}  // namespace wingbeat::convolving
