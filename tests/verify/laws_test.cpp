// SPDX-License-Identifier: Apache-2.0
// The laws themselves: the right transform obeys all of them, and each catches the fault it is
// there for.
#include "verify/laws.hpp"

#include <gtest/gtest.h>

#include <algorithm>  // reverse, swap
#include <cmath>      // isfinite, sqrt
#include <functional>
#include <limits>  // numeric_limits

#include "reference/axis.hpp"       // axis
#include "reference/real_axis.hpp"  // real_axis
#include "verify/verify.hpp"        // every_kind

namespace {

using namespace wingbeat;
using namespace wingbeat::verify;

/// Transforms as the oracle does, rounds, and then does `fault` to the rows of output.
class almost_right final : public transformer {
 public:
  using fault = std::function<void(almost_right&, std::vector<row>& out, manner how)>;

  explicit almost_right(precision real, fault does = {}) : real_(real), fault_(std::move(does)) {}

  using transformer::operator();
  std::vector<row> operator()(transform kind, const std::vector<row>& rows,
                              const manner& how) override {
    ++n_runs;
    std::vector<row> out;
    for (const row& x : rows) {
      const bool is_forward = kind == transform::forward || kind == transform::forward_from_real;
      const auto dir = is_forward ? device::direction::forward : device::direction::inverse;
      row got = x;
      std::size_t stride = x.size();
      for (const std::size_t n : how.over) {
        if (traits_of(kind).is_real_to_real()) {
          reference::real_axis(traits_of(kind), n, how.orthogonalizes)(got, stride /= n);
        } else {
          reference::axis(n, dir)(got, stride /= n);
        }
      }
      const long double n = logical_points_of(kind, how.over);
      for (auto& z : got) {
        if (how.scale == scaling::by_length) z /= n;
        if (how.scale == scaling::by_sqrt_length) z /= std::sqrt(n);
      }
      out.push_back(rounded(got, real_));
    }
    if (fault_) fault_(*this, out, how);
    return out;
  }
  std::size_t n_trespasses() const noexcept override { return trespasses; }
  precision real() const noexcept override { return real_; }
  bool is_oracle() const noexcept override { return false; }

  int n_runs = 0;
  std::size_t trespasses = 0;

 private:
  precision real_;
  fault fault_;
};

TEST(laws, hold_for_the_right_transform) {
  for (const precision real : {precision::fp32, precision::fp64}) {
    for (const transform kind : every_kind()) {
      for (const shape& over : {shape{2}, {4}, {8}, {64}, {512}, {2, 2}, {8, 16}, {4, 2, 8}, {1}}) {
        almost_right right{real}, oracle{precision::fp64};
        for (const law& each : laws()) {
          if (!each.applies_to(kind) || over.front() < traits_of(kind).min_length()) continue;
          const auto [error, bound] = each.measure({right, oracle, kind, over});
          EXPECT_TRUE(error <= bound && std::isfinite(bound))
              << each.name << ", " << name_of(kind) << ", " << over.size() << " axes, the first of "
              << over.front();
        }
      }
    }
  }
}

/// Returns whether the named law notices the fault on 512 points in fp32, for every kind.
::testing::AssertionResult notices(std::string_view name, const almost_right::fault& does,
                                   const shape& over = {512}) {
  for (const law& each : laws()) {
    if (each.name != name) continue;
    for (const transform kind : every_kind()) {
      if (!each.applies_to(kind) || over.front() < traits_of(kind).min_length()) continue;
      almost_right wrong{precision::fp32, does}, oracle{precision::fp64};
      const auto [error, bound] = each.measure({wrong, oracle, kind, over});
      if (error <= bound) {
        return ::testing::AssertionFailure()
               << name_of(kind) << ": error " << error << " within " << bound;
      }
    }
    return ::testing::AssertionSuccess();
  }
  return ::testing::AssertionFailure() << "there is no such law";
}

void for_each_value(std::vector<row>& out, const std::function<void(value&, std::size_t)>& change) {
  for (row& x : out) {
    for (std::size_t k = 0; k < x.size(); ++k) change(x[k], k);
  }
}

/// Makes each element wrong by a relative error of `units` u, of alternating sign.
almost_right::fault errors_of(long double units) {
  return [units](auto&, auto& out, manner) {
    for_each_value(out, [units](value& z, std::size_t k) {
      z *= 1 + (k % 2 == 0 ? units : -units) * 0x1p-24L;
    });
  };
}

TEST(laws, notice_errors_a_little_above_what_rounding_excuses) {
  EXPECT_FALSE(notices("random", errors_of(2)));  // 3 u are allowed at 512, 4.1 of dct1
  EXPECT_TRUE(notices("random", errors_of(4.2L)));
  EXPECT_TRUE(notices("impulse", errors_of(4.2L)));
  EXPECT_TRUE(notices("tone", errors_of(7.3L)));
  EXPECT_TRUE(notices("largest", errors_of(30)));
}

TEST(laws, notice_an_output_scaled_by_a_little) {
  const auto does = [](auto&, auto& out, manner) {
    for_each_value(out, [](value& z, std::size_t) { z *= 1 + 20 * 0x1p-24L; });
  };
  for (const auto* name : {"random", "impulse", "tone", "parseval", "round trip"}) {
    EXPECT_TRUE(notices(name, does)) << name;
  }
}

TEST(laws, notice_the_conjugate) {
  const auto does = [](auto&, auto& out, manner) {
    for (row& x : out) std::reverse(x.begin() + 1, x.end());
  };
  for (const auto* name : {"random", "largest", "shift"}) {
    EXPECT_TRUE(notices(name, does)) << name;
  }
}

TEST(laws, notice_not_a_number_anywhere) {
  const auto does = [](auto&, auto& out, manner) {
    out.back()[100] = std::numeric_limits<long double>::quiet_NaN();
  };
  for (const law& each : laws()) {
    if (each.name == "dc" || each.name == "memory") continue;  // they look elsewhere
    EXPECT_TRUE(notices(each.name, does)) << each.name;
  }
}

TEST(laws, notice_a_wrong_first_element) {
  EXPECT_TRUE(notices("dc", [](auto&, auto& out, manner) {
    for (row& x : out) x[0] += largest(x) * 1e-5L;
  }));
}

TEST(laws, notice_differences_that_are_not_those_of_the_kind) {
  const auto add = [](auto&, auto& out, manner) {
    for_each_value(out, [](value& z, std::size_t) { z += 1e-3L; });
  };
  EXPECT_TRUE(notices("difference", add));
  EXPECT_TRUE(notices("difference", add, {1}));
}

TEST(laws, notice_what_is_not_linear) {
  const auto clip = [](auto&, auto& out, manner) {
    for_each_value(out, [](value& z, std::size_t) { z *= 1 + 1e-7L * std::norm(z); });
  };
  EXPECT_TRUE(notices("linearity", clip));
  EXPECT_TRUE(notices("convolution", clip));
}

TEST(laws, notice_two_bins_that_changed_places) {
  const auto does = [](auto&, auto& out, manner) {
    for (row& x : out) {
      std::swap(x[5], x[6]);
      std::swap(x[x.size() - 5], x[x.size() - 6]);
    }
  };
  for (const auto* name : {"random", "impulse", "shift", "round trip"}) {
    EXPECT_TRUE(notices(name, does)) << name;
  }
}

TEST(laws, notice_two_axes_that_changed_places) {
  const auto does = [](auto&, auto& out, manner) {
    for (row& x : out) {
      const row right = x;
      for (std::size_t k = 0; k < 256; ++k) x[k] = right[k % 16 * 16 + k / 16];
    }
  };
  for (const auto* name : {"random", "impulse", "tone", "shift"}) {
    EXPECT_TRUE(notices(name, does, {16, 16})) << name;
  }
}

TEST(laws, notice_a_row_of_a_batch_taken_for_another) {
  EXPECT_TRUE(notices("batch", [](auto&, auto& out, manner) {
    if (out.size() == 17) out[16] = out[15];
  }));
}

TEST(laws, notice_an_in_place_run_that_differs) {
  EXPECT_TRUE(notices("in place", [](auto&, auto& out, manner how) {
    if (how.where == placement::in_place) out.back()[1] *= 1.01L;
  }));
}

TEST(laws, notice_a_scale_that_is_ignored) {
  for (const scaling ignored : {scaling::by_length, scaling::by_sqrt_length}) {
    const auto does = [ignored](auto&, auto& out, manner how) {
      if (how.scale != ignored) return;
      for_each_value(out, [](value& z, std::size_t) { z *= 512; });
    };
    EXPECT_TRUE(notices("scaling", does));
    EXPECT_EQ(notices("round trip", does), ignored == scaling::by_length);
  }
}

TEST(laws, notice_one_bit_that_changes_from_run_to_run) {
  EXPECT_TRUE(notices("repeat", [](auto& self, auto& out, manner) {
    if (self.n_runs % 2 == 0) out[0][7] *= 1 + 0x1p-23L;
  }));
}

// The last law runs nothing; it reports what the runs of the others did.
TEST(laws, notice_memory_that_changed) {
  almost_right wrong{precision::fp32}, oracle{precision::fp64};
  wrong.trespasses = 1;
  const auto [error, bound] = laws().back().measure({wrong, oracle, transform::forward, {8}});
  EXPECT_GT(error, bound);
}

}  // namespace
