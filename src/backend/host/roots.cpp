// SPDX-License-Identifier: Apache-2.0
#include "backend/host/roots.hpp"

#include <bit>      // bit_width
#include <cmath>    // sin, cos
#include <numbers>  // pi_v

namespace wingbeat::backend::host {
namespace {

/// sin and cos see angles up to pi/4 only, so that w^(N/8) and its like come out symmetric.
roots::root root_of_unity(std::size_t k, std::size_t order) {
  const std::size_t octant = 8 * k / order;
  const std::size_t rest = 8 * k - octant * order;  // angle within the octant: rest / order * pi/4
  const bool is_odd = octant % 2 != 0;
  const auto unit = std::numbers::pi_v<long double> / 4;
  const auto angle = unit * static_cast<long double>(is_odd ? order - rest : rest) /
                     static_cast<long double>(order);
  const long double c = is_odd ? std::sin(angle) : std::cos(angle);
  const long double s = is_odd ? std::cos(angle) : std::sin(angle);
  switch (octant / 2) {  // quarter turns, clockwise
    case 0: return {c, -s};
    case 1: return {-s, -c};
    case 2: return {-c, s};
    default: return {s, c};
  }
}

}  // namespace

roots::roots(std::size_t order)
    : order_(order), low_bits_((static_cast<unsigned>(std::bit_width(order)) - 1) / 2) {
  const std::size_t n_low = std::size_t{1} << low_bits_;
  for (std::size_t k = 0; k < n_low; ++k) low_.push_back(root_of_unity(k, order));
  for (std::size_t k = 0; k < order; k += n_low) high_.push_back(root_of_unity(k, order));
}

roots::root roots::at(std::size_t k) const noexcept {
  const bool is_power_of_two = (order_ & (order_ - 1)) == 0;
  k = is_power_of_two ? k & (order_ - 1) : k % order_;
  const root& a = high_[k >> low_bits_];
  const root& b = low_[k & ((std::size_t{1} << low_bits_) - 1)];
  return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}

}  // namespace wingbeat::backend::host
