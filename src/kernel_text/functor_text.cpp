// SPDX-License-Identifier: Apache-2.0
#include "kernel_text/functor_text.hpp"

#include <cxxabi.h>  // __cxa_demangle

#include <cstdlib>  // free
#include <memory>   // unique_ptr

#include "kernel_text/constants.hpp"  // policy
#include "request/functors.hpp"       // functor_include
#include "text/reject.hpp"            // reject

namespace wingbeat::kernel_text {

std::string quoted(std::string_view end, std::string_view text) {
  // The empty line ends a last line that a backslash continues.
  return formatted("#line 1 \"your {} functor\"\n{}\n\n", end, text);
}

std::string alias(std::string_view end, std::string_view name, std::string_view type) {
  return formatted("#line 1 \"type of your {} functor\"\nusing {} = {};\n", end, name, type);
}

std::string parameters_check(std::string_view end, std::string_view type, std::size_t bytes) {
  if (bytes == 0) return {};
  return formatted(
      "static_assert(sizeof({0}::parameters) == {2}, \"the parameters of your {1} functor have "
      "another size than {1}.source.parameters, which holds {2} bytes\");\n",
      type, end, bytes);
}

std::string_view type_name(precision stored) {
  switch (stored) {
    case precision::fp32: return "float";
    case precision::fp64: return "double";
    case precision::fp16: return "wingbeat::device::half_float";
    case precision::bf16: return "wingbeat::device::bfloat";
  }
  return "float";
}

std::string type_name(const char* mangled) {
  const std::unique_ptr<char, decltype(&std::free)> demangled{
      abi::__cxa_demangle(mangled, nullptr, nullptr, nullptr), &std::free};
  if (demangled) return demangled.get();
  reject(
      "this build of wingbeat calls a functor '{}', which is no name that kernels can be "
      "compiled with; plan on host or reference, or build wingbeat with g++ or clang++",
      mangled);
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
  return {.text = formatted("{}{}.hpp\"\n{}", request::functor_include, name,
                            policy(formatted("wingbeat_{}_policy", name), members,
                                   "functor::numbers", parts.constants)),
          .type = formatted("wingbeat::device::functors::fixed<wingbeat_{}_policy>", name)};
}

}  // namespace wingbeat::kernel_text
