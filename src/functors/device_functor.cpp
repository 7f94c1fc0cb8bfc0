// SPDX-License-Identifier: Apache-2.0
#include "functors/device_functor.hpp"

#include <cxxabi.h>  // __cxa_demangle

#include <algorithm>  // replace
#include <cstdlib>    // free
#include <memory>     // unique_ptr

#include "text/formatted.hpp"  // formatted

namespace wingbeat {
namespace {

constexpr std::string_view first_include = "#include \"wingbeat/device/functors/";

}  // namespace

std::string name_of_type(const std::type_info& type) {
  const std::unique_ptr<char, decltype(&std::free)> demangled{
      abi::__cxa_demangle(type.name(), nullptr, nullptr, nullptr), &std::free};
  return demangled.get();
}

fused_source functor_source(const functor_parts& parts) {
  const std::string_view functor = parts.type;
  const std::size_t begin = std::string_view{"wingbeat::device::functors::"}.size();
  const std::string_view name = functor.substr(begin, functor.find('<') - begin);
  const std::string members = formatted(
      "  using functor = {};\n"
      "  struct operands {{\n{}  }};\n"
      "  WINGBEAT_FN static functor::operands completed(operands{}) {{\n"
      "    functor::operands all{{}};\n{}"
      "    return all;\n  }}\n",
      functor, parts.members, parts.members.empty() ? "" : " given", parts.completed);
  return {.text = formatted("{}{}.hpp\"\n{}", first_include, name,
                            kernel_text::policy(formatted("wingbeat_{}_policy", name), members,
                                                "functor::numbers", parts.constants)),
          .type = formatted("wingbeat::device::functors::fixed<wingbeat_{}_policy>", name)};
}

std::string title_of_functor(std::string_view text, std::string_view yours) {
  if (!text.starts_with(first_include)) return std::string{yours};
  text.remove_prefix(first_include.size());
  std::string name{text.substr(0, text.find('.'))};
  std::replace(name.begin(), name.end(), '_', ' ');
  return name;
}

}  // namespace wingbeat
