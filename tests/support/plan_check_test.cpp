// SPDX-License-Identifier: Apache-2.0
// The checker of plans: what is right passes, and each way to be wrong is caught. What pretends to
// be a plan here is one of engine `reference`, for a request that differs or with a fault added.
#include "support/plan_check.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>   // make_shared
#include <utility>  // move

#include "wingbeat/error.hpp"  // plan_error
#include "wingbeat/wingbeat.hpp"

namespace {

using namespace wingbeat;
using namespace wingbeat::test;
using ::testing::HasSubstr;

plan_verdict check(const plan_spec& spec, const run_maker& make = made_by_plan) {
  queue on{first_device(engine::reference)};
  return check_plan(on, {.spec = spec}, make);
}

/// Runs another request in place of the one that is asked for.
template <class Change>
run_maker asking_for(Change change) {
  return [change](queue& on, plan_spec spec) {
    change(spec);
    return made_by_plan(on, spec);
  };
}

using views = void(buffer_view in, buffer_view out);

/// Runs the request, then does something to the buffers.
template <class Fault>
run_maker followed_by(Fault fault) {
  return [fault](queue& on, const plan_spec& spec) {
    planned_run planned = made_by_plan(on, spec);
    planned.run = [fault, run = std::move(planned.run)](buffer_view in, buffer_view out,
                                                        buffer_view workspace) {
      run(in, out, workspace);
      fault(in, out);
    };
    return planned;
  };
}

float* floats(buffer_view view) {
  return reinterpret_cast<float*>(static_cast<char*>(view.handle) + view.offset_bytes);
}

const plan_spec plain{.lengths = {4, 16}, .batch = {3, 2}};
const plan_spec cropped{.lengths = {4, 16},
                        .batch = 3,
                        .in = {.strides = {20, 1}, .distances = {90}},
                        .out = {.strides = {1, 5}, .distances = {100}},
                        .valid_in = {{0, 3}, {2, 16}},
                        .valid_out = {{1, 4}, {0, 9}}};

TEST(plan_check, passes_what_is_right) {
  for (const plan_spec& spec : {plain, cropped}) {
    for (const precision real :
         {precision::fp32, precision::fp64, precision::fp16, precision::bf16}) {
      plan_spec stored = spec;
      stored.real = real;
      const auto [is, why, share] = check(stored);
      EXPECT_EQ(is, plan_verdict::right) << why;
      EXPECT_EQ(share > 0, real != precision::fp64) << "of fp64 it is the oracle itself";
      EXPECT_LE(share, 1);
    }
  }
}

TEST(plan_check, catches_a_wrong_sign) {
  for (const plan_spec& spec : {plain, cropped}) {
    const auto turned = asking_for([](plan_spec& s) { s.kind = transform::inverse; });
    EXPECT_EQ(check(spec, turned).is, plan_verdict::wrong);
  }
}

TEST(plan_check, catches_a_wrong_scale) {
  plan_spec scaled = plain;
  scaled.scale = scaling::by_length;
  const auto unscaled = asking_for([](plan_spec& s) { s.scale = scaling::none; });
  EXPECT_THAT(check(scaled, unscaled).why, HasSubstr("was expected"));
}

TEST(plan_check, catches_one_element_that_is_off) {
  const auto nudged = [](float factor) {
    return followed_by([factor](buffer_view, buffer_view out) { floats(out)[2 * 100] += factor; });
  };
  EXPECT_THAT(check(plain, nudged(1e-4F)).why, HasSubstr("transform 1: element 36 is"));
  EXPECT_EQ(check(plain, nudged(1e-7F)).is, plan_verdict::right);  // a rounding error
}

TEST(plan_check, catches_errors_too_small_for_any_one_element) {
  const auto spoilt = followed_by([](buffer_view, buffer_view out) {
    for (std::size_t i = 0; i < out.size_bytes / sizeof(float); ++i) floats(out)[i] *= 1 + 5e-7F;
  });
  EXPECT_THAT(check(plain, spoilt).why, HasSubstr("relative L2"));
}

TEST(plan_check, catches_two_transforms_that_changed_places) {
  const auto swapped = asking_for([](plan_spec& s) { s.batch = {2, 3}; });
  plan_spec spec = plain;
  spec.out.distances = {64, 3 * 64};
  EXPECT_EQ(check(spec).is, plan_verdict::right);
  EXPECT_EQ(check(spec, swapped).is, plan_verdict::wrong);
}

TEST(plan_check, catches_a_write_outside_the_range) {
  const auto wider = asking_for([](plan_spec& s) { s.valid_out[0].first = 0; });
  EXPECT_THAT(check(cropped, wider).why, HasSubstr("of the output"));
  const auto padding =
      followed_by([](buffer_view, buffer_view out) { floats(out)[2 * 64 - 1] = 0; });
  EXPECT_THAT(check(cropped, padding).why, HasSubstr("byte 50"));
}

TEST(plan_check, catches_a_read_outside_the_range) {
  const auto curious = asking_for([](plan_spec& s) { s.valid_in[1].first = 1; });
  EXPECT_THAT(check(cropped, curious).why, HasSubstr("nan"));
}

TEST(plan_check, catches_what_happens_around_the_buffers) {
  const auto behind = followed_by(
      [](buffer_view, buffer_view out) { floats(out)[out.size_bytes / sizeof(float)] = 7; });
  EXPECT_THAT(check(plain, behind).why, HasSubstr("of the output (of 3072) was overwritten"));
  const auto before = followed_by([](buffer_view, buffer_view out) { floats(out)[-1] = 7; });
  EXPECT_THAT(check(plain, before).why, HasSubstr("byte -4 of the output"));
  const auto spoilt = followed_by([](buffer_view in, buffer_view) { floats(in)[5] = 7; });
  EXPECT_THAT(check(plain, spoilt).why, HasSubstr("byte 20 of the input"));
}

TEST(plan_check, catches_a_result_that_is_not_the_same_twice) {
  auto count = std::make_shared<int>(0);
  const auto fickle = followed_by([count](buffer_view, buffer_view out) {
    floats(out)[7] *= 1 + static_cast<float>(++*count) * 0x1p-23F;
  });
  EXPECT_THAT(check(plain, fickle).why, HasSubstr("different bits"));
}

TEST(plan_check, catches_an_output_that_was_left_as_it_was) {
  const run_maker idle = [](queue&, const plan_spec&) {
    return planned_run{0, [](buffer_view, buffer_view, buffer_view) {}};
  };
  EXPECT_EQ(check(plain, idle).is, plan_verdict::wrong);
}

TEST(plan_check, watches_around_a_workspace) {
  const run_maker greedy = [](queue& on, const plan_spec& spec) {
    planned_run planned = made_by_plan(on, spec);
    planned.workspace_bytes = 64;
    planned.run = [run = std::move(planned.run)](buffer_view in, buffer_view out,
                                                 buffer_view workspace) {
      run(in, out, {});
      floats(workspace)[workspace.size_bytes / sizeof(float)] = 7;
    };
    return planned;
  };
  queue on{first_device(engine::reference)};
  const drawn_plan drawn{.spec = plain, .has_own_workspace = true};
  EXPECT_THAT(check_plan(on, drawn, greedy).why, HasSubstr("of the workspace"));
}

TEST(plan_check, tells_a_refusal_from_a_fault) {
  const auto throwing = [](const char* sentence) -> run_maker {
    return [sentence](queue&, const plan_spec&) -> planned_run { throw plan_error(sentence); };
  };
  EXPECT_EQ(check(plain, throwing("one axis so far")).is, plan_verdict::refused);
  EXPECT_EQ(check(plain, throwing("length 4 is odd")).is, plan_verdict::wrong);
}

}  // namespace
