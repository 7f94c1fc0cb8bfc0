// SPDX-License-Identifier: Apache-2.0
// Rows that pass through the functors of a request, one at a time.
#pragma once

#include <complex>
#include <cstddef>  // size_t
#include <vector>

#include "wingbeat/plan.hpp"  // plan_spec

namespace wingbeat::reference {

/// The memory of one row before and behind the transform, where a functor stands there.
template <class Real>
class ends {
 public:
  explicit ends(const plan_spec& what) : what_(what) {
    const std::size_t room = 2 * (what.lengths.front() + 1);  // reals: N complex, or N/2 + 1
    if (what.load.is_given()) loaded_.resize(room);
    if (what.store.is_given()) to_store_.resize(room);
  }

  /// Returns where row `row` begins that the transform reads, `step` reals apart in plain memory.
  const Real* loaded(const char* in, std::size_t row, std::size_t step) {
    if (!what_.load.is_given()) return reinterpret_cast<const Real*>(in) + row * step;
    const std::size_t n = what_.lengths.front();
    const host_load& call = what_.load.callable;
    if (what_.kind == transform::forward_from_real) {
      std::get<run_reader<Real>>(call)(in, row, 0, {loaded_.data(), n});
    } else {
      auto* const to = reinterpret_cast<value*>(loaded_.data());
      const std::size_t count = what_.kind == transform::inverse_to_real ? n / 2 + 1 : n;
      std::get<run_reader<value>>(call)(in, row, 0, {to, count});
    }
    return loaded_.data();
  }

  /// Returns where the transform writes row `row`.
  Real* to_store(char* out, std::size_t row, std::size_t step) {
    return what_.store.is_given() ? to_store_.data() : reinterpret_cast<Real*>(out) + row * step;
  }

  /// Hands the row to the store, if there is one.
  void store(char* out, std::size_t row) const {
    if (!what_.store.is_given()) return;
    const std::size_t n = what_.lengths.front();
    const host_store& call = what_.store.callable;
    if (what_.kind == transform::inverse_to_real) {
      std::get<run_writer<Real>>(call)(out, row, 0, {to_store_.data(), n});
    } else {
      const auto* const from = reinterpret_cast<const value*>(to_store_.data());
      const std::size_t count = what_.kind == transform::forward_from_real ? n / 2 + 1 : n;
      std::get<run_writer<value>>(call)(out, row, 0, {from, count});
    }
  }

 private:
  using value = std::complex<Real>;
  const plan_spec& what_;
  std::vector<Real> loaded_;
  std::vector<Real> to_store_;
};

}  // namespace wingbeat::reference
