// SPDX-License-Identifier: Apache-2.0
#include "programs/kernel_body.hpp"

#include <utility>  // move

#include "kernel_text/constants.hpp"  // policy
#include "text/formatted.hpp"         // formatted, joined

namespace wingbeat::programs {

kernel_spec kernel_of(const kernel_body& body, std::vector<kernel_parameter> parameters) {
  std::vector<std::string> declared, given;
  for (const kernel_parameter& each : parameters) {
    const std::string name = formatted("given_{}", given.size());
    if (each.is_memory()) {
      declared.push_back(formatted("WINGBEAT_GLOBAL {0}char* {1}, size {1}_first",
                                   each.is_written() ? "" : "const ", name));
      given.push_back(formatted("ends::{0}_operand<{1}>{{{2}, {2}_first}}",
                                each.is_written() ? "output" : "input", each.bytes(), name));
    } else {
      declared.push_back("size " + name);
      given.push_back(name);
    }
  }
  const std::string bounds = body.resident == 0
                                 ? formatted("({})", body.threads)
                                 : formatted("_RESIDENT({}, {})", body.threads, body.resident);
  return {.text = formatted(
              "#include \"{}\"\n"
              "#include \"wingbeat/device/ends/operands.hpp\"\n"
              "using namespace wingbeat::device;\n"
              "{}"
              "WINGBEAT_KERNEL{}\n"
              "void {}({} WINGBEAT_SCRATCH_PARAMETER) {{\n"
              "  {}<policy>{{{{{}}}, WINGBEAT_SCRATCH}}.run();\n"
              "}}\n",
              body.header, kernel_text::policy("policy", "", body.numbers_type, body.constants),
              bounds, body.entry, joined(declared, ", "), body.type, joined(given, ", ")),
          .entry = body.entry,
          .threads = body.threads,
          .scratch_bytes = body.scratch_bytes,
          .parameters = std::move(parameters)};
}

}  // namespace wingbeat::programs
