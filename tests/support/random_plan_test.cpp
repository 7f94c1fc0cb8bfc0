// SPDX-License-Identifier: Apache-2.0
// Drawn requests: the same from the same seed, accepted by every plan, and of every sort there is.
#include "support/random_plan.hpp"

#include <gtest/gtest.h>

#include <bit>  // has_single_bit
#include <set>

#include "request/resolved.hpp"      // resolved_spec
#include "wingbeat/good_length.hpp"  // is_good_length
#include "wingbeat/wingbeat.hpp"

namespace {

using namespace wingbeat;
using namespace wingbeat::test;

TEST(random_plan, is_the_same_from_the_same_seed) {
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    EXPECT_EQ(as_initialiser(random_plan(seed).spec), as_initialiser(random_plan(seed).spec));
  }
  EXPECT_NE(as_initialiser(random_plan(1).spec), as_initialiser(random_plan(2).spec));
}

TEST(random_plan, is_never_refused_by_the_oracle) {
  const queue on{first_device(engine::reference)};
  for (std::uint64_t seed = 0; seed < 3000; ++seed) {
    const auto drawn = random_plan(seed, {.max_points = 1 << 10,
                                          .longest_axis = 1 << 12,
                                          .has_mixed_lengths = seed % 2 == 1,
                                          .has_functors = seed % 4 < 2});
    EXPECT_NO_THROW(plan(on, drawn.spec)) << seed << ": " << as_initialiser(drawn.spec);
  }
}

TEST(random_plan, has_lengths_that_are_no_powers_of_two_where_asked) {
  std::set<std::size_t> mixed, others;
  for (std::uint64_t seed = 0; seed < 1000; ++seed) {
    for (const std::size_t n : random_plan(seed).spec.lengths) EXPECT_TRUE(std::has_single_bit(n));
    for (const std::size_t n : random_plan(seed, {.has_mixed_lengths = true}).spec.lengths) {
      if (is_good_length(n) && !std::has_single_bit(n)) mixed.insert(n);
      if (!is_good_length(n)) others.insert(n);
    }
  }
  EXPECT_GT(mixed.size(), 100U);
  EXPECT_GT(others.size(), 100U);
}

TEST(random_plan, stays_within_its_limits) {
  for (std::uint64_t seed = 0; seed < 3000; ++seed) {
    const auto [spec, is_one_buffer, has_own_workspace, shift] =
        random_plan(seed, {.max_points = 1 << 12, .longest_axis = 1 << 16, .has_fp64 = false});
    const bool is_long = spec.lengths.size() == 1 && spec.lengths.front() >= 1U << 12;
    EXPECT_LE(request::points_of(spec) * spec.batch, is_long ? 2U << 16 : 1U << 12) << seed;
    EXPECT_NE(spec.real, precision::fp64) << seed;
    const bool is_alike = are_alike(request::input_array(spec), request::output_array(spec));
    EXPECT_TRUE(!is_one_buffer || is_alike || spec.where == placement::in_place) << seed;
  }
}

/// Returns what is worth naming about a request.
std::set<std::string> traits_of(const drawn_plan& drawn) {
  const plan_spec& spec = drawn.spec;
  std::set<std::string> found{std::string{name_of(spec.kind)}, std::string{name_of(spec.real)},
                              std::string{name_of(spec.scale)},
                              std::to_string(spec.lengths.size()) + " axes",
                              std::to_string(spec.batch.counts().size()) + " batch dimensions"};
  const auto add = [&](bool is_there, const char* name) {
    if (is_there) found.insert(name);
  };
  const arrays::array in = request::input_array(spec), out = request::output_array(spec);
  add(spec.in.is_packed() && spec.out.is_packed() && in.is_whole() && out.is_whole(), "plain");
  add(in.has_parts, "planar input");
  add(out.has_parts, "planar output");
  add(!in.is_whole(), "padded");
  add(!out.is_whole(), "cropped");
  add(in.may_overlap(), "broadcast");
  add(!spec.in.strides.empty() && spec.in.distances.empty(), "strides alone");
  add(spec.out.strides.empty() && !spec.out.distances.empty(), "distances alone");
  add(out.axes.front().stride < out.axes.back().stride, "axes exchanged");
  add(out.batches.back().distance == 1, "interleaved");
  const bool has_bins = request::traits_of(spec.kind).has_half_spectrum();
  add(drawn.is_one_buffer && has_bins, "real in place");
  add(drawn.is_one_buffer && !has_bins && !spec.in.is_packed(), "strided in place");
  add(!spec.axis_kinds.empty() && spec.axis_kinds.front() != spec.kind, "kinds by axis");
  add(spec.orthogonalize, "orthogonalized");
  add(drawn.has_own_workspace, "own workspace");
  add(spec.in.stored.has_value(), "input stored otherwise");
  add(spec.out.stored.has_value(), "output stored otherwise");
  add(spec.factor != 1, "factor");
  const bool is_odd = request::traits_of(spec.kind).is_real() && spec.lengths.back() % 2 == 1;
  add(is_odd && spec.load.is_given(), "odd real transform with a load");
  add(is_odd && spec.store.is_given(), "odd real transform with a store");
  return found;
}

TEST(random_plan, draws_every_sort_in_a_few_hundred) {
  std::set<std::string> seen;
  for (std::uint64_t seed = 1; seed <= 200; ++seed) seen.merge(traits_of(random_plan(seed)));
  for (const char* name : {"forward",
                           "inverse",
                           "forward_from_real",
                           "inverse_to_real",
                           "fp32",
                           "fp64",
                           "fp16",
                           "bf16",
                           "none",
                           "by_length",
                           "by_sqrt_length",
                           "1 axes",
                           "2 axes",
                           "3 axes",
                           "1 batch dimensions",
                           "2 batch dimensions",
                           "3 batch dimensions",
                           "plain",
                           "planar input",
                           "planar output",
                           "padded",
                           "cropped",
                           "broadcast",
                           "strides alone",
                           "distances alone",
                           "axes exchanged",
                           "interleaved",
                           "real in place",
                           "strided in place",
                           "own workspace",
                           "input stored otherwise",
                           "output stored otherwise",
                           "factor"}) {
    EXPECT_TRUE(seen.contains(name)) << name;
  }
}

TEST(random_plan, draws_functors_of_real_transforms_of_odd_length) {
  std::set<std::string> seen;
  const draw_limits within{.has_mixed_lengths = true, .has_functors = true};
  for (std::uint64_t seed = 1; seed <= 300; ++seed)
    seen.merge(traits_of(random_plan(seed, within)));
  EXPECT_TRUE(seen.contains("odd real transform with a load"));
  EXPECT_TRUE(seen.contains("odd real transform with a store"));
}

TEST(random_plan, draws_every_kind_from_reals_to_reals_and_several_at_once) {
  std::set<std::string> seen;
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    seen.merge(traits_of(random_plan(seed, {.has_real_kinds = true})));
  }
  for (const char* name : {"forward", "inverse_to_real", "dct1", "dct2", "dct3", "dct4", "dst1",
                           "dst2", "dst3", "dst4", "dht", "kinds by axis", "orthogonalized"}) {
    EXPECT_TRUE(seen.contains(name)) << name;
  }
}

TEST(random_plan, is_printed_as_it_would_be_written) {
  const plan_spec spec{.lengths = {4, 8},
                       .batch = {3, 2},
                       .kind = transform::forward_from_real,
                       .real = precision::fp16,
                       .out = {.strides = {1, 4}, .imaginary_at = 99},
                       .valid_in = {{0, 4}, {1, 7}}};
  const plan_spec reals{.lengths = {4, 8},
                        .kind = transform::dct1,
                        .axis_kinds = {transform::dst2, transform::dct1},
                        .orthogonalize = true};
  EXPECT_EQ(as_initialiser(reals),
            "{.lengths = {4, 8}, .batch = {1}, .kind = transform::dct1, .axis_kinds = "
            "{transform::dst2, transform::dct1}, .real = precision::fp32, .scale = scaling::none, "
            ".orthogonalize = true}");
  EXPECT_EQ(as_initialiser(spec),
            "{.lengths = {4, 8}, .batch = {3, 2}, .kind = transform::forward_from_real, .real = "
            "precision::fp16, .scale = scaling::none, .out = {.strides = {1, 4}, .imaginary_at = "
            "99}, .valid_in = {{0, 4}, {1, 7}}}");
}

}  // namespace
