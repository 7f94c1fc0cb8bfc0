// SPDX-License-Identifier: Apache-2.0
// Label: opencl
// Searches for parts of the templates, merged in two orders: the same bits as one search of all of
// them, on every engine that is here.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>  // isnan

#include "convolving/search_check.hpp"  // noise_of, filled
#include "support/on_engine.hpp"        // on_engine, all_engines, engine_name
#include "support/refusal.hpp"          // refusal

namespace {

using namespace wingbeat;
using namespace wingbeat::test;
using ::testing::HasSubstr;

constexpr std::size_t n_templates = 12, at_once = 3, points = 5 * 6;

class search_state_on : public on_engine {
 protected:
  /// Returns what a search keeps of templates begin .. end - 1.
  search_state searched(std::size_t begin, std::size_t end, search_spec changed = {}) {
    search_spec spec = changed;
    spec.image = {19, 23};
    spec.templates = {5, 6};
    spec.templates_at_once = leaves_out() ? 1 : at_once;
    template_search search{*on, spec};
    const buffer image = filled(*on, noise_of<float>(19 * 23, 1));
    const auto values = noise_of<float>(n_templates * points, 2);
    const buffer templates = filled(*on, values);
    search.begin(*on, image.view());
    buffer_view part = templates.view();
    part.offset_bytes += begin * points * sizeof(float);
    part.size_bytes -= begin * points * sizeof(float);
    if (begin < end) search.add(*on, part, end - begin, begin);
    return search.state(*on);
  }
};

TEST_P(search_state_on, is_the_same_bits_whatever_the_parts_and_their_order) {
  for (const extent mode : cases<extent>({extent::full}, {extent::valid})) {
    const search_spec spec{.mode = mode,
                           .is_normalised = true,
                           .keeps_sums = true,
                           .keeps_counts = true,
                           .threshold = 0.2};
    const search_state whole = searched(0, n_templates, spec);
    const search_state first = searched(0, 3, spec), second = searched(3, 9, spec);
    search_state last = searched(9, n_templates, spec), merged = first;
    merged.merge(second);
    merged.merge(last);
    last.merge(searched(6, 6, spec));  // of no template
    last.merge(first);
    last.merge(second);
    for (const search_state& each : {merged, last}) {
      EXPECT_EQ(each.templates, n_templates);
      EXPECT_EQ(each.keys, whole.keys);
      EXPECT_EQ(each.unit_sums, whole.unit_sums);
      EXPECT_EQ(each.counts, whole.counts);
      EXPECT_EQ(each.numbers(), whole.numbers());
      EXPECT_EQ(each.map(score_map::variance), whole.map(score_map::variance));
    }
    EXPECT_NE(first.keys, whole.keys);
  }
}

TEST_P(search_state_on, merges_what_is_alike_only) {
  search_state plain = searched(0, 3);
  EXPECT_THAT(refusal([&] { plain.merge(searched(3, 6, {.mode = extent::full})); }),
              HasSubstr("a state of 15 x 18 places and one of 23 x 28"));
  EXPECT_THAT(refusal([&] { plain.merge(searched(3, 6, {.is_normalised = true})); }),
              HasSubstr("of which one is normalised"));
  EXPECT_THAT(refusal([&] { plain.merge(searched(3, 6, {.keeps_sums = true})); }),
              HasSubstr("depend on the order"));
  EXPECT_THAT(refusal([&] { (void)plain.map(score_map::mean); }), HasSubstr("set keeps_sums"));
  search_state full = plain;
  full.templates = 0xfffffffe;
  EXPECT_THAT(refusal([&] { plain.merge(full); }), HasSubstr("a search numbers 4294967295"));
}

INSTANTIATE_TEST_SUITE_P(engines, search_state_on, all_engines(), engine_name);

TEST(search_state, refuses_arrays_that_do_not_fit_its_places) {
  const auto refused = [](const search_state& state, score_map kind) {
    return refusal([&] { (void)state.map(kind); });
  };
  const search_state whole{.height = 2,
                           .width = 3,
                           .keys = std::vector<std::uint64_t>(6),
                           .unit_sums = {},
                           .sums = std::vector<double>(12),
                           .counts = {}};
  EXPECT_EQ(whole.map(score_map::mean).size(), 6U);
  EXPECT_THAT(refused(whole, static_cast<score_map>(9)), HasSubstr("the map is 9"));
  search_state state = whole;
  state.sums.pop_back();
  EXPECT_THAT(refused(state, score_map::mean), HasSubstr("a state of 2 x 3 places has 11 sums"));
  state = whole;
  state.keys.pop_back();
  EXPECT_THAT(refused(state, score_map::largest), HasSubstr("has 5 keys; give 1 for each place"));
  state = whole;
  state.unit_sums.resize(6);
  EXPECT_THAT(refused(state, score_map::variance), HasSubstr("has 6 unit_sums; give 2"));
  state = whole;
  state.height = state.width = std::size_t{1} << 33;
  EXPECT_THAT(refused(state, score_map::mean), HasSubstr("has 6 keys"));
  state = whole;
  state.counts.resize(7);
  EXPECT_THAT(refusal([&] { state.merge(whole); }), HasSubstr("has 7 counts"));
}

TEST(search_state, has_no_moments_where_there_is_no_score) {
  const search_state state{.height = 1,
                           .width = 2,
                           .templates = 2,
                           .is_normalised = true,
                           .keys = {0, 1},
                           .unit_sums = {0, std::uint64_t{0} - (1U << 30), 0, 1ULL << 31}};
  EXPECT_TRUE(std::isnan(state.map(score_map::mean)[0]));
  EXPECT_EQ(state.map(score_map::mean)[1], -0.5F);
  EXPECT_EQ(state.map(score_map::variance)[1], 0);
}

}  // namespace
