// SPDX-License-Identifier: Apache-2.0
// Lines of reals, one in each lane, to rows of complex numbers and back: what the reductions of
// device/functors do, with vectors for numbers.
#pragma once

#include "backend/host/lanes/simd.hpp"    // simd
#include "backend/host/line_kernels.hpp"  // lane_lines
#include "wingbeat/device/real.hpp"       // separate, combine

namespace wingbeat::backend::host::WINGBEAT_HOST_ISA {

/// The lines as a reduction sees them. `IsWhole`: all elements are in memory and none has an edge.
template <bool IsWhole, class V>
class lane_line {
  using Real = typename V::Real;

 public:
  WINGBEAT_LANES explicit lane_line(const lane_lines<Real>& lines) : lines_(lines) {}

  WINGBEAT_LANES size_t length() const { return lines_.length; }
  WINGBEAT_LANES V get(size_t k, bool is_from_end = false) const {
    const size_t j = is_from_end ? lines_.length - 1 - k : k, i = index_of(j);
    if (!IsWhole && (i < lines_.first || i >= lines_.end)) return V{0.0};
    return changed(j, i, load<V>(lines_.in + (i - lines_.origin) * lines_.pitch));
  }
  WINGBEAT_LANES void put(size_t j, V value, bool is_from_end = false) const {
    const size_t k = is_from_end ? lines_.length - 1 - j : j, i = index_of(k);
    if (!IsWhole && (i < lines_.first || i >= lines_.end)) return;
    store(lines_.out + (i - lines_.origin) * lines_.pitch, changed(k, i, value));
  }
  WINGBEAT_LANES lanes<V> root(size_t e) const { return broadcast<V>(lines_.roots + 2 * e); }

 private:
  WINGBEAT_LANES size_t index_of(size_t j) const {
    return lines_.is_reversed ? lines_.length - 1 - j : j;
  }
  WINGBEAT_LANES V changed(size_t j, size_t i, V value) const {
    if (lines_.is_alternating && j % 2 == 1) value = -value;
    if constexpr (IsWhole) return value;
    const bool is_edge =
        (lines_.has_first_edge && i == 0) || (lines_.has_last_edge && i == lines_.length - 1);
    return is_edge ? value * V{lines_.edge} : value;
  }

  lane_lines<Real> lines_;
};

/// Calls work(line) with the lines in their form.
template <class V, class Work>
WINGBEAT_LANES void with_line(const lane_lines<typename V::Real>& lines, Work work) {
  const bool is_whole = lines.first == 0 && lines.end == lines.length && lines.origin == 0;
  if (is_whole && !lines.has_first_edge && !lines.has_last_edge) {
    return work(lane_line<true, V>{lines});
  }
  work(lane_line<false, V>{lines});
}

/// The type that a reduction loads: a V, a complex number of the inner transform, or a bin of it.
template <class Reduction, class Line, class V>
constexpr bool loads_reals = !requires(const Line& line) {
  Reduction::template load<V>(line, 0).re;
};
template <class Reduction>
constexpr bool loads_bins = requires {
  Reduction::stores_reals;
};

/// line_kernel::load
template <class Reduction, class V>
[[gnu::flatten]] void load_lines(const lane_lines<typename V::Real>& lines) {
  constexpr size_t row = 2 * V::width;
  const size_t n = lines.points, half = n / 2;
  auto* const tile = lines.tile;
  with_line<V>(lines, [&](const auto& line) {
    const auto value = [&](size_t i) { return Reduction::template load<V>(line, i); };
    const auto put = [&](size_t j, lanes<V> z) { store_placed<false, V>(tile + row * j, z); };
    if constexpr (loads_bins<Reduction>) {
      if (n % 2 == 1) {
        for (size_t k = 0; k <= half; ++k) {
          const lanes<V> bin = value(k);
          put(k, bin);
          if (k > 0) put(n - k, device::conj(bin));
        }
        return;
      }
      const V first = value(0).re, last = value(half).re;
      put(0, {first + last, first - last});
      for (size_t k = 1; 2 * k <= half; ++k) {
        const auto z =
            device::real::combine(value(k), value(half - k), broadcast<V>(lines.packing + 2 * k));
        put(k, z.first);
        put(half - k, z.second);
      }
    } else if constexpr (loads_reals<Reduction, decltype(line), V>) {
      if (n % 2 == 1) {
        for (size_t j = 0; j < n; ++j) put(j, {value(j), V{0.0}});
      } else {
        for (size_t j = 0; j < half; ++j) put(j, {value(2 * j), value(2 * j + 1)});
      }
    } else {
      for (size_t j = 0; j < n; ++j) put(j, value(j));
    }
  });
}

/// line_kernel::store
template <class Reduction, class V>
[[gnu::flatten]] void store_lines(const lane_lines<typename V::Real>& lines) {
  constexpr size_t row = 2 * V::width;
  const size_t n = lines.points, half = n / 2;
  const auto* const tile = lines.tile;
  with_line<V>(lines, [&](const auto& line) {
    const auto take = [&](size_t i, auto value) { Reduction::template store<V>(line, i, value); };
    const auto row_at = [&](size_t j) { return load_placed<false, V>(tile + row * j); };
    if constexpr (loads_bins<Reduction>) {
      if (n % 2 == 1) {
        for (size_t j = 0; j < n; ++j) take(j, row_at(j).re);
        return;
      }
      for (size_t j = 0; j < half; ++j) {
        const lanes<V> z = row_at(j);
        take(2 * j, z.re);
        take(2 * j + 1, z.im);
      }
    } else if constexpr (loads_reals<Reduction, decltype(line), V>) {
      if (n % 2 == 1) {
        for (size_t k = 0; k <= half; ++k) take(k, row_at(k));
        return;
      }
      const lanes<V> sum = row_at(0) + row_at(0);
      take(0, lanes<V>{sum.re + sum.im, V{0.0}});
      take(half, lanes<V>{sum.re - sum.im, V{0.0}});
      for (size_t k = 1; 2 * k <= half; ++k) {
        const auto bins = device::real::separate(row_at(k), row_at(half - k),
                                                 broadcast<V>(lines.packing + 2 * k), V{1.0});
        take(k, bins.first);
        if (2 * k < half) take(half - k, bins.second);
      }
    } else {
      for (size_t k = 0; k < n; ++k) take(k, row_at(k));
    }
  });
}

}  // namespace wingbeat::backend::host::WINGBEAT_HOST_ISA
