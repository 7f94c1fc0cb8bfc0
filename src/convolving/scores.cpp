// SPDX-License-Identifier: Apache-2.0
#include "convolving/scores.hpp"

#include <bit>  // bit_cast
#include <limits>

#include "arrays/array.hpp"                    // bytes_of_real
#include "device_functor.hpp"                  // device_functor
#include "wingbeat/device/functors/score.hpp"  // score

namespace wingbeat::convolving {
namespace {

constexpr std::uint32_t sign = 0x80000000U;

device::functors::score_windows windows_of(const axis_geometry& axis) {
  return {.places = axis.result(),
          .length = axis.kernel,
          .image_begin = axis.image_at,
          .image_end = axis.image_at + axis.image};
}

template <class Real, class Sum>
fused_store store_of(const kept_scores& kept) {
  const device::functors::score_numbers numbers{.y = windows_of(kept.axes[0]),
                                                .x = windows_of(kept.axes[1]),
                                                .is_shared = kept.templates > 1,
                                                .has_sums = kept.has_sums,
                                                .has_counts = kept.has_counts,
                                                .is_normalised = kept.is_normalised,
                                                .has_rim = kept.has_rim()};
  return device_functor<device::functors::score<Real, Sum>>{numbers}.template store<Real>();
}

}  // namespace

float score_key::score() const {
  if (key == 0) return -std::numeric_limits<float>::infinity();
  const auto ascending = static_cast<std::uint32_t>(key >> 32);
  return std::bit_cast<float>((ascending & sign) != 0 ? ascending & ~sign : ~ascending);
}

std::uint32_t score_key::number() const {
  return no_template - static_cast<std::uint32_t>(key);
}

bool kept_scores::has_rim() const {
  if (!is_normalised) return false;
  for (const axis_geometry& axis : axes) {
    if (axis.image_at > 0 || axis.result() + axis.kernel - 1 > axis.image) return true;
  }
  return false;
}

std::size_t kept_scores::rim_reals() const {
  return (axes[0].kernel + 1) * (axes[1].kernel + 1);
}

score_bytes bytes_of_template(const kept_scores& kept) {
  const std::size_t real_bytes = bytes_of_real(kept.real);
  const std::size_t sum_bytes = kept.has_fp64_sums ? sizeof(double) : sizeof(float);
  const std::size_t keys = kept.places() * sizeof(std::uint64_t);
  std::size_t always = keys;
  if (kept.has_sums) always += 2 * kept.places() * 2 * sum_bytes;  // read and written
  if (kept.is_normalised) always += kept.places() * real_bytes;
  if (kept.has_rim()) always += kept.rim_reals() * real_bytes;
  const std::size_t counts = kept.has_counts ? 2 * kept.places() * sizeof(std::uint32_t) : 0;
  return {.most = always + keys + counts, .always = always};
}

fused_store score_store(const kept_scores& kept) {
  fused_store store = kept.real == precision::fp64 ? store_of<double, double>(kept)
                      : kept.has_fp64_sums         ? store_of<float, double>(kept)
                                                   : store_of<float, float>(kept);
  store.out_bytes = kept.places() * sizeof(std::uint64_t);
  store.moved_bytes = kept.templates * bytes_of_template(kept).most;
  return store;
}

std::vector<kernel_argument> score_arguments(const kept_scores& kept, std::uint32_t first,
                                             const score_memory& memory) {
  const auto real = [&](double value) {
    return kept.real == precision::fp64 ? kernel_argument{value}
                                        : kernel_argument{static_cast<float>(value)};
  };
  std::vector<kernel_argument> all{first};
  if (kept.has_sums) all.emplace_back(memory.moments);
  if (kept.has_counts) {
    all.emplace_back(memory.counts);
    all.push_back(real(memory.threshold));
  }
  if (kept.is_normalised) all.emplace_back(memory.inverse_norms);
  if (kept.has_rim()) {
    all.emplace_back(memory.rim);
    all.push_back(real(memory.mean));
  }
  return all;
}

}  // namespace wingbeat::convolving
