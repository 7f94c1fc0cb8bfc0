// SPDX-License-Identifier: Apache-2.0
#include "support/numbered_functors.hpp"

#include <fmt/format.h>

#include <complex>
#include <span>
#include <string>
#include <type_traits>  // is_floating_point_v

#include "reference/stored.hpp"  // load_number, store_number
#include "request/resolved.hpp"  // resolved_spec

namespace wingbeat::test {
namespace {

// {0}: what is stored, {1}: what is computed with, {2}: elements of a row.
constexpr const char* real_load = R"(
struct numbered_load {{
  using element = {0};
  WINGBEAT_FN static {1} load(WINGBEAT_GLOBAL const element* in, wd::size row, wd::size i) {{
    return static_cast<{1}>(in[row * {2} + i]);
  }}
}};
)";
constexpr const char* complex_load = R"(
struct numbered_load {{
  using element = wd::complex<{0}>;
  WINGBEAT_FN static wd::complex<{1}> load(WINGBEAT_GLOBAL const element* in, wd::size row,
                                           wd::size i) {{
    const element z = wd::copied_from(in + row * {2} + i);
    return {{static_cast<{1}>(z.re), static_cast<{1}>(z.im)}};
  }}
}};
)";
constexpr const char* real_store = R"(
struct numbered_store {{
  using element = {0};
  WINGBEAT_FN static void store(WINGBEAT_GLOBAL element* out, wd::size row, wd::size i, {1} x) {{
    out[row * {2} + i] = static_cast<{0}>(x);
  }}
}};
)";
constexpr const char* complex_store = R"(
struct numbered_store {{
  using element = wd::complex<{0}>;
  WINGBEAT_FN static void store(WINGBEAT_GLOBAL element* out, wd::size row, wd::size i,
                                wd::complex<{1}> z) {{
    wd::copy_to(out + row * {2} + i, element{{static_cast<{0}>(z.re), static_cast<{0}>(z.im)}});
  }}
}};
)";

constexpr const char* multiplier = R"(
struct numbered_multiplier {{
  using element = {0};
  WINGBEAT_FN static {1} load(WINGBEAT_GLOBAL const element*, wd::size row, wd::size i) {{
    return 1 + static_cast<{1}>((31 * row + {2} * i) % 8) / 8;
  }}
}};
)";

std::string_view stored_name(precision real) {
  switch (real) {
    case precision::fp32: return "float";
    case precision::fp64: return "double";
    case precision::fp16: return "wd::half_float";
    case precision::bf16: return "wd::bfloat";
  }
  return "";
}

/// Returns the text of a functor whose rows have so many elements.
std::string text_of(const char* functor, const plan_spec& spec, std::size_t row) {
  return "#include \"wingbeat/device/bfloat.hpp\"\n#include \"wingbeat/device/half.hpp\"\n"
         "namespace wd = wingbeat::device;" +
         fmt::format(fmt::runtime(functor), stored_name(spec.real),
                     spec.real == precision::fp64 ? "double" : "float", row);
}

/// Calls call(Value{}) with a value of what functors of the side are handed.
template <class Call>
auto with_value(const plan_spec& spec, bool is_real_side, const Call& call) {
  if (spec.real == precision::fp64) {
    return is_real_side ? call(double{}) : call(std::complex<double>{});
  }
  return is_real_side ? call(float{}) : call(std::complex<float>{});
}

template <class Real>
Real taken_from(const char* address, precision stored, Real /*type*/) {
  return static_cast<Real>(reference::load_number(address, stored));
}
template <class Real>
std::complex<Real> taken_from(const char* address, precision stored, std::complex<Real> /*type*/) {
  return {taken_from(address, stored, Real{}),
          taken_from(address + bytes_of_real(stored), stored, Real{})};
}

template <class Real>
void put_to(char* address, precision stored, Real x) {
  reference::store_number(address, stored, x);
}
template <class Real>
void put_to(char* address, precision stored, std::complex<Real> z) {
  put_to(address, stored, z.real());
  put_to(address + bytes_of_real(stored), stored, z.imag());
}

}  // namespace

fused_load numbered_load(const plan_spec& spec) {
  const arrays::array input = request::input_array(spec);
  const std::size_t row = input.valid_elements(), bytes = input.unit_bytes();
  const precision stored = spec.real;
  fused_load result{
      .in_bytes = spec.batch * row * bytes,
      .element_bytes = bytes,
      .source = {text_of(input.is_real() ? real_load : complex_load, spec, row), "numbered_load"}};
  with_value(spec, input.is_real(), [&]<class Value>(Value) {
    result.callable = [=](const void* in, std::size_t points, std::size_t first,
                          std::span<Value> into) {
      const char* address = static_cast<const char*>(in) + (points * row + first) * bytes;
      for (Value& each : into) {
        each = taken_from(address, stored, Value{});
        address += bytes;
      }
    };
  });
  return result;
}

fused_load numbered_multiplier(const plan_spec& spec) {
  fused_load result{.source = {text_of(multiplier, spec, 5), "numbered_multiplier"}};
  with_value(spec, true, [&]<class Value>(Value) {
    if constexpr (std::is_floating_point_v<Value>) {
      result.callable = [](const void*, std::size_t row, std::size_t first, std::span<Value> into) {
        for (std::size_t i = first; Value & each : into) {
          each = 1 + static_cast<Value>((31 * row + 5 * i++) % 8) / 8;
        }
      };
    }
  });
  return result;
}

fused_store numbered_store(const plan_spec& spec) {
  const arrays::array output = request::output_array(spec);
  const std::size_t row = output.valid_elements(), bytes = output.unit_bytes();
  const precision stored = spec.real;
  fused_store result{.out_bytes = spec.batch * row * bytes,
                     .element_bytes = bytes,
                     .source = {text_of(output.is_real() ? real_store : complex_store, spec, row),
                                "numbered_store"}};
  with_value(spec, output.is_real(), [&]<class Value>(Value) {
    result.callable = [=](void* out, std::size_t points, std::size_t first,
                          std::span<const Value> values) {
      char* address = static_cast<char*>(out) + (points * row + first) * bytes;
      for (const Value each : values) {
        put_to(address, stored, each);
        address += bytes;
      }
    };
  });
  return result;
}

}  // namespace wingbeat::test
