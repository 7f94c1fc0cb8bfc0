// SPDX-License-Identifier: Apache-2.0
// Timeout: 300
// Callables that run, and make, other plans on the queue of the run that calls them: each run gives
// the bits that it gives alone.
#include <gtest/gtest.h>

#include <atomic>
#include <functional>
#include <memory>   // unique_ptr
#include <variant>  // visit

#include "request/traits.hpp"             // kinds
#include "support/memory.hpp"             // contents, filled
#include "support/numbered_functors.hpp"  // numbered_load, numbered_store
#include "support/on_engine.hpp"          // on_engine, engine_name
#include "support/signal.hpp"             // real_noise
#include "wingbeat/wingbeat.hpp"

namespace {

using namespace wingbeat;
using namespace wingbeat::test;

/// Returns a callable that runs `nested` before and after it does its own work.
template <class Callable>
Callable around(const Callable& own, const std::function<void()>& nested) {
  return std::visit(
      [&](const auto& work) -> Callable {
        using type = std::decay_t<decltype(work)>;
        if constexpr (std::is_same_v<type, std::monostate>) {
          return own;
        } else {
          return type{[work, nested](auto... given) {
            nested();
            work(given...);
            nested();
          }};
        }
      },
      own);
}

plan_spec spec_of(transform kind, std::size_t length) {
  plan_spec spec{.lengths = {length}, .batch = 3, .kind = kind};
  spec.load = numbered_load(spec);
  spec.store = numbered_store(spec);
  return spec;
}

/// A plan whose callables run others, its memory, and what it gives alone.
class nesting_plan {
 public:
  nesting_plan(
      const queue& on, transform kind, std::size_t length,
      const std::function<void()>& nested = [] {})
      : on_(on), expected_(alone(kind, length)) {
    plan_spec spec = spec_of(kind, length);
    spec.load.callable = around(spec.load.callable, nested);
    spec.store.callable = around(spec.store.callable, nested);
    plan_.emplace(on, spec);
  }

  void expect_its_own_bits() {
    buffer out{on_, expected_.size()};
    plan_->enqueue(on_, in_->view(), out.view());
    EXPECT_TRUE(contents<unsigned char>(out) == expected_);
  }

 private:
  std::vector<unsigned char> alone(transform kind, std::size_t length) {
    const plan_spec spec = spec_of(kind, length);
    const auto values = real_noise<float>(input_bytes(spec) / sizeof(float), 7);
    in_.emplace(filled(on_, values));
    buffer out{on_, output_bytes(spec)};
    plan{on_, spec}.enqueue(on_, in_->view(), out.view());
    return contents<unsigned char>(out);
  }

  queue on_;
  std::optional<buffer> in_;
  std::vector<unsigned char> expected_;
  std::optional<plan> plan_;
};

using nested_runs = on_engine;

TEST_P(nested_runs, leave_every_kind_its_bits) {
  const bool is_slow = GetParam() == engine::reference;
  std::vector<std::unique_ptr<nesting_plan>> inner;
  for (const request::traits& each : request::kinds) {
    const transform kind = each.kind;
    for (const std::size_t n :
         is_slow ? std::vector<std::size_t>{9, 48} : std::vector<std::size_t>{9, 64, 1000, 20000}) {
      inner.push_back(std::make_unique<nesting_plan>(*on, kind, n));
    }
  }
  for (const request::traits& each : request::kinds) {
    const transform kind = each.kind;
    for (const std::size_t n : {8, 60, 97, 1000}) {
      std::atomic<std::size_t> next = 0;
      nesting_plan outer{*on, kind, n, [&] {
                           const std::size_t i = next++;
                           if (i < inner.size()) inner[i]->expect_its_own_bits();
                         }};
      SCOPED_TRACE(std::string{name_of(kind)} + " of " + std::to_string(n));
      outer.expect_its_own_bits();
      EXPECT_GT(next, 0U);
      if (HasFailure()) return;
    }
  }
}

TEST_P(nested_runs, plan_while_another_runs) {
  // The inner plans need more of the queue's workspace than it had when the outer run began.
  const std::size_t n = GetParam() == engine::reference ? 1000 : std::size_t{1} << 16;
  std::atomic<int> calls = 0;
  nesting_plan outer{*on, transform::forward, n, [&] {
                       if (calls++ < 4)
                         nesting_plan{*on, transform::dct2, 3 * n}.expect_its_own_bits();
                     }};
  outer.expect_its_own_bits();
  outer.expect_its_own_bits();
}

INSTANTIATE_TEST_SUITE_P(engines, nested_runs, ::testing::Values(engine::host, engine::reference),
                         engine_name);

}  // namespace
