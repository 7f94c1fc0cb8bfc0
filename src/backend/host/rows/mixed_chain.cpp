// SPDX-License-Identifier: Apache-2.0
#include "backend/host/rows/mixed_chain.hpp"

#include <algorithm>  // max
#include <limits>     // numeric_limits
#include <vector>

#include "backend/host/thresholds.hpp"  // limits

namespace wingbeat::backend::host {
namespace {

/// One radix and what a stage of it costs for each point, in vector instructions: its butterfly,
/// its roots, and its loads and stores.
struct radix_cost {
  int radix;
  double per_point;
};

// Largest first, so that chains begin with their largest radix.
constexpr radix_cost costs[] = {
    {13, 26.0}, {12, 18.5}, {11, 23.5}, {10, 19.0}, {9, 22.5}, {8, 16.0},
    {7, 19.0},  {6, 17.0},  {5, 16.5},  {4, 12.5},  {3, 13.5}, {2, 9.5},
};

/// A search for the cheapest chain: radices in falling order.
class search {
 public:
  void extend(std::size_t left, std::size_t first, double cost) {
    if (cost >= best_cost_) return;
    if (left == 1) {
      best_cost_ = cost;
      best_ = radices_;
      return;
    }
    for (std::size_t i = first; i < std::size(costs); ++i) {
      const auto [radix, per_point] = costs[i];
      if (left % static_cast<std::size_t>(radix) != 0) continue;
      radices_.push_back(radix);
      extend(left / static_cast<std::size_t>(radix), i, cost + per_point);
      radices_.pop_back();
    }
  }

  [[nodiscard]] double cost() const { return best_cost_; }
  [[nodiscard]] chain result(std::size_t length) const {
    chain found;
    found.length = length;
    for (const int radix : best_) found.stages[found.n_stages++].radix = radix;
    return found;
  }

 private:
  std::vector<int> radices_, best_;
  double best_cost_ = std::numeric_limits<double>::infinity();
};

/// What step roots and the transposition cost for each point, in the same unit.
constexpr double step_cost = 20;

double cost_of(const chain& factors) {
  double cost = 0;
  for (int i = 0; i < factors.n_stages; ++i) {
    for (const auto& [radix, per_point] : costs) {
      if (radix == factors.stages[i].radix) cost += per_point;
    }
  }
  return cost;
}

/// Returns the points of a strip over those in use.
double unused_lanes(std::size_t n, std::size_t width) {
  return static_cast<double>((n + width - 1) / width * width) / static_cast<double>(n);
}

}  // namespace

chain mixed_chain(std::size_t length) {
  search over;
  over.extend(length, 0, 0);
  return over.result(length);
}

matrix_shape matrix_shape_of(std::size_t length, std::size_t width) {
  std::vector<std::size_t> divisors;
  std::size_t longest = limits.longest_matrix_side;
  for (std::size_t a = 2; a <= length / a; ++a) {
    if (length % a != 0) continue;
    divisors.push_back(a);
    if (length / a != a) divisors.push_back(length / a);
  }
  longest = std::max({longest, divisors.back(), length / divisors.back()});  // the squarest
  matrix_shape best;
  double least = std::numeric_limits<double>::infinity();
  for (const std::size_t a : divisors) {
    const std::size_t b = length / a;
    if (std::max(a, b) > longest || b < width) continue;
    const matrix_shape shape{mixed_chain(a), mixed_chain(b)};
    const double cost = (cost_of(shape.columns) + step_cost) * unused_lanes(b, width) +
                        cost_of(shape.rows) * unused_lanes(a, width);
    if (cost >= least) continue;
    least = cost;
    best = shape;
  }
  return best;
}

}  // namespace wingbeat::backend::host
