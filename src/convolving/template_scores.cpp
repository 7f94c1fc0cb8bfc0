// SPDX-License-Identifier: Apache-2.0
#include "wingbeat/template_scores.hpp"

#include <algorithm>  // all_of, fill_n, max, min
#include <cmath>      // abs, frexp, ldexp
#include <limits>
#include <mutex>        // call_once, lock_guard
#include <type_traits>  // is_same_v
#include <utility>      // move

#include "backend/host_tasks.hpp"      // run_on_host
#include "backend/score_rows.hpp"      // host_score_rows
#include "convolving/score_tile.hpp"   // score_tile
#include "request/names.hpp"           // require_known
#include "system/fork_safe_mutex.hpp"  // fork_safe_mutex
#include "text/formatted.hpp"          // formatted, joined
#include "text/moved_from.hpp"         // require_owned
#include "text/reject.hpp"             // reject

namespace wingbeat {
namespace {

using convolving::score_of;
using convolving::score_tile;
using convolving::scored_image;
using convolving::scored_template;
using convolving::tile_memory;
using convolving::tile_place;
using convolving::tile_products;
using convolving::tile_shape;

void require_valid(const scores_spec& spec) {
  const auto is_plane = [](const std::vector<std::size_t>& lengths) {
    return lengths.size() == 2 && lengths[0] > 0 && lengths[1] > 0;
  };
  request::require_known(spec.kind == score_kind::sqdiff || spec.kind == score_kind::ccorr ||
                             spec.kind == score_kind::ccoeff,
                         "kind", spec.kind, "sqdiff, ccorr or ccoeff");
  if (is_plane(spec.image) && is_plane(spec.templates) && spec.channels > 0 &&
      spec.templates[0] <= spec.image[0] && spec.templates[1] <= spec.image[1])
    return;
  reject(
      "the image is {}, the template {}, of {} channels; give {{height, width}} of "
      "both, the template's not larger, and 1 channel at least",
      joined(spec.image, "x"), joined(spec.templates, "x"), spec.channels);
}

using statistics = backend::score_statistics;

/// Measures one channel of numbers, times a power of two.
template <class Pixel>
statistics statistics_of(const Pixel* values, std::size_t count, std::size_t step, double scale) {
  if constexpr (!std::is_same_v<Pixel, double>) {
    const backend::pixel_rows<Pixel>& rows = backend::host_score_rows();
    if (step == 1) return rows.measure(values, count);
  }
  statistics result;
  for (std::size_t i = 0; i < count; ++i) {
    const double value = double(values[i * step]) * scale;
    result.sum += value;
    result.squares += value * value;
    result.largest = std::max(result.largest, std::abs(value));
    result.zero += 0 * value;
  }
  return result;
}

/// An image or a template, of interleaved channels.
template <class Pixel>
struct operand_values {
  const Pixel* pixels;
  std::size_t count;  ///< Pixels of one channel.
  std::vector<statistics> channels;

  operand_values(const Pixel* first, std::size_t n, std::size_t n_channels)
      : pixels(first), count(n), channels(n_channels) {
    measure(1);
  }

  void measure(double scale) {
    for (std::size_t c = 0; c < channels.size(); ++c) {
      channels[c] = statistics_of(pixels + c, count, channels.size(), scale);
    }
  }

  [[nodiscard]] bool is_finite() const {
    return std::all_of(channels.begin(), channels.end(), [](auto& each) { return each.zero == 0; });
  }

  /// Returns the exponent of the power of two above all magnitudes, or the smallest exponent for
  /// which it and its reciprocal are normal numbers of the scores' type.
  [[nodiscard]] int exponent() const {
    double largest = 0;
    for (const statistics& each : channels) largest = std::max(largest, each.largest);
    int result = 0;
    std::frexp(largest, &result);
    return std::max(result, std::numeric_limits<score_of<Pixel>>::min_exponent - 1);
  }

  /// Measures values times a power of two.
  void rescale(double scale) {
    if constexpr (std::is_same_v<Pixel, double>) return measure(scale);  // squares may overflow
    for (statistics& each : channels) {
      each.sum *= scale;
      each.squares *= scale * scale;
    }
  }

  [[nodiscard]] double mean(std::size_t channel) const {
    return channels[channel].sum / static_cast<double>(count);
  }

  /// Returns the mean rounded to the scores' type: for equal pixels it is their value.
  [[nodiscard]] double near_mean(std::size_t channel) const {
    return static_cast<double>(static_cast<score_of<Pixel>>(mean(channel)));
  }

  /// Returns the sum of squares after shifts are subtracted.
  [[nodiscard]] double energy(const std::vector<double>& shifts) const {
    double sum = 0;
    for (std::size_t c = 0; c < channels.size(); ++c) {
      const double shifted = static_cast<double>(count) * shifts[c] * shifts[c];
      sum += std::max(channels[c].squares - shifted, 0.0);
    }
    return sum;
  }
};

}  // namespace

struct template_scores::impl {
  explicit impl(scores_spec given)
      : spec(std::move(given)),
        tile(spec),
        on(first_device(engine::host)),
        fp32(on, tile, precision::fp32) {}

  /// The products of tiles in one precision, and the memory of running threads.
  struct path {
    path(const queue& on, const tile_shape& tile, precision real) : products(on, tile, real) {}

    /// Returns memory that no other tile uses.
    [[nodiscard]] std::unique_ptr<tile_memory> taken(const queue& on,
                                                     const scores_spec& spec) const {
      {
        const std::lock_guard held{mutex};
        if (!unused.empty()) {
          std::unique_ptr<tile_memory> memory = std::move(unused.back());
          unused.pop_back();
          return memory;
        }
      }
      return std::make_unique<tile_memory>(queue{on.device()}, products, spec);
    }

    void keep(std::unique_ptr<tile_memory> memory) const {
      const std::lock_guard held{mutex};
      unused.push_back(std::move(memory));
    }

    tile_products products;
    mutable fork_safe_mutex mutex = {};
    mutable std::vector<std::unique_ptr<tile_memory>> unused = {};
  };

  [[nodiscard]] const path& in_fp64() const {
    std::call_once(is_made,
                   [&] { fp64 = std::make_unique<const path>(on, tile, precision::fp64); });
    return *fp64;
  }

  template <class Real, class Pixel>
  bool run_tile(const path& in, const scored_template& taps, const scored_image<Pixel>& image,
                const tile_place& place) const {
    std::unique_ptr<tile_memory> memory = in.taken(on, spec);
    const bool is_accurate = score_tile<Real>{spec, in.products, taps, *memory}.run(image, place);
    in.keep(std::move(memory));
    return is_accurate;
  }

  template <class Real, class Pixel>
  [[nodiscard]] scored_template prepared(const path& in, const operand_values<Pixel>& part,
                                         double scale, const std::vector<double>& shifts) const;
  template <class Pixel>
  void run(const Pixel* image, const score_of<Pixel>* part, score_of<Pixel>* out) const;
  template <class Pixel>
  void run_tiles(const scored_image<Pixel>& image, const operand_values<score_of<Pixel>>& part,
                 double scale, const std::vector<double>& shifts) const;

  scores_spec spec;
  tile_shape tile;
  queue on;
  path fp32;
  mutable std::once_flag is_made;
  mutable std::unique_ptr<const path> fp64;
};

/// Returns a template's spectra and sums, of values rounded to Real.
template <class Real, class Pixel>
scored_template template_scores::impl::prepared(const path& in, const operand_values<Pixel>& part,
                                                double scale,
                                                const std::vector<double>& shifts) const {
  scored_template result;
  const std::size_t spectrum = in.products.prepared_bytes();
  result.spectra.resize(spectrum * spec.channels);
  result.values.resize(part.count * spec.channels);
  std::vector<Real> taps(part.count);
  std::unique_ptr<tile_memory> memory = in.taken(on, spec);
  const bool is_coefficient = spec.kind == score_kind::ccoeff;
  double raw = 0;
  for (std::size_t c = 0; c < spec.channels; ++c) {
    const auto value = [&](std::size_t i) {
      return double(part.pixels[i * spec.channels + c]) * scale;
    };
    double left = 0;  // what the rounded shift leaves of the mean
    for (std::size_t i = 0; i < part.count && is_coefficient; ++i) left += value(i) - shifts[c];
    left /= static_cast<double>(part.count);
    for (std::size_t i = 0; i < part.count; ++i) {
      const double tap = value(i) - shifts[c] - left;
      taps[i] = static_cast<Real>(tap);
      result.values[i * spec.channels + c] = tap;
      raw += value(i) * value(i);
      result.squares += double(taps[i]) * double(taps[i]);
    }
    queue own = on;
    in.products.prepare(own, {taps.data(), 0, in.products.kernel_bytes()},
                        {result.spectra.data() + c * spectrum, 0, spectrum}, memory->workspace());
  }
  in.keep(std::move(memory));
  // The rounding of a mean is below 16 units in the last place.
  constexpr double rounding = 16 * std::numeric_limits<double>::epsilon();
  result.power = is_coefficient ? result.squares : raw;
  if (is_coefficient && result.power <= rounding * rounding * raw) result.power = 0;
  return result;
}

template <class Pixel>
void template_scores::impl::run_tiles(const scored_image<Pixel>& image,
                                      const operand_values<score_of<Pixel>>& part, double scale,
                                      const std::vector<double>& shifts) const {
  const std::size_t height = spec.image[0] - spec.templates[0] + 1;
  const std::size_t width = spec.image[1] - spec.templates[1] + 1;
  const std::size_t most_y = tile.result[0], most_x = tile.result[1];
  const std::size_t n_y = (height + most_y - 1) / most_y, n_x = (width + most_x - 1) / most_x;
  constexpr bool is_double = std::is_same_v<Pixel, double>;
  std::once_flag has_exact;
  scored_template first, exact;
  const auto in_exact = [&] { exact = prepared<double>(in_fp64(), part, scale, shifts); };
  if constexpr (is_double) {
    std::call_once(has_exact, in_exact);
  } else {
    first = prepared<float>(fp32, part, scale, shifts);
  }
  if (spec.is_normalised && (is_double ? exact : first).power == 0) {
    std::fill_n(image.scores, height * width,
                score_of<Pixel>(spec.kind == score_kind::sqdiff ? 1 : 0));
    return;
  }
  backend::run_on_host(n_y * n_x, [&](std::size_t i) {
    tile_place place{i / n_x * most_y, i % n_x * most_x};
    place.height = std::min(most_y, height - place.y);
    place.width = std::min(most_x, width - place.x);
    if constexpr (!is_double) {
      if (run_tile<float>(fp32, first, image, place)) return;
    }
    std::call_once(has_exact, in_exact);
    static_cast<void>(run_tile<double>(in_fp64(), exact, image, place));
  });
}

template <class Pixel>
void template_scores::impl::run(const Pixel* pixels, const score_of<Pixel>* taps,
                                score_of<Pixel>* out) const {
  operand_values<Pixel> image{pixels, spec.image[0] * spec.image[1], spec.channels};
  operand_values<score_of<Pixel>> part{taps, spec.templates[0] * spec.templates[1], spec.channels};
  if (!image.is_finite() || !part.is_finite()) {
    const std::size_t height = spec.image[0] - spec.templates[0] + 1;
    std::fill_n(out, height * (spec.image[1] - spec.templates[1] + 1),
                std::numeric_limits<score_of<Pixel>>::quiet_NaN());
    return;
  }
  int exponent = image.exponent(), of_part = part.exponent();
  const bool is_difference = spec.kind == score_kind::sqdiff;
  if (is_difference) exponent = of_part = std::max(exponent, of_part);
  scored_image<Pixel> scored;
  scored.pixels = pixels;
  scored.scores = out;
  scored.scale = std::ldexp(1.0, -exponent);
  scored.factor = std::ldexp(1.0, exponent + of_part);
  const double scale = std::ldexp(1.0, -of_part);
  image.rescale(scored.scale);
  part.rescale(scale);
  std::vector<double> shifts(spec.channels);
  scored.shifts = shifts;
  for (std::size_t c = 0; c < spec.channels && spec.kind != score_kind::ccorr; ++c) {
    scored.shifts[c] = image.near_mean(c);
    shifts[c] = is_difference ? scored.shifts[c] : part.mean(c);
  }
  scored.energy = is_difference ? 0 : image.energy(scored.shifts);
  run_tiles(scored, part, scale, shifts);
}

template_scores::template_scores(scores_spec spec) {
  require_valid(spec);
  impl_ = std::make_unique<const impl>(std::move(spec));
}
template_scores::template_scores(template_scores&&) noexcept = default;
template_scores& template_scores::operator=(template_scores&&) noexcept = default;
template_scores::~template_scores() = default;

const scores_spec& template_scores::spec() const {
  return require_owned(impl_, "template_scores").spec;
}
void template_scores::run(const float* image, const float* part, float* out) const {
  require_owned(impl_, "template_scores").run(image, part, out);
}
void template_scores::run(const std::uint8_t* image, const float* part, float* out) const {
  require_owned(impl_, "template_scores").run(image, part, out);
}
void template_scores::run(const double* image, const double* part, double* out) const {
  require_owned(impl_, "template_scores").run(image, part, out);
}

}  // namespace wingbeat
