// SPDX-License-Identifier: Apache-2.0
// clang and llvm-spirv, for drivers that take bitcode or SPIR-V but not C++ for OpenCL.
#pragma once

#include <mutex>  // once_flag
#include <string>
#include <string_view>
#include <vector>

namespace wingbeat::backend::opencl {

/// The compilers of this machine, found but not started yet. Many threads may use them at once.
class toolchain {
 public:
  /// Looks for clang: only $WINGBEAT_CLANG if it is set; otherwise, on $PATH, the version
  /// `llvm_major` (the driver's own LLVM; 0: unknown), clang-15 to clang-19, clang. The driver's
  /// version comes first and the oldest next, because drivers do not read newer bitcode.
  explicit toolchain(int llvm_major = 0);

  /// Returns clang's path; if there is none, it is empty and `problem` has the reason.
  [[nodiscard]] const std::string& clang() const noexcept { return clang_; }
  [[nodiscard]] const std::string& problem() const noexcept { return problem_; }

  /// Returns the path of the llvm-spirv that belongs to clang; empty if there is none.
  [[nodiscard]] const std::string& llvm_spirv() const noexcept { return llvm_spirv_; }

  /// Returns the versions that both programs print: a part of cache keys. Throws `device_error`.
  [[nodiscard]] const std::string& version() const;

  /// Returns the options clang is given, as one line: a part of cache keys.
  [[nodiscard]] static std::string options();

  /// Returns the text as bitcode for spir64. Throws `device_error` with clang's messages.
  [[nodiscard]] std::vector<char> bitcode_of(std::string_view text) const;

  /// Returns bitcode as SPIR-V. Throws `device_error` with llvm-spirv's messages.
  [[nodiscard]] std::vector<char> spirv_of(const std::vector<char>& bitcode) const;

 private:
  std::string clang_, llvm_spirv_, problem_;
  mutable std::once_flag asked_;
  mutable std::string version_;
};

}  // namespace wingbeat::backend::opencl
