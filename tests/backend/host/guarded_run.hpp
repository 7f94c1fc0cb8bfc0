// SPDX-License-Identifier: Apache-2.0
// One run of a host plan on memory that shows every stray access, and what it should have given.
#pragma once

#include <gtest/gtest.h>

#include <cstddef>  // size_t
#include <cstring>  // memcmp, memcpy
#include <string>
#include <vector>

#include "backend/backend.hpp"    // queue, plan
#include "backend/host/cpu.hpp"   // named_set
#include "backend/host/plan.hpp"  // make_plan
#include "support/planned.hpp"    // input_noise, described

namespace wingbeat::test {

inline constexpr transform kinds[] = {transform::forward, transform::inverse,
                                      transform::forward_from_real, transform::inverse_to_real};

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
      const unsigned char* element = memory_.data() + i;
      if ((element < begin_ || element >= begin_ + size_bytes_) && *element != 0xff) return false;
    }
    return true;
  }

 private:
  static constexpr std::size_t band_bytes = 256;
  std::vector<unsigned char> memory_;
  std::size_t size_bytes_;
  unsigned char* begin_;
};

/// Runs `what` once and returns the whole output, padding included.
template <class Real>
std::vector<Real> guarded_run(const backend::host::named_set& set, const plan_spec& spec,
                              const std::vector<Real>& input, std::size_t offset = 0) {
  const auto& engine = backend::host_engine();
  const auto queue = engine.open(engine.devices().front());
  const auto plan = backend::host::make_plan(set, spec);
  const bool is_in_place = spec.where == placement::in_place;
  guarded in{is_in_place ? std::max(input_bytes(spec), output_bytes(spec)) : input_bytes(spec),
             offset};
  guarded apart{is_in_place ? 0 : output_bytes(spec), offset};
  guarded& out = is_in_place ? in : apart;
  guarded scratch{plan->workspace_bytes(), offset};
  std::memcpy(in.as<Real>(), input.data(), input_bytes(spec));
  plan->enqueue(*queue, {in.view(), out.view(), scratch.view()});
  EXPECT_TRUE(in.is_intact() && out.is_intact() && scratch.is_intact()) << "wrote out of bounds";
  if (!is_in_place) {
    EXPECT_EQ(std::memcmp(in.as<Real>(), input.data(), input_bytes(spec)), 0) << "input changed";
  }
  return {out.as<Real>(), out.as<Real>() + output_bytes(spec) / sizeof(Real)};
}

/// Says what a run was, for the message of a failure.
inline std::string described(const backend::host::named_set& set, const plan_spec& spec) {
  return set.name + " " + described(spec);
}

}  // namespace wingbeat::test
