// SPDX-License-Identifier: Apache-2.0
#include "backend/opencl/toolchain.hpp"

#include <array>
#include <cstdlib>  // getenv

#include "backend/kernel.hpp"          // compile_error
#include "backend/opencl/process.hpp"  // described_path, find_executable, run
#include "text/formatted.hpp"          // formatted, joined
#include "wingbeat/error.hpp"          // device_error

namespace wingbeat::backend::opencl {
namespace {

// -finclude-default-header declares the built-in functions; spir64 has 64-bit pointers and size_t.
constexpr std::array clang_options{"-x",
                                   "cl",
                                   "-cl-std=clc++2021",
                                   "-Xclang",
                                   "-finclude-default-header",
                                   "-target",
                                   "spir64-unknown-unknown",
                                   "-emit-llvm",
                                   "-c",
                                   "-O2"};

constexpr std::size_t longest_message = 4000;  // of a compiler, shown to the user

std::string first_found(const std::vector<std::string>& names) {
  for (const std::string& name : names) {
    if (auto path = find_executable(name); !path.empty()) return path;
  }
  return "";
}

// The program that the user chose; empty if none.
std::string chosen_clang() {
  const char* const chosen = std::getenv("WINGBEAT_CLANG");
  return chosen == nullptr ? "" : chosen;
}

std::vector<std::string> clang_names(int llvm_major) {
  std::vector<std::string> names;
  if (llvm_major > 0) names.push_back(formatted("clang-{}", llvm_major));
  for (int major = 15; major <= 19; ++major) {
    if (major != llvm_major) names.push_back(formatted("clang-{}", major));
  }
  names.push_back("clang");
  return names;
}

std::string find_clang(int llvm_major) {
  if (const std::string chosen = chosen_clang(); !chosen.empty()) return find_executable(chosen);
  return first_found(clang_names(llvm_major));
}

// "llvm-spirv-15" belongs to "clang-15", "llvm-spirv" to "clang".
std::string find_llvm_spirv(const std::string& clang) {
  const auto suffix = clang.find_last_not_of("0123456789");
  const bool is_numbered = suffix != std::string::npos && clang[suffix] == '-';
  return first_found({"llvm-spirv" + (is_numbered ? clang.substr(suffix) : ""), "llvm-spirv"});
}

std::string output_of(const std::vector<std::string>& command, std::string_view input,
                      std::string_view doing, bool takes_text = false) {
  finished_process done = run(command, input);
  if (done.exit_code == 0 && !done.output.empty()) return std::move(done.output);
  if (done.messages.size() > longest_message) {
    done.messages.resize(longest_message);
    done.messages += "...";
  }
  const auto sentence = formatted("{} could not {} (exit code {}):\n{}", command.front(), doing,
                                  done.exit_code, done.messages);
  constexpr int refused = 1;  // with other codes the compiler itself failed
  if (takes_text && done.exit_code == refused) throw compile_error(sentence);
  throw device_error(sentence);
}

std::vector<char> bytes_of(std::string_view text) {
  return {text.begin(), text.end()};
}

}  // namespace

toolchain::toolchain(int llvm_major)
    : clang_(find_clang(llvm_major)), llvm_spirv_(clang_.empty() ? "" : find_llvm_spirv(clang_)) {
  if (!clang_.empty()) return;
  const std::string chosen = chosen_clang();
  problem_ =
      chosen.empty()
          ? formatted(
                "clang was not found; install clang-15 or name one in WINGBEAT_CLANG "
                "(none of {} is in an absolute folder of PATH, now {})",
                joined(clang_names(llvm_major), ", "), described_path())
          : formatted("WINGBEAT_CLANG names {}, which is not a program; name a clang", chosen);
}

const std::string& toolchain::version() const {
  std::call_once(asked_, [this] {
    std::string versions;
    for (const std::string& program : {clang_, llvm_spirv_}) {
      if (!program.empty()) versions += output_of({program, "--version"}, "", "report its version");
    }
    version_ = std::move(versions);
  });
  return version_;
}

std::string toolchain::options() {
  std::string options;
  for (const char* option : clang_options) options.append(option) += ' ';
  return options;
}

std::vector<char> toolchain::bitcode_of(std::string_view text) const {
  std::vector<std::string> command{clang_};
  command.insert(command.end(), clang_options.begin(), clang_options.end());
  command.insert(command.end(), {"-o", "-", "-"});
  return bytes_of(output_of(command, text, "compile a kernel", /*takes_text=*/true));
}

std::vector<char> toolchain::spirv_of(const std::vector<char>& bitcode) const {
  return bytes_of(output_of({llvm_spirv_, "-o", "-", "-"}, {bitcode.data(), bitcode.size()},
                            "translate a kernel to SPIR-V"));
}

}  // namespace wingbeat::backend::opencl
