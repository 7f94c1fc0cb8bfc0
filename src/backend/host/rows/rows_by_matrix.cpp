// SPDX-License-Identifier: Apache-2.0
// Rows of few reals times the matrix that defines their transform; longer ones with stages behind.
#include <algorithm>  // max
#include <complex>
#include <iterator>  // size
#include <limits>    // numeric_limits
#include <vector>

#include "backend/host/aligned.hpp"            // aligned_array
#include "backend/host/rows/chain_tables.hpp"  // table_writer, words
#include "backend/host/rows/row_method.hpp"    // row_method, longest_staged
#include "request/matrix_of_reals.hpp"         // matrix_of_reals
#include "roots/root_products.hpp"             // root_products
#include "text/formatted.hpp"                  // formatted
#include "wingbeat/good_length.hpp"            // is_good_length
#include "wingbeat/roots.hpp"                  // root

namespace wingbeat::backend::host {
namespace {

using request::domain;
using request::traits;

/// N = B R1 R2 ..; see lanes/real_stages.hpp.
struct real_chain {
  std::size_t matrix_length = 0;  ///< B; 0: there are no stages, or one matrix is quicker.
  chain stages;                   ///< Radices R1, R2, .. of N points.
  double cost = std::numeric_limits<double>::infinity();  ///< In vector instructions.
};

/// A radix of stages between rows of reals, and the cost of its stage for each vector.
struct radix_cost {
  std::size_t radix;
  double per_vector;
};
constexpr radix_cost costs[] = {{7, 21}, {5, 18}, {3, 15}};

constexpr double term_cost = 1.2;  ///< Of a matrix, for each vector of outputs.
constexpr double sums_cost = 8;    ///< Of such a vector, beside its terms.
constexpr double end_cost = 3;     ///< To fold reals, and to store bins, for each vector of reals.
constexpr double stage_cost = 40;  ///< Of a stage's call.
constexpr std::size_t rows_together = 4;  ///< That share a matrix; others take half as long again.

/// Lengths of the rows that a matrix transforms, before stages and alone. Longer ones would be less
/// accurate than docs/maths.md promises.
constexpr std::size_t shortest_part = 7, longest_part = 63, longest_alone = 95;

std::size_t vectors_of(std::size_t length, std::size_t width) {
  return (length / 2 + width) / width;
}

double cost_of_matrix(std::size_t length, std::size_t width) {
  return static_cast<double>(vectors_of(length, width)) *
         (sums_cost + term_cost * static_cast<double>(length));
}

/// Continues `best` over all chains whose radices do not rise.
void extend(const real_chain& begun, std::size_t left, std::size_t first, std::size_t width,
            real_chain& best) {
  if (begun.cost >= best.cost) return;
  if (left == 1) {
    best = begun;
    return;
  }
  const std::size_t done = begun.stages.length / left;
  for (std::size_t i = first; i < std::size(costs); ++i) {
    const auto [radix, per_vector] = costs[i];
    if (left % radix != 0) continue;
    real_chain next = begun;
    next.stages.stages[next.stages.n_stages++].radix = static_cast<int>(radix);
    next.cost += stage_cost + per_vector * static_cast<double>(left * vectors_of(done, width));
    extend(next, left / radix, i, width, best);
  }
}

/// Returns the cheapest in vectors of `width`. Rows of even length have none, because complex rows
/// of half the length are quicker.
real_chain real_chain_of(std::size_t length, std::size_t width) {
  real_chain best;
  if (length % 2 == 0 || length > longest_staged) return best;
  if (length <= longest_alone) best.cost = cost_of_matrix(length, width);
  const std::size_t shortest = std::max(2 * (width - 1), shortest_part);
  for (std::size_t b = shortest; b <= longest_part && 2 * b <= length; ++b) {
    if (length % b != 0) continue;
    real_chain begun;
    begun.matrix_length = b;
    begun.stages.length = length;
    const std::size_t n_rows = length / b, n_single = n_rows % rows_together;
    begun.cost = (static_cast<double>(n_rows) + static_cast<double>(n_single) / 2) *
                     cost_of_matrix(b, width) +
                 end_cost * static_cast<double>(length / width);
    extend(begun, n_rows, 0, width, best);
  }
  return best;
}

/// Returns w^(jk) of n points.
std::complex<long double> factor_of_bin(const traits& kind, std::size_t j, std::size_t k,
                                        std::size_t n) {
  const auto w = root(j * k % n, n);
  return kind.is_forward ? w : std::conj(w);
}

// Fewer points take less time unfolded.
constexpr std::size_t shortest_folded = 6, shortest_unfolded = 9;

/// The longest rows that a matrix transforms quicker than any other method. Longer ones would also
/// be less accurate than docs/maths.md promises. Other rows of odd length are complex rows of the
/// whole length.
struct longest_rows {
  std::size_t of_reals, of_reals_in_lanes;  ///< Cosines and sines: of few rows, and in all lanes.
  std::size_t even;
};
constexpr longest_rows longest_fp32{96, 24, 30}, longest_fp64{75, 24, 6};
constexpr std::size_t longest_odd = 95, longest_odd_in_lanes = 63;

template <class Real>
class real_matrix final : public row_method<Real> {
 public:
  real_matrix(const named_set& set, const real_row_spec& spec)
      : widest_(kernels_of<Real>(set).width),
        stages_width_(static_cast<std::size_t>(staged_width<Real>(widest_))) {
    const line_kernels<Real>& line_set = line_kernels_of<Real>(set);
    const std::size_t n = spec.length;
    if (!spec.kind.is_real_to_real()) {
      const real_chain found = real_chain_of(n, stages_width_);
      if (found.matrix_length > 0) {
        prepare_stages(line_set, spec, found);
        return;
      }
    }
    shape_.length = shape_.n_in = shape_.n_lanes = n;
    if (spec.kind.is_real_to_real()) {
      prepare_reals(spec);
    } else if (spec.kind.in == domain::real) {
      prepare_spectrum(spec);
    } else {
      prepare_signal(spec, n >= shortest_unfolded);
    }
    kernel_ = line_set.product(form_, shape_.n_terms, shape_.n_lanes);
  }

  [[nodiscard]] std::string explain() const override {
    if (stages_.n_stages > 0) {
      return formatted("{} reals by matrices of {}, stages of {}, {} lanes", stages_.length,
                       shape_.length, words(stages_), stages_width_);
    }
    return formatted("{} reals by a matrix of {} terms, {} lanes", shape_.length, shape_.n_terms,
                     product_width<Real>(shape_.n_lanes, widest_));
  }
  void run(const rows<Real>& given, void*, unsigned n_threads) const override {
    share_rows(given, 1, n_threads, [&](const rows<Real>& share) {
      const row_product<Real> product = product_of(share);
      kernel_(&product, reinterpret_cast<const std::byte*>(share.in),
              reinterpret_cast<std::byte*>(share.out));
    });
  }
  [[nodiscard]] direct_run direct(prepared_rows<Real>& memory) const noexcept override {
    if (!memory.begins_with_memory()) return row_method<Real>::direct(memory);
    memory.product = product_of(memory.shape);
    return {kernel_, &memory.product};
  }

 private:
  [[nodiscard]] row_product<Real> product_of(const rows<Real>& given) const noexcept {
    row_product<Real> result = shape_;
    result.in_pitch = given.in_pitch;
    result.out_pitch = given.out_pitch;
    result.count = given.count;
    return result;
  }

  /// Prepares the matrix for rows of B, and the roots of the stages that combine them.
  void prepare_stages(const line_kernels<Real>& line_set, const real_row_spec& spec,
                      const real_chain& found) {
    const std::size_t width = stages_width_;
    const std::size_t length = found.matrix_length, n = found.stages.length;
    shape_.length = length;
    if (spec.kind.in == domain::real) {
      prepare_spectrum(spec);
      const std::size_t pitch = (n / length + width - 1) / width * width;
      for (std::size_t i = 0; i < terms_.size(); ++i) terms_[i] = static_cast<int>(pitch * i);
      kernel_ = line_set.staged_forward;
    } else {
      prepare_signal(spec, true);
      const auto plane = static_cast<int>(plane_of<Real>(length));
      for (int& term : terms_) term = term / 2 + term % 2 * plane;
      kernel_ = line_set.staged_back;
    }
    stages_ = found.stages;
    shape_.stages = &stages_;
    roots_ = make_aligned<Real>(4 * n + 2 * width * chain{}.n_stages);
    shape_.roots = roots_.get();
    table_writer<Real> table{roots_.get()};
    std::size_t done = length;
    for (int i = 0; i < stages_.n_stages; ++i) {
      stages_.stages[i].roots = table.written();
      const auto radix = static_cast<std::size_t>(stages_.stages[i].radix);
      const root_products<Real> w{done * radix};
      for (std::size_t tile = 0; tile * width < done / 2 + 1; ++tile) {
        const std::size_t first = first_of_tile(tile, width, done / 2 + 1);
        for (std::size_t r = 1; r < radix; ++r) {
          table.split(width, [&](std::size_t l) { return w(r * (first + l)); });
        }
      }
      done *= radix;
    }
  }

  /// Fills the table with factor_of_lane(term, lane).
  template <class FactorOf>
  void fill(FactorOf factor_of_lane) {
    const auto width = static_cast<std::size_t>(product_width<Real>(shape_.n_lanes, widest_));
    shape_.n_terms = terms_.size();
    shape_.n_tiles = (shape_.n_lanes + width - 1) / width;
    factors_ = make_aligned<Real>(shape_.n_terms * shape_.n_tiles * width);
    shape_.terms = terms_.data();
    shape_.factors = factors_.get();
    Real* next = factors_.get();
    for (std::size_t term = 0; term < shape_.n_terms; ++term) {
      for (std::size_t tile = 0; tile < shape_.n_tiles; ++tile) {
        for (std::size_t l = 0; l < width; ++l) {
          const std::size_t lane = first_of_tile(tile, width, shape_.n_lanes) + l;
          *next++ = lane < shape_.n_lanes ? static_cast<Real>(factor_of_lane(term, lane)) : Real{0};
        }
      }
    }
  }

  void prepare_reals(const real_row_spec& spec) {
    const std::size_t n = shape_.length;
    const request::matrix_of_reals matrix{spec.kind, n, spec.orthogonalizes, spec.scale};
    terms_.assign(matrix.terms.begin(), matrix.terms.end());
    fill([&](std::size_t term, std::size_t k) { return matrix.factors[k * n + term]; });
  }

  /// Prepares reals to bins 0 to n/2.
  void prepare_spectrum(const real_row_spec& spec) {
    const std::size_t n = shape_.length, n_bins = n / 2 + 1;
    if (n < shortest_folded) {
      for (std::size_t j = 0; j < n; ++j) terms_.push_back(static_cast<int>(j));
      shape_.n_lanes = 2 * n_bins;
      return fill([&](std::size_t j, std::size_t lane) {
        const auto w = spec.scale * factor_of_bin(spec.kind, j, lane / 2, n);
        return lane % 2 == 0 ? w.real() : w.imag();
      });
    }
    form_ = matrix_form::folded;
    shape_.n_lanes = n_bins;
    terms_.push_back(0);
    for (std::size_t j = 1; j < n_bins; ++j) {
      terms_.push_back(static_cast<int>(j));
      if (2 * j < n) terms_.push_back(static_cast<int>(folded_distance + j));
    }
    fill([&](std::size_t term, std::size_t k) {
      const auto w = spec.scale * factor_of_bin(spec.kind, (term + 1) / 2, k, n);
      return term == 0 || term % 2 == 1 ? w.real() : w.imag();
    });
  }

  /// Prepares bins 0 to n/2 to reals. The imaginary parts of bins that are their own mirror image
  /// are not read.
  void prepare_signal(const real_row_spec& spec, bool unfolds) {
    const std::size_t n = shape_.length, n_bins = n / 2 + 1;
    shape_.n_in = n + 1;
    terms_.push_back(0);
    for (std::size_t k = 1; k < n_bins; ++k) {
      terms_.push_back(static_cast<int>(2 * k));
      if (2 * k < n) terms_.push_back(static_cast<int>(2 * k + 1));
    }
    if (unfolds) {
      form_ = matrix_form::unfolded;
      shape_.n_lanes = n_bins;
    }
    fill([&](std::size_t term, std::size_t j) {
      const std::size_t k = (term + 1) / 2;
      const auto w =
          (k == 0 || 2 * k == n ? 1 : 2) * spec.scale * factor_of_bin(spec.kind, j, k, n);
      return term == 0 || term % 2 == 1 ? w.real() : -w.imag();
    });
  }

  matrix_form form_ = matrix_form::plain;
  int widest_;
  std::size_t stages_width_;
  row_product<Real> shape_;
  std::vector<int> terms_;
  aligned_array<Real> factors_;
  chain stages_;  ///< Of longer rows.
  aligned_array<Real> roots_;
  single_kernel kernel_ = nullptr;
};

}  // namespace

template <class Real>
bool is_matrix_quickest(const traits& kind, std::size_t n, std::size_t count, int widest) {
  constexpr const longest_rows& longest = sizeof(Real) == 8 ? longest_fp64 : longest_fp32;
  if (kind.is_real_to_real()) {
    const bool fill_lanes = 4 * count >= 3 * static_cast<std::size_t>(widest);
    if (!is_good_length(n)) return n <= (fill_lanes ? longest_odd_in_lanes : longest_odd);
    return n <= (fill_lanes ? longest.of_reals_in_lanes : longest.of_reals);
  }
  if (n % 2 == 0) return n <= longest.even && !has_real_numbers(n, sizeof(Real));
  if (n <= longest_odd) return true;
  return real_chain_of(n, static_cast<std::size_t>(staged_width<Real>(widest))).matrix_length > 0;
}

template <class Real>
row_method_pointer<Real> rows_by_matrix(const named_set& set, const real_row_spec& spec) {
  return std::make_unique<const real_matrix<Real>>(set, spec);
}

template bool is_matrix_quickest<float>(const traits&, std::size_t, std::size_t, int);
template bool is_matrix_quickest<double>(const traits&, std::size_t, std::size_t, int);
template row_method_pointer<float> rows_by_matrix(const named_set&, const real_row_spec&);
template row_method_pointer<double> rows_by_matrix(const named_set&, const real_row_spec&);

}  // namespace wingbeat::backend::host
