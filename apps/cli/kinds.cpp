// SPDX-License-Identifier: Apache-2.0
#include "cli/kinds.hpp"

#include "cli/option.hpp"      // parts_of
#include "request/traits.hpp"  // kinds
#include "text/formatted.hpp"  // formatted
#include "text/reject.hpp"     // reject

namespace wingbeat::cli {
namespace {

transform kind_named(const std::string& name, std::string_view choices) {
  for (const request::traits& each : request::kinds) {
    if (name == each.short_name || name == each.name) return each.kind;
  }
  reject("there is no kind '{}'; choose {}", name, choices);
}

}  // namespace

std::vector<transform> kinds_named(const std::string& text, std::string_view choices) {
  std::vector<transform> kinds;
  for (const std::string& name : parts_of("--kind", text)) {
    kinds.push_back(kind_named(name, choices));
  }
  return kinds;
}

transform axis_kind_named(const std::string& text) {
  const std::vector<transform> kinds = kinds_named(text, all_kinds);
  if (kinds.size() == 1) return kinds.front();
  reject("--kind names {} kinds; give that of one axis", kinds.size());
}

void set_kinds(plan_spec& spec, const std::vector<transform>& kinds) {
  spec.kind = kinds.back();
  if (kinds.size() > 1) spec.axis_kinds = kinds;
}

std::string kinds_text(const plan_spec& spec) {
  if (spec.axis_kinds.empty()) return std::string{name_of(spec.kind)};
  std::vector<std::string> names;
  for (const transform each : spec.axis_kinds) names.emplace_back(name_of(each));
  return joined(names, " x ");
}

}  // namespace wingbeat::cli
