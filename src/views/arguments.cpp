// SPDX-License-Identifier: Apache-2.0
#include "views/arguments.hpp"

#include "text/formatted.hpp"  // formatted
#include "text/reject.hpp"     // reject

namespace wingbeat {
namespace {

std::string_view name_of(value_kind kind) {
  switch (kind) {
    case value_kind::real: return "a floating-point number";
    case value_kind::signed_integer: return "a signed integer";
    case value_kind::unsigned_integer: return "an unsigned integer";
    case value_kind::other: break;
  }
  return "no number";
}

void require_argument(std::string_view owner, std::size_t i, const kernel_parameter& parameter,
                      const kernel_argument& given) {
  const auto kind = [](bool is_memory) { return is_memory ? "view" : "value"; };
  if (parameter.is_memory() != given.is_memory()) {
    reject("argument {} of {} is a {}; its parameter is a {}", i, owner, kind(given.is_memory()),
           kind(parameter.is_memory()));
  }
  if (!given.is_memory()) {
    if (given.value().size() != parameter.bytes()) {
      reject("argument {} of {} has {} bytes; its parameter has {}", i, owner, given.value().size(),
             parameter.bytes());
    }
    if (given.kind() == parameter.kind()) return;
    reject(
        "argument {} of {} is {}, and its parameter {}; convert it, because values go byte by byte",
        i, owner, name_of(given.kind()), name_of(parameter.kind()));
  }
  if (given.view().offset_bytes % parameter.bytes() == 0) return;
  reject(
      "argument {} of {} starts at byte {}; its elements are of {} bytes, so start at a "
      "multiple of that",
      i, owner, given.view().offset_bytes, parameter.bytes());
}

}  // namespace

void require_arguments(std::string_view owner, std::span<const kernel_parameter> parameters,
                       std::span<const kernel_argument> given) {
  reject_if(given.size() != parameters.size(), "{} has {} parameters and was given {} arguments",
            owner, parameters.size(), given.size());
  for (std::size_t i = 0; i < given.size(); ++i) {
    require_argument(owner, i, parameters[i], given[i]);
  }
}

argument_views::argument_views(std::string_view owner, std::span<const kernel_parameter> parameters,
                               std::span<const kernel_argument> given) {
  names_.reserve(given.size());  // operands refer to them
  for (std::size_t i = 0; i < given.size(); ++i) {
    if (!given[i].is_memory()) continue;
    names_.push_back(formatted("argument {} of {}", i, owner));
    const buffer_view& view = given[i].view();
    (parameters[i].is_written() ? written_ : read_)
        .push_back({names_.back(), view, view.size_bytes});
  }
}

void require_functors(std::span<const given_functor> functors, std::span<const operand> read,
                      std::span<const operand> written, const backend::queue& on) {
  bool has_arguments = false;
  for (const given_functor& each : functors) {
    require_arguments(each.name, each.parameters, each.arguments);
    has_arguments |= !each.arguments.empty();
  }
  if (!has_arguments) return;
  std::vector<argument_views> views;
  views.reserve(functors.size());
  std::vector<operand> inputs{read.begin(), read.end()}, outputs{written.begin(), written.end()};
  for (const given_functor& each : functors) {
    views.emplace_back(each.name, each.parameters, each.arguments);
    require_views(views.back().read(), on);
    require_views(views.back().written(), on);
    inputs.insert(inputs.end(), views.back().read().begin(), views.back().read().end());
    outputs.insert(outputs.end(), views.back().written().begin(), views.back().written().end());
  }
  const engine runs_on = on.device().runs_on;
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    const bool is_argument = i >= written.size();
    for (std::size_t j = is_argument ? 0 : read.size(); j < inputs.size(); ++j) {
      require_apart(inputs[j], outputs[i], runs_on);
    }
    for (std::size_t j = 0; j < i && is_argument; ++j) {
      require_apart(outputs[j], outputs[i], runs_on);
    }
  }
}

void require_views(std::span<const operand> views, const backend::queue& on,
                   std::string_view of_owner) {
  for (const operand& given : views) {
    require_memory(given, on);
    if (given.used_bytes != 0) continue;
    reject("the {}{} is an empty view; give it a buffer, any where it is not touched", given.name,
           of_owner);
  }
}

}  // namespace wingbeat
