// SPDX-License-Identifier: Apache-2.0
#include "planner/roots.hpp"

#include "wingbeat/device/twiddle.hpp"  // root_tables
#include "wingbeat/roots.hpp"           // root, roots_of

namespace wingbeat::planner {
namespace {

using table = std::vector<std::complex<long double>>;

void append_all(table& to, std::size_t m) {
  const device::twiddle::root_tables as{m};
  const std::size_t fine = as.fine_length();
  for (std::size_t e = 0; e < fine; ++e) to.push_back(root(e, m));
  if (as.is_direct()) return;
  for (std::size_t e = 0; e < m / fine; ++e) to.push_back(root(e * fine, m));
}

}  // namespace

std::vector<std::complex<long double>> table_of(const pass& one) {
  table made;
  if (one.does == pass::kind::transform) {
    made = roots_of(
        {device::order::natural, static_cast<unsigned>(one.length), one.elements_per_thread});
    if (one.prior > 1) append_all(made, one.prior * one.length);
  }
  const bool is_real = one.does == pass::kind::separate || one.source == row::half_spectrum ||
                       one.sink == row::half_spectrum;
  if (is_real) append_all(made, 2 * one.total);
  return made;
}

}  // namespace wingbeat::planner
