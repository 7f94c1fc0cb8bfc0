// SPDX-License-Identifier: Apache-2.0
#include "kernel_text/kernel_body.hpp"

#include <utility>  // move

#include "kernel_text/constants.hpp"  // policy
#include "kernel_text/operands.hpp"   // declared, operand_type
#include "text/formatted.hpp"         // formatted, joined

namespace wingbeat::kernel_text {

kernel_spec kernel_of(const kernel_body& body, std::vector<kernel_parameter> parameters) {
  std::vector<std::string> declared_list, given;
  for (const kernel_parameter& each : parameters) {
    const std::string name = formatted("given_{}", given.size());
    declared_list.push_back(each.is_memory() ? declared(each, name) : "size " + name);
    given.push_back(each.is_memory() ? formatted("{0}{{{1}, {1}_first}}", operand_type(each), name)
                                     : name);
  }
  const std::string bounds = body.resident == 0
                                 ? formatted("({})", body.threads)
                                 : formatted("_RESIDENT({}, {})", body.threads, body.resident);
  return {.text = formatted("#include \"{}\"\n"
                            "#include \"wingbeat/device/ends/operands.hpp\"\n"
                            "using namespace wingbeat::device;\n"
                            "{}"
                            "WINGBEAT_KERNEL{}\n"
                            "void {}({} WINGBEAT_SCRATCH_PARAMETER) {{\n"
                            "  {}<policy>{{{{{}}}, WINGBEAT_SCRATCH}}.run();\n"
                            "}}\n",
                            body.header, policy("policy", "", body.numbers_type, body.constants),
                            bounds, body.entry, joined(declared_list, ", "), body.type,
                            joined(given, ", ")),
          .entry = body.entry,
          .threads = body.threads,
          .scratch_bytes = body.scratch_bytes,
          .parameters = std::move(parameters)};
}

}  // namespace wingbeat::kernel_text
