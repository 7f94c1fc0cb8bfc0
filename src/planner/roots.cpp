// SPDX-License-Identifier: Apache-2.0
#include "planner/roots.hpp"

#include <algorithm>  // max
#include <stdexcept>  // logic_error

#include "roots/root_products.hpp"           // root_products, rounded_root
#include "wingbeat/device/grid/numbers.hpp"  // twiddle_row
#include "wingbeat/device/index.hpp"         // real_of_index
#include "wingbeat/device/twiddle.hpp"       // root_tables, rows, row_exponent
#include "wingbeat/roots.hpp"                // root, roots_of

namespace wingbeat::planner {
namespace {

/// The table of one pass while it is filled.
template <class Real>
class root_table {
 public:
  explicit root_table(std::size_t entries) { roots_.reserve(entries); }

  [[nodiscard]] std::vector<std::complex<Real>> take() { return std::move(roots_); }

  template <class Work>
  void add(const std::complex<Work>& w) {
    roots_.push_back(rounded_root<Real>(w));
  }

  /// Adds `count` roots of order m, with exponents 0, step, 2 step ..
  void add_first(std::size_t count, std::size_t m, std::size_t step = 1) {
    constexpr std::size_t few = 256;
    if (count <= few) {
      for (std::size_t e = 0; e < count; ++e) add(root(e * step, m));
      return;
    }
    const root_products<Real> root_of{m, count, step};
    for (std::size_t e = 0; e < count; ++e) roots_.push_back(root_of(e));
  }

  void add_stages(const device::workgroup::schedule& stages) {
    for (const auto& w : roots_of(stages)) add(w);
  }

  void add_all(std::size_t m) {
    const device::twiddle::root_tables tables{m};
    const std::size_t fine = tables.fine_length();
    add_first(fine, m);
    if (!tables.is_direct()) add_first(tables.coarse_length(), m, fine);
  }

  /// Adds the twiddles of a stage of radix `radix` after `prior`: each row has the powers of one
  /// root of `order`. All roots of `order` must follow.
  void add_twiddles(std::size_t radix, std::size_t prior, std::size_t order, std::size_t step) {
    const device::twiddle::root_tables tables = device::grid::twiddle_row(prior);
    const root_products<Real> root_of{order, order};
    const unsigned rows = device::twiddle::rows(static_cast<unsigned>(radix));
    for (unsigned row = 0; row < rows; ++row) {
      const std::size_t e = device::twiddle::row_exponent(row) * step, fine = tables.fine_length();
      for (std::size_t k = 0; k < fine; ++k) roots_.push_back(root_of(e * k % order));
      if (tables.is_direct()) continue;
      for (std::size_t k = 0; k < prior; k += fine) roots_.push_back(root_of(e * k % order));
    }
  }

  /// Adds the twiddles before a pass.
  void add_twiddles(const pass_numbers& numbers) {
    const tile_shape& shape = numbers.shape;
    const std::size_t radix = shape.elements_per_thread, prior = numbers.prior;
    if (shape.points > 0) {
      add_twiddles(radix, prior, prior * shape.points, shape.length / radix);
    } else if (!shape.as_prime().has_order()) {
      add_twiddles(radix, prior, prior * radix, 1);
    }
    add_all(prior * shape.elements());
  }

  /// Adds the order and the spectrum of Rader's convolution.
  void add_prime(const pass_numbers& numbers, const rader& prime) {
    switch (numbers.shape.makes) {
      case body::halved_rader: return add_halved_rader(prime);
      case body::real_rader: return add_real_rader(prime, !numbers.in.is_hermitian);
      default: return add_rader(numbers.shape, prime);
    }
  }
  void add_rader(const tile_shape& shape, const rader& prime) {
    const std::size_t n = prime.powers.size();
    for (std::size_t i = 0; i < n; ++i) add_indices(prime, i, n - i, 1);
    add_spectrum(shape, prime.spectrum);
  }

  /// Adds the order and the spectrum of rows in halves: see device/bodies/halved_rader.hpp.
  void add_halved_rader(const rader& prime) {
    const std::size_t n = prime.powers.size(), half = n / 2;
    constexpr std::size_t unit = 2 * sizeof(Real);
    for (std::size_t i = 0; i < half; ++i) add_indices(prime, i, i + half, unit);
    for (std::size_t i = 0; i < half; ++i) add_indices(prime, n - i, half - i, unit);
    for (std::size_t k = 0; k < half; ++k) add(prime.spectrum[2 * k]);
    const std::size_t first = half / (half & (0 - half));  // the odd factor
    for (std::size_t k = 0; k < half; ++k) add(prime.spectrum[(2 * k + first) % n]);
  }

  /// Adds the order and the factors of rows of reals; `become_bins`: with halved factors.
  void add_real_rader(const rader& prime, bool become_bins) {
    const std::size_t n = prime.powers.size();
    for (std::size_t i = 0; i < n; i += 2) add_indices(prime, i, i + 1, sizeof(Real));
    for (std::size_t i = 0; i < n; i += 2) add_indices(prime, n - i, n - i - 1, sizeof(Real));
    for (const auto& factors : real_factors_of(prime)) {
      for (const auto& factor : factors) add(become_bins ? factor / 2.0 : factor);
    }
  }

  /// Adds the factors of a pass of a chirp transform, and its spectrum.
  void add_chirp(const pass_numbers& numbers, const chirp& whole) {
    const std::size_t bins = numbers.has_bins_alone ? numbers.inputs_with_factors() : 0;
    for (std::size_t k = 0; k < bins; ++k) {
      const bool is_own_conjugate = k == 0 || 2 * k == whole.points;
      add(is_own_conjugate ? whole.factors[k] : 2.0 * whole.factors[k]);
    }
    const std::size_t count =
        bins > 0 ? numbers.factors_out : std::max(numbers.factors_in, numbers.factors_out);
    const auto& factors = count == whole.total ? whole.spectrum : whole.factors;
    for (std::size_t i = 0; i < count; ++i) add(factors[i]);
    if (numbers.has_own_filter) add_spectrum(numbers.shape, whole.spectrum);
  }

  /// Adds the roots of rows by right angles.
  void add_right_angles(std::size_t length, std::size_t n_turns) {
    const std::size_t order = 4 * n_turns * length;
    const root_products<Real> root_of{order, order};
    const auto add_row = [&](std::size_t count, std::size_t step) {
      for (std::size_t i = 0; i < count; ++i) roots_.push_back(root_of(i * step % order));
    };
    for (std::size_t turn = 0; turn < n_turns; ++turn) add_row(length, 4 * turn + 1);
    for (std::size_t turn = 0; turn < n_turns; ++turn) add_row(n_turns, length * (4 * turn + 1));
  }

  void add_body(const tile_shape& shape) {
    const unsigned e = shape.elements_per_thread;
    if (shape.as_prime().are_in_threads()) return;
    if (!shape.is_cluster()) {
      if (shape.roots_back_at() > 0) add_stages(shape.stages(device::direction::forward));
      add_stages(shape.stages());
      if (!shape.has_real_row()) return;
      const auto n = static_cast<unsigned>(shape.length);
      for (unsigned k = 0; k < device::workgroup::real_roots_of(n, e); ++k) add(root(k, 2 * n));
      return;
    }
    add_cluster(shape, shape.first, shape.second);
  }

 private:
  /// Adds the roots of a cluster's transform of A B points.
  void add_cluster(const tile_shape& shape, std::size_t a, std::size_t b) {
    const unsigned e = shape.elements_per_thread;
    const auto add_rows = [&](std::size_t length) {
      add_stages(shape.as_cluster().stages(static_cast<unsigned>(length)));
    };
    add_rows(a);
    if (b != a) add_rows(b);
    if (shape.makes == body::plane) return;
    add_twiddles(e, b, b * e, 1);
    add_all(shape.length);
  }

  /// Adds two powers of the primitive root, times `unit`, as indices.
  void add_indices(const rader& prime, std::size_t first, std::size_t second, std::size_t unit) {
    const auto stored = [&](std::size_t exponent) {
      const std::size_t power = prime.powers[exponent % prime.powers.size()];
      return device::real_of_index<Real>(static_cast<unsigned>(power * unit));
    };
    roots_.emplace_back(stored(first), stored(second));
  }

  /// Adds a spectrum in the order of the body: row k of `rows` has the bins k + i `rows`.
  void add_spectrum(const tile_shape& shape, const std::vector<std::complex<double>>& spectrum) {
    const auto length = static_cast<unsigned>(shape.length);
    const device::workgroup::schedule stages{shape.stage_order(), length,
                                             shape.elements_per_thread};
    const auto bins = stages.scrambled_map();
    std::vector<unsigned> bin_of(length);
    for (unsigned g = 0; g < length; ++g) bin_of[g] = shape.is_in_place() ? bins.dft_index(g) : g;
    const std::size_t rows = spectrum.size() / length;
    for (std::size_t k = 0; k < rows; ++k) {
      for (const unsigned bin : bin_of) add(spectrum[k + bin * rows]);
    }
  }

  std::vector<std::complex<Real>> roots_;
};

}  // namespace

template <class Real>
std::vector<std::complex<Real>> table_of(const pass_numbers& numbers,
                                         const convolution_numbers& convolved_by) {
  root_table<Real> table{numbers.table_entries()};
  table.add_body(numbers.shape);
  if (numbers.is_twiddled()) table.add_twiddles(numbers);
  if (numbers.has_real_roots()) table.add_all(2 * numbers.bins());
  if (convolved_by.by_rader) table.add_prime(numbers, *convolved_by.by_rader);
  if (convolved_by.by_chirp) table.add_chirp(numbers, *convolved_by.by_chirp);
  if (numbers.n_turns > 0) table.add_right_angles(numbers.total, numbers.n_turns);
  auto roots = table.take();
  if (roots.size() != numbers.table_entries())
    throw std::logic_error("roots are not as pass_numbers");
  return roots;
}

template std::vector<std::complex<float>> table_of(const pass_numbers& numbers,
                                                   const convolution_numbers& convolved_by);
template std::vector<std::complex<double>> table_of(const pass_numbers& numbers,
                                                    const convolution_numbers& convolved_by);
template std::vector<std::complex<long double>> table_of(const pass_numbers& numbers,
                                                         const convolution_numbers& convolved_by);

}  // namespace wingbeat::planner
