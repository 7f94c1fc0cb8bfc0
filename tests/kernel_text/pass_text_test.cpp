// SPDX-License-Identifier: Apache-2.0
// Texts of kernels: they name the body, the ends and how they are launched, and their numbers, read
// back, are those of the pass.
#include "kernel_text/pass_text.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>    // nextafter
#include <cstdlib>  // strtod, strtoull
#include <map>
#include <type_traits>  // is_enum_v

#include "planner/devices.hpp"     // hopper, ampere, opencl
#include "planner/fields.hpp"      // each_field
#include "programs/catalogue.hpp"  // every_request, mixed_requests, passes_of

namespace {

using namespace wingbeat;
using namespace wingbeat::test;
using namespace planner;
using kernel_text::pass_text;
using ::testing::HasSubstr;
using ::testing::MatchesRegex;
using ::testing::Not;

/// Returns the fields of an aggregate that the list of fields has, where a structured binding does
/// not compile if the aggregate has others.
std::size_t fields_of_shape(const planner::tile_shape& shape) {
  [[maybe_unused]] const auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v, w,
                                x, y, z] = shape;
  return 26;
}
std::size_t fields_of_side(const device::grid::side& side) {
  [[maybe_unused]] const auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p] = side;
  return 16;
}
std::size_t fields_of_loop(const planner::loop& loop) {
  [[maybe_unused]] const auto& [a, b, c, d, e, f, g] = loop;
  return 7;
}
std::size_t fields_of_pass(const pass_numbers& numbers) {
  [[maybe_unused]] const auto& [shape, in, out, loops, a, b, c, d, e, f, g, h, i, j, k, l, m, n, o,
                                p, q, r, s, t, u] = numbers;
  return fields_of_shape(numbers.shape) + 2 * fields_of_side(numbers.in) +
         numbers.depth * fields_of_loop(numbers.loops[0]) + 21;
}

/// Reads a value as a C++ compiler does.
template <class Value>
void read_value(const std::string& text, Value& field) {
  char* end = nullptr;
  if constexpr (std::is_enum_v<Value>) {
    int number = 0;
    read_value(text.substr(text.find(")(") + 2, 1), number);
    EXPECT_THAT(text, MatchesRegex("decltype\\(n[.a-z_0-9]*(\\[[0-9]\\][.a-z_]*)?\\)\\([0-9]\\)"));
    field = static_cast<Value>(number);
    return;
  } else if constexpr (std::is_same_v<Value, bool>) {
    ASSERT_TRUE(text == "true" || text == "false") << text;
    field = text == "true";
    return;
  } else if constexpr (std::is_same_v<Value, double>) {
    field = std::strtod(text.c_str(), &end);
  } else {
    field = static_cast<Value>(std::strtoull(text.c_str(), &end, 10));
    if (std::is_unsigned_v<Value>) EXPECT_EQ(*end++, 'u') << text;
  }
  EXPECT_EQ(*end, '\0') << text;
}

/// Returns the assignments of a text, having checked that no field has two.
std::map<std::string, std::string> assignments_in(const std::string& text) {
  std::map<std::string, std::string> values;
  constexpr std::string_view head = "\n    n.";
  for (std::size_t offset = text.find(head); offset != std::string::npos;
       offset = text.find(head, offset + 1)) {
    const std::size_t name = offset + head.size(), equals = text.find(" = ", name);
    const std::size_t end = text.find(";\n", equals);
    const bool is_first =
        values.emplace(text.substr(name, equals - name), text.substr(equals + 3, end - equals - 3))
            .second;
    EXPECT_TRUE(is_first) << text.substr(name, end - name) << " is assigned again";
  }
  return values;
}

/// Expects the text to assign each field that differs from its default, and no other.
void expect_numbers_read_back(const pass& planned) {
  auto values = assignments_in(pass_text(planned));
  pass_numbers read;
  if (values.contains("depth")) read_value(values.at("depth"), read.depth);  // visits its loops
  each_field(read, [&](const std::string& name, auto& field, const auto& default_value) {
    const auto found = values.find(name);
    if (found == values.end()) return;
    read_value(found->second, field);
    EXPECT_NE(field, default_value) << name << " is assigned its default";
    values.erase(found);
  });
  for (const auto& [name, value] : values) ADD_FAILURE() << name << " = " << value;
  std::map<std::string, double> expected, actual;
  const auto into = [](auto& map) {
    return [&map](const std::string& name, const auto& field, const auto&) {
      map[name] = static_cast<double>(field);  // below 2^53
    };
  };
  each_field(planned.numbers, into(expected));
  each_field(read, into(actual));
  EXPECT_EQ(actual, expected) << planned.describe();
}

TEST(pass_text, assigns_the_numbers_of_every_pass) {
  std::size_t n_passes = 0;
  for (const device_info& device : {hopper(), ampere(), opencl(false, 2 << 20, 4096)}) {
    for (const auto& requests : {programs::every_request(), programs::mixed_requests()}) {
      for (const pass& each : programs::passes_of(requests, device)) {
        expect_numbers_read_back(each);
        if (HasFailure()) return;
        ++n_passes;
      }
    }
  }
  EXPECT_GT(n_passes, 1000U);
}

/// A pass without a default in any field, so far as one can be planned at all.
pass distinct_pass() {
  pass result;
  std::size_t next = 2;
  result.numbers.depth = 3;
  each_field(result.numbers, [&](const std::string& name, auto& field, const auto&) {
    using value = std::decay_t<decltype(field)>;
    if (name == "depth") return;
    if constexpr (std::is_same_v<value, bool>) {
      field = true;
    } else if constexpr (std::is_enum_v<value>) {
      field = static_cast<value>(1);
    } else {
      field = static_cast<value>(next++);
    }
  });
  // From which the entry's declaration is computed.
  result.numbers.shape.length = 4096;
  result.numbers.shape.elements_per_thread = 16;
  result.numbers.shape.lanes = 2;
  result.numbers.shape.workgroups = 4;
  result.numbers.scale = 1.0 / 3;
  return result;
}

TEST(pass_text, differs_where_any_number_does) {
  const pass base = distinct_pass();
  expect_numbers_read_back(base);
  const std::string text = pass_text(base);
  std::size_t n_fields = 0;
  each_field(base.numbers, [&](const std::string& name, const auto&, const auto&) {
    ++n_fields;
    pass other = base;
    each_field(other.numbers, [&](const std::string& each, auto& field, const auto&) {
      using value = std::decay_t<decltype(field)>;
      if (each != name) return;
      if constexpr (std::is_same_v<value, bool>) {
        field = !field;
      } else if constexpr (std::is_enum_v<value>) {
        field = static_cast<value>(static_cast<int>(field) - 1);
      } else if constexpr (std::is_same_v<value, double>) {
        field = std::nextafter(field, 1.0);
      } else {
        field = static_cast<value>(field + 1);
      }
    });
    EXPECT_NE(pass_text(other), text) << name;
    expect_numbers_read_back(other);
  });
  EXPECT_EQ(n_fields, fields_of_pass(base.numbers));
}

TEST(pass_text, differs_where_anything_else_of_its_kernel_does) {
  const pass base;
  const std::string text = pass_text(base);
  const auto changed = [&](auto change) {
    pass other = base;
    change(other);
    return pass_text(other);
  };
  EXPECT_NE(changed([](pass& of) { of.real = precision::fp64; }), text);
  EXPECT_NE(changed([](pass& of) { of.is_forward = false; }), text);
  EXPECT_NE(changed([](pass& of) { of.resident = 2; }), text);
  EXPECT_NE(changed([](pass& of) { of.in.stored = precision::fp16; }), text);
  EXPECT_NE(changed([](pass& of) { of.out.stored = precision::bf16; }), text);
  EXPECT_NE(changed([](pass& of) { of.in.has_parts = true; }), text);
  EXPECT_NE(changed([](pass& of) { of.out.streams = true; }), text);
  const auto apart = [](std::size_t units) {
    return [units](pass& planned) {
      planned.out.has_parts = true;
      planned.out.parts_distance = units;
    };
  };
  EXPECT_NE(changed(apart(64)), changed(apart(65)));
  // The number of rows and the buffers are arguments of a launch.
  EXPECT_EQ(changed([](pass& of) { of.rows = 99; }), text);
  EXPECT_EQ(changed([](pass& of) { of.in.location = planner::place::workspace_a; }), text);
  EXPECT_EQ(changed([](pass& of) { of.fraction = 0.5; }), text);
}

TEST(pass_text, names_the_body_and_the_ends) {
  pass planned;
  EXPECT_THAT(pass_text(planned), HasSubstr("#include \"wingbeat/device/bodies/transform.hpp\""));
  EXPECT_THAT(pass_text(planned), HasSubstr("using body = bodies::transform<policy>;"));
  EXPECT_THAT(pass_text(planned), HasSubstr("using real = float;"));
  EXPECT_THAT(pass_text(planned), HasSubstr("direction dir = direction::forward;"));
  EXPECT_THAT(
      pass_text(planned),
      HasSubstr("using input = ends::complex_load<float, policy::real, ends::use::again>;"));
  planned.numbers.shape.makes = body::real_row;
  planned.out.streams = true;
  planned.is_forward = false;
  EXPECT_THAT(pass_text(planned), HasSubstr("using body = bodies::real_row<policy>;"));
  EXPECT_THAT(pass_text(planned), HasSubstr("direction dir = direction::inverse;"));
  EXPECT_THAT(pass_text(planned),
              HasSubstr("using output = ends::complex_store<float, policy::real, "
                        "ends::use::once>;"));
  for (const body makes : {body::line, body::plane}) {
    planned.numbers.shape.makes = makes;
    EXPECT_THAT(pass_text(planned),
                HasSubstr("#include \"wingbeat/device/bodies/cluster_transform.hpp\""));
    EXPECT_THAT(pass_text(planned), HasSubstr("using body = bodies::cluster_transform<policy>;"));
  }
  planned.in.has_parts = true;
  planned.in.stored = precision::fp16;
  planned.in.parts_distance = 640;
  planned.real = precision::fp64;
  EXPECT_THAT(
      pass_text(planned),
      HasSubstr(
          "using input = ends::parts_load<wingbeat::device::half_float, policy::real, 640>;"));
  EXPECT_THAT(pass_text(planned), HasSubstr("using real = double;"));
}

TEST(pass_text, declares_how_it_is_launched) {
  const auto macro_of = [](const pass& planned) {
    const std::string text = pass_text(planned), head = "#define WINGBEAT_PASS_KERNEL ";
    const std::size_t offset = text.find(head) + head.size();
    return text.substr(offset, text.find('\n', offset) - offset);
  };
  pass planned;
  planned.numbers.shape.length = 64;
  planned.numbers.shape.elements_per_thread = 4;
  planned.numbers.shape.lanes = 8;
  EXPECT_EQ(macro_of(planned), "WINGBEAT_KERNEL_IN_ROWS(16, 8)")
      << "a row of threads for each lane";
  planned.numbers.shape.lanes_across = true;
  EXPECT_EQ(macro_of(planned), "WINGBEAT_KERNEL_IN_ROWS(8, 16)") << "neighbours for neighbours";
  planned.resident = 3;
  EXPECT_EQ(macro_of(planned), "WINGBEAT_KERNEL_IN_ROWS_RESIDENT(8, 16, 3)");
  planned.numbers.shape.makes = body::line;
  EXPECT_EQ(macro_of(planned), "WINGBEAT_KERNEL_RESIDENT(128, 3)");
  planned.numbers.shape.workgroups = 4;
  planned.resident = 0;
  EXPECT_EQ(macro_of(planned), "WINGBEAT_KERNEL_CLUSTER(32, 1, 4)");

  // On processors rows of threads have whole vectors of 16 bytes, or are not declared.
  pass odd;
  odd.numbers.shape.length = 78;
  odd.numbers.shape.elements_per_thread = 13;
  odd.numbers.shape.lanes = 2;
  odd.numbers.shape.bank_bytes = 128;
  EXPECT_EQ(macro_of(odd), "WINGBEAT_KERNEL_IN_ROWS(6, 2)");
  odd.numbers.shape.bank_bytes = 0;
  EXPECT_EQ(macro_of(odd), "WINGBEAT_KERNEL(12)");
  EXPECT_THAT(pass_text(odd), HasSubstr("bodies::transform<policy, group>"));
  odd.real = precision::fp64;
  EXPECT_EQ(macro_of(odd), "WINGBEAT_KERNEL_IN_ROWS(6, 2)");
  odd.numbers.shape.lanes = 1;
  odd.real = precision::fp32;
  EXPECT_EQ(macro_of(odd), "WINGBEAT_KERNEL_IN_ROWS(6, 1)");
}

TEST(pass_text, holds_a_functor_in_place_of_memory) {
  pass planned;
  planned.in.fused =
      planner::functor_of(fused_load{.in_bytes = 64,
                                     .element_bytes = 8,
                                     .source = {.text = "struct yours {};", .type = "yours"}},
                          /*is_real=*/false);
  EXPECT_THAT(pass_text(planned), HasSubstr("struct yours {};"));
  EXPECT_THAT(pass_text(planned), HasSubstr("#include \"wingbeat/device/ends/functor.hpp\""));
  EXPECT_THAT(pass_text(planned), Not(HasSubstr("ends::complex_load")));
  EXPECT_THAT(pass_text(planned), HasSubstr("ends::complex_store"));
}

}  // namespace
