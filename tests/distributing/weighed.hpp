// SPDX-License-Identifier: Apache-2.0
// Functors that weigh complex numbers by the numbers they have in the whole array, of which a rank
// has a box.
#pragma once

#include <complex>
#include <cstddef>  // size_t
#include <span>
#include <vector>

#include "distributing/boxes.hpp"  // distances_of
#include "wingbeat/plan.hpp"       // plan_spec, kernel_argument

namespace wingbeat::test {

/// Where element i of row `row` lies: index a along an axis is i / divisor % length.
struct weighed_place {
  static constexpr std::size_t n_values = 14;
  std::size_t row, row_stride, divisor[3], length[3], first[3], stride[3];

  [[nodiscard]] std::size_t of(std::size_t at_row, std::size_t i) const {
    std::size_t place = (at_row - row) * row_stride;
    for (int a = 0; a < 3; ++a) place += (i / divisor[a] % length[a] - first[a]) * stride[a];
    return place;
  }
};

/// Returns the operands of a box of [batch][axes..] elements, of an array of such. Of bins of one
/// axis k1 + N1 k2, boxes have [batch][k1][k2], and one device has them in order.
inline std::vector<kernel_argument> place_in(const box& part, const box& whole,
                                             bool are_bins_of_one_axis, bool is_alone) {
  const std::vector<std::size_t> strides = distributing::distances_of(part);
  weighed_place place{part.lower[0], strides[0], {1, 1, 1}, {1, 1, 1}, {}, {}};
  const std::size_t n_axes = whole.lower.size() - 1;
  std::size_t divisor = 1;
  for (std::size_t i = 0; i < n_axes; ++i) {
    const std::size_t axis = are_bins_of_one_axis ? i : n_axes - 1 - i;
    place.divisor[axis] = divisor;
    place.length[axis] = whole.length(axis + 1);
    place.first[axis] = part.lower[axis + 1] - whole.lower[axis + 1];
    place.stride[axis] = are_bins_of_one_axis && is_alone ? divisor : strides[axis + 1];
    divisor *= whole.length(axis + 1);
  }
  std::vector<kernel_argument> values{place.row, place.row_stride};
  for (const auto* each : {&place.divisor, &place.length, &place.first, &place.stride}) {
    for (const std::size_t value : *each) values.emplace_back(value);
  }
  return values;
}

inline weighed_place place_from(const host_arguments& given) {
  std::size_t next = 0;
  const auto value = [&] { return given.value<std::size_t>(next++); };
  weighed_place place{};
  place.row = value();
  place.row_stride = value();
  for (auto* each : {&place.divisor, &place.length, &place.first, &place.stride}) {
    for (std::size_t& number : *each) number = value();
  }
  return place;
}

inline float weight_of(std::size_t row, std::size_t i) {
  return static_cast<float>(1 + (row * 3 + i) % 7);
}

inline constexpr const char* weighing_text = R"(
#include "wingbeat/device/complex.hpp"
struct weighs {
  using size = wingbeat::device::size;
  using element = wingbeat::device::complex<float>;
  struct operands {
    size row, row_stride, d0, d1, d2, n0, n1, n2, f0, f1, f2, s0, s1, s2;
  };
  WINGBEAT_FN static size place(operands p, size row, size i) {
    return (row - p.row) * p.row_stride + (i / p.d0 % p.n0 - p.f0) * p.s0 +
           (i / p.d1 % p.n1 - p.f1) * p.s1 + (i / p.d2 % p.n2 - p.f2) * p.s2;
  }
  WINGBEAT_FN static float weight(size row, size i) { return float(1 + (row * 3 + i) % 7); }
  WINGBEAT_FN static element load(WINGBEAT_GLOBAL const element* in, operands given, size row,
                                  size i) {
    const size at = place(given, row, i);
    return element{in[at].re * weight(row, i), in[at].im * weight(row, i)};
  }
  WINGBEAT_FN static void store(WINGBEAT_GLOBAL element* out, operands given, size row, size i,
                                element z) {
    const size at = place(given, row, i);
    out[at].re = z.re * weight(row, i);
    out[at].im = z.im * weight(row, i);
  }
};
)";

/// Gives a transform of complex numbers such functors. in_count, out_count: elements in memory.
inline void weigh(plan_spec& spec, bool at_load, bool at_store, std::size_t in_count,
                  std::size_t out_count) {
  using complex = std::complex<float>;
  const auto has = [&](auto& functor) {
    functor.element_bytes = sizeof(complex);
    functor.source = {.text = weighing_text, .type = "weighs"};
    functor.operands.assign(weighed_place::n_values, kernel_parameter::value<std::size_t>());
  };
  if (at_load) {
    has(spec.load);
    spec.load.in_bytes = in_count * sizeof(complex);
    spec.load.callable =
        operand_reader<complex>([](const void* in, const host_arguments& given, std::size_t row,
                                   std::size_t first, std::span<complex> values) {
          const weighed_place place = place_from(given);
          for (std::size_t i = 0; i < values.size(); ++i) {
            values[i] = static_cast<const complex*>(in)[place.of(row, first + i)] *
                        weight_of(row, first + i);
          }
        });
  }
  if (at_store) {
    has(spec.store);
    spec.store.out_bytes = out_count * sizeof(complex);
    spec.store.callable =
        operand_writer<complex>([](void* out, const host_arguments& given, std::size_t row,
                                   std::size_t first, std::span<const complex> values) {
          const weighed_place place = place_from(given);
          for (std::size_t i = 0; i < values.size(); ++i) {
            static_cast<complex*>(out)[place.of(row, first + i)] =
                values[i] * weight_of(row, first + i);
          }
        });
  }
}

}  // namespace wingbeat::test
