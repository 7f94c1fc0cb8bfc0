// SPDX-License-Identifier: Apache-2.0
#include "backend/host/rows/mixed_chain.hpp"

#include <algorithm>  // copy, copy_n, max, min
#include <cmath>      // log2
#include <limits>     // numeric_limits
#include <vector>

#include "backend/host/thresholds.hpp"  // limits
#include "wingbeat/good_length.hpp"     // is_good_length, max_prime_factor

namespace wingbeat::backend::host {
namespace {

/// A radix and the cost of its stage for each point, in vector instructions: butterfly, roots,
/// loads and stores.
struct radix_cost {
  int radix;
  double per_point;
};

// Largest first, so that chains begin with their largest radix.
constexpr radix_cost costs[] = {
    {16, 21.0}, {15, 23.0}, {14, 23.0}, {13, 26.0}, {12, 18.5}, {11, 23.5}, {10, 19.0}, {9, 22.5},
    {8, 16.0},  {7, 19.0},  {6, 17.0},  {5, 16.5},  {4, 12.5},  {3, 13.5},  {2, 9.5},
};

/// The cost of a stage that only moves elements; the cost of a prime by the definition, for each of
/// its R terms and apart from them.
constexpr double copy_cost = 4, prime_term_cost = 1.5, prime_cost = 14;

/// The most that all stages may cost for each point: a chirp takes two transforms of twice as many
/// points.
constexpr double most_per_point = 250;

/// The largest radix that pays in strips of vectors of 64 bytes. In vectors of 32 bytes all do.
constexpr int max_strip_radix = 13;

double cost_of(const std::vector<int>& radices) {
  double cost = 0;
  for (const int radix : radices) {
    if (radix == 1) cost += copy_cost;
    if (radix > largest_butterfly) cost += prime_cost + prime_term_cost * radix;
    for (const auto& [own, per_point] : costs) {
      if (radix == own) cost += per_point;
    }
  }
  return cost;
}

/// A search for the cheapest chain, radices in falling order. Larger primes come after the first
/// radix, or between stages that move elements.
class search {
 public:
  search(std::size_t length, int max_radix) {
    std::size_t first = 0;
    while (costs[first].radix > max_radix) ++first;
    std::size_t primes = length;
    for (std::size_t r = 2; r <= max_prime_factor; ++r) {
      while (primes % r == 0) primes /= r;
    }
    extend(length / primes, first, 0);
    if (primes == 1) return;
    best_.resize(std::max<std::size_t>(best_.size(), 2), 1);
    for (std::size_t p = largest_butterfly + 1; p <= longest_prime_radix; p += 2) {
      for (; primes % p == 0; primes /= p) best_.insert(best_.begin() + 1, static_cast<int>(p));
    }
    const bool is_whole = primes == 1 && best_.size() <= std::size(chain{}.stages) - 1;
    best_cost_ = is_whole ? cost_of(best_) : std::numeric_limits<double>::infinity();
  }

  [[nodiscard]] double cost() const { return best_cost_; }
  [[nodiscard]] chain result(std::size_t length) const {
    chain found;
    found.length = length;
    for (const int radix : best_) found.stages[found.n_stages++].radix = radix;
    return found;
  }

 private:
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

  std::vector<int> radices_, best_;
  double best_cost_ = std::numeric_limits<double>::infinity();
};

/// The cost of a vector instruction by the vector's bytes: processors split arithmetic on the
/// widest vectors in two, but not loads and moves (bench/lessons/processor.md#vectors-of-64-bytes).
double instruction_cost(std::size_t bytes) {
  return bytes > 32 ? 1.6 : bytes > 16 ? 1 : 0.85;
}

/// The cost of step roots and the transposition for each point.
constexpr double step_cost = 20;

/// The cost of a stage's call; of a vector of roots of the first stage of transposed rows; and of
/// storing a vector again because the bins of the first stage do not fill one.
constexpr double call_cost = 30;
constexpr double first_root_cost = 10;
constexpr double few_lanes_cost = 10;

/// Returns the cost for each point of moving rows to lanes and back.
double lanes_cost(std::size_t width, std::size_t number_bytes) {
  return number_bytes > 4 && width * number_bytes > 32 ? 55 : 30;
}

double cost_of(const chain& factors) {
  std::vector<int> radices;
  for (int i = 0; i < factors.n_stages; ++i) radices.push_back(factors.stages[i].radix);
  return cost_of(radices);
}

/// Returns the points of a strip over those in use.
double unused_lanes(std::size_t n, std::size_t width) {
  return static_cast<double>((n + width - 1) / width * width) / static_cast<double>(n);
}

/// Returns the cost of a row of `first` times `rows` points in vectors of `width`.
double cost_of_transposed(const radix_cost& first, const chain& rows, std::size_t width,
                          std::size_t number_bytes) {
  const auto a = static_cast<std::size_t>(first.radix), b = rows.length;
  const auto a_tiles = static_cast<double>((a + width - 1) / width);
  const auto b_tiles = static_cast<double>((b + width - 1) / width);
  const double moved = a_tiles * b_tiles * static_cast<double>(width);  // vectors
  const double move_cost = 2 + 2 * std::log2(static_cast<double>(width));
  const bool is_stored_again = a < width && rows.n_stages > 1;
  const double row_cost = cost_of(rows) + (is_stored_again ? few_lanes_cost : 0);
  return instruction_cost(width * number_bytes) *
             (b_tiles * static_cast<double>(a) * (first.per_point + first_root_cost) +
              moved * move_cost + a_tiles * static_cast<double>(b) * row_cost) +
         a_tiles * rows.n_stages * call_cost;
}

}  // namespace

bool has_radices(std::size_t length) {
  return is_good_length(length) || (length > 1 && chain_cost(length) <= most_per_point);
}

chain mixed_chain(std::size_t length) {
  return search{length, max_strip_radix}.result(length);
}

double chain_cost(std::size_t length) {
  return search{length, max_strip_radix}.cost();
}

matrix_shape matrix_shape_of(std::size_t length, std::size_t width, std::size_t number_bytes) {
  std::vector<std::size_t> divisors;
  std::size_t longest = limits.longest_matrix_side;
  for (std::size_t a = 2; a <= length / a; ++a) {
    if (length % a != 0) continue;
    divisors.push_back(a);
    if (length / a != a) divisors.push_back(length / a);
  }
  matrix_shape best;
  if (divisors.empty()) return best;
  longest = std::max({longest, divisors.back(), length / divisors.back()});  // the squarest
  for (const std::size_t a : divisors) {
    const std::size_t b = length / a;
    if (std::max(a, b) > longest || b < width) continue;
    matrix_shape shape{mixed_chain(a), mixed_chain(b)};
    const double per_point = (cost_of(shape.columns) + step_cost) * unused_lanes(b, width) +
                             cost_of(shape.rows) * unused_lanes(a, width);
    const std::size_t n_calls = 6 + 2 * ((a + width - 1) / width + (b + width - 1) / width);
    shape.cost = per_point * static_cast<double>(length) / static_cast<double>(width) *
                     instruction_cost(width * number_bytes) +
                 static_cast<double>(n_calls) * call_cost;
    if (shape.cost < best.cost) best = shape;
  }
  return best;
}

double strip_cost(const chain& factors, std::size_t width, std::size_t number_bytes) {
  return static_cast<double>(factors.length) *
         (cost_of(factors) + lanes_cost(width, number_bytes)) *
         instruction_cost(width * number_bytes);
}

double chirped_strip_cost(std::size_t length, const chain& padded, std::size_t width,
                          std::size_t number_bytes) {
  return (static_cast<double>(padded.length) * (2 * cost_of(padded) + limits.chirp_cost) +
          static_cast<double>(length) * lanes_cost(width, number_bytes)) *
         instruction_cost(width * number_bytes);
}

double row_cost(std::size_t length, std::size_t width, std::size_t number_bytes) {
  const double cost = matrix_shape_of(length, width, number_bytes).cost;
  if (2 * number_bytes * length > limits.stockham_bytes) return cost;
  return std::min(cost, transposed_chain_of(length, width, number_bytes).cost);
}

bool has_radices(std::size_t length, std::size_t width, std::size_t number_bytes) {
  if (is_good_length(length) || !has_radices(length)) return is_good_length(length);
  const double lanes = 32 / static_cast<double>(number_bytes);
  return row_cost(length, width, number_bytes) * lanes <=
         most_per_point * static_cast<double>(length);
}

transposed_chain transposed_chain_of(std::size_t length, std::size_t width,
                                     std::size_t number_bytes) {
  transposed_chain best;
  for (std::size_t w = width; w * number_bytes >= 16 && 4 * w >= width; w /= 2) {
    for (const auto& [radix, per_point] : costs) {
      const auto a = static_cast<std::size_t>(radix);
      if (length % a != 0 || length / a < w) continue;
      chain rows = search{length / a, costs[0].radix}.result(length / a);
      if (rows.stages[0].radix == 1) {  // a first stage of the whole is there already
        std::copy(rows.stages + 1, rows.stages + rows.n_stages, rows.stages);
        --rows.n_stages;
      }
      const double cost = cost_of_transposed({radix, per_point}, rows, w, number_bytes);
      if (cost >= best.cost) continue;
      best.cost = cost;
      best.width = w;
      best.factors.length = length;
      best.factors.n_stages = 1 + rows.n_stages;
      best.factors.stages[0].radix = radix;
      std::copy_n(rows.stages, rows.n_stages, best.factors.stages + 1);
    }
  }
  return best;
}

}  // namespace wingbeat::backend::host
