// SPDX-License-Identifier: Apache-2.0
// Memory whose values say where they lie, and one thread of a workgroup at a time.
#pragma once

#include <gtest/gtest.h>

#include <cstddef>  // size_t
#include <limits>   // numeric_limits
#include <ostream>
#include <vector>

#include "wingbeat/device/complex.hpp"         // complex
#include "wingbeat/device/workgroup/team.hpp"  // team

namespace wingbeat::test {

using device::complex;

inline constexpr float no_number = std::numeric_limits<float>::quiet_NaN();

/// What a table of places shows where nothing is read.
inline constexpr float pad = -1;

/// Returns 1, 2 .. n: place k holds k + 1, so that a zero is no place.
inline std::vector<float> places(std::size_t n) {
  std::vector<float> memory(n);
  for (std::size_t k = 0; k < n; ++k) memory[k] = static_cast<float>(k + 1);
  return memory;
}

/// Returns k + i(-k) at k, for n complex numbers.
inline std::vector<complex<float>> complex_places(std::size_t n) {
  std::vector<complex<float>> memory(n);
  for (std::size_t k = 0; k < n; ++k) {
    memory[k] = {static_cast<float>(k + 1), -static_cast<float>(k + 1)};
  }
  return memory;
}

/// A load that fails the test if it is asked for anything beyond its elements.
struct within {
  const float* values;
  unsigned count;

  float operator()(unsigned i) const {
    EXPECT_LT(i, count) << "an element outside is asked for";
    return i < count ? values[i] : no_number;
  }
};

/// Stands for device memory of any size: place k holds k.
struct far_memory {
  std::size_t first;

  far_memory operator+(std::size_t n) const { return {first + n}; }
  std::size_t operator[](std::size_t k) const { return first + k; }
};

/// The thread of a number, in a workgroup of which nobody else is there.
struct lone_thread {
  unsigned id;

  unsigned thread() const { return id; }
  void barrier() const {}
  void subgroup_barrier() const {}
};

template <class Shape>
using lone_team =
    device::workgroup::team<Shape, device::workgroup::lanes::along_transform, lone_thread>;

/// Returns the places that a thread's elements come from, in its registers' order.
template <class Shape, class Load>
std::vector<float> places_of(unsigned thread, const Load& load) {
  std::vector<float> held;
  for (unsigned l = 0; l < Shape::elements_per_thread; ++l) {
    held.push_back(load(thread + l * Shape::threads) - 1);
  }
  return held;
}

/// Returns elements 0 .. n - 1 of a load.
template <class Load>
auto loaded(const Load& load, unsigned n) {
  std::vector<decltype(load(0u))> values;
  for (unsigned i = 0; i < n; ++i) values.push_back(load(i));
  return values;
}

}  // namespace wingbeat::test

namespace wingbeat::device {

inline bool operator==(complex<float> a, complex<float> b) {
  return a.re == b.re && a.im == b.im;
}
inline void PrintTo(complex<float> z, std::ostream* stream) {
  *stream << z.re << (z.im < 0 ? " - " : " + ") << (z.im < 0 ? -z.im : z.im) << "i";
}

}  // namespace wingbeat::device
