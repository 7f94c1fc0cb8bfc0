// SPDX-License-Identifier: Apache-2.0
// Where planned passes read and write, for random requests on several devices, element by element:
// the first reads the input, each reads what the one before wrote, the last writes the output, all
// of it once; and nobody overwrites what another workgroup has yet to read.
#include "planner/placing.hpp"

#include <gtest/gtest.h>

#include <algorithm>  // sort, includes
#include <map>

#include "planner/devices.hpp"  // hopper, opencl
#include "planner/recipe.hpp"   // make_recipe
#include "planner/walk.hpp"
#include "side.hpp"                 // input_side, are_alike
#include "support/random_plan.hpp"  // random_plan
#include "wingbeat/error.hpp"       // plan_error

namespace {

using namespace wingbeat;
using namespace wingbeat::test;
using planner::place;

/// Lengths of a few elements a workgroup, so that short axes take clusters, and several passes.
const tuning::architecture& tiny_shapes() {
  using namespace tuning;
  static constexpr shape whole[] = {
      {0, 1, 8}, {1, 2, 8}, {2, 2, 4}, {3, 4, 2, false, true, true, 0, 0, 1}};
  static constexpr column_shape columns[] = {{1, 2, 8}, {2, 2, 4}, {3, 4, 4}, {4, 4, 4}};
  static constexpr cluster_shape lines[] = {{5, 2, 4, 2, 1, 1, 0, 1}, {6, 3, 4, 4}};
  static constexpr cluster_shape column_lines[] = {{6, 3, 4, 2, 4}, {4, 2, 4, 1, 2}};
  static constexpr cluster_shape planes[] = {{6, 3, 4, 2, 1, 1, 0, 1}, {7, 4, 8, 4}};
  static constexpr cluster_shape real_planes[] = {
      {5, 3, 4, 1, 1, 1, 0, 1}, {6, 3, 4, 2, 1, 1, 0, 1}, {7, 4, 8, 4}};
  static constexpr shapes all{.rows = {whole, lines, {}, planes},
                              .rows_of_reals = {{}, {}, {}, real_planes},
                              .rows_of_bins = {{}, {}, {}, real_planes},
                              .columns = columns,
                              .column_lines = column_lines};
  static constexpr architecture data{"tiny", 128, all, all};
  return data;
}

places sorted(places all) {
  std::sort(all.begin(), all.end());
  return all;
}
places unique(places all) {
  all = sorted(std::move(all));
  all.erase(std::unique(all.begin(), all.end()), all.end());
  return all;
}

/// What one pass reads and writes, and by which tile.
struct walked {
  places in, out;
  std::map<std::size_t, std::size_t> written;  ///< Place to tile.
  std::vector<std::pair<std::size_t, std::size_t>> read;
};

/// What is requested early of a butterfly's input is all of it, and nothing else.
void expect_run(const pass& one, const butterfly& each) {
  places run;
  for (std::size_t i = 0; i < one.run; ++i) add_element(run, one.in, each.in + i, 0);
  EXPECT_EQ(sorted(run), unique(read_by(one, each))) << one.describe();
}

walked walk(const pass& one) {
  walked made;
  for (const butterfly& each : butterflies_of(one)) {
    if (one.ahead > 0) expect_run(one, each);
    for (const std::size_t at : read_by(one, each)) {
      made.in.push_back(at);
      made.read.emplace_back(at, each.tile);
    }
    for (const std::size_t at : written_by(one, each)) {
      made.out.push_back(at);
      made.written.emplace(at, each.tile);
    }
  }
  return made;
}

/// Can this pass write where it reads: every place that is read and written, by one tile.
void expect_safe_in_place(const walked& made, const std::string& which) {
  for (const auto& [at, tile] : made.read) {
    const auto writer = made.written.find(at);
    if (writer == made.written.end()) continue;
    ASSERT_EQ(writer->second, tile) << which << " overwrites real " << at << " of another tile";
  }
}

bool is_one_buffer(const plan_spec& what) {
  if (what.where == placement::in_place) return true;
  return !is_real(what.kind) && are_alike(input_side(what), output_side(what));
}

std::size_t bytes_of(const planner::recipe& made, place which) {
  return which == place::workspace_a ? made.workspace_a_bytes : made.workspace_b_bytes;
}

void expect_sound(const plan_spec& what, const planner::recipe& made) {
  places before = unique(places_of(input_side(what)));
  place last = place::input;
  const auto passes = made.passes();
  for (std::size_t i = 0; i < passes.size(); ++i) {
    const pass& one = passes[i];
    const walked here = walk(one);
    EXPECT_EQ(one.in.where, last) << one.describe();
    const places in = unique(here.in), out = sorted(here.out);
    if (i == 0) {
      EXPECT_EQ(in, before) << "reads all of the input, and nothing else: " << one.describe();
    } else {
      EXPECT_TRUE(std::includes(before.begin(), before.end(), in.begin(), in.end()))
          << "reads what nobody wrote: " << one.describe();
    }
    EXPECT_EQ(out, unique(out)) << "writes a place twice: " << one.describe();
    const bool shares = (one.in.where == place::input && one.out.where == place::output)
                            ? is_one_buffer(what)
                            : one.in.where == one.out.where;
    if (shares) expect_safe_in_place(here, one.describe());
    if (one.out.where != place::output) {
      EXPECT_LT(out.back() * one.out.real_bytes(), bytes_of(made, one.out.where));
    }
    before = out;
    last = one.out.where;
  }
  EXPECT_EQ(last, place::output);
  EXPECT_EQ(before, sorted(places_of(output_side(what)))) << "the output, all of it";
}

void check(const device_info& where, const tuning::architecture& data, std::uint64_t count) {
  std::map<std::size_t, int> by_passes;
  std::map<pass::kind, int> requests;
  for (std::uint64_t seed = 1; seed <= count; ++seed) {
    const plan_spec what = random_plan(seed, {.max_points = 1 << 10, .longest_axis = 1 << 10}).what;
    SCOPED_TRACE("seed " + std::to_string(seed) + " " + as_initialiser(what));
    const planner::recipe made = planner::make_recipe(what, where, data);
    ++by_passes[made.passes().size()];
    for (const pass& one : made.passes()) requests[one.does] += one.ahead > 0;
    expect_sound(what, made);
    if (::testing::Test::HasFailure()) return;
  }
  EXPECT_GE(by_passes.size(), 3U) << "one, two and three passes were drawn";
  if (&data != &tiny_shapes()) return;
  for (const auto does : {pass::kind::workgroup, pass::kind::line, pass::kind::plane}) {
    EXPECT_GE(requests[does], 20) << "of passes that request their input early";
  }
}

TEST(placing, is_sound_for_random_requests_on_the_devices_there_are) {
  check(hopper(), tuning::hopper(), 1000);
  check(opencl(false, 1 << 20, 4096), tuning::opencl_cpu(), 1000);
}

TEST(placing, is_sound_for_random_requests_in_many_short_passes) {
  check(hopper(), tiny_shapes(), 4000);
}

TEST(placing, is_sound_for_long_rows_of_reals) {
  for (const transform kind : {transform::forward_from_real, transform::inverse_to_real}) {
    for (const std::size_t n : {64, 128, 256, 1024, 4096}) {
      for (const placement where : {placement::out_of_place, placement::in_place}) {
        const plan_spec what{.lengths = {n}, .batch = 3, .kind = kind, .where = where};
        SCOPED_TRACE(as_initialiser(what));
        expect_sound(what, planner::make_recipe(what, hopper(), tiny_shapes()));
      }
    }
  }
}

}  // namespace
