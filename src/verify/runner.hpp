// SPDX-License-Identifier: Apache-2.0
// Runs transforms of rows on one device through the public API, and watches the memory around.
#pragma once

#include <cstddef>  // size_t
#include <map>
#include <tuple>
#include <vector>

#include "verify/transformer.hpp"  // transformer, manner
#include "wingbeat/devices.hpp"    // device_info
#include "wingbeat/plan.hpp"       // plan, plan_spec
#include "wingbeat/queue.hpp"      // queue

namespace wingbeat::verify {

/// Outputs are NaN before each run, and so is padding that must not be read. Each buffer stands
/// between two guards; a run that changes them, or an input it must leave alone, is counted.
class runner final : public transformer {
 public:
  runner(const device_info& where, precision real) : queue_(where), real_(real) {}

  using transformer::operator();
  [[nodiscard]] std::vector<row> operator()(transform kind, const std::vector<row>& rows,
                                            const manner& how) override;
  [[nodiscard]] std::size_t n_trespasses() const noexcept override { return n_trespasses_; }
  [[nodiscard]] precision real() const noexcept override { return real_; }
  [[nodiscard]] bool is_oracle() const noexcept override {
    return queue_.device().runs_on == engine::reference;
  }

  /// Drops the plans made so far, and the count of trespasses.
  void forget();

 private:
  const plan& plan_for(const plan_spec& what);

  template <class Real>
  std::vector<double> run(const plan& with, const std::vector<double>& in);

  queue queue_;
  precision real_;
  std::map<std::tuple<transform, shape, std::size_t, scaling, placement>, plan> plans_;
  std::size_t n_trespasses_ = 0;
};

}  // namespace wingbeat::verify
