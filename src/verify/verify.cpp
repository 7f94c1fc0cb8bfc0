// SPDX-License-Identifier: Apache-2.0
#include "verify/verify.hpp"

#include <fmt/core.h>

#include <limits>  // numeric_limits

#include "verify/laws.hpp"     // laws, trial
#include "verify/runner.hpp"   // runner
#include "wingbeat/error.hpp"  // error, plan_error

namespace wingbeat::verify {
namespace {

constexpr transform kinds[] = {transform::forward, transform::inverse, transform::forward_from_real,
                               transform::inverse_to_real};

verdict judge(const law& one, const trial& t) {
  verdict found;
  found.law = one.name;
  found.kind = t.kind;
  found.real = t.run.real();
  found.length = t.n;
  try {
    const measurement m = one.measure(t);
    found.error = m.error;
    found.bound = m.bound;
  } catch (const error& e) {
    found.error = std::numeric_limits<double>::infinity();
    found.failure = e.what();
  }
  return found;
}

}  // namespace

std::vector<verdict> check(const device_info& where, precision real, lengths over,
                           const std::function<void(std::size_t)>& before_each) {
  const bool is_possible = 1 <= over.min_log2 && over.min_log2 <= over.max_log2 &&
                           over.max_log2 < std::numeric_limits<std::size_t>::digits - 1 &&
                           std::size_t{1} << over.max_log2 <= max_length;
  if (!is_possible) {
    throw plan_error(
        fmt::format("lengths 2^{} to 2^{} cannot be verified; choose 1 to 24, the "
                    "smaller first",
                    over.min_log2, over.max_log2));
  }
  runner subject{where, real};
  runner oracle{first_device(engine::reference), precision::fp64};
  std::vector<verdict> verdicts;
  for (int log2 = over.min_log2; log2 <= over.max_log2; ++log2) {
    const std::size_t n = std::size_t{1} << log2;
    if (before_each) before_each(n);
    for (const transform kind : kinds) {
      subject.forget();
      oracle.forget();
      for (const law& one : laws()) {
        verdicts.push_back(judge(one, {subject, oracle, kind, n}));
        verdicts.back().device = where;
      }
    }
  }
  return verdicts;
}

}  // namespace wingbeat::verify
