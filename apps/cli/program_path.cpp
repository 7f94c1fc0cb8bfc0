// SPDX-License-Identifier: Apache-2.0
#include "cli/program_path.hpp"

#include <filesystem>
#include <system_error>  // error_code

#include "backend/opencl/process.hpp"  // find_executable
#include "text/formatted.hpp"          // formatted
#include "wingbeat/error.hpp"          // absent_error

namespace wingbeat::cli {

std::string program_path(const std::string& name, std::string_view subject,
                         std::string_view remedy) {
  std::error_code fault;
  const auto self = std::filesystem::read_symlink("/proc/self/exe", fault);
  const auto beside = self.parent_path() / name;
  if (!fault && std::filesystem::exists(beside, fault)) return beside;
  if (std::string found = backend::opencl::find_executable(name); !found.empty()) return found;
  throw absent_error(
      formatted("{} is neither beside this program nor in $PATH; {}", subject, remedy));
}

}  // namespace wingbeat::cli
