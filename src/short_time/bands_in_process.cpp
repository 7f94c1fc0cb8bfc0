// SPDX-License-Identifier: Apache-2.0
#include "short_time/bands_in_process.hpp"

#include <algorithm>  // copy_n, fill_n, max, min
#include <complex>
#include <cstddef>  // size_t
#include <memory>   // make_shared
#include <span>
#include <vector>

#include "backend/frame_rows.hpp"    // band_quad, host_frame_rows
#include "short_time/tables.hpp"     // phase_of
#include "system/thread_memory.hpp"  // thread_memory

namespace wingbeat::short_times {
namespace {

using backend::band_quad;

struct band {
  std::size_t first = 0, count = 0;  ///< From its first bin with a weight to its last.
};

/// The bands by fours, which `frame_rows::sum` takes.
struct band_table {
  explicit band_table(const short_time_spec& spec) {
    const std::size_t n_bins = spec.bins(), n_bands = spec.features.bands;
    const auto row_of = [&](std::size_t b) { return spec.features.weights.data() + b * n_bins; };
    for (std::size_t b = 0; b < n_bands; ++b) {
      std::size_t first = 0, end = n_bins;
      while (first < end && row_of(b)[first] == 0) ++first;
      while (end > first && row_of(b)[end - 1] == 0) --end;
      bands.push_back({first, end - first});
    }
    for (std::size_t begin = 0; begin < n_bands; begin += 4) {
      const std::size_t n = std::min<std::size_t>(4, n_bands - begin);
      band_quad quad;
      for (std::size_t b = 0; b < n; ++b) {
        quad.first[b] = bands[begin + b].first;
        quad.steps = std::max(quad.steps, (bands[begin + b].count + 3) / 4);
      }
      for (std::size_t step = 0; step < quad.steps; ++step) {
        for (std::size_t b = 0; b < 4; ++b) {
          for (std::size_t k = 4 * step; k < 4 * step + 4; ++k) {
            const bool is_there = b < n && k < bands[begin + b].count;
            weights.push_back(is_there ? static_cast<float>(row_of(begin + b)[quad.first[b] + k])
                                       : 0.0F);
          }
        }
      }
      padding = std::max(padding, 4 * quad.steps);
      quads.push_back(quad);
    }
  }

  std::vector<band> bands;
  std::vector<band_quad> quads;
  std::vector<float> weights;
  std::size_t padding = 0;  ///< Zeros behind the powers that quads may read.
};

struct band_levels {
  std::shared_ptr<const band_table> table;
  spectrum_features features;

  void operator()(void* out, std::size_t row, std::size_t,
                  std::span<const std::complex<float>> bins) const {
    const backend::frame_rows& loops = backend::host_frame_rows();
    const std::size_t n_levels = 4 * table->quads.size();
    const thread_memory memory{(n_levels + bins.size() + table->padding) * sizeof(float)};
    float* const levels = memory.values<float>().data();
    float* const powers = levels + n_levels;
    const bool are_finite =
        loops.square(reinterpret_cast<const float*>(bins.data()), powers, bins.size());
    std::fill_n(powers + bins.size(), table->padding, 0.0F);
    loops.sum(table->quads.data(), table->quads.size(), table->weights.data(), powers, levels);
    if (!are_finite) sum_alone(powers, levels);
    if (features.has_log) {
      loops.log(levels, features.bands, static_cast<float>(features.floor),
                static_cast<float>(features.offset), static_cast<float>(features.gain),
                static_cast<float>(features.shift));
    }
    std::copy_n(levels, features.bands, static_cast<float*>(out) + row * features.bands);
  }

 private:
  /// Sums the bins of each band alone, because 0 times what is not finite is NaN.
  void sum_alone(const float* powers, float* sums) const {
    const float* weights = table->weights.data();
    for (std::size_t b = 0; b < table->bands.size(); ++b) {
      const band& own = table->bands[b];
      sums[b] = 0;
      for (std::size_t k = 0; k < own.count; ++k) {
        sums[b] += weights[16 * (k / 4) + 4 * (b % 4) + k % 4] * powers[own.first + k];
      }
      if (b % 4 == 3) weights += 16 * table->quads[b / 4].steps;
    }
  }
};

}  // namespace

std::optional<fused_store> bands_in_process(const short_time_spec& spec) {
  const spectrum_features& features = spec.features;
  const bool is_changed =
      features.power_floor != 0 || features.power_offset != 0 || features.is_one_sided;
  if (features.exponent != 2 || is_changed || phase_of(spec) != 0) return std::nullopt;
  if (spec.real() != precision::fp32) return std::nullopt;
  band_levels levels{std::make_shared<const band_table>(spec), features};
  levels.features.weights = {};
  return fused_store{.element_bytes = sizeof(float),
                     .callable = run_writer<std::complex<float>>{std::move(levels)},
                     .row_outputs = features.bands};
}

}  // namespace wingbeat::short_times
