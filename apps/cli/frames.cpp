// SPDX-License-Identifier: Apache-2.0
#include "cli/frames.hpp"

#include <algorithm>  // max
#include <cmath>      // ilogb, ldexp, nearbyint, sqrt
#include <complex>
#include <cstring>  // memcpy
#include <limits>   // numeric_limits

#include "cli/samples.hpp"     // pack, round_to
#include "text/formatted.hpp"  // formatted

namespace wingbeat::cli {
namespace {

/// Reads frames. {0} places of the window, an even number, so that complex means need no padding;
/// {1} type of a real; {2} type of an element; {3} frames per row; {4}, {5} distances of rows' and
/// frames' first samples; {6} the weighted difference; {7} number of all frames.
constexpr const char* load_text = R"(
#include "wingbeat/device/complex.hpp"
namespace wd = wingbeat::device;
struct weighted_frames {{
  using element = {2};
  struct parameters {{ {1} window[{0}]; {2} means[{7}]; }};
  static constexpr bool in_order = false;
  WINGBEAT_FN static element load(WINGBEAT_GLOBAL const element* in,
                                  WINGBEAT_GLOBAL const parameters& fixed, wd::size row,
                                  wd::size i) {{
    const {1} w = fixed.window[i];
    const element x = in[row / {3} * {4} + row % {3} * {5} + i], mean = fixed.means[row];
    return {6};
  }}
}};
)";

/// Stores powers. {0} number of bins; {1} type of a real; {2} points of a frame. The edges and the
/// bins between them have separate scales.
constexpr const char* store_text = R"(
#include "wingbeat/device/complex.hpp"
namespace wd = wingbeat::device;
struct powers {{
  using element = {1};
  struct parameters {{ {1} edge, between; }};
  WINGBEAT_FN static void store(WINGBEAT_GLOBAL element* out,
                                WINGBEAT_GLOBAL const parameters& fixed, wd::size row, wd::size k,
                                wd::complex<{1}> z) {{
    const bool is_edge = k == 0 || 2 * k == {2};
    out[row * {0} + k] = (is_edge ? fixed.edge : fixed.between) * (z.re * z.re + z.im * z.im);
  }}
}};
)";

const char* type_of(precision real) {
  return real == precision::fp64 ? "double" : "float";
}

/// Returns the weighted value with one rounding each for difference and product.
template <class Real>
Real weighted(Real weight, Real x, Real mean) {
  return weight * (x - mean);
}
template <class Real>
std::complex<Real> weighted(Real weight, std::complex<Real> x, std::complex<Real> mean) {
  return {weight * (x.real() - mean.real()), weight * (x.imag() - mean.imag())};
}

template <class Value, class Real>
run_reader<Value> reader(const frame_layout& layout, const frame_weights& weights) {
  const std::vector<Real> window(weights.window.begin(), weights.window.end());
  const std::vector<Real> values(weights.means.begin(), weights.means.end());
  std::vector<Value> means(layout.n_transforms());
  std::memcpy(static_cast<void*>(means.data()), values.data(), values.size() * sizeof(Real));
  return [layout, window, means](const void* in, std::size_t row, std::size_t first,
                                 std::span<Value> into) {
    const Value* const frame =
        static_cast<const Value*>(in) + layout.first_number(row) / layout.width();
    for (std::size_t i = 0; i < into.size(); ++i) {
      into[i] = weighted(window[first + i], frame[first + i], means[row]);
    }
  };
}

template <class Real>
run_writer<std::complex<Real>> writer(const frame_layout& layout, Real edge, Real between) {
  const std::size_t n_bins = layout.n_bins();
  return [layout, n_bins, edge, between](void* out, std::size_t row, std::size_t first,
                                         std::span<const std::complex<Real>> values) {
    Real* const powers = static_cast<Real*>(out) + row * n_bins;
    for (std::size_t k = first; const auto& z : values) {
      const bool is_edge = k == 0 || 2 * k == layout.length;
      powers[k++] = (is_edge ? edge : between) * (z.real() * z.real() + z.imag() * z.imag());
    }
  };
}

}  // namespace

std::vector<double> frame_means(const frame_layout& layout, const std::vector<double>& samples,
                                precision real, bool are_removed) {
  std::vector<double> means(layout.n_transforms() * layout.width());
  if (!are_removed) return means;
  const double unit_roundoff = real == precision::fp64 ? 0x1p-53 : 0x1p-24;
  for (std::size_t f = 0; f < layout.n_transforms(); ++f) {
    for (std::size_t part = 0; part < layout.width(); ++part) {
      double sum = 0, largest = 0;
      for (std::size_t i = 0; i < layout.length; ++i) {
        const double x = samples[layout.first_number(f) + i * layout.width() + part];
        sum += x;
        largest = std::max(largest, std::abs(x));
      }
      // A multiple of the last place of the largest sample, so that differences of samples with
      // few bits are exact: their roundings would have one sign, and add up in bin 0.
      const double last_place = std::ldexp(2 * unit_roundoff, std::ilogb(largest));
      const double mean = sum / static_cast<double>(layout.length);
      means[f * layout.width() + part] =
          last_place > 0 ? std::nearbyint(mean / last_place) * last_place : mean;
    }
  }
  round_to(real, means);
  return means;
}

fused_load load_of(const frame_layout& layout, const frame_weights& weights, precision real) {
  const std::string number = type_of(real);
  const std::string element = layout.is_real ? number : formatted("wd::complex<{}>", number);
  const char* const difference =
      layout.is_real ? "w * (x - mean)" : "{w * (x.re - mean.re), w * (x.im - mean.im)}";
  const std::size_t real_bytes = real == precision::fp64 ? 8 : 4;
  fused_load load;
  load.in_bytes = layout.n_rows * layout.row_length * layout.width() * real_bytes;
  load.element_bytes = layout.width() * real_bytes;
  std::vector<double> values = weights.window;
  values.resize((values.size() + 1) / 2 * 2);
  load.source.text = formatted(load_text, values.size(), number, element, layout.n_frames,
                               layout.row_length, layout.hop, difference, layout.n_transforms());
  load.source.type = "weighted_frames";
  values.insert(values.end(), weights.means.begin(), weights.means.end());
  load.source.parameters = pack(values, real);
  if (real == precision::fp64) {
    load.callable = layout.is_real
                        ? host_load{reader<double, double>(layout, weights)}
                        : host_load{reader<std::complex<double>, double>(layout, weights)};
  } else {
    load.callable = layout.is_real ? host_load{reader<float, float>(layout, weights)}
                                   : host_load{reader<std::complex<float>, float>(layout, weights)};
  }
  return load;
}

fused_store store_of(const frame_layout& layout, double scale, precision real) {
  const double between = layout.is_real ? 2 * scale : scale;
  const std::size_t real_bytes = real == precision::fp64 ? 8 : 4;
  fused_store store;
  store.out_bytes = layout.n_transforms() * layout.n_bins() * real_bytes;
  store.element_bytes = real_bytes;
  store.source.text = formatted(store_text, layout.n_bins(), type_of(real), layout.length);
  store.source.type = "powers";
  store.source.parameters = pack(std::vector<double>{scale, between}, real);
  if (real == precision::fp64) {
    store.callable = writer<double>(layout, scale, between);
  } else {
    store.callable = writer<float>(layout, static_cast<float>(scale), static_cast<float>(between));
  }
  return store;
}

double floor_of_powers(double scale, precision real) {
  const double smallest = real == precision::fp64 ? std::numeric_limits<double>::min()
                                                  : std::numeric_limits<float>::min();
  return std::sqrt(smallest * (3 + 1 / scale));  // two squares and their sum, then the product
}

verify::byte_reader reader_of(const frame_layout& layout, const frame_weights& weights,
                              const std::vector<double>& samples) {
  return [&layout, &weights, &samples](std::size_t offset, std::span<std::byte> into) {
    const std::size_t width = layout.width(), frame_numbers = layout.length * width;
    std::size_t frame = offset / sizeof(double) / frame_numbers;
    std::size_t i = offset / sizeof(double) % frame_numbers, first = layout.first_number(frame);
    for (std::size_t written = 0; written < into.size(); written += sizeof(double)) {
      const std::size_t part = width == 2 ? i % 2 : 0;
      const double value = weighted(weights.window[width == 2 ? i / 2 : i], samples[first + i],
                                    weights.means[frame * width + part]);
      std::memcpy(into.data() + written, &value, sizeof value);
      if (++i < frame_numbers) continue;
      i = 0;
      if (++frame < layout.n_transforms()) first = layout.first_number(frame);
    }
  };
}

}  // namespace wingbeat::cli
