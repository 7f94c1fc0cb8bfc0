// SPDX-License-Identifier: Apache-2.0
// Label: opencl
// Which views a plan takes, on every device here: of which memory, from which byte, how far apart.
#include "views/views.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <complex>
#include <vector>

#include "request/resolved.hpp"  // input_array
#include "support/refusal.hpp"   // refusal
#include "wingbeat/wingbeat.hpp"

namespace {

using namespace wingbeat;
using namespace wingbeat::test;
using ::testing::AllOf;
using ::testing::HasSubstr;

constexpr std::size_t n = 64, odd = 63, row_bytes = n * 8;

buffer_view part(buffer_view whole, std::size_t offset_bytes, std::size_t size_bytes) {
  whole.offset_bytes += offset_bytes;
  whole.size_bytes = size_bytes;
  return whole;
}

/// A plan and memory for it, on one device.
struct bench {
  explicit bench(const device_info& device, plan_spec spec = {.lengths = {n}})
      : on{device}, planned{on, std::move(spec)} {}

  std::string refusal_of(buffer_view in, buffer_view out, buffer_view scratch = {}) {
    const std::string sentence = refusal([&] { planned.enqueue(on, in, out, scratch); });
    on.wait();
    return sentence;
  }

  queue on;
  plan planned;
  buffer memory{on, 8 * row_bytes}, other{on, 8 * row_bytes};
};

bool is_of_this_process(const device_info& device) {
  return device.runs_on == engine::host || device.runs_on == engine::reference;
}

TEST(views, are_of_the_queues_device_or_of_this_process) {
  for (const device_info& device : devices()) {
    bench fixture{device};
    for (const device_info& elsewhere : devices()) {
      SCOPED_TRACE(device.name + " with memory of " + elsewhere.name);
      const queue foreign{elsewhere};
      const buffer theirs{foreign, row_bytes};
      const bool is_reached =
          (device.runs_on == elsewhere.runs_on && device.index == elsewhere.index) ||
          (is_of_this_process(device) && is_of_this_process(elsewhere));
      if (is_reached) {
        EXPECT_EQ(fixture.refusal_of(theirs.view(), fixture.memory.view()), nothing_refused);
        EXPECT_EQ(fixture.refusal_of(fixture.memory.view(), theirs.view()), nothing_refused);
        continue;
      }
      const auto title = [](const device_info& each) {
        return std::string{name_of(each.runs_on)} + ":" + std::to_string(each.index);
      };
      const auto sentence = HasSubstr("is memory of " + title(elsewhere) + " and the queue is of " +
                                      title(device) + "; give it a buffer");
      EXPECT_THAT(fixture.refusal_of(theirs.view(), fixture.memory.view()),
                  AllOf(HasSubstr("the input "), sentence));
      EXPECT_THAT(fixture.refusal_of(fixture.memory.view(), theirs.view()),
                  AllOf(HasSubstr("the output "), sentence));
    }
  }
}

TEST(views, of_your_own_memory_are_taken_at_their_word) {
  for (const engine runs_on : {engine::host, engine::reference}) {
    bench fixture{first_device(runs_on)};
    std::vector<std::complex<float>> x(n, 1), y(n);
    EXPECT_EQ(fixture.refusal_of({x.data(), 0, row_bytes}, {y.data(), 0, row_bytes}),
              nothing_refused);
    EXPECT_EQ(y[0], std::complex<float>(n));
  }
}

TEST(views, have_memory) {
  for (const device_info& device : devices()) {
    SCOPED_TRACE(device.name);
    bench fixture{device};
    const buffer_view null{nullptr, 0, row_bytes};
    EXPECT_THAT(
        fixture.refusal_of(null, fixture.memory.view()),
        HasSubstr("the input has a size of 512 bytes and no memory, for its handle is null"));
    EXPECT_THAT(fixture.refusal_of(fixture.memory.view(), null),
                HasSubstr("the output has a size"));
    EXPECT_THAT(fixture.refusal_of({}, fixture.memory.view()),
                HasSubstr("the input holds 0 bytes; this plan needs 512"));
    buffer_view beyond = fixture.memory.view();
    beyond.offset_bytes = ~std::size_t{0} - 7;
    EXPECT_THAT(fixture.refusal_of(beyond, fixture.memory.view()),
                HasSubstr("the input starts at byte 18446744073709551608"));
  }
}

TEST(views, of_one_buffer_are_apart_or_equal) {
  for (const device_info& device : devices()) {
    SCOPED_TRACE(device.name);
    bench fixture{device};
    const buffer_view memory = fixture.memory.view();
    const auto row_at = [&](std::size_t offset_bytes) {
      return part(memory, offset_bytes, 2 * row_bytes);
    };
    EXPECT_EQ(fixture.refusal_of(row_at(0), row_at(row_bytes)), nothing_refused)
        << "the bytes of one run count, not those of the views";
    EXPECT_EQ(fixture.refusal_of(row_at(row_bytes), row_at(0)), nothing_refused);
    EXPECT_EQ(fixture.refusal_of(row_at(64), row_at(64)), nothing_refused);
    EXPECT_THAT(
        fixture.refusal_of(row_at(0), row_at(row_bytes - 8)),
        HasSubstr("the output starts 504 bytes behind the start of the input, which takes 512 "
                  "bytes, so that they overlap; give them places apart"));
    EXPECT_THAT(fixture.refusal_of(row_at(8), row_at(0)),
                HasSubstr("the input starts 8 bytes behind the start of the output"));
  }
}

TEST(views, of_addresses_are_apart_whatever_their_handles) {
  for (const engine runs_on : {engine::host, engine::reference}) {
    bench fixture{first_device(runs_on)};
    std::vector<std::complex<float>> x(2 * n);
    const buffer_view first{x.data(), 0, row_bytes};
    EXPECT_EQ(fixture.refusal_of(first, {x.data() + n, 0, row_bytes}), nothing_refused);
    EXPECT_THAT(fixture.refusal_of(first, {x.data() + n - 1, 0, row_bytes}),
                HasSubstr("the output starts 504 bytes behind"));
    EXPECT_EQ(fixture.refusal_of({x.data(), 64, row_bytes}, {x.data() + 8, 0, row_bytes}),
              nothing_refused)
        << "one place by two handles";
    bench real{first_device(runs_on), {.lengths = {n}, .kind = transform::forward_from_real}};
    EXPECT_THAT(real.refusal_of({x.data(), 64, row_bytes}, {x.data() + 8, 0, row_bytes}),
                HasSubstr("planned out of place"));
  }
}

/// A request with a functor on both sides, in both forms.
plan_spec fused_copy() {
  const char text[] = R"(
    struct copied {
      using element = wingbeat::device::complex<float>;
      WINGBEAT_FN static element load(WINGBEAT_GLOBAL const element* in, wingbeat::device::size row,
                                      wingbeat::device::size i) { return in[row * 64 + i]; }
      WINGBEAT_FN static void store(WINGBEAT_GLOBAL element* out, wingbeat::device::size row,
                                    wingbeat::device::size i, element z) { out[row * 64 + i] = z; }
    };)";
  using value = std::complex<float>;
  plan_spec spec{.lengths = {n}};
  spec.load = {.in_bytes = 2 * row_bytes, .element_bytes = 8, .source = {text, "copied"}};
  spec.store = {.out_bytes = row_bytes, .element_bytes = 8, .source = {text, "copied"}};
  spec.load.callable = [](const void* in, std::size_t row, std::size_t first,
                          std::span<value> into) {
    std::copy_n(static_cast<const value*>(in) + row * n + first, into.size(), into.begin());
  };
  spec.store.callable = [](void* out, std::size_t row, std::size_t first,
                           std::span<const value> values) {
    std::copy(values.begin(), values.end(), static_cast<value*>(out) + row * n + first);
  };
  return spec;
}

TEST(views, of_a_functor_are_apart_by_the_bytes_it_states) {
  for (const device_info& device : devices()) {
    SCOPED_TRACE(device.name);
    bench fixture{device, fused_copy()};
    const buffer_view memory = fixture.memory.view();
    const auto row_at = [&](std::size_t offset_bytes) {
      return part(memory, offset_bytes, 2 * row_bytes);
    };
    EXPECT_EQ(fixture.refusal_of(row_at(0), row_at(2 * row_bytes)), nothing_refused);
    EXPECT_THAT(fixture.refusal_of(row_at(0), row_at(row_bytes)),
                HasSubstr("of the input, which takes 1024 bytes, so that they overlap"));
    EXPECT_THAT(fixture.refusal_of(row_at(0), row_at(0)), HasSubstr("a plan with a functor"));
    EXPECT_THAT(fixture.refusal_of(row_at(12), row_at(4096 - 1024)),
                HasSubstr("within an element of the functor's, which has 8 bytes"));
  }
}

/// A plan that needs a workspace on the compiled engines.
plan_spec of_several_passes() {
  return {.lengths = {std::size_t{1} << 16}, .kind = transform::forward};
}

TEST(views, of_a_workspace_are_apart_from_both_sides) {
  std::size_t n_workspaces = 0;
  for (const device_info& device : devices()) {
    SCOPED_TRACE(device.name);
    bench fixture{device, of_several_passes()};
    const std::size_t side_bytes = input_bytes(fixture.planned.spec());
    const std::size_t scratch_bytes = fixture.planned.workspace_bytes();
    if (scratch_bytes == 0) continue;
    ++n_workspaces;
    const buffer whole{fixture.on, 2 * side_bytes + scratch_bytes + 16};
    const auto view_at = [&](std::size_t offset_bytes, std::size_t bytes) {
      return part(whole.view(), offset_bytes, bytes);
    };
    const buffer_view in = view_at(0, side_bytes), out = view_at(side_bytes, side_bytes);
    const auto workspace_at = [&](std::size_t offset_bytes) {
      return fixture.refusal_of(in, out, view_at(offset_bytes, scratch_bytes + 16));
    };
    EXPECT_EQ(workspace_at(2 * side_bytes), nothing_refused);
    EXPECT_THAT(workspace_at(2 * side_bytes - 8),
                HasSubstr("the workspace starts " + std::to_string(side_bytes - 8) +
                          " bytes behind the start of the output"));
    EXPECT_THAT(workspace_at(0),
                HasSubstr("the workspace starts 0 bytes behind the start of the input"));
    EXPECT_THAT(workspace_at(2 * side_bytes + 4),
                HasSubstr("within a complex number, which has 8 bytes; start it at a multiple"));
    EXPECT_THAT(fixture.refusal_of(in, out, {nullptr, 0, scratch_bytes}),
                HasSubstr("the workspace has a size"));
    if (is_of_this_process(device)) continue;
    const queue host{first_device(engine::host)};
    EXPECT_THAT(fixture.refusal_of(in, out, buffer{host, scratch_bytes}.view()),
                HasSubstr("the workspace is memory of host:0"));
  }
  if (n_workspaces == 0) GTEST_SKIP() << "no plan here needs a workspace";
}

struct start_case {
  const char* name;
  plan_spec spec;
  std::size_t bytes;  ///< What inputs start at a multiple of.
};

std::vector<start_case> start_cases() {
  constexpr transform real = transform::forward_from_real;
  return {{"complex", {.lengths = {n}}, 8},
          {"complex in fp16", {.lengths = {n}, .real = precision::fp16}, 4},
          {"complex with a stride", {.lengths = {n}, .in = {.strides = {3}}}, 8},
          {"planes", {.lengths = {n}, .in = {.imaginary_at = n}}, 4},
          {"real", {.lengths = {n}, .kind = real}, 8},
          {"real with a stride", {.lengths = {n}, .kind = real, .in = {.strides = {3}}}, 4},
          {"real with an odd distance",
           {.lengths = {n}, .batch = 2, .kind = real, .in = {.distances = {n + 1}}},
           4},
          {"real rows in part", {.lengths = {n}, .kind = real, .valid_in = {{0, n - 1}}}, 4},
          {"a real row of odd length", {.lengths = {odd}, .kind = real}, 4},
          {"real rows of odd length at even distances",
           {.lengths = {odd}, .batch = 2, .kind = real, .in = {.distances = {n}}},
           4}};
}

TEST(views, start_at_a_number_on_every_engine_alike) {
  for (const device_info& device : devices()) {
    for (const auto& [name, spec, bytes] : start_cases()) {
      SCOPED_TRACE(device.name + ", " + name);
      bench fixture{device, spec};
      for (std::size_t offset_bytes = 1; offset_bytes <= 8; ++offset_bytes) {
        const auto sentence = fixture.refusal_of(
            part(fixture.memory.view(), offset_bytes, 4 * row_bytes), fixture.other.view());
        if (offset_bytes % bytes == 0) {
          EXPECT_EQ(sentence, nothing_refused) << offset_bytes;
        } else {
          EXPECT_THAT(sentence, AllOf(HasSubstr("the input starts at byte " +
                                                std::to_string(offset_bytes) + ", within a"),
                                      HasSubstr("which has " + std::to_string(bytes) +
                                                " bytes; start it at a multiple")));
          const bool has_pairs = request::input_array(spec).has_whole_pairs();
          EXPECT_EQ(sentence.ends_with(", or read it with a load functor"), has_pairs);
        }
      }
      EXPECT_THAT(
          fixture.refusal_of(fixture.memory.view(), part(fixture.other.view(), 3, 4 * row_bytes)),
          HasSubstr("the output starts at byte 3, within a complex number"));
    }
  }
}

/// Returns the floats of the output that begins `to_bytes` behind the start of its buffer.
std::vector<float> output_of(const device_info& device, const plan_spec& spec,
                             std::size_t from_bytes, std::size_t to_bytes) {
  queue on{device};
  const plan planned{on, spec};
  buffer in{on, input_bytes(spec) + from_bytes}, out{on, output_bytes(spec) + to_bytes};
  std::vector<float> values(input_bytes(spec) / sizeof(float));
  for (std::size_t i = 0; i < values.size(); ++i) {
    values[i] = static_cast<float>(i * i % 17) - 8;
  }
  in.write(values.data(), input_bytes(spec), from_bytes);
  planned.enqueue(on, part(in.view(), from_bytes, input_bytes(spec)),
                  part(out.view(), to_bytes, output_bytes(spec)));
  on.wait();
  std::vector<float> result(output_bytes(spec) / sizeof(float));
  out.read(result.data(), output_bytes(spec), to_bytes);
  return result;
}

TEST(views, of_odd_rows_of_reals_start_at_any_real) {
  for (const bool is_forward : {true, false}) {
    const std::size_t in_offset = is_forward ? sizeof(float) : 0,
                      out_offset = sizeof(float) - in_offset;
    plan_spec spec{.lengths = {odd},
                   .kind = is_forward ? transform::forward_from_real : transform::inverse_to_real};
    for (const std::size_t batch : {1, 2}) {
      spec.batch = batch;
      memory_layout& reals = is_forward ? spec.in : spec.out;
      if (batch > 1) reals.distances = {n};
      const auto expected = output_of(first_device(engine::reference), spec, 0, 0);
      for (const device_info& device : devices()) {
        SCOPED_TRACE(device.name + (is_forward ? ", forward" : ", inverse"));
        const auto found = output_of(device, spec, in_offset, out_offset);
        for (std::size_t i = 0; i < expected.size(); ++i) {
          if (!is_forward && i % n == odd) continue;  // between two rows
          ASSERT_NEAR(found[i], expected[i], 1e-3) << i;
        }
      }
    }
  }
}

TEST(views, of_pointers_are_aligned) {
  for (const engine runs_on : {engine::host, engine::reference}) {
    bench fixture{first_device(runs_on)};
    std::vector<float> x(2 * n + 1), y(2 * n);
    const buffer_view out{y.data(), 0, row_bytes};
    EXPECT_EQ(fixture.refusal_of({x.data() + 1, 0, row_bytes}, out), nothing_refused);
    EXPECT_THAT(fixture.refusal_of({reinterpret_cast<char*>(x.data()) + 2, 0, row_bytes}, out),
                HasSubstr("the pointer to the input lies 2 bytes beyond a multiple of 4"));
  }
}

TEST(views, of_device_pointers_are_aligned_to_what_kernels_read) {
  const auto refused = [](const plan_spec& spec, std::uintptr_t address) {
    const operand given{"input", {reinterpret_cast<void*>(address), 0, row_bytes}, row_bytes};
    return refusal([&] { require_start(given, input_start(spec), engine::cuda); });
  };
  for (const auto& [name, spec, bytes] : start_cases()) {
    SCOPED_TRACE(name);
    EXPECT_EQ(refused(spec, 0x1000 + bytes), nothing_refused);
    EXPECT_THAT(refused(spec, 0x1000 + bytes / 2), HasSubstr("beyond a multiple of"));
  }
}

}  // namespace
