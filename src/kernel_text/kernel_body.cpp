// SPDX-License-Identifier: Apache-2.0
#include "kernel_text/kernel_body.hpp"

#include <utility>  // move

#include "kernel_text/constants.hpp"  // policy
#include "kernel_text/operands.hpp"   // declared, operand_type
#include "text/formatted.hpp"         // formatted, joined

namespace wingbeat::kernel_text {

namespace {

/// The parameters of an entry, and what they become.
struct entry_parameters {
  std::vector<std::string> declared, given;
};

entry_parameters entry_parameters_of(const std::vector<kernel_parameter>& parameters) {
  entry_parameters result;
  for (const kernel_parameter& each : parameters) {
    const std::string name = formatted("given_{}", result.given.size());
    const bool is_memory = each.is_memory();
    result.declared.push_back(is_memory ? declared(each, name) : "size " + name);
    result.given.push_back(is_memory ? formatted("{0}{{{1}, {1}_first}}", operand_type(each), name)
                                     : name);
  }
  return result;
}

}  // namespace

kernel_spec kernel_of(const kernel_body& body, std::vector<kernel_parameter> parameters) {
  const entry_parameters entry = entry_parameters_of(parameters);
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
                            bounds, body.entry, joined(entry.declared, ", "), body.type,
                            joined(entry.given, ", ")),
          .entry = body.entry,
          .threads = body.threads,
          .scratch_bytes = body.scratch_bytes,
          .parameters = std::move(parameters)};
}

kernel_spec kernel_of(const member_call& call, std::vector<kernel_parameter> parameters) {
  entry_parameters entry = entry_parameters_of(parameters);
  entry.given.push_back("WINGBEAT_SCRATCH");
  return {.text = formatted("#include \"{}\"\n"
                            "#include \"wingbeat/device/ends/operands.hpp\"\n"
                            "using namespace wingbeat::device;\n"
                            "WINGBEAT_KERNEL({})\n"
                            "void {}({} WINGBEAT_SCRATCH_PARAMETER) {{\n"
                            "  {}.{}(group{{}}, {});\n"
                            "}}\n",
                            call.header, call.threads, call.function, joined(entry.declared, ", "),
                            call.object, call.function, joined(entry.given, ", ")),
          .entry = call.function,
          .threads = call.threads,
          .scratch_bytes = call.scratch_bytes,
          .parameters = std::move(parameters)};
}

kernel_spec kernel_of(const row_copy& copy) {
  std::vector<kernel_parameter> parameters{kernel_parameter::input(copy.load.element_bytes),
                                           kernel_parameter::output(copy.stored_bytes)};
  parameters.insert(parameters.end(), copy.load.operands.begin(), copy.load.operands.end());
  const entry_parameters entry = entry_parameters_of(parameters);
  const std::vector<std::string> operands{entry.given.begin() + 2, entry.given.end()};
  return {.text = formatted(
              "{0}"
              "#include \"wingbeat/device/ends/operands.hpp\"\n"
              "#include \"wingbeat/device/half.hpp\"\n"
              "#include \"wingbeat/device/bfloat.hpp\"\n"
              "using namespace wingbeat::device;\n"
              "WINGBEAT_KERNEL({1})\n"
              "void copy_rows({2} WINGBEAT_SCRATCH_PARAMETER) {{\n"
              "  using functor = {3};\n"
              "  const size place = group::index() * {1}u + group::thread();\n"
              "  if (place >= {4}ul) return;\n"
              "  WINGBEAT_GLOBAL const functor::element* const in = {5};\n"
              "  WINGBEAT_GLOBAL {6}* const out = {7};\n"
              "  const auto row = functor::of_row(in, functor::operands{{{8}}}, place / {9}ul);\n"
              "  out[place] = static_cast<{6}>(row.load(place % {9}ul));\n"
              "}}\n",
              copy.load.source.text, copy.threads, joined(entry.declared, ", "),
              copy.load.source.type, copy.rows * copy.elements, entry.given[0], copy.stored,
              entry.given[1], joined(operands, ", "), copy.elements),
          .entry = "copy_rows",
          .threads = copy.threads,
          .parameters = std::move(parameters)};
}

}  // namespace wingbeat::kernel_text
