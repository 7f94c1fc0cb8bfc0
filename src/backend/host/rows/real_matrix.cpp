// SPDX-License-Identifier: Apache-2.0
#include "backend/host/rows/real_matrix.hpp"

#include <complex>

#include "backend/host/kernels.hpp"            // first_of_tile, has_real_numbers
#include "backend/host/rows/chain_tables.hpp"  // table_writer, words
#include "backend/host/rows/real_chain.hpp"    // real_chain_of
#include "backend/host/thread_pool.hpp"        // thread_pool
#include "backend/host/thresholds.hpp"         // limits
#include "request/matrix_of_reals.hpp"         // matrix_of_reals
#include "roots/root_products.hpp"             // root_products
#include "text/formatted.hpp"                  // formatted
#include "wingbeat/good_length.hpp"            // is_good_length
#include "wingbeat/roots.hpp"                  // root

namespace wingbeat::backend::host {
namespace {

using request::domain;
using request::traits;

/// Returns w^(jk) of n points.
std::complex<long double> factor_of_bin(const traits& kind, std::size_t j, std::size_t k,
                                        std::size_t n) {
  const auto w = root(j * k % n, n);
  return kind.is_forward ? w : std::conj(w);
}

// Fewer points take less time unfolded.
constexpr std::size_t shortest_folded = 6, shortest_unfolded = 9;

/// The longest rows that a matrix transforms quicker than any other method. Rows of odd length are
/// complex ones of the whole length otherwise. Longer ones would be less accurate than is promised.
struct longest_rows {
  std::size_t of_reals, of_reals_in_lanes;  ///< Cosines and sines: of few rows, and in all lanes.
  std::size_t even;
};
constexpr longest_rows longest_fp32{96, 24, 30}, longest_fp64{75, 24, 6};
constexpr std::size_t longest_odd = 95, longest_odd_in_lanes = 63;

}  // namespace

template <class Real>
real_matrix<Real>::real_matrix(const named_set& set, const traits& kind, std::size_t n,
                               long double scale, bool orthogonalizes) {
  const line_kernels<Real>* line_set = nullptr;
  if constexpr (sizeof(Real) == 8) {
    line_set = &set.lines->fp64;
    widest_ = set.kernels->fp64.width;
  } else {
    line_set = &set.lines->fp32;
    widest_ = set.kernels->fp32.width;
  }
  if (!kind.is_real_to_real()) {
    const auto width = static_cast<std::size_t>(staged_width<Real>(widest_));
    const real_chain found = real_chain_of(n, width);
    if (found.matrix_length > 0) {
      prepare_stages(*line_set, kind, found, scale);
      return;
    }
  }
  shape_.length = shape_.n_in = shape_.n_lanes = n;
  if (kind.is_real_to_real()) {
    prepare_reals(kind, scale, orthogonalizes);
  } else if (kind.in == domain::real) {
    prepare_spectrum(kind, scale);
  } else {
    prepare_signal(kind, scale, n >= shortest_unfolded);
  }
  kernel_ = line_set->product(form_, shape_.n_terms, shape_.n_lanes);
}

/// Rows of B, and the stages between them and the whole.
template <class Real>
void real_matrix<Real>::prepare_stages(const line_kernels<Real>& line_set, const traits& kind,
                                       const real_chain& found, long double scale) {
  const auto width = static_cast<std::size_t>(staged_width<Real>(widest_));
  const std::size_t length = found.matrix_length, n = found.stages.length;
  shape_.length = length;
  if (kind.in == domain::real) {
    prepare_spectrum(kind, scale);
    const std::size_t pitch = (n / length + width - 1) / width * width;
    for (std::size_t i = 0; i < terms_.size(); ++i) terms_[i] = static_cast<int>(pitch * i);
    kernel_ = line_set.staged_forward;
  } else {
    prepare_signal(kind, scale, true);
    const auto plane = static_cast<int>(plane_of<Real>(length));
    for (int& term : terms_) term = term / 2 + term % 2 * plane;
    kernel_ = line_set.staged_back;
  }
  stages_ = std::make_unique<chain>(found.stages);
  shape_.stages = stages_.get();
  roots_ = make_aligned<Real>(4 * n + 2 * width * chain{}.n_stages);
  shape_.roots = roots_.get();
  table_writer<Real> table{roots_.get()};
  std::size_t done = length;
  for (int i = 0; i < stages_->n_stages; ++i) {
    stages_->stages[i].roots = table.written();
    const auto radix = static_cast<std::size_t>(stages_->stages[i].radix);
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

/// Fills the table with factor_of(term, lane).
template <class Real>
template <class FactorOf>
void real_matrix<Real>::fill(FactorOf factor_of_lane) {
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

template <class Real>
void real_matrix<Real>::prepare_reals(const traits& kind, long double scale, bool orthogonalizes) {
  const std::size_t n = shape_.length;
  const request::matrix_of_reals matrix{kind, n, orthogonalizes, scale};
  terms_.assign(matrix.terms.begin(), matrix.terms.end());
  fill([&](std::size_t term, std::size_t k) { return matrix.factors[k * n + term]; });
}

/// Reals to bins 0 to n/2.
template <class Real>
void real_matrix<Real>::prepare_spectrum(const traits& kind, long double scale) {
  const std::size_t n = shape_.length, n_bins = n / 2 + 1;
  if (n < shortest_folded) {
    for (std::size_t j = 0; j < n; ++j) terms_.push_back(static_cast<int>(j));
    shape_.n_lanes = 2 * n_bins;
    return fill([&](std::size_t j, std::size_t lane) {
      const auto w = scale * factor_of_bin(kind, j, lane / 2, n);
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
    const auto w = scale * factor_of_bin(kind, (term + 1) / 2, k, n);
    return term == 0 || term % 2 == 1 ? w.real() : w.imag();
  });
}

/// Bins 0 to n/2 to reals. Im of those that are their own mirror image is not read.
template <class Real>
void real_matrix<Real>::prepare_signal(const traits& kind, long double scale, bool unfolds) {
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
    const auto w = (k == 0 || 2 * k == n ? scale : 2 * scale) * factor_of_bin(kind, j, k, n);
    return term == 0 || term % 2 == 1 ? w.real() : -w.imag();
  });
}

template <class Real>
bool real_matrix<Real>::pays(const traits& kind, std::size_t n, std::size_t count, int widest) {
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
std::string real_matrix<Real>::explain() const {
  if (stages_) {
    return formatted("{} reals by matrices of {}, stages of {}, {} lanes", stages_->length,
                     shape_.length, words(*stages_), staged_width<Real>(widest_));
  }
  return formatted("{} reals by a matrix of {} terms, {} lanes", shape_.length, shape_.n_terms,
                   product_width<Real>(shape_.n_lanes, widest_));
}

template <class Real>
row_product<Real> real_matrix<Real>::product(std::size_t in_pitch, std::size_t out_pitch,
                                             std::size_t count) const {
  row_product<Real> result = shape_;
  result.in_pitch = in_pitch;
  result.out_pitch = out_pitch;
  result.count = count;
  return result;
}

template <class Real>
void real_matrix<Real>::run(const row_product<Real>& given, const Real* in, Real* out,
                            unsigned n_threads) const {
  const auto share = [&](std::size_t begin, std::size_t end, unsigned) {
    row_product<Real> part = given;
    part.count = end - begin;
    kernel_(&part, reinterpret_cast<const std::byte*>(in + begin * given.in_pitch),
            reinterpret_cast<std::byte*>(out + begin * given.out_pitch));
  };
  if (n_threads <= 1) return share(0, given.count, 0);
  thread_pool::shared().share(given.count, limits.tiles_per_thread * n_threads, n_threads, share);
}

template class real_matrix<float>;
template class real_matrix<double>;

}  // namespace wingbeat::backend::host
