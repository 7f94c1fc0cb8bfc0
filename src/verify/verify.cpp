// SPDX-License-Identifier: Apache-2.0
#include "verify/verify.hpp"

#include <algorithm>  // all_of
#include <bit>        // bit_width, has_single_bit
#include <limits>     // numeric_limits
#include <optional>
#include <utility>  // move

#include "request/validation.hpp"  // require_length, validated
#include "text/reject.hpp"         // reject
#include "verify/laws.hpp"         // laws, trial
#include "verify/runner.hpp"       // runner
#include "wingbeat/error.hpp"      // error, plan_error

namespace wingbeat::verify {
namespace {

/// Returns the verdict of a law; nothing if the engine does not support so many axes yet.
std::optional<verdict> verdict_of(const law& rule, const trial& t) {
  verdict found;
  found.law = rule.name;
  found.kind = t.kind;
  found.real = t.run.real();
  found.lengths = t.over;
  try {
    const measurement m = rule.measure(t);
    found.error = m.error;
    found.bound = m.bound;
  } catch (const error& e) {
    found.error = std::numeric_limits<double>::infinity();
    found.failure = e.what();
    const bool is_to_come = found.failure.find("so far") != std::string::npos;
    if (is_to_come && t.over.size() > 1) return std::nullopt;
  }
  return found;
}

/// Returns the largest divisor of n that is at most its `root`-th root.
std::size_t divisor_of(std::size_t n, int root) {
  std::size_t best = 1;
  const auto is_small = [&](std::size_t d) { return root == 2 ? d * d <= n : d * d * d <= n; };
  for (std::size_t d = 2; is_small(d); ++d) {
    if (n % d == 0) best = d;
  }
  return best;
}

/// Returns one axis of n points, and two and three axes with the product n if they exist, the last
/// the longest.
std::vector<shape> shapes_of(std::size_t n) {
  std::vector<shape> shapes{{n}};
  const std::size_t half = divisor_of(n, 2), third = divisor_of(n, 3);
  if (half > 1) shapes.push_back({half, n / half});
  if (third == 1) return shapes;
  const std::size_t second = std::has_single_bit(n) ? third : divisor_of(n / third, 2);
  if (second > 1) shapes.push_back({third, second, n / third / second});
  return shapes;
}

/// Returns whether a kind has axes of these lengths.
bool has_axes(transform kind, const shape& axes) {
  return std::all_of(axes.begin(), axes.end(),
                     [&](std::size_t n) { return n >= request::traits_of(kind).min_length(); });
}

}  // namespace

std::vector<transform> every_kind() {
  std::vector<transform> kinds;
  for (const request::traits& each : request::kinds) kinds.push_back(each.kind);
  return kinds;
}

std::vector<std::size_t> points_of(const lengths& over) {
  for (const std::size_t n : over.listed) request::require_length(n);
  if (!over.listed.empty()) return over.listed;
  const bool is_possible = 1 <= over.min_log2 && over.min_log2 <= over.max_log2 &&
                           over.max_log2 < std::numeric_limits<std::size_t>::digits - 1 &&
                           std::size_t{1} << over.max_log2 <= max_length;
  if (!is_possible) {
    reject(
        "lengths 2^{} to 2^{} cannot be verified; choose 1 to {}, the "
        "smaller first",
        over.min_log2, over.max_log2, std::bit_width(max_length) - 1);
  }
  std::vector<std::size_t> points;
  for (int log2 = over.min_log2; log2 <= over.max_log2; ++log2) {
    points.push_back(std::size_t{1} << log2);
  }
  return points;
}

std::vector<verdict> check(const std::vector<device_info>& ranks, precision real,
                           const lengths& over, const std::function<void(std::size_t)>& before_each,
                           const std::vector<transform>& kinds) {
  const auto points = points_of(over);
  for (const std::size_t n : points) {
    request::validated(plan_spec{.lengths = {n}, .real = real}, ranks.front());
    for (const transform kind : kinds) {
      request::validated(plan_spec{.lengths = {n}, .kind = kind, .real = real}, ranks.front());
    }
  }
  runner subject{ranks, real};
  runner oracle{first_device(engine::reference), precision::fp64};
  std::vector<verdict> verdicts;
  for (const std::size_t n : points) {
    if (before_each) before_each(n);
    for (const transform kind : kinds.empty() ? every_kind() : kinds) {
      for (const shape& axes : shapes_of(n)) {
        if (!has_axes(kind, axes)) continue;
        subject.forget();
        oracle.forget();
        for (const law& rule : laws()) {
          if (!rule.applies_to(kind) || (rule.is_of_one_device && ranks.size() > 1)) continue;
          const std::size_t n_cut = subject.n_cut();
          auto found = verdict_of(rule, {subject, oracle, kind, axes});
          if (!found) break;
          found->device = ranks.front();
          found->n_ranks = ranks.size();
          found->is_alone = ranks.size() > 1 && subject.n_cut() == n_cut;
          verdicts.push_back(std::move(*found));
        }
      }
    }
  }
  return verdicts;
}

}  // namespace wingbeat::verify
