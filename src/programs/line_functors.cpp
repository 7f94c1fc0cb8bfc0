// SPDX-License-Identifier: Apache-2.0
#include "programs/line_functors.hpp"

#include <complex>
#include <cstdint>  // SIZE_MAX
#include <span>
#include <string>
#include <string_view>
#include <type_traits>  // is_same_v
#include <variant>      // visit

#include "functors/stored_number.hpp"  // with_stored
#include "kernel_text/line_text.hpp"   // line_text, source_of
#include "system/thread_memory.hpp"    // thread_memory
#include "text/reject.hpp"             // reject

namespace wingbeat::programs {
namespace {

/// Returns the operands of the functor that replaces memory.
template <class Functor>
std::vector<kernel_parameter> operands_of(const line_side<Functor>& side, std::size_t root_bytes) {
  std::vector<kernel_parameter> list;
  if (side.lines.has_roots) list.push_back(kernel_parameter::input(root_bytes));
  if (!side.functor.source.parameters.empty()) list.push_back(kernel_parameter::input(1));
  list.insert(list.end(), side.functor.operands.begin(), side.functor.operands.end());
  return list;
}

/// The size of a stored type and, if arithmetic uses another type, the functions that convert it in
/// this process.
struct stored_type {
  std::size_t bytes;
  host_load load = {};
  host_store store = {};
};
template <class Real>
stored_type type_of(precision stored) {
  return with_stored<Real>(stored, [&](auto number) {
    using stored_number = decltype(number);
    stored_type type{sizeof number};
    if constexpr (!std::is_same_v<stored_number, Real>) {
      type.load = run_reader<Real>{
          [](const void* in, std::size_t, std::size_t first, std::span<Real> into) {
            const auto* const source = static_cast<const stored_number*>(in) + first;
            for (std::size_t i = 0; i < into.size(); ++i) into[i] = static_cast<Real>(source[i]);
          }};
      type.store = run_writer<Real>{
          [](void* out, std::size_t, std::size_t first, std::span<const Real> values) {
            auto* const target = static_cast<stored_number*>(out) + first;
            for (std::size_t i = 0; i < values.size(); ++i) target[i] = stored_number(values[i]);
          }};
    }
    return type;
  });
}

template <class Real>
device::functors::line_operands<Real> roots_in(const line_numbers& lines,
                                               const host_arguments& given) {
  if (!lines.has_roots) return {};
  return {given.memory<const device::complex<Real>>(0)};
}

/// Lines in memory. Call: line_load or line_store.
template <class Real, class Call>
struct lines_in_memory {
  line_numbers lines;
  Call call;

  template <class Memory, class Value>
  void operator()(Memory* memory, std::size_t row, std::size_t first,
                  std::span<Value> values) const {
    call({lines, {}, row, first}, memory, values);
  }
  template <class Memory, class Value>
  void operator()(Memory* memory, const host_arguments& given, std::size_t row, std::size_t first,
                  std::span<Value> values) const {
    call({lines, roots_in<Real>(lines, given), row, first}, memory, values);
  }
};

/// Lines of a callable (host_load or host_store). It is called once per line if a line is
/// contiguous and whole on both sides, otherwise once per element.
template <class Real, class Callable, class Call>
class lines_of_callable {
  static constexpr bool loads = std::is_same_v<Callable, host_load>;
  using all_elements = called_elements<Real, Callable>;

 public:
  template <class Functor>
  lines_of_callable(const line_side<Functor>& side, std::size_t row_values,
                    const Callable& callable, const line_calls<Call>& calls)
      : lines_(side.lines),
        callable_(callable),
        row_elements_(side.functor.is_given() ? side.row_elements() : SIZE_MAX),
        own_operands_(side.own_operands()),
        row_values_(row_values),
        multiplies_(side.multiplies),
        calls_(calls) {}

  template <class Value>
  void operator()(typename all_elements::memory* memory, std::size_t row, std::size_t first,
                  std::span<Value> values) const {
    (*this)(memory, host_arguments{}, row, first, values);
  }
  template <class Value>
  void operator()(typename all_elements::memory* memory, const host_arguments& given,
                  std::size_t row, std::size_t first, std::span<Value> values) const {
    const host_arguments functor_arguments = given.from(own_operands_);
    const Real* const multiplied = multiplies_ ? static_cast<const Real*>(memory) : nullptr;
    all_elements elements{callable_, row_elements_, multiplied, multiplies_ ? nullptr : memory,
                          functor_arguments};
    const auto roots = roots_in<Real>(lines_, given);
    const bool is_whole = lines_.stride == 1 && lines_.origin == lines_.first;
    if (is_whole && values.size() == row_values_) {
      return whole(elements.from(lines_.offset_of(row)), roots, values);
    }
    calls_.called({lines_, roots, row, first}, &elements, values);
  }

 private:
  /// Moves all values of a row through memory.
  template <class Value>
  void whole(const all_elements& elements, const device::functors::line_operands<Real>& roots,
             std::span<Value> values) const {
    const thread_memory memory{(lines_.end - lines_.first) * sizeof(Real)};
    const std::span<Real> line = memory.values<Real>();
    line_numbers alone = lines_;
    alone.depth = 0;
    alone.loops[0] = {};
    alone.base = 0;
    if constexpr (loads) elements.call(0, line);
    calls_.memory({alone, roots}, line.data(), values);
    if constexpr (!loads) elements.call(0, std::span<const Real>{line});
  }

  line_numbers lines_;
  Callable callable_;
  std::size_t row_elements_, own_operands_;
  std::size_t row_values_;  ///< Values in a row of the inner transform.
  bool multiplies_;
  line_calls<Call> calls_;
};

/// Returns `work` as a host callable for runs of values, with or without operands.
template <class Real, class Value, class Work>
host_load callable_of(line_load<Real, Value>, bool has_operands, const Work& work) {
  if (has_operands) return operand_reader<Value>{work};
  return run_reader<Value>{work};
}
template <class Real, class Value, class Work>
host_store callable_of(line_store<Real, Value>, bool has_operands, const Work& work) {
  if (has_operands) return operand_writer<Value>{work};
  return run_writer<Value>{work};
}

/// Returns the callable that loads or stores lines in this process by `functions`: from memory or,
/// if the request has one, from a callable.
template <class Real, class Functor, class Functions, class Callable>
Callable callable_of(const Functions& functions, const line_side<Functor>& side,
                     std::size_t row_values, bool has_operands, const Callable& callable) {
  return std::visit(
      [&](const auto& calls) -> Callable {
        if constexpr (requires { calls.memory; }) {
          using call = decltype(calls.memory);
          const call in_memory = calls.memory;
          if (callable.index() == 0) {
            return callable_of(in_memory, has_operands,
                               lines_in_memory<Real, call>{side.lines, in_memory});
          }
          return callable_of(
              in_memory, has_operands,
              lines_of_callable<Real, Callable, call>{side, row_values, callable, calls});
        } else {
          return {};
        }
      },
      functions);
}

template <class Real, class Functor>
kernel_text::line_text text_of(std::string_view functor, const line_side<Functor>& side,
                               const line_reduction& reduction) {
  constexpr bool is_wide = std::is_same_v<Real, double>;
  return {functor, reduction.name, side.memory.stored, is_wide ? precision::fp64 : precision::fp32,
          side.lines};
}

/// The names that loads and stores use in kernel texts, and their fields.
template <class Functor>
struct end_of;
template <>
struct end_of<fused_load> {
  static constexpr std::string_view name = "load", functor = "real_load";
  static constexpr auto bytes = &fused_load::in_bytes;
  static constexpr auto converts = &stored_type::load;
  template <class Real>
  static constexpr auto calls = &line_functions<Real>::loads;
  static std::string_view memory(const line_side<fused_load>& side) {
    return side.multiplies ? "multiplied_memory" : "fused_reader";
  }
};
template <>
struct end_of<fused_store> {
  static constexpr std::string_view name = "store", functor = "real_store";
  static constexpr auto bytes = &fused_store::out_bytes;
  static constexpr auto converts = &stored_type::store;
  template <class Real>
  static constexpr auto calls = &line_functions<Real>::stores;
  static std::string_view memory(const line_side<fused_store>& side) {
    return side.functor.partial_bytes > 0 ? "fused_reducer" : "fused_writer";
  }
};

template <class Real, class Functor>
Functor computed(const line_side<Functor>& side, std::size_t row_values,
                 const line_reduction& reduction) {
  using end = end_of<Functor>;
  const kernel_text::line_text text = text_of<Real>(end::functor, side, reduction);
  Functor result = side.functor;
  result.operands = operands_of(side, sizeof(std::complex<Real>));
  const auto called = [&](const auto& callable) {
    return callable_of<Real>(reduction.functions<Real>().*end::template calls<Real>, side,
                             row_values, !result.operands.empty(), callable);
  };
  if (!side.functor.is_given()) {
    const auto type = type_of<Real>(side.memory.stored);
    result.*end::bytes = side.memory.occupied_bytes();
    result.element_bytes = type.bytes;
    result.source = source_of(text);
    result.callable = called(type.*end::converts);
    return result;
  }
  if (side.multiplies) {
    result.*end::bytes = side.memory.occupied_bytes();
    result.element_bytes = sizeof(Real);
    result.moved_bytes += result.*end::bytes;
  }
  if (side.functor.source.is_given()) {
    result.source = source_of(text, {.end = side.multiplies ? "multiplier" : end::name,
                                     .memory = end::memory(side),
                                     .row_elements = side.row_elements(),
                                     .source = side.functor.source,
                                     .operands = side.functor.operands,
                                     .shares_text = side.shares_text});
  }
  if (side.functor.callable.index() != 0) result.callable = called(side.functor.callable);
  return result;
}

template <class Real>
fused_load computed_diagonal(const line_side<fused_load>& side, const line_reduction& functor) {
  fused_load result = side.functor;
  result.in_bytes = side.memory.occupied_bytes();
  result.moved_bytes += result.in_bytes;
  result.operands = operands_of(side, sizeof(std::complex<Real>));
  result.element_bytes = bytes_of_real(side.memory.stored);
  result.source = source_of(text_of<Real>("diagonal_load", side, functor),
                            {.end = "multiplier",
                             .memory = {},
                             .row_elements = side.multiplied_elements,
                             .source = side.functor.source,
                             .operands = side.functor.operands,
                             .shares_text = side.shares_text});
  return result;
}

}  // namespace

line_numbers lines_of(const arrays::array& memory, std::size_t axis,
                      const std::vector<index_range>& ranges) {
  const arrays::axis& along = memory.axes[axis];
  line_numbers result{.length = along.length,
                      .stride = along.stride,
                      .origin = along.placed.first,
                      .first = along.valid.first,
                      .end = along.valid.end};
  const auto add = [&](std::size_t count, std::size_t stride) {
    if (count == 1) return;
    if (result.depth > 0) {
      device::functors::line_loop& inner = result.loops[result.depth - 1];
      if (stride == inner.count * inner.stride) {
        inner.count *= count;
        return;
      }
    }
    reject_if(result.depth == device::functors::max_line_loops,
              "axes and batch have more than {} dimensions beside one axis that "
              "do not follow one another in memory; give the batch fewer",
              device::functors::max_line_loops);
    result.loops[result.depth++] = {count, stride};
  };
  for (std::size_t a = memory.axes.size(); a-- > 0;) {
    if (a == axis) continue;
    const arrays::axis& other = memory.axes[a];
    add(ranges[a].end - ranges[a].first, other.stride);
    result.base += (ranges[a].first - other.placed.first) * other.stride;
  }
  for (std::size_t b = memory.batches.size(); b-- > 0;) {
    add(memory.batches[b].count, memory.batches[b].distance);
  }
  return result;
}

fused_load load_of(const line_side<fused_load>& side, precision real, std::size_t row_values,
                   const line_reduction& functor) {
  return real == precision::fp64 ? computed<double>(side, row_values, functor)
                                 : computed<float>(side, row_values, functor);
}

fused_load diagonal_load_of(const line_side<fused_load>& side, precision real,
                            const line_reduction& functor) {
  return real == precision::fp64 ? computed_diagonal<double>(side, functor)
                                 : computed_diagonal<float>(side, functor);
}

fused_store store_of(const line_side<fused_store>& side, precision real, std::size_t row_values,
                     const line_reduction& functor) {
  return real == precision::fp64 ? computed<double>(side, row_values, functor)
                                 : computed<float>(side, row_values, functor);
}

}  // namespace wingbeat::programs
