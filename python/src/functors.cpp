// SPDX-License-Identifier: Apache-2.0
#include "functors.hpp"

#include <nanobind/stl/vector.h>

#include <array>
#include <complex>
#include <cstddef>  // byte
#include <cstring>  // memcpy
#include <string_view>

#include "array_library.hpp"  // memory_of
#include "fields.hpp"         // read

namespace wingbeat::python {
namespace {

constexpr std::size_t max_operands = 32;
constexpr std::size_t max_value_bytes = 8;

[[noreturn]] void refuse_operand(std::string_view type) {
  refuse_value("operand type " + std::string{type} +
               " is none; give \"const float32*\" for memory that is read, \"float32*\" for memory "
               "that is written, or \"float32\" for a number");
}

/// Calls `work` with a number of the type with this name.
template <class Work>
auto with_number(std::string_view type, const Work& work) {
  if (type == "float32") return work(float{});
  if (type == "float64") return work(double{});
  if (type == "int32") return work(std::int32_t{});
  if (type == "int64") return work(std::int64_t{});
  if (type == "uint32") return work(std::uint32_t{});
  if (type == "uint64") return work(std::uint64_t{});
  refuse_operand(type);
}

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

  [[nodiscard]] std::size_t element_bytes() const {
    const auto element = element_type_named(type);
    if (!element || element->whole == whole_number::truth) refuse_operand(type);
    return element->bytes();
  }

  [[nodiscard]] kernel_parameter parameter() const {
    if (!is_memory) {
      return with_number(type, []<class Value>(Value) { return kernel_parameter::value<Value>(); });
    }
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

/// Returns the start of an operand's memory.
const void* start_of(const host_arguments& given, std::size_t i, std::size_t element_bytes) {
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

/// The operands of a call, in the form that the function takes.
class operand_pointers {
 public:
  operand_pointers(const std::vector<std::string>& operands, const host_arguments& given) {
    for (std::size_t i = 0; i < operands.size(); ++i) {
      const stated_operand stated{operands[i]};
      if (stated.is_memory) {
        pointers_[i] = start_of(given, i, stated.element_bytes());
      } else {
        with_number(stated.type, [&]<class Value>(Value value) {
          value = given.value<Value>(i);
          std::memcpy(values_[i].data(), &value, sizeof value);
        });
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

/// Returns a callable that calls the function of a load or store for runs of a row. Memory, Data:
/// const for loads.
template <class Callable, class Run, class OperandRun, class Memory, class Values, class Data>
Callable caller_of(const functor& given) {
  using function =
      void (*)(Memory*, const void* const*, std::uint64_t, std::uint64_t, std::uint64_t, Data*);
  const auto call = reinterpret_cast<function>(given.address);
  if (given.operands.empty()) {
    return Run{[call](Memory* memory, std::size_t row, std::size_t first, Values values) {
      call(memory, no_operands, row, first, values.size(), values.data());
    }};
  }
  return OperandRun{
      [call, operands = given.operands](Memory* memory, const host_arguments& arguments,
                                        std::size_t row, std::size_t first, Values values) {
        const operand_pointers pointers{operands, arguments};
        call(memory, pointers.data(), row, first, values.size(), values.data());
      }};
}

/// Calls `work` with a number of the type of a functor's elements.
template <class Work>
auto with_value(functor_value value, const Work& work) {
  switch (value) {
    case functor_value::float32: return work(float{});
    case functor_value::float64: return work(double{});
    case functor_value::complex64: return work(std::complex<float>{});
    case functor_value::complex128: break;
  }
  return work(std::complex<double>{});
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

std::optional<functor> functor_of(nb::handle given) {
  if (given.is_none()) return std::nullopt;
  functor result;
  read(given, "text", result.text, "type", result.type, "operands", result.operands,
       "_element_bytes", result.element_bytes, "_buffer_bytes", result.buffer_bytes, "_address",
       result.address, "partial_bytes", result.partial_bytes, "clears_output", result.clears_output,
       "row_outputs", result.row_outputs);
  const nb::bytes parameters = nb::cast<nb::bytes>(given.attr("parameters"));
  result.parameters = {parameters.c_str(), parameters.size()};
  return result;
}

fused_load load_of(const functor& given, functor_value value) {
  fused_load result{.in_bytes = given.buffer_bytes,
                    .element_bytes = given.element_bytes,
                    .source = source_of(given),
                    .operands = parameters_of(given.operands)};
  if (given.address == 0) return result;
  result.callable = with_value(value, [&]<class Value>(Value) {
    return caller_of<host_load, run_reader<Value>, operand_reader<Value>, const void,
                     std::span<Value>, void>(given);
  });
  return result;
}

fused_store store_of(const functor& given, functor_value value) {
  fused_store result{.out_bytes = given.buffer_bytes,
                     .element_bytes = given.element_bytes,
                     .source = source_of(given),
                     .partial_bytes = given.partial_bytes,
                     .row_outputs = given.row_outputs,
                     .clears_output = given.clears_output,
                     .operands = parameters_of(given.operands)};
  if (given.address == 0) return result;
  result.callable = with_value(value, [&]<class Value>(Value) {
    return caller_of<host_store, run_writer<Value>, operand_writer<Value>, void,
                     std::span<const Value>, const void>(given);
  });
  return result;
}

nb::dict item_bytes() {
  nb::dict result;
  for (const auto& [name, element] : named_types()) {
    if (element.whole != whole_number::truth) result[name] = element.bytes();
  }
  return result;
}

std::uintptr_t factors_address(bool is_double) {
  const auto load = is_double ? &load_factors<double> : &load_factors<float>;
  return reinterpret_cast<std::uintptr_t>(load);
}

std::vector<kernel_argument> arguments_of(const std::vector<std::string>& operands,
                                          nb::sequence given) {
  std::vector<kernel_argument> result;
  for (std::size_t i = 0; i < operands.size(); ++i) {
    const stated_operand stated{operands[i]};
    const nb::object each = given[i];
    if (!stated.is_memory) {
      result.push_back(with_number(
          stated.type, [&]<class Value>(Value) { return kernel_argument{nb::cast<Value>(each)}; }));
      continue;
    }
    result.emplace_back(memory_of(each));
  }
  return result;
}

}  // namespace wingbeat::python
