// SPDX-License-Identifier: Apache-2.0
#include "functors.hpp"

#include <nanobind/stl/tuple.h>

#include <array>
#include <complex>
#include <cstddef>  // byte
#include <cstring>  // memcpy
#include <string_view>

namespace wingbeat::python {
namespace {

constexpr std::size_t max_operands = 32;
constexpr std::size_t max_value_bytes = 8;

/// A type that operands may have.
struct operand_type {
  std::string_view name;
  std::size_t bytes;
  kernel_parameter (*value)();
  kernel_argument (*argument)(nb::handle);
  void (*copy)(const host_arguments& given, std::size_t i, std::byte* into);
};

template <class Value>
constexpr operand_type type_named(std::string_view name) {
  return {name, sizeof(Value), [] { return kernel_parameter::value<Value>(); },
          [](nb::handle number) { return kernel_argument{nb::cast<Value>(number)}; },
          [](const host_arguments& given, std::size_t i, std::byte* into) {
            const auto value = given.value<Value>(i);
            std::memcpy(into, &value, sizeof value);
          }};
}

const operand_type number_types[] = {
    type_named<float>("float32"),        type_named<double>("float64"),
    type_named<std::int32_t>("int32"),   type_named<std::int64_t>("int64"),
    type_named<std::uint32_t>("uint32"), type_named<std::uint64_t>("uint64"),
};

/// Types of memory that are no types of values, by their size.
struct sized_type {
  std::string_view name;
  std::size_t bytes;
};
constexpr sized_type memory_types[] = {
    {"int8", 1},    {"uint8", 1},      {"int16", 2},     {"uint16", 2},
    {"float16", 2}, {"bcomplex32", 4}, {"bfloat16", 2},  {"int32", 4},
    {"uint32", 4},  {"float32", 4},    {"complex32", 4}, {"int64", 8},
    {"uint64", 8},  {"float64", 8},    {"complex64", 8}, {"complex128", 16}};

/// An operand as Python states it.
struct stated_operand {
  bool is_memory = false, is_const = false;
  std::string_view type;

  explicit stated_operand(std::string_view text) : type(text) {
    if (type.substr(0, 6) == "const ") {
      is_const = true;
      type.remove_prefix(6);
    }
    if (!type.empty() && type.back() == '*') {
      is_memory = true;
      type.remove_suffix(1);
    }
  }

  [[noreturn]] void refuse() const {
    throw nb::value_error(
        ("operand type " + std::string{type} +
         " is none; give \"const float32*\" for memory that is read, \"float32*\" "
         "for memory that is written, or \"float32\" for a number")
            .c_str());
  }

  [[nodiscard]] std::size_t element_bytes() const {
    for (const sized_type& each : memory_types) {
      if (each.name == type) return each.bytes;
    }
    refuse();
  }

  [[nodiscard]] const operand_type& number() const {
    for (const operand_type& each : number_types) {
      if (each.name == type) return each;
    }
    refuse();
  }

  [[nodiscard]] kernel_parameter parameter() const {
    if (!is_memory) return number().value();
    return is_const ? kernel_parameter::input(element_bytes())
                    : kernel_parameter::output(element_bytes());
  }
};

std::vector<kernel_parameter> parameters_of(const std::vector<std::string>& operands) {
  if (operands.size() > max_operands) throw nb::value_error("a functor has at most 32 operands");
  std::vector<kernel_parameter> result;
  for (const std::string& each : operands) result.push_back(stated_operand{each}.parameter());
  return result;
}

/// Returns where memory of elements of any size begins.
const void* memory_of(const host_arguments& given, std::size_t i, std::size_t element_bytes) {
  struct sixteen_bytes {
    std::byte bytes[16];
  };
  switch (element_bytes) {
    case 1: return given.memory<const std::uint8_t>(i);
    case 2: return given.memory<const std::uint16_t>(i);
    case 4: return given.memory<const std::uint32_t>(i);
    case 8: return given.memory<const std::uint64_t>(i);
    default: return given.memory<const sixteen_bytes>(i);
  }
}

/// The operands of a call, as the function takes them.
class operand_pointers {
 public:
  operand_pointers(const std::vector<std::string>& operands, const host_arguments& given) {
    for (std::size_t i = 0; i < operands.size(); ++i) {
      const stated_operand stated{operands[i]};
      if (stated.is_memory) {
        pointers_[i] = memory_of(given, i, stated.element_bytes());
      } else {
        stated.number().copy(given, i, values_[i].data());
        pointers_[i] = values_[i].data();
      }
    }
  }

  [[nodiscard]] const void* const* data() const { return pointers_.data(); }

 private:
  std::array<const void*, max_operands> pointers_{};
  std::array<std::array<std::byte, max_value_bytes>, max_operands> values_;
};

constexpr const void* const* no_operands = nullptr;

template <class Value>
host_load reader_of(const functor& given) {
  using function =
      void (*)(const void*, const void* const*, std::uint64_t, std::uint64_t, std::uint64_t, void*);
  const auto call = reinterpret_cast<function>(given.address);
  if (given.operands.empty()) {
    return run_reader<Value>{
        [call](const void* in, std::size_t row, std::size_t first, std::span<Value> into) {
          call(in, no_operands, row, first, into.size(), into.data());
        }};
  }
  return operand_reader<Value>{
      [call, operands = given.operands](const void* in, const host_arguments& arguments,
                                        std::size_t row, std::size_t first, std::span<Value> into) {
        const operand_pointers pointers{operands, arguments};
        call(in, pointers.data(), row, first, into.size(), into.data());
      }};
}

template <class Value>
host_store writer_of(const functor& given) {
  using function =
      void (*)(void*, const void* const*, std::uint64_t, std::uint64_t, std::uint64_t, const void*);
  const auto call = reinterpret_cast<function>(given.address);
  if (given.operands.empty()) {
    return run_writer<Value>{
        [call](void* out, std::size_t row, std::size_t first, std::span<const Value> values) {
          call(out, no_operands, row, first, values.size(), values.data());
        }};
  }
  return operand_writer<Value>{
      [call, operands = given.operands](void* out, const host_arguments& arguments, std::size_t row,
                                        std::size_t first, std::span<const Value> values) {
        const operand_pointers pointers{operands, arguments};
        call(out, pointers.data(), row, first, values.size(), values.data());
      }};
}

template <class Real>
void load_factors(const void*, const void* const* operands, std::uint64_t, std::uint64_t first,
                  std::uint64_t count, void* into) {
  std::memcpy(into, static_cast<const Real*>(operands[0]) + first, count * sizeof(Real));
}

fused_source source_of(const functor& given) {
  const auto* const bytes = reinterpret_cast<const std::byte*>(given.parameters.data());
  return {.text = given.text,
          .type = given.type,
          .parameters = {bytes, bytes + given.parameters.size()}};
}

}  // namespace

fused_load load_of(const functor& given, functor_value value) {
  fused_load result{.in_bytes = given.buffer_bytes,
                    .element_bytes = given.element_bytes,
                    .source = source_of(given),
                    .operands = parameters_of(given.operands)};
  if (given.address == 0) return result;
  switch (value) {
    case functor_value::float32: result.callable = reader_of<float>(given); break;
    case functor_value::float64: result.callable = reader_of<double>(given); break;
    case functor_value::complex64: result.callable = reader_of<std::complex<float>>(given); break;
    case functor_value::complex128: result.callable = reader_of<std::complex<double>>(given); break;
  }
  return result;
}

fused_store store_of(const functor& given, functor_value value) {
  fused_store result{.out_bytes = given.buffer_bytes,
                     .element_bytes = given.element_bytes,
                     .source = source_of(given),
                     .partial_bytes = given.partial_bytes,
                     .clears_output = given.clears_output,
                     .operands = parameters_of(given.operands)};
  if (given.address == 0) return result;
  switch (value) {
    case functor_value::float32: result.callable = writer_of<float>(given); break;
    case functor_value::float64: result.callable = writer_of<double>(given); break;
    case functor_value::complex64: result.callable = writer_of<std::complex<float>>(given); break;
    case functor_value::complex128: result.callable = writer_of<std::complex<double>>(given); break;
  }
  return result;
}

nb::dict item_bytes() {
  nb::dict result;
  for (const sized_type& each : memory_types) result[each.name.data()] = each.bytes;
  return result;
}

std::uintptr_t factors_address(bool is_double) {
  const auto load = is_double ? &load_factors<double> : &load_factors<float>;
  return reinterpret_cast<std::uintptr_t>(load);
}

std::vector<kernel_argument> arguments_of(const std::vector<std::string>& operands,
                                          nb::sequence given) {
  const std::size_t count = nb::len(given);
  if (count != operands.size()) {
    throw nb::value_error(("the functor has " + std::to_string(operands.size()) + " operands and " +
                           std::to_string(count) + " were given; give one each")
                              .c_str());
  }
  std::vector<kernel_argument> result;
  for (std::size_t i = 0; i < count; ++i) {
    const stated_operand stated{operands[i]};
    const nb::object each = given[i];
    if (!stated.is_memory) {
      result.push_back(stated.number().argument(each));
      continue;
    }
    result.emplace_back(view_of(nb::cast<memory>(each)));
  }
  return result;
}

}  // namespace wingbeat::python
