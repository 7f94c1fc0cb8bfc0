// SPDX-License-Identifier: Apache-2.0
#include "planner/roots.hpp"

#include <stdexcept>  // logic_error

#include "root_products.hpp"                 // root_products, rounded_root
#include "wingbeat/device/grid/numbers.hpp"  // twiddle_row
#include "wingbeat/device/twiddle.hpp"       // root_tables, rows, row_exponent
#include "wingbeat/roots.hpp"                // root, roots_of

namespace wingbeat::planner {
namespace {

/// One pass's table, as it is filled.
template <class Real>
class root_table {
 public:
  [[nodiscard]] std::vector<std::complex<Real>> take() { return std::move(roots_); }

  template <class Work>
  void add(const std::complex<Work>& w) {
    roots_.push_back(rounded_root<Real>(w));
  }

  /// Roots 0, step, 2 step .. of order m, `count` of them.
  void add_first(std::size_t count, std::size_t m, std::size_t step = 1) {
    constexpr std::size_t few = 256;
    if (count <= few) {
      for (std::size_t e = 0; e < count; ++e) add(root(e * step, m));
      return;
    }
    const root_products<Real> root_of{m, count, step};
    for (std::size_t e = 0; e < count; ++e) roots_.push_back(root_of(e));
  }

  void add_stages(std::size_t length, unsigned elements_per_thread,
                  device::order order = device::order::natural) {
    const auto n = static_cast<unsigned>(length);
    for (const auto& w : roots_of({order, n, elements_per_thread})) add(w);
  }

  void add_all(std::size_t m) {
    const device::twiddle::root_tables tables{m};
    const std::size_t fine = tables.fine_length();
    add_first(fine, m);
    if (!tables.is_direct()) add_first(tables.coarse_length(), m, fine);
  }

  /// Adds the roots of the twiddles of a butterfly of radix `radix` in registers after `prior`, of
  /// order m in all.
  void add_twiddles(std::size_t radix, std::size_t prior, std::size_t m) {
    const device::twiddle::root_tables tables = device::grid::twiddle_row(prior);
    const root_products<Real> root_of{prior * radix, prior * radix};
    const unsigned rows = device::twiddle::rows(static_cast<unsigned>(radix));
    for (unsigned row = 0; row < rows; ++row) {
      const std::size_t e = device::twiddle::row_exponent(row), fine = tables.fine_length();
      for (std::size_t k = 0; k < fine; ++k) roots_.push_back(root_of(e * k));
      if (tables.is_direct()) continue;
      for (std::size_t k = 0; k < prior; k += fine) roots_.push_back(root_of(e * k));
    }
    add_all(m);
  }

  void add_body(const tile_shape& shape) {
    const unsigned e = shape.elements_per_thread;
    if (!shape.is_cluster()) {
      add_stages(shape.length, e, shape.stage_order());
      if (shape.makes != body::real_row) return;
      const auto n = static_cast<unsigned>(shape.length);
      for (unsigned k = 0; k < device::workgroup::real_roots_of(n, e); ++k) add(root(k, 2 * n));
      return;
    }
    add_stages(shape.first, e);
    if (shape.second != shape.first) add_stages(shape.second, e);
    if (shape.makes == body::line) add_twiddles(e, shape.second, shape.length);
  }

 private:
  std::vector<std::complex<Real>> roots_;
};

}  // namespace

template <class Real>
std::vector<std::complex<Real>> table_of(const pass_numbers& numbers,
                                         const std::vector<std::complex<double>>& factors) {
  root_table<Real> table;
  table.add_body(numbers.shape);
  if (numbers.is_twiddled()) {
    table.add_twiddles(numbers.shape.elements_per_thread, numbers.prior,
                       numbers.prior * numbers.shape.length);
  }
  if (numbers.has_real_roots()) table.add_all(2 * numbers.bins());
  for (const auto& each : factors) table.add(each);
  auto roots = table.take();
  if (roots.size() != numbers.table_entries())
    throw std::logic_error("roots are not as pass_numbers");
  return roots;
}

template std::vector<std::complex<float>> table_of(
    const pass_numbers& numbers, const std::vector<std::complex<double>>& factors);
template std::vector<std::complex<double>> table_of(
    const pass_numbers& numbers, const std::vector<std::complex<double>>& factors);
template std::vector<std::complex<long double>> table_of(
    const pass_numbers& numbers, const std::vector<std::complex<double>>& factors);

}  // namespace wingbeat::planner
