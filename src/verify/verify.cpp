// SPDX-License-Identifier: Apache-2.0
#include "verify/verify.hpp"

#include <bit>     // bit_width
#include <limits>  // numeric_limits
#include <optional>
#include <utility>  // move

#include "formatted.hpp"       // formatted
#include "verify/laws.hpp"     // laws, trial
#include "verify/runner.hpp"   // runner
#include "wingbeat/error.hpp"  // error, plan_error

namespace wingbeat::verify {
namespace {

constexpr transform kinds[] = {transform::forward, transform::inverse, transform::forward_from_real,
                               transform::inverse_to_real};

/// Returns nothing where the engine does not support so many axes yet.
std::optional<verdict> judge(const law& rule, const trial& t) {
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

/// Returns one axis of 2^log2 points, and two and three that share them, the last the longest.
std::vector<shape> shapes_of(int log2) {
  const auto length = [](int bits) { return std::size_t{1} << bits; };
  std::vector<shape> shapes{{length(log2)}};
  if (log2 >= 2) shapes.push_back({length(log2 / 2), length(log2 - log2 / 2)});
  if (log2 >= 3) {
    const int third = log2 / 3;
    shapes.push_back({length(third), length(third), length(log2 - 2 * third)});
  }
  return shapes;
}

}  // namespace

std::vector<verdict> check(const device_info& device, precision real, lengths over,
                           const std::function<void(std::size_t)>& before_each) {
  const bool is_possible = 1 <= over.min_log2 && over.min_log2 <= over.max_log2 &&
                           over.max_log2 < std::numeric_limits<std::size_t>::digits - 1 &&
                           std::size_t{1} << over.max_log2 <= max_length;
  if (!is_possible) {
    throw plan_error(
        formatted("lengths 2^{} to 2^{} cannot be verified; choose 1 to {}, the "
                  "smaller first",
                  over.min_log2, over.max_log2, std::bit_width(max_length) - 1));
  }
  runner subject{device, real};
  runner oracle{first_device(engine::reference), precision::fp64};
  std::vector<verdict> verdicts;
  for (int log2 = over.min_log2; log2 <= over.max_log2; ++log2) {
    const std::size_t n = std::size_t{1} << log2;
    if (before_each) before_each(n);
    for (const transform kind : kinds) {
      for (const shape& axes : shapes_of(log2)) {
        subject.forget();
        oracle.forget();
        for (const law& rule : laws()) {
          auto found = judge(rule, {subject, oracle, kind, axes});
          if (!found) break;
          found->device = device;
          verdicts.push_back(std::move(*found));
        }
      }
    }
  }
  return verdicts;
}

}  // namespace wingbeat::verify
