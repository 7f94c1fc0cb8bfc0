// SPDX-License-Identifier: Apache-2.0
#include "backend/host/rows/real_chain.hpp"

#include <algorithm>  // max
#include <iterator>   // size

#include "backend/host/line_kernels.hpp"  // longest_staged

namespace wingbeat::backend::host {
namespace {

/// A radix of stages between rows of reals, and what a stage of it costs for each vector.
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

/// Of the rows that a matrix takes within stages, and of rows that it takes alone: longer ones
/// would be less accurate than is promised.
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

}  // namespace

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

}  // namespace wingbeat::backend::host
