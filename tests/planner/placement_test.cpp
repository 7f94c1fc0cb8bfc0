// SPDX-License-Identifier: Apache-2.0
// Where planned passes read and write, for random requests on several devices, element by element:
// the first reads the input, each reads the output of its predecessor, the last writes the output,
// all of it once; and no workgroup overwrites elements that another has yet to read.
#include "planner/placement.hpp"

#include <gtest/gtest.h>

#include <algorithm>  // includes
#include <map>

#include "arrays/walk.hpp"
#include "planner/devices.hpp"  // hopper, opencl
#include "planner/walk.hpp"
#include "programs/transforms.hpp"        // make_program
#include "request/resolved.hpp"           // resolved_spec
#include "support/full_run.hpp"           // is_full_run
#include "support/numbered_functors.hpp"  // numbered_load
#include "support/random_plan.hpp"        // random_plan

namespace {

using namespace wingbeat;
using namespace wingbeat::test;
using planner::place;

/// Lengths of a few elements a workgroup, so that short axes take clusters, and several passes.
const tuning::architecture& tiny_shapes() {
  using namespace tuning;
  static constexpr shape whole[] = {
      {.length = 1, .elements = 1, .lanes = 8},
      {.length = 2, .elements = 2, .lanes = 8},
      {.length = 4, .elements = 2, .lanes = 4},
      {.length = 8,
       .elements = 4,
       .lanes = 2,
       .stage_in = true,
       .stage_out = true,
       .prefetch_mib = 1},
  };
  static constexpr shape columns[] = {
      {.length = 2, .elements = 2, .lanes = 8},
      {.length = 4, .elements = 2, .lanes = 4},
      {.length = 8, .elements = 4, .lanes = 4},
      {.length = 16, .elements = 4, .lanes = 4},
  };
  static constexpr shape lines[] = {
      {.length = 32, .first = 4, .elements = 4, .workgroups = 2, .prefetch_mib = 1},
      {.length = 64, .first = 8, .elements = 4, .workgroups = 4},
  };
  static constexpr shape column_lines[] = {
      {.length = 64, .first = 8, .elements = 4, .workgroups = 2, .lanes = 4},
      {.length = 16, .first = 4, .elements = 4, .lanes = 2},
  };
  static constexpr shape planes[] = {
      {.length = 64, .first = 8, .elements = 4, .workgroups = 2, .prefetch_mib = 1},
      {.length = 128, .first = 16, .elements = 8, .workgroups = 4},
  };
  static constexpr shape real_planes[] = {
      {.length = 32, .first = 8, .elements = 4, .prefetch_mib = 1},
      {.length = 64, .first = 8, .elements = 4, .workgroups = 2, .prefetch_mib = 1},
      {.length = 128, .first = 16, .elements = 8, .workgroups = 4},
  };
  static constexpr shapes data_shapes{.rows = {.whole = whole, .lines = lines, .planes = planes},
                                      .rows_of_reals = {.planes = real_planes},
                                      .rows_of_bins = {.planes = real_planes},
                                      .columns = columns,
                                      .column_lines = column_lines};
  static constexpr architecture data{
      .name = "tiny", .bank_bytes = 128, .fp32 = data_shapes, .fp64 = data_shapes};
  return data;
}

places unique(places values) {
  values = sorted(std::move(values));
  values.erase(std::unique(values.begin(), values.end()), values.end());
  return values;
}

/// What one pass reads and writes, and by which tile.
struct walked {
  places in, out;
  std::map<std::size_t, std::size_t> written;  ///< Place to tile.
  std::vector<std::pair<std::size_t, std::size_t>> read;
};

/// All of a butterfly's input is prefetched, and nothing else.
void expect_prefetch(const pass& planned, const butterfly& each) {
  places prefetched;
  for (std::size_t i = 0; i < planned.numbers.prefetch_elements; ++i) {
    add_element(prefetched, input_of(planned), each.in + i, 0);
  }
  EXPECT_EQ(sorted(prefetched), unique(read_by(planned, each))) << planned.describe();
}

walked walk(const pass& planned) {
  walked result;
  for (const butterfly& each : butterflies_of(planned)) {
    if (planned.numbers.prefetch_tiles > 0) expect_prefetch(planned, each);
    for (const std::size_t offset : read_by(planned, each)) {
      result.in.push_back(offset);
      result.read.emplace_back(offset, each.tile);
    }
    for (const std::size_t offset : written_by(planned, each)) {
      result.out.push_back(offset);
      result.written.emplace(offset, each.tile);
    }
  }
  return result;
}

/// A pass may write where it reads if each place that is read and written belongs to one tile.
void expect_safe_in_place(const walked& walk_, const std::string& text) {
  for (const auto& [unit, tile] : walk_.read) {
    const auto writer = walk_.written.find(unit);
    if (writer == walk_.written.end()) continue;
    ASSERT_EQ(writer->second, tile) << text << " overwrites real " << unit << " of another tile";
  }
}

bool is_one_buffer(const plan_spec& spec) {
  return spec.where == placement::in_place || request::resolved_spec(spec).may_be_one_place();
}

std::size_t bytes_of(const programs::program& program, place array) {
  return program.array_bytes[static_cast<std::size_t>(array)];
}

void expect_sound(const plan_spec& spec, const programs::program& program) {
  places before = unique(places_of(request::input_array(spec)));
  place last = place::input;
  const std::vector<pass> passes = program.passes();
  for (std::size_t i = 0; i < passes.size(); ++i) {
    const pass& each = passes[i];
    const walked elements = walk(each);
    EXPECT_EQ(each.in.location, last) << each.describe();
    const places in = unique(elements.in), out = sorted(elements.out);
    if (i == 0) {
      EXPECT_EQ(in, before) << "reads all of the input, and nothing else: " << each.describe();
    } else {
      EXPECT_TRUE(std::includes(before.begin(), before.end(), in.begin(), in.end()))
          << "reads what its predecessor did not write: " << each.describe();
    }
    EXPECT_EQ(out, unique(out)) << "writes a place twice: " << each.describe();
    const bool shares = (each.in.location == place::input && each.out.location == place::output)
                            ? is_one_buffer(spec)
                            : each.in.location == each.out.location;
    if (shares) expect_safe_in_place(elements, each.describe());
    if (each.out.location != place::output) {
      EXPECT_LT(out.back() * each.out.real_bytes(), bytes_of(program, each.out.location));
    }
    before = out;
    last = each.out.location;
  }
  EXPECT_EQ(last, place::output);
  EXPECT_EQ(before, sorted(places_of(request::output_array(spec)))) << "the output, all of it";
}

void check(const device_info& device, const tuning::architecture& data, std::uint64_t count) {
  std::map<std::size_t, int> by_passes;
  std::map<body, int> prefetches;
  for (std::uint64_t seed = 1; seed <= count; ++seed) {
    const plan_spec spec = random_plan(seed, {.max_points = 1 << 10, .longest_axis = 1 << 10}).spec;
    SCOPED_TRACE("seed " + std::to_string(seed) + " " + as_initialiser(spec));
    const programs::program program = programs::make_program(spec, device, data);
    ++by_passes[program.passes().size()];
    for (const pass& each : program.passes())
      prefetches[each.shape().makes] += each.numbers.prefetch_tiles > 0;
    expect_sound(spec, program);
    if (::testing::Test::HasFailure()) return;
  }
  EXPECT_GE(by_passes.size(), 3U) << "one, two and three passes were drawn";
  if (&data != &tiny_shapes()) return;
  for (const auto makes : {body::transform, body::line, body::plane}) {
    EXPECT_GE(prefetches[makes], 20) << "of passes that prefetch their input";
  }
}

TEST(placement, is_sound_for_random_requests_on_real_devices) {
  check(hopper(), tuning::hopper(), 1000);
  check(opencl(false, 1 << 20, 4096), tuning::opencl_cpu(), 1000);
}

TEST(placement, is_sound_for_random_requests_in_many_short_passes) {
  const std::uint64_t count = is_full_run() ? 4000 : 2000;
  check(hopper_of_late_launches(), tiny_shapes(), count);  // early ones prefetch nothing
}

TEST(placement, is_the_same_for_ranges_that_leave_nothing_out) {
  int n_planes = 0;
  for (const transform kind : {transform::forward, transform::inverse, transform::forward_from_real,
                               transform::inverse_to_real}) {
    for (const std::vector<std::size_t>& lengths :
         std::vector<std::vector<std::size_t>>{{16}, {4, 16}, {8, 8}, {8, 16}, {4, 8, 8}}) {
      plan_spec spec{.lengths = lengths, .batch = 3, .kind = kind};
      const programs::program plain = programs::make_program(spec, hopper(), tiny_shapes());
      const request::resolved_spec request = spec;
      for (const arrays::axis& axis : request.in.axes) spec.valid_in.push_back(axis.valid);
      for (const arrays::axis& axis : request.out.axes) spec.valid_out.push_back(axis.valid);
      SCOPED_TRACE(as_initialiser(spec));
      const programs::program ranged = programs::make_program(spec, hopper(), tiny_shapes());
      EXPECT_EQ(ranged.describe(), plain.describe());
      EXPECT_EQ(ranged.workspace_bytes(), plain.workspace_bytes());
      for (const pass& each : plain.passes()) n_planes += each.shape().makes == body::plane;
    }
  }
  EXPECT_GE(n_planes, 4);
}

TEST(placement, is_sound_for_long_rows_of_reals) {
  for (const transform kind : {transform::forward_from_real, transform::inverse_to_real}) {
    for (const std::size_t n : {64, 128, 256, 1024, 4096}) {
      for (const placement placed : {placement::out_of_place, placement::in_place}) {
        const plan_spec spec{.lengths = {n}, .batch = 3, .kind = kind, .where = placed};
        SCOPED_TRACE(as_initialiser(spec));
        expect_sound(spec, programs::make_program(spec, hopper(), tiny_shapes()));
      }
    }
  }
}

TEST(placement, tells_functors_of_rows_of_one_real) {
  plan_spec spec{.lengths = {64}, .batch = {3, 3}, .kind = transform::forward_from_real};
  spec.valid_in = {{63, 64}};
  spec.load = numbered_load(spec);
  EXPECT_EQ(programs::make_program(spec, hopper(), tiny_shapes()).passes().front().in.rows.length,
            1U);
}

TEST(placement, stages_no_rows_of_one_real_as_if_they_alternated) {
  plan_spec spec{.lengths = {64}, .batch = 3, .kind = transform::inverse_to_real};
  spec.valid_out = {{8, 10}};
  const programs::program of_two = programs::make_program(spec, hopper());
  spec.valid_out = {{9, 10}};
  const programs::program of_one = programs::make_program(spec, hopper());
  const device::grid::tile_shape &one = of_one.passes().front().shape(),
                                 &two = of_two.passes().front().shape();
  EXPECT_EQ(one.stage_out, two.stage_out);
  EXPECT_EQ(one.lanes, two.lanes);
}

}  // namespace
