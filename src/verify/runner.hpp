// SPDX-License-Identifier: Apache-2.0
// Runs transforms of rows through the public API, on one device, where it checks the memory around
// them, or over several devices.
#pragma once

#include <cstddef>  // size_t
#include <map>
#include <optional>
#include <tuple>
#include <vector>

#include "verify/guarded.hpp"      // bytes
#include "verify/transformer.hpp"  // transformer, manner
#include "wingbeat/devices.hpp"    // device_info
#include "wingbeat/domain.hpp"     // domain
#include "wingbeat/plan.hpp"       // plan, plan_spec
#include "wingbeat/queue.hpp"      // queue

namespace wingbeat::verify {

/// Before each run, fills outputs, and padding that must not be read, with NaN. Each buffer lies
/// between two guards; changes to guards, or to an input that must stay unchanged, are counted.
class runner final : public transformer {
 public:
  runner(const device_info& device, precision real) : queue_(device), real_(real) {}

  /// Runs over these devices, each a rank, if a transform can be cut; does not check memory around
  /// the ranks' parts.
  runner(const std::vector<device_info>& ranks, precision real);

  using transformer::operator();
  [[nodiscard]] std::vector<row> operator()(transform kind, const std::vector<row>& rows,
                                            const manner& how) override;
  [[nodiscard]] std::size_t n_trespasses() const noexcept override { return n_trespasses_; }
  [[nodiscard]] precision real() const noexcept override { return real_; }
  [[nodiscard]] bool is_oracle() const noexcept override {
    return queue_.device().runs_on == engine::reference;
  }

  /// Returns how many runs were shared by ranks; rank 0 makes transforms that cannot be cut.
  [[nodiscard]] std::size_t n_cut() const noexcept { return n_cut_; }

  /// Drops the plans made so far, and resets the count of trespasses.
  void forget();

 private:
  const plan& plan_for(const plan_spec& spec);

  [[nodiscard]] bytes run(const plan& planned, const bytes& in);

  /// Returns the output for an input.
  [[nodiscard]] bytes transformed(const plan_spec& spec, const bytes& in);

  queue queue_;
  std::optional<wingbeat::domain> ranks_ = {};
  precision real_;
  std::map<std::tuple<transform, shape, std::size_t, scaling, bool, placement>, plan> plans_;
  std::size_t n_trespasses_ = 0, n_cut_ = 0;
};

}  // namespace wingbeat::verify
