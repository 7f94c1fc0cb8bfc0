// SPDX-License-Identifier: Apache-2.0
// The two ends of a transform, memory or functors: loads its points and stores them.
#pragma once

#include <complex>
#include <cstddef>  // size_t
#include <span>
#include <vector>

#include "backend/backend.hpp"          // run
#include "functors/callables.hpp"       // call
#include "reference/root_of_unity.hpp"  // row
#include "reference/stored.hpp"         // load_number, store_number
#include "request/resolved.hpp"         // resolved_spec

namespace wingbeat::reference {

/// Calls visit(point, unit) for each element of `side` that is in memory, from axis `a` on. `unit`
/// counts from the start of the buffer; `point` is the element's number if rows are `row_length`
/// apart, as the points of a half spectrum are too.
template <class Visit>
void visit_elements(const arrays::array& side, std::size_t row_length, std::size_t a,
                    std::size_t point, std::size_t unit, const Visit& visit) {
  if (a == side.axes.size()) return visit(point, unit);
  const arrays::axis& along = side.axes[a];
  const std::size_t length = a + 1 == side.axes.size() ? row_length : along.length;
  for (std::size_t i = along.valid.first; i < along.valid.end; ++i) {
    visit_elements(side, row_length, a + 1, point * length + i, unit + i * along.stride, visit);
  }
}

/// Returns where transform `number` starts; numbers run over all batch dimensions.
inline std::size_t first_unit(const arrays::array& side, std::size_t number) {
  std::size_t unit = 0 - side.lead();  // modulo 2^64
  for (auto batch = side.batches.rbegin(); batch != side.batches.rend(); ++batch) {
    unit += number % batch->count * batch->distance;
    number /= batch->count;
  }
  return unit;
}

/// Reads and writes the points of one transform at a time.  // points: [i0][i1][i2], whole axes
class ends {
 public:
  /// Both arguments outlive this.
  ends(const request::resolved_spec& request, const backend::run& given)
      : spec_(request.spec), given_(given), in_(request.in), out_(request.out) {}

  /// Fills `points` from the input; 0 if nothing is in memory.
  void load(const char* in, std::size_t number, row<long double>& points) const {
    points.assign(points.size(), 0);
    if (spec_.load.is_given()) {
      const bool is_wide = spec_.real == precision::fp64;
      if (in_.is_real())
        return is_wide ? call<double>(in, number, points)  //
                       : call<float>(in, number, points);
      return is_wide ? call<std::complex<double>>(in, number, points)
                     : call<std::complex<float>>(in, number, points);
    }
    const precision stored = in_.stored;
    const std::size_t bytes = in_.unit_bytes(), im_bytes = bytes_to_imaginary(in_);
    visit_elements(
        in_, row_length(), 0, 0, first_unit(in_, number), [&](std::size_t point, std::size_t unit) {
          const char* const address = in + unit * bytes;
          const auto re = load_number(address, stored);
          points[point] = {re, in_.is_real() ? 0 : load_number(address + im_bytes, stored)};
        });
  }

  /// Multiplies a row of a transform from reals to reals by the factors of its multiplier.
  void multiply(std::size_t number, row<long double>& points) const {
    if (spec_.real == precision::fp64) return multiply_as<double>(number, points);
    multiply_as<float>(number, points);
  }

  /// Writes the points that are output, times `scale`.
  void store(const row<long double>& points, long double scale, char* out,
             std::size_t number) const {
    if (spec_.store.is_given()) {
      const bool is_wide = spec_.real == precision::fp64;
      if (out_.is_real())
        return is_wide ? hand_on<double>(points, scale, out, number)
                       : hand_on<float>(points, scale, out, number);
      return is_wide ? hand_on<std::complex<double>>(points, scale, out, number)
                     : hand_on<std::complex<float>>(points, scale, out, number);
    }
    const precision stored = out_.stored;
    const std::size_t bytes = out_.unit_bytes(), im_bytes = bytes_to_imaginary(out_);
    visit_elements(out_, row_length(), 0, 0, first_unit(out_, number),
                   [&](std::size_t point, std::size_t unit) {
                     char* const address = out + unit * bytes;
                     const auto z = scale * points[point];
                     store_number(address, stored, z.real());
                     if (!out_.is_real()) store_number(address + im_bytes, stored, z.imag());
                   });
  }

 private:
  [[nodiscard]] std::size_t row_length() const { return spec_.lengths.back(); }

  static std::size_t bytes_to_imaginary(const arrays::array& side) {
    return (side.has_parts ? side.parts_distance : 1) * side.real_bytes();
  }

  /// Calls visit(point, i) for each element i that a functor loads or stores.
  template <class Visit>
  void visit_numbered(const arrays::array& side, const Visit& visit) const {
    std::size_t i = 0;
    visit_elements(side, row_length(), 0, 0, 0,
                   [&](std::size_t point, std::size_t) { visit(point, i++); });
  }

  template <class Real>
  void multiply_as(std::size_t number, row<long double>& points) const {
    std::vector<Real> factors(points.size());
    const host_arguments operands{spec_.multiplier.operands, given_.multiplier};
    wingbeat::call(spec_.multiplier.callable, static_cast<const void*>(nullptr), operands, number,
                   0, std::span{factors});
    for (std::size_t i = 0; i < points.size(); ++i) points[i] *= factors[i];
  }

  template <class Value>
  void call(const char* in, std::size_t number, row<long double>& points) const {
    std::vector<Value> loaded(in_.valid_elements());
    wingbeat::call(spec_.load.callable, in, {spec_.load.operands, given_.load}, number, 0,
                   std::span{loaded});
    visit_numbered(in_, [&](std::size_t point, std::size_t i) { points[point] = loaded[i]; });
  }

  template <class Value>
  void hand_on(const row<long double>& points, long double scale, char* out,
               std::size_t number) const {
    std::vector<Value> values(out_.valid_elements());
    visit_numbered(out_, [&](std::size_t point, std::size_t i) {
      const auto z = scale * points[point];
      if constexpr (requires(Value value) { value.imag(); }) {
        values[i] = Value(z);
      } else {
        values[i] = static_cast<Value>(z.real());
      }
    });
    wingbeat::call(spec_.store.callable, out, {spec_.store.operands, given_.store}, number, 0,
                   std::span<const Value>{values});
  }

  const plan_spec& spec_;
  const backend::run& given_;
  const arrays::array &in_, &out_;
};

}  // namespace wingbeat::reference
