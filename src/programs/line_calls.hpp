// SPDX-License-Identifier: Apache-2.0
// Functions that load and store the elements of inner transforms whose rows are lines of reals, in
// this process: one for each class of reductions.hpp and each type of number, instantiated once.
#pragma once

#include <complex>
#include <cstddef>  // size_t
#include <span>
#include <string>
#include <type_traits>  // conditional_t, is_same_v
#include <variant>      // monostate

#include "functors/callables.hpp"                   // call
#include "wingbeat/device/functors/real_lines.hpp"  // line_numbers, line_operands
#include "wingbeat/fusion.hpp"                      // host_load

namespace wingbeat::programs {

using device::functors::line_numbers;

/// The elements of lines that a request's callable (host_load or host_store) loads, stores or
/// multiplies. multiplied: elements that the loaded values multiply, or nullptr.
template <class Real, class Callable>
class called_elements {
  static constexpr bool loads = std::is_same_v<Callable, host_load>;

 public:
  using memory = std::conditional_t<loads, const void, void>;

  called_elements(const Callable& callable, std::size_t row_elements, const Real* multiplied,
                  memory* given_memory, const host_arguments& given)
      : callable_(callable),
        row_elements_(row_elements),
        multiplied_(multiplied),
        memory_(given_memory),
        given_(given) {}

  /// Calls the callable for elements from number `place` on; all are of one row.
  template <class Value>
  void call(std::size_t place, std::span<Value> values) const {
    const std::size_t row = (first_ + place) / row_elements_, i = (first_ + place) % row_elements_;
    wingbeat::call(callable_, memory_, given_, row, i, values);
    if constexpr (loads) {
      if (multiplied_ == nullptr) return;
      for (std::size_t j = 0; j < values.size(); ++j) values[j] *= multiplied_[first_ + place + j];
    }
  }
  [[nodiscard]] Real get(device::functors::distance place) const {
    Real value{};
    call(static_cast<std::size_t>(place), std::span{&value, 1});
    return value;
  }
  void put(device::functors::distance place, Real value) const {
    call(static_cast<std::size_t>(place), std::span<const Real>{&value, 1});
  }
  [[nodiscard]] called_elements from(std::size_t place) const {
    called_elements later = *this;
    later.first_ += place;
    return later;
  }

 private:
  const Callable& callable_;
  std::size_t row_elements_;
  const Real* multiplied_;
  memory* memory_;
  const host_arguments& given_;
  std::size_t first_ = 0;
};

/// A range of one row of the inner transform, which begins at `first`.
template <class Real>
struct row_part {
  const line_numbers& lines;
  const device::functors::line_operands<Real>& roots;
  std::size_t row = 0, first = 0;
};

/// Functions that load or store values. `memory` points at Reals, or at `called_elements`.
template <class Real, class Value>
using line_load = void (*)(const row_part<Real>& part, const void* memory, std::span<Value> values);
template <class Real, class Value>
using line_store = void (*)(const row_part<Real>& part, void* memory,
                            std::span<const Value> values);

template <class Call>
struct line_calls {
  Call memory, called;
};

/// The functions of a reduction; empty for reductions that no engine runs in this process.
template <class Real>
struct line_functions {
  std::variant<std::monostate, line_calls<line_load<Real, Real>>,
               line_calls<line_load<Real, std::complex<Real>>>>
      loads;
  std::variant<std::monostate, line_calls<line_store<Real, Real>>,
               line_calls<line_store<Real, std::complex<Real>>>>
      stores;
};

/// A class of reductions.hpp or diagonals.hpp.
struct line_reduction {
  std::string name;  ///< In kernel texts.
  line_functions<float> fp32 = {};
  line_functions<double> fp64 = {};

  template <class Real>
  [[nodiscard]] const line_functions<Real>& functions() const {
    if constexpr (std::is_same_v<Real, double>) {
      return fp64;
    } else {
      return fp32;
    }
  }
};

/// Returns the entry of a class of reductions.hpp.
template <class Reduction>
[[nodiscard]] const line_reduction& line_reduction_of();

/// Returns the entry of a class that only kernels use: of diagonals.hpp, or a half of
/// reductions.hpp.
template <class Reduction>
[[nodiscard]] const line_reduction& compiled_reduction_of();

}  // namespace wingbeat::programs
