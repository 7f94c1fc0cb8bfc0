// SPDX-License-Identifier: Apache-2.0
// One run of a host plan on memory that shows every stray access, and what it should have given.
#pragma once

#include <gtest/gtest.h>

#include <cmath>    // sqrt
#include <cstddef>  // size_t
#include <cstring>  // memcmp, memcpy
#include <string>
#include <vector>

#include "backend/backend.hpp"    // queue, plan
#include "backend/host/cpu.hpp"   // named_set
#include "backend/host/plan.hpp"  // make_plan
#include "support/oracle.hpp"     // dft, exact
#include "support/signal.hpp"     // fill_noise

namespace wingbeat::test {

/// Bytes between two guard bands, starting `offset` bytes past a 64-byte boundary. All of it is
/// filled with NaNs (0xff), so that what is read without having been written shows.
class guarded {
 public:
  guarded(std::size_t size_bytes, std::size_t offset)
      : memory_(size_bytes + 3 * band_bytes, 0xff), size_bytes_(size_bytes) {
    const auto address = reinterpret_cast<std::uintptr_t>(memory_.data());
    begin_ =
        memory_.data() + (band_bytes - address % band_bytes) % band_bytes + band_bytes + offset;
  }

  [[nodiscard]] buffer_view view() { return {begin_, 0, size_bytes_}; }
  template <class Real>
  [[nodiscard]] Real* as() {
    return reinterpret_cast<Real*>(begin_);
  }

  /// Returns whether every byte outside is still as it was.
  [[nodiscard]] bool is_intact() const {
    for (std::size_t i = 0; i < memory_.size(); ++i) {
      const unsigned char* at = memory_.data() + i;
      if ((at < begin_ || at >= begin_ + size_bytes_) && *at != 0xff) return false;
    }
    return true;
  }

 private:
  static constexpr std::size_t band_bytes = 256;
  std::vector<unsigned char> memory_;
  std::size_t size_bytes_;
  unsigned char* begin_;
};

/// Returns numbers from one row to the next, on the side of the input or of the output.
inline std::size_t row_reals(const plan_spec& what, bool is_input) {
  plan_spec one = what;
  one.batch = 1;
  return (is_input ? input_bytes(one) : output_bytes(one)) / (what.real == precision::fp32 ? 4 : 8);
}

template <class Real>
std::vector<Real> input_noise(const plan_spec& what) {
  std::vector<Real> x(input_bytes(what) / sizeof(Real));
  fill_noise(x.data(), x.size(), what.lengths.front() + what.batch);
  return x;
}

/// Runs `what` once and returns the whole output, padding included.
template <class Real>
std::vector<Real> guarded_run(const backend::host::named_set& with, const plan_spec& what,
                              const std::vector<Real>& input, std::size_t offset = 0) {
  const auto& engine = backend::host_engine();
  const auto queue = engine.open(engine.devices().front());
  const auto plan = backend::host::make_plan(with, what);
  const bool is_in_place = what.where == placement::in_place;
  guarded in{is_in_place ? std::max(input_bytes(what), output_bytes(what)) : input_bytes(what),
             offset};
  guarded apart{is_in_place ? 0 : output_bytes(what), offset};
  guarded& out = is_in_place ? in : apart;
  guarded scratch{plan->workspace_bytes(), offset};
  std::memcpy(in.as<Real>(), input.data(), input_bytes(what));
  plan->enqueue(*queue, in.view(), out.view(), scratch.view());
  EXPECT_TRUE(in.is_intact() && out.is_intact() && scratch.is_intact()) << "wrote out of bounds";
  if (!is_in_place) {
    EXPECT_EQ(std::memcmp(in.as<Real>(), input.data(), input_bytes(what)), 0) << "input changed";
  }
  return {out.as<Real>(), out.as<Real>() + output_bytes(what) / sizeof(Real)};
}

/// Returns the exact output of row `row`: bins, or real numbers as complex ones.
template <class Real>
exact expected_row(const plan_spec& what, const std::vector<Real>& input, std::size_t row) {
  const std::size_t n = what.lengths.front();
  const Real* from = input.data() + row_reals(what, true) * row;
  const bool is_bins_to_real = what.kind == transform::inverse_to_real;
  exact x(n);
  for (std::size_t j = 0; j < n; ++j) {
    if (what.kind == transform::forward_from_real) {
      x[j] = from[j];
    } else if (!is_bins_to_real) {
      x[j] = {from[2 * j], from[2 * j + 1]};
    } else {
      const std::size_t k = std::min(j, n - j);
      const long double im = k == 0 || 2 * k == n ? 0 : from[2 * k + 1];
      x[j] = {from[2 * k], j == k ? im : -im};
    }
  }
  const bool is_forward =
      what.kind == transform::forward || what.kind == transform::forward_from_real;
  exact y = dft(x, is_forward ? direction::forward : direction::inverse);
  if (what.kind == transform::forward_from_real) y.resize(n / 2 + 1);
  const auto length = static_cast<long double>(n);
  const long double by = what.scale == scaling::none        ? 1
                         : what.scale == scaling::by_length ? 1 / length
                                                            : 1 / std::sqrt(length);
  for (auto& z : y) z *= by;
  return y;
}

/// Returns row `row` of an output in the form of expected_row.
template <class Real>
exact row_of(const plan_spec& what, const std::vector<Real>& output, std::size_t row) {
  const Real* from = output.data() + row_reals(what, false) * row;
  const std::size_t n = what.lengths.front();
  exact y;
  if (what.kind == transform::inverse_to_real) {
    y.assign(from, from + n);
    return y;
  }
  const std::size_t bins = what.kind == transform::forward_from_real ? n / 2 + 1 : n;
  for (std::size_t k = 0; k < bins; ++k) y.emplace_back(from[2 * k], from[2 * k + 1]);
  return y;
}

/// Says what a run was, for the message of a failure.
inline std::string described(const backend::host::named_set& with, const plan_spec& what) {
  return with.name + " " + std::string{name_of(what.kind)} + " " + std::string{name_of(what.real)} +
         " scaling " + std::string{name_of(what.scale)} + " length " +
         std::to_string(what.lengths.front()) + " batch " + std::to_string(what.batch) +
         (what.where == placement::in_place ? " in place" : " out of place");
}

}  // namespace wingbeat::test
