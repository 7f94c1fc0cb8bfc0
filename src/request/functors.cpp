// SPDX-License-Identifier: Apache-2.0
#include "request/functors.hpp"

#include <algorithm>  // replace
#include <string_view>
#include <utility>  // pair

#include "arrays/address_space.hpp"     // max_stated_bytes
#include "backend/argument_list.hpp"    // entry_parameters
#include "text/formatted.hpp"           // formatted
#include "text/reject.hpp"              // reject
#include "tuning/compiled_engines.hpp"  // compiles_kernels

namespace wingbeat::request {
namespace {

using namespace std::string_view_literals;

/// Returns the alternative of `host_load` and `host_store` for an element.
std::size_t alternative_of(bool is_real, precision real, bool has_operands) {
  return 1 + (is_real ? 0 : 2) + (real == precision::fp64 ? 1 : 0) + (has_operands ? 4 : 0);
}

std::string_view element_name(std::size_t alternative) {
  constexpr std::string_view names[] = {"nothing", "float", "double", "std::complex<float>",
                                        "std::complex<double>"};
  return names[alternative <= 4 ? alternative : alternative - 4];
}

/// Returns whether the text is a C++ type name, perhaps qualified, perhaps with template arguments.
bool is_type_name(std::string_view type) {
  constexpr std::string_view allowed =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_:<>, ";
  return !type.empty() && type.find_first_not_of(allowed) == std::string_view::npos;
}

void require_source(std::string_view end, const fused_source& source, engine runs_on) {
  reject_if(source.text.empty(),
            "the {} functor has no source text, which engine {} compiles; give "
            "{}.source, or plan on host or reference",
            end, name_of(runs_on), end);
  reject_if(source.text.find('\0') != std::string::npos,
            "the text of the {} functor holds a character 0; give the text alone, without its end",
            end);
  reject_if(!is_type_name(source.type),
            "'{}' does not name the {} functor's struct; write {}.source.type as in my::window",
            source.type, end, end);
}

template <class Callable>
void require_callable(std::string_view end, const Callable& callable, bool is_real,
                      bool has_operands, const plan_spec& spec, engine runs_on) {
  const bool is_callable = std::visit(
      [](const auto& call) {
        if constexpr (std::is_same_v<decltype(call), const std::monostate&>) {
          return false;
        } else {
          return static_cast<bool>(call);
        }
      },
      callable);
  reject_if(!is_callable,
            "the {} functor has no callable, which engine {} calls; give {}.callable, or "
            "plan on cuda or opencl",
            end, name_of(runs_on), end);
  const std::size_t wanted = alternative_of(is_real, spec.real, has_operands);
  if (callable.index() == wanted) return;
  if ((callable.index() > 4) != has_operands) {
    reject("the {} functor has {} operands and its callable {} host_arguments; {}", end,
           has_operands ? "a list of" : "no", has_operands ? "takes no" : "takes",
           has_operands ? "take them after the buffer" : formatted("state {}.operands", end));
  }
  reject(
      "the {} functor's callable takes a span of {} and this {} plan in {} has elements "
      "of {}; change the span",
      end, element_name(callable.index()), name_of(spec.kind), name_of(spec.real),
      element_name(wanted));
}

/// Counts all parameters of an entry, for functors in any passes. From reals to reals, both ends
/// have roots, and the functors' parameters are in memory.
void require_entry(const plan_spec& spec, bool has_lines) {
  const std::size_t own =
      backend::transform_parameters + backend::filter_parameters + (has_lines ? 8 : 0);
  const std::size_t count = own + backend::entry_parameters(spec.load.operands) +
                            backend::entry_parameters(spec.store.operands) +
                            backend::entry_parameters(spec.multiplier.operands);
  if (count <= backend::max_kernel_arguments) return;
  reject(
      "the functors' operands take {} parameters of a kernel, two for each view and one for each "
      "value; give all functors up to {} together",
      count - own, backend::max_kernel_arguments - own);
}

void require_operands(std::string_view end, const std::vector<kernel_parameter>& operands) {
  constexpr std::size_t max_value_bytes = 512;  // OpenCL has 1024 for all arguments
  std::size_t value_bytes = 0;
  for (const kernel_parameter& each : operands) {
    if (!each.is_memory()) value_bytes += each.bytes();
    if (each.bytes() != 0) continue;
    reject("an operand of the {} functor has elements of 0 bytes; state sizeof its type", end);
  }
  if (value_bytes <= max_value_bytes) return;
  reject(
      "the values of the {} functor's operands take {} bytes; up to {} go with a launch, "
      "so put the "
      "rest into parameters or a buffer",
      end, value_bytes, max_value_bytes);
}

void require_reduction(const fused_store& store) {
  constexpr std::size_t most = 64;  // per thread, in local memory
  reject_if(store.partial_bytes > most || store.partial_bytes % 4 != 0,
            "store.partial_bytes is {}; a partial result takes up to {} bytes, a multiple of "
            "4, or 0 where the functor stores",
            store.partial_bytes, most);
  reject_if(store.kept_bytes > most || (store.kept_bytes > 0 && store.partial_bytes > 0),
            "store.kept_bytes is {} and store.partial_bytes {}; a functor keeps up to {} bytes "
            "of a value, or reduces, or neither",
            store.kept_bytes, store.partial_bytes, most);
  reject_if(
      store.row_outputs > 0 && store.partial_bytes + store.kept_bytes > 0,
      "store.row_outputs is {}, store.partial_bytes {} and store.kept_bytes {}; a functor sees "
      "whole rows, reduces or keeps: leave the others out",
      store.row_outputs, store.partial_bytes, store.kept_bytes);
  if (!store.clears_output || (store.out_bytes % 4 == 0 && store.element_bytes % 4 == 0)) return;
  reject(
      "store.clears_output is set, store.out_bytes is {} and store.element_bytes {}; "
      "memory is cleared in multiples of 4 bytes",
      store.out_bytes, store.element_bytes);
}

/// Requires rows of one whole axis for a store that sees them.
void require_rows(const resolved_spec& request) {
  const plan_spec& spec = request.spec;
  const std::size_t outputs = spec.store.row_outputs;
  if (outputs == 0) return;
  constexpr std::size_t most = std::size_t{1} << 24;  // times the rows of a workgroup, in 32 bits
  reject_if(outputs > most, "store.row_outputs is {}; a functor makes up to {} outputs of a row",
            outputs, most);
  reject_if(request.kind.is_real_to_real(),
            "store.row_outputs is {} and kind is {}; whole rows are seen in forward, inverse, "
            "forward_from_real and inverse_to_real: choose one of them",
            outputs, name_of(spec.kind));
  reject_if(spec.lengths.size() > 1,
            "store.row_outputs is {} and lengths has {} axes; whole rows have one: give the others "
            "as dimensions of the batch",
            outputs, spec.lengths.size());
  reject_if(!spec.valid_out.empty(),
            "store.row_outputs is {} and valid_out has a range; whole rows have all elements: "
            "leave it empty",
            outputs);
  reject_if(spec.bins != bin_order::natural,
            "store.row_outputs is {} and bins are scrambled; whole rows lie in natural order: ask "
            "for it",
            outputs);
}

template <class Functor>
void require_forms(std::string_view end, const Functor& functor, bool is_real,
                   const plan_spec& spec, engine runs_on) {
  require_operands(end, functor.operands);
  if (compiles_kernels(runs_on)) {
    require_source(end, functor.source, runs_on);
  } else {
    require_callable(end, functor.callable, is_real, !functor.operands.empty(), spec, runs_on);
  }
}

template <class Functor>
void require_functor(std::string_view end, const Functor& functor, std::size_t buffer_bytes,
                     bool is_real, const plan_spec& spec, engine runs_on) {
  const std::string_view side = end == "load" ? "in_bytes" : "out_bytes";
  reject_if(buffer_bytes == 0 || functor.element_bytes == 0,
            "{}.{} is {} and {}.element_bytes is {}; state the size of the buffer that the "
            "functor is given and of one of its elements",
            end, side, buffer_bytes, end, functor.element_bytes);
  for (const auto& [bytes, field] :
       {std::pair{buffer_bytes, side}, std::pair{functor.element_bytes, "element_bytes"sv},
        std::pair{functor.moved_bytes, "moved_bytes"sv}}) {
    if (bytes <= max_stated_bytes) continue;
    reject("{}.{} is {}, which is beyond the address space; state at most {}", end, field, bytes,
           max_stated_bytes);
  }
  require_forms(end, functor, is_real, spec, runs_on);
}

void require_multiplier(const resolved_spec& request, engine runs_on) {
  const plan_spec& spec = request.spec;
  const fused_load& multiplier = spec.multiplier;
  reject_if(!request.kind.is_real_to_real(),
            "a multiplier was given and kind is {}; choose a kind from reals to reals, or "
            "multiply in a load functor of the transform back",
            name_of(spec.kind));
  reject_if(
      spec.orthogonalize,
      "a multiplier was given, and orthogonalize, which the transform back undoes; leave it out");
  reject_if(multiplier.in_bytes != 0 || multiplier.element_bytes != 0,
            "multiplier.in_bytes is {} and multiplier.element_bytes is {}, and a multiplier "
            "has no buffer; leave both out, and read operands",
            multiplier.in_bytes, multiplier.element_bytes);
  require_forms("multiplier", multiplier, true, spec, runs_on);
}

}  // namespace

std::string title_of_functor(std::string_view text, std::string_view other) {
  if (!text.starts_with(functor_include)) return std::string{other};
  text.remove_prefix(functor_include.size());
  std::string name{text.substr(0, text.find('.'))};
  std::replace(name.begin(), name.end(), '_', ' ');
  return name;
}

void require_functors(const resolved_spec& request, engine runs_on) {
  const plan_spec& spec = request.spec;
  if (spec.multiplier.is_given()) require_multiplier(request, runs_on);
  require_entry(spec, request.kind.is_real_to_real());
  if (!spec.load.is_given() && !spec.store.is_given()) return;
  reject_if(
      spec.where == placement::in_place,
      "a plan in place was given a functor, which may read what was already overwritten; plan "
      "with placement::out_of_place and give two buffers");
  if (spec.store.is_given()) require_reduction(spec.store);
  require_rows(request);
  if (spec.load.is_given()) {
    require_functor("load", spec.load, spec.load.in_bytes, request.in.is_real(), spec, runs_on);
  }
  if (spec.store.is_given()) {
    require_functor("store", spec.store, spec.store.out_bytes, request.out.is_real(), spec,
                    runs_on);
  }
}

}  // namespace wingbeat::request
