// SPDX-License-Identifier: Apache-2.0
// What a plan refuses, on every engine alike: each sentence names what was given.
#include "wingbeat/plan.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "wingbeat/wingbeat.hpp"

namespace {

using namespace wingbeat;
using ::testing::HasSubstr;

template <class Action>
std::string refusal(Action action) {
  try {
    action();
  } catch (const plan_error& why) {
    return why.what();
  }
  return "nothing was refused";
}

std::string refusal_to_plan(plan_spec what) {
  return refusal([&] { plan{queue{first_device(engine::host)}, std::move(what)}; });
}

TEST(plan, names_a_length_it_cannot_transform) {
  for (const std::size_t n : {std::size_t{0}, std::size_t{1}, std::size_t{100}, 2 * max_length}) {
    EXPECT_THAT(refusal_to_plan({.lengths = {n}}), HasSubstr("length " + std::to_string(n)));
  }
}

TEST(plan, takes_exactly_one_axis) {
  EXPECT_THAT(refusal_to_plan({}), HasSubstr("0 axes"));
  EXPECT_THAT(refusal_to_plan({.lengths = {4, 4}}), HasSubstr("2 axes"));
  EXPECT_THAT(refusal([] { static_cast<void>(input_bytes({})); }), HasSubstr("0 axes"));
  EXPECT_THAT(refusal([] { static_cast<void>(output_bytes({})); }), HasSubstr("0 axes"));
}

TEST(plan, refuses_an_empty_or_an_endless_batch) {
  EXPECT_THAT(refusal_to_plan({.lengths = {4}, .batch = 0}), HasSubstr("batch is 0"));
  EXPECT_THAT(refusal_to_plan({.lengths = {4}, .batch = std::size_t{1} << 62}),
              HasSubstr("exceeds the address space"));
}

TEST(plan, refuses_buffers_that_are_too_small) {
  queue on{first_device(engine::host)};
  const plan made{on, {.lengths = {64}}};
  buffer whole{on, 512}, part{on, 511};
  EXPECT_THAT(refusal([&] { made.enqueue(on, part.view(), whole.view()); }),
              HasSubstr("the input holds 511 bytes; this plan needs 512"));
  EXPECT_THAT(refusal([&] { made.enqueue(on, whole.view(), part.view()); }),
              HasSubstr("the output holds 511 bytes"));
}

TEST(plan, refuses_a_queue_of_another_device) {
  queue host{first_device(engine::host)}, reference{first_device(engine::reference)};
  const plan made{host, {.lengths = {64}}};
  buffer memory{host, 512};
  EXPECT_THAT(refusal([&] { made.enqueue(reference, memory.view(), memory.view()); }),
              HasSubstr("made for host:0 and the queue is of reference:0"));
}

TEST(plan, refuses_real_rows_in_one_buffer_unless_planned_in_place) {
  queue on{first_device(engine::host)};
  for (const transform kind : {transform::forward_from_real, transform::inverse_to_real}) {
    plan_spec what{.lengths = {64}, .batch = 3, .kind = kind};
    buffer memory{on, 3 * 33 * 8};
    const plan apart{on, what};
    EXPECT_THAT(refusal([&] { apart.enqueue(on, memory.view(), memory.view()); }),
                HasSubstr("planned out of place"));
    what.where = placement::in_place;
    const plan together{on, what};
    EXPECT_NO_THROW(together.enqueue(on, memory.view(), memory.view()));
  }
}

}  // namespace
