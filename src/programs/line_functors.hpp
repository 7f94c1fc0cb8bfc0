// SPDX-License-Identifier: Apache-2.0
// The load and the store of an inner transform whose rows are lines of reals: of lines in memory,
// or of a request's functor, which numbers their elements by rows of all axes.
#pragma once

#include <complex>
#include <cstddef>  // size_t
#include <span>
#include <string_view>
#include <type_traits>  // conditional_t, is_same_v
#include <variant>      // get, get_if
#include <vector>

#include "arrays/array.hpp"                         // array
#include "device_functor.hpp"                       // device_functor, functor_parts
#include "programs/program.hpp"                     // argument_source
#include "stored_number.hpp"                        // with_stored
#include "wingbeat/device/functors/real_load.hpp"   // real_load, line_numbers
#include "wingbeat/device/functors/real_store.hpp"  // real_store
#include "wingbeat/fusion.hpp"                      // fused_load, fused_store

namespace wingbeat::programs {

using device::functors::line_numbers;

/// Returns the lines of an array along an axis: those at indices `ranges` of the others.
[[nodiscard]] line_numbers lines_of(const arrays::array& memory, std::size_t axis,
                                    const std::vector<index_range>& ranges);

/// The lines of one side, and the functor of the request in place of their memory, if one is given.
template <class Functor>
struct line_side {
  const arrays::array& memory;
  line_numbers lines;
  Functor yours = {};
  bool multiplies = false;              ///< What lies in memory, by what `yours` loads.
  std::size_t multiplied_elements = 0;  ///< Of a row of coefficients.
  bool shares_text = false;  ///< Its text is that of the functor at the other end of the transform.

  /// Returns the elements of one of its rows.
  [[nodiscard]] std::size_t row_elements() const { return memory.valid_elements(); }
  /// Returns how many operands stand before those of `yours`: roots and its parameters.
  [[nodiscard]] std::size_t own_operands() const {
    return (lines.has_roots ? 1 : 0) + (yours.source.parameters.empty() ? 0 : 1);
  }
};

/// Returns the operands of a functor in place of memory, and where a run finds them.
template <class Functor>
std::vector<kernel_parameter> operands_of(const line_side<Functor>& side, std::size_t root_bytes) {
  std::vector<kernel_parameter> list;
  if (side.lines.has_roots) list.push_back(kernel_parameter::input(root_bytes));
  if (!side.yours.source.parameters.empty()) list.push_back(kernel_parameter::input(1));
  list.insert(list.end(), side.yours.operands.begin(), side.yours.operands.end());
  return list;
}
template <class Functor>
std::vector<argument_source> arguments_of(const line_side<Functor>& side, const constant& roots) {
  std::vector<argument_source> list;
  if (side.lines.has_roots) list.emplace_back(roots);
  if (!side.yours.source.parameters.empty())
    list.emplace_back(constant{side.yours.source.parameters});
  for (std::size_t i = 0; i < side.yours.operands.size(); ++i)
    list.emplace_back(run_operand{i, side.multiplies});
  return list;
}

/// A functor of a request as the memory of lines in a kernel.
struct fused_text {
  std::string_view end;        ///< load or store.
  std::string_view functor;    ///< Of device/functors: real_load or real_store.
  std::string_view reduction;  ///< A class of reductions.hpp, by its full name.
  std::string_view real;
  std::size_t row_elements = 0;
  const line_numbers& lines;
  const fused_source& yours;
  const std::vector<kernel_parameter>& operands;  ///< Of `yours`.
  std::string_view memory = {};                   ///< Of lines: a class of device/functors.
  std::string_view stored = {};  ///< In its place, of `diagonal_load`: what lines are stored as.
  bool shares_text = false;
  bool gathers = false;  ///< The outputs of a line.
};
[[nodiscard]] fused_source source_of(const fused_text& text);

/// The elements of lines that a callable of a request loads or stores, or multiplies. Callable:
/// host_load or host_store; Memory: what it is given, or what its values multiply.
template <class Real, class Callable, class Memory>
class called_elements {
 public:
  called_elements(const Callable& callable, std::size_t row_elements, bool multiplies,
                  Memory* memory, const host_arguments& given)
      : callable_(callable),
        row_elements_(row_elements),
        multiplied_(multiplies ? static_cast<const Real*>(memory) : nullptr),
        memory_(multiplies ? nullptr : memory),
        given_(given) {}

  /// Calls for elements from number `place` on, all of one row.
  template <class Value>
  void call(std::size_t place, std::span<Value> values) const {
    const std::size_t row = (first_ + place) / row_elements_, i = (first_ + place) % row_elements_;
    if constexpr (std::is_const_v<Memory>) {
      called<run_reader<Real>, operand_reader<Real>>(row, i, values);
      if (multiplied_ == nullptr) return;
      for (std::size_t j = 0; j < values.size(); ++j) values[j] *= multiplied_[first_ + place + j];
    } else {
      called<run_writer<Real>, operand_writer<Real>>(row, i, values);
    }
  }
  [[nodiscard]] Real get(device::functors::distance place) const {
    Real value{};
    call(static_cast<std::size_t>(place), std::span{&value, 1});
    return value;
  }
  void put(device::functors::distance place, Real value) const {
    call(static_cast<std::size_t>(place), std::span<const Real>{&value, 1});
  }
  [[nodiscard]] called_elements from(std::size_t place) const {
    called_elements later = *this;
    later.first_ += place;
    return later;
  }

 private:
  template <class Plain, class WithOperands, class Value>
  void called(std::size_t row, std::size_t i, std::span<Value> values) const {
    if (const auto* const plain = std::get_if<Plain>(&callable_)) {
      return (*plain)(memory_, row, i, values);
    }
    std::get<WithOperands>(callable_)(memory_, given_, row, i, values);
  }

  const Callable& callable_;
  std::size_t row_elements_;
  const Real* multiplied_;
  Memory* memory_;
  const host_arguments& given_;
  std::size_t first_ = 0;
};

/// A load or store of lines in this process. Where a whole line lies in one run on both sides, the
/// callable is called once for it, else for each element.
template <class Real, class Reduction, class Callable>
class called_lines {
  static constexpr bool loads = std::is_same_v<Callable, host_load>;

 public:
  template <class Functor>
  called_lines(const line_side<Functor>& side, std::size_t row_values)
      : lines_(side.lines),
        callable_(side.yours.callable),
        row_elements_(side.row_elements()),
        own_operands_(side.own_operands()),
        row_values_(row_values),
        multiplies_(side.multiplies) {}

  template <class Memory, class Value>
  void operator()(Memory* memory, std::size_t row, std::size_t first,
                  std::span<Value> values) const {
    (*this)(memory, host_arguments{}, row, first, values);
  }
  template <class Memory, class Value>
  void operator()(Memory* memory, const host_arguments& given, std::size_t row, std::size_t first,
                  std::span<Value> values) const {
    const host_arguments of_yours = given.from(own_operands_);
    const called_elements<Real, Callable, Memory> elements{callable_, row_elements_, multiplies_,
                                                           memory, of_yours};
    device::functors::line_operands<Real> roots{};
    if (lines_.has_roots) roots.roots = given.memory<const device::complex<Real>>(0);
    if (lines_.stride == 1 && values.size() == row_values_) {
      return whole(elements.from(lines_.offset_of(row)), roots, values);
    }
    const device::functors::real_line<called_elements<Real, Callable, Memory>, Real> line{
        lines_, elements, roots, row};
    for (std::size_t i = 0; i < values.size(); ++i) {
      if constexpr (loads) {
        values[i] = in_process(Reduction::template load<Real>(line, first + i));
      } else {
        Reduction::template store<Real>(line, first + i, on_device(values[i]));
      }
    }
  }

 private:
  /// Of all values of a row, by way of memory.
  template <class Elements, class Value>
  void whole(const Elements& elements, const device::functors::line_operands<Real>& roots,
             std::span<Value> values) const {
    thread_local std::vector<Real> line;
    line.resize(lines_.end - lines_.first);
    line_numbers alone = lines_;
    alone.depth = 0;
    alone.loops[0] = {};
    alone.base = 0;
    if constexpr (loads) {
      elements.call(0, std::span{line});
      const device::functors::real_load<Reduction, Real, Real> load{alone, line.data(), roots, 0};
      load.load_run(0, values.size(),
                    [&](std::size_t i, auto value) { values[i] = in_process(value); });
    } else {
      const device::functors::real_store<Reduction, Real, Real> store{alone, line.data(), roots, 0};
      store.store_run(0, values.size(), [&](std::size_t i) { return on_device(values[i]); });
      elements.call(0, std::span<const Real>{line});
    }
  }

  line_numbers lines_;
  Callable callable_;
  std::size_t row_elements_, own_operands_;
  std::size_t row_values_;  ///< Of the inner transform.
  bool multiplies_;
};

/// Returns the load of an inner transform whose rows have `row_values` numbers.
template <class Real, class Reduction>
fused_load load_of(const line_side<fused_load>& side, std::size_t row_values) {
  using plain = device::functors::real_load<Reduction, Real, Real>;
  if (!side.yours.is_given()) {
    fused_load result = with_stored<Real>(side.memory.stored, [&](auto stored) {
      using load = device::functors::real_load<Reduction, decltype(stored), Real>;
      return device_functor<load>{side.lines}.load();
    });
    result.in_bytes = side.memory.occupied_bytes();
    return result;
  }
  fused_load result = side.yours;
  if (side.multiplies) {
    result.in_bytes = side.memory.occupied_bytes();
    result.element_bytes = sizeof(Real);
    result.moved_bytes += result.in_bytes;
  }
  result.operands = operands_of(side, sizeof(std::complex<Real>));
  if (side.yours.source.is_given()) {
    result.source = source_of({.end = side.multiplies ? "multiplier" : "load",
                               .functor = "real_load",
                               .reduction = name_of_type(typeid(Reduction)),
                               .real = name_of_type(typeid(Real)),
                               .row_elements = side.row_elements(),
                               .lines = side.lines,
                               .yours = side.yours.source,
                               .operands = side.yours.operands,
                               .memory = side.multiplies ? "multiplied_memory" : "fused_reader",
                               .shares_text = side.shares_text});
  }
  if (side.yours.callable.index() == 0) return result;
  using value = decltype(in_process(std::declval<plain>().load(0)));
  const called_lines<Real, Reduction, host_load> of_lines{side, row_values};
  if (result.operands.empty()) {
    result.callable = run_reader<value>{of_lines};
  } else {
    result.callable = operand_reader<value>{of_lines};
  }
  return result;
}

/// Returns the load of rows that become bins and reals again, of lines in memory, whose
/// coefficients are multiplied: for engines that compile kernels.
template <class Real, class Reduction>
fused_load diagonal_load_of(const line_side<fused_load>& side) {
  fused_load result = side.yours;
  result.in_bytes = side.memory.occupied_bytes();
  result.moved_bytes += result.in_bytes;
  result.operands = operands_of(side, sizeof(std::complex<Real>));
  with_stored<Real>(side.memory.stored, [&](auto stored) {
    result.element_bytes = sizeof stored;
    result.source = source_of({.end = "multiplier",
                               .functor = "diagonal_load",
                               .reduction = name_of_type(typeid(Reduction)),
                               .real = name_of_type(typeid(Real)),
                               .row_elements = side.multiplied_elements,
                               .lines = side.lines,
                               .yours = side.yours.source,
                               .operands = side.yours.operands,
                               .stored = name_of_type(typeid(stored)),
                               .shares_text = side.shares_text});
  });
  return result;
}

/// Returns the store of an inner transform whose rows have `row_values` numbers.
template <class Real, class Reduction>
fused_store store_of(const line_side<fused_store>& side, std::size_t row_values) {
  constexpr bool is_real = requires {
    Reduction::stores_reals;
  };
  using value = std::conditional_t<is_real, Real, std::complex<Real>>;
  using plain = device::functors::real_store<Reduction, Real, Real>;
  if (!side.yours.is_given()) {
    fused_store result = with_stored<Real>(side.memory.stored, [&](auto stored) {
      using store = device::functors::real_store<Reduction, decltype(stored), Real>;
      return device_functor<store>{side.lines}.template store<value>();
    });
    result.out_bytes = side.memory.occupied_bytes();
    return result;
  }
  fused_store result = side.yours;
  result.operands = operands_of(side, sizeof(std::complex<Real>));
  if (side.yours.source.is_given()) {
    result.source =
        source_of({.end = "store",
                   .functor = "real_store",
                   .reduction = name_of_type(typeid(Reduction)),
                   .real = name_of_type(typeid(Real)),
                   .row_elements = side.row_elements(),
                   .lines = side.lines,
                   .yours = side.yours.source,
                   .operands = side.yours.operands,
                   .memory = side.yours.partial_bytes > 0 ? "fused_reducer" : "fused_writer",
                   .shares_text = side.shares_text,
                   .gathers = side.yours.partial_bytes == 0 && plain::gathered(side.lines) > 0});
  }
  if (side.yours.callable.index() == 0) return result;
  const called_lines<Real, Reduction, host_store> of_lines{side, row_values};
  if (result.operands.empty()) {
    result.callable = run_writer<value>{of_lines};
  } else {
    result.callable = operand_writer<value>{of_lines};
  }
  return result;
}

}  // namespace wingbeat::programs
