// SPDX-License-Identifier: Apache-2.0
#include "planner/roots.hpp"

#include "wingbeat/device/index.hpp"    // log2_of
#include "wingbeat/device/twiddle.hpp"  // root_tables
#include "wingbeat/roots.hpp"           // root, roots_of

namespace wingbeat::planner {
namespace {

using table = std::vector<std::complex<long double>>;

void append(table& to, const table& from) {
  to.insert(to.end(), from.begin(), from.end());
}

void append_all(table& to, std::size_t m) {
  const device::twiddle::root_tables as{m};
  const std::size_t fine = as.fine_length();
  for (std::size_t e = 0; e < fine; ++e) to.push_back(root(e, m));
  if (as.is_direct()) return;
  for (std::size_t e = 0; e < m / fine; ++e) to.push_back(root(e * fine, m));
}

/// All roots of one order, each the product of two that were computed: tables of millions would
/// else take seconds of sines. The product is 2 units of long double off, of which none reaches the
/// precision that it is rounded to.
class root_products {
 public:
  explicit root_products(std::size_t m) : fine_bits_((device::log2_of(m) + 1) / 2) {
    for (std::size_t e = 0; e < std::size_t{1} << fine_bits_; ++e) fine_.push_back(root(e, m));
    for (std::size_t e = 0; e < m; e += fine_.size()) coarse_.push_back(root(e, m));
  }
  [[nodiscard]] std::complex<long double> operator()(std::size_t e) const {
    const auto a = fine_[e & (fine_.size() - 1)], b = coarse_[e >> fine_bits_];
    return {a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real()};
  }

 private:
  unsigned fine_bits_;
  table fine_, coarse_;
};

/// The rows of a stage of radix `radix` after `prior`, then all roots of order `m`: what
/// twiddle::turn_from reads.
void append_turn(table& to, std::size_t radix, std::size_t prior, std::size_t m) {
  const root_products root_of{prior * radix};
  for (unsigned each = 0; each < device::twiddle::rows(static_cast<unsigned>(radix)); ++each) {
    const std::size_t e = device::twiddle::row_exponent(each);
    for (std::size_t k = 0; k < prior; ++k) to.push_back(root_of(e * k));
  }
  append_all(to, m);
}

table roots_of_stages(const pass& one, std::size_t length) {
  return roots_of({device::order::natural, static_cast<unsigned>(length), one.elements_per_thread});
}

}  // namespace

std::vector<std::complex<long double>> table_of(const pass& one) {
  const bool is_of_bins = one.in.holds == row::half_spectrum || one.out.holds == row::half_spectrum;
  table made = roots_of_stages(one, one.is_cluster() ? one.first : one.length);
  const bool is_real_row = is_of_bins && !one.is_cluster() && !one.is_mirrored;
  if (is_real_row) {
    for (std::size_t k = 0; k < (one.length + 1) / 2; ++k) made.push_back(root(k, 2 * one.length));
  }
  if (one.is_cluster() && one.second != one.first) append(made, roots_of_stages(one, one.second));
  const std::size_t e = one.elements_per_thread;
  if (one.does == pass::kind::line) append_turn(made, e, one.second, one.length);
  if (one.prior > 1) append_turn(made, e, one.prior, one.prior * one.length);
  if (is_of_bins && !is_real_row) append_all(made, 2 * one.total);
  return made;
}

}  // namespace wingbeat::planner
