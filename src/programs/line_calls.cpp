// SPDX-License-Identifier: Apache-2.0
#include "programs/line_calls.hpp"

#include <typeinfo>
#include <utility>  // declval

#include "functors/device_functor.hpp"              // in_process, on_device
#include "kernel_text/functor_text.hpp"             // type_name
#include "wingbeat/device/functors/diagonals.hpp"   // folded_diagonal
#include "wingbeat/device/functors/real_load.hpp"   // real_load
#include "wingbeat/device/functors/real_store.hpp"  // real_store
#include "wingbeat/device/functors/reductions.hpp"  // folded_samples

namespace wingbeat::programs {
namespace {

template <class Reduction, class Real, class Value>
[[gnu::flatten]] void load_line(const row_part<Real>& part, const void* memory,
                                std::span<Value> values) {
  const device::functors::real_load<Reduction, Real, Real> load{
      part.lines, static_cast<const Real*>(memory), part.roots, part.row};
  load.load_run(part.first, values.size(),
                [&](std::size_t i, auto value) { values[i] = in_process(value); });
}
template <class Reduction, class Real, class Value>
[[gnu::flatten]] void store_line(const row_part<Real>& part, void* memory,
                                 std::span<const Value> values) {
  const device::functors::real_store<Reduction, Real, Real> store{
      part.lines, static_cast<Real*>(memory), part.roots, part.row};
  store.store_run(part.first, values.size(), [&](std::size_t i) { return on_device(values[i]); });
}

/// The same for elements that a request's callable loads or stores one by one.
template <class Reduction, class Real, class Value>
void load_called(const row_part<Real>& part, const void* memory, std::span<Value> values) {
  using elements = called_elements<Real, host_load>;
  const device::functors::real_line<elements, Real> line{
      part.lines, *static_cast<const elements*>(memory), part.roots, part.row};
  for (std::size_t i = 0; i < values.size(); ++i)
    values[i] = in_process(Reduction::template load<Real>(line, part.first + i));
}
template <class Reduction, class Real, class Value>
void store_called(const row_part<Real>& part, void* memory, std::span<const Value> values) {
  using elements = called_elements<Real, host_store>;
  const device::functors::real_line<elements, Real> line{
      part.lines, *static_cast<const elements*>(memory), part.roots, part.row};
  for (std::size_t i = 0; i < values.size(); ++i)
    Reduction::template store<Real>(line, part.first + i, on_device(values[i]));
}

template <class Reduction, class Real>
line_functions<Real> functions_of() {
  using loaded = decltype(in_process(
      std::declval<device::functors::real_load<Reduction, Real, Real>>().load(0)));
  constexpr bool is_real = requires {
    Reduction::stores_reals;
  };
  using stored = std::conditional_t<is_real, Real, std::complex<Real>>;
  return {line_calls<line_load<Real, loaded>>{&load_line<Reduction, Real, loaded>,
                                              &load_called<Reduction, Real, loaded>},
          line_calls<line_store<Real, stored>>{&store_line<Reduction, Real, stored>,
                                               &store_called<Reduction, Real, stored>}};
}

}  // namespace

template <class Reduction>
const line_reduction& line_reduction_of() {
  static const line_reduction result{.name = kernel_text::type_name(typeid(Reduction).name()),
                                     .fp32 = functions_of<Reduction, float>(),
                                     .fp64 = functions_of<Reduction, double>()};
  return result;
}

template <class Reduction>
const line_reduction& compiled_reduction_of() {
  static const line_reduction result{.name = kernel_text::type_name(typeid(Reduction).name())};
  return result;
}

namespace functors = device::functors;
template const line_reduction& line_reduction_of<functors::even_extension>();
template const line_reduction& line_reduction_of<functors::odd_extension>();
template const line_reduction& line_reduction_of<functors::folded_samples>();
template const line_reduction& line_reduction_of<functors::folded_bins>();
template const line_reduction& line_reduction_of<functors::half_turned>();
template const line_reduction& line_reduction_of<functors::odd_places>();
template const line_reduction& line_reduction_of<functors::cas_bins>();
template const line_reduction& compiled_reduction_of<functors::even_halves>();
template const line_reduction& compiled_reduction_of<functors::odd_halves>();
template const line_reduction& compiled_reduction_of<functors::even_diagonal>();
template const line_reduction& compiled_reduction_of<functors::odd_diagonal>();
template const line_reduction& compiled_reduction_of<functors::folded_diagonal>();
template const line_reduction& compiled_reduction_of<functors::cas_diagonal>();

}  // namespace wingbeat::programs
