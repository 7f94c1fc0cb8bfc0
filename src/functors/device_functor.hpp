// SPDX-License-Identifier: Apache-2.0
// A functor of device/functors for a plan on every engine: a short text for those that compile
// kernels, which names its numbers and operands, and a callable for those in this process.
#pragma once

#include <complex>
#include <cstddef>  // size_t
#include <span>
#include <string>
#include <string_view>
#include <type_traits>  // conditional_t, is_const_v, is_pointer_v
#include <typeinfo>
#include <utility>  // declval
#include <vector>

#include "kernel_text/constants.hpp"     // assignments
#include "kernel_text/functor_text.hpp"  // functor_parts, functor_source, type_name
#include "system/thread_memory.hpp"      // thread_memory
#include "wingbeat/device/complex.hpp"   // complex
#include "wingbeat/fusion.hpp"           // fused_load, fused_store

namespace wingbeat {

/// Return what callables in this process take of a value of the device, and back.
template <class Real>
std::complex<Real> in_process(device::complex<Real> z) {
  return {z.re, z.im};
}
template <class Real>
Real in_process(Real x) {
  return x;
}
template <class Real>
device::complex<Real> on_device(const std::complex<Real>& z) {
  return {z.real(), z.imag()};
}
template <class Real>
Real on_device(Real x) {
  return x;
}

/// Functor: a class in the header of its name, with numbers, element and operands as types; made of
/// all of them and a row, it loads or stores one element; with load_run and store_run, many.
template <class Functor>
class device_functor {
 public:
  using functor = Functor;
  using numbers = typename Functor::numbers;
  using element = typename Functor::element;
  using operands = typename Functor::operands;

  explicit device_functor(const numbers& constants) : numbers_(constants) {}

  [[nodiscard]] fused_load load() const {
    using value = decltype(in_process(std::declval<Functor>().load(0)));
    return {.element_bytes = sizeof(element),
            .source = source(),
            .callable = callable<host_load, run_reader<value>, operand_reader<value>>(),
            .operands = parameters()};
  }

  /// Value: float, double, or a complex number of them.
  template <class Value>
  [[nodiscard]] fused_store store() const {
    return {.element_bytes = sizeof(element),
            .source = source(),
            .callable = callable<host_store, run_writer<Value>, operand_writer<Value>>(),
            .row_outputs = row_outputs(),
            .kept_bytes = kept_bytes(),
            .operands = parameters()};
  }

  [[nodiscard]] fused_source source() const {
    kernel_text::functor_parts parts{.type = kernel_text::type_name(typeid(Functor).name()),
                                     .constants = kernel_text::assignments(numbers_)};
    operands::each(numbers_, [&](std::string_view name, auto) { parts.add_operand(name); });
    return kernel_text::functor_source(parts);
  }

  [[nodiscard]] std::vector<kernel_parameter> parameters() const {
    std::vector<kernel_parameter> list;
    operands::each(numbers_,
                   [&](std::string_view, auto member) { list.push_back(parameter(member)); });
    return list;
  }

 private:
  [[nodiscard]] std::size_t row_outputs() const {
    if constexpr (requires { Functor::outputs(numbers_); }) return Functor::outputs(numbers_);
    return 0;
  }
  [[nodiscard]] std::size_t kept_bytes() const {
    std::size_t bytes = 0;
    if constexpr (requires { typename Functor::kept; }) {
      typename Functor::kept state{};
      Functor::each_member(state, numbers_, [&](const auto& member) { bytes += sizeof member; });
    }
    return bytes;
  }

  /// Loads from const memory, or stores.
  struct run {
    numbers constants;

    template <class Memory, class Value>
    void operator()(Memory* memory, std::size_t row, std::size_t first,
                    std::span<Value> values) const {
      each(memory, {}, row, first, values);
    }
    template <class Memory, class Value>
    void operator()(Memory* memory, const host_arguments& given, std::size_t row, std::size_t first,
                    std::span<Value> values) const {
      each(memory, operands_in(constants, given), row, first, values);
    }
    template <class Memory, class Value>
    [[gnu::flatten]] void each(Memory* memory, const operands& given, std::size_t row,
                               std::size_t first, std::span<Value> values) const {
      using stored = std::conditional_t<std::is_const_v<Memory>, const element, element>;
      const Functor of_row{constants, static_cast<stored*>(memory), given, row};
      if constexpr (std::is_const_v<Memory>) {
        const auto take = [&](std::size_t i, auto value) { values[i] = in_process(value); };
        if constexpr (requires { of_row.load_run(first, values.size(), take); }) {
          of_row.load_run(first, values.size(), take);
        } else {
          for (std::size_t i = 0; i < values.size(); ++i) take(i, of_row.load(first + i));
        }
      } else {
        const auto value = [&](std::size_t i) { return on_device(values[i]); };
        if constexpr (requires { Functor::outputs(constants); }) {
          using prepared = decltype(of_row.prepared(0, value(0)));
          const thread_memory kept{values.size() * sizeof(prepared)};
          const std::span<prepared> elements = kept.template values<prepared>();
          for (std::size_t i = 0; i < elements.size(); ++i)
            elements[i] = of_row.prepared(i, value(i));
          for (unsigned t = 0; t < Functor::outputs(constants); ++t) {
            of_row.store(t, of_row.output(t, [&](unsigned i) { return elements[i]; }));
          }
        } else if constexpr (requires { of_row.store_run(first, values.size(), value); }) {
          of_row.store_run(first, values.size(), value);
        } else {
          for (std::size_t i = 0; i < values.size(); ++i) of_row.store(first + i, value(i));
        }
      }
    }
  };
  template <class Callable, class Plain, class WithOperands>
  [[nodiscard]] Callable callable() const {
    if (parameters().empty()) return Plain{run{numbers_}};
    return WithOperands{run{numbers_}};
  }

  template <class Member>
  static kernel_parameter parameter(Member operands::*) {
    if constexpr (!std::is_pointer_v<Member>) {
      return kernel_parameter::value<Member>();
    } else {
      using pointee = std::remove_pointer_t<Member>;
      return std::is_const_v<pointee> ? kernel_parameter::input(sizeof(pointee))
                                      : kernel_parameter::output(sizeof(pointee));
    }
  }
  static operands operands_in(const numbers& n, const host_arguments& given) {
    operands result{};
    std::size_t i = 0;
    operands::each(n, [&](std::string_view, auto member) {
      using type = std::remove_reference_t<decltype(result.*member)>;
      if constexpr (std::is_pointer_v<type>) {
        result.*member = given.memory<std::remove_pointer_t<type>>(i++);
      } else {
        result.*member = given.value<type>(i++);
      }
    });
    return result;
  }

  numbers numbers_;
};

}  // namespace wingbeat
