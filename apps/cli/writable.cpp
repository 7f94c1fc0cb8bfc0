// SPDX-License-Identifier: Apache-2.0
#include "cli/writable.hpp"

#include <fcntl.h>   // AT_EACCESS
#include <unistd.h>  // faccessat

#include <cerrno>
#include <cstring>     // strerror
#include <filesystem>  // weakly_canonical
#include <map>
#include <system_error>  // error_code

#include "formats/atomic_file.hpp"  // atomic_file, is_written_directly
#include "formatted.hpp"            // formatted
#include "wingbeat/error.hpp"       // plan_error, file_error

namespace wingbeat::cli {
namespace {

/// Returns the path that `.`, `..` and links lead to, as far as it exists.
std::filesystem::path place_of(const std::string& path) {
  std::error_code failure;
  auto place = std::filesystem::weakly_canonical(std::filesystem::absolute(path), failure);
  return failure ? std::filesystem::path{path} : place;
}

/// Checks a pipe or a device without opening it, because opening a pipe waits for its reader and
/// closing it ends the reader's input. A link such as /dev/stdout leads to a file already open.
void require_direct_access(const output_file& file) {
  if (std::filesystem::is_symlink(file.path)) return;
  if (::faccessat(AT_FDCWD, file.path.c_str(), W_OK, AT_EACCESS) == 0) return;
  throw file_error(formatted("{} cannot be opened: {}; choose a place that can be written",
                             file.path, std::strerror(errno)));
}

}  // namespace

void require_writable(const std::vector<output_file>& files,
                      const std::vector<std::string>& inputs) {
  std::map<std::filesystem::path, std::string> options;
  for (const output_file& file : files) {
    if (file.path.empty()) continue;
    const auto [earlier, is_first] = options.emplace(place_of(file.path), file.option);
    if (!is_first) {
      throw plan_error(formatted("{} and {} both write {}; give each a file of its own",
                                 earlier->second, file.option, file.path));
    }
    if (formats::is_written_directly(file.path)) {
      require_direct_access(file);
    } else {
      // Creates the temporary file beside its place, and removes it as it is not committed.
      const formats::atomic_file unwritten{file.path};
    }
  }
  for (const std::string& input : inputs) {
    const auto writer = options.find(place_of(input));
    if (input == "-" || writer == options.end()) continue;
    throw plan_error(formatted("{} is an input, and {} would write it; give that another file",
                               input, writer->second));
  }
}

}  // namespace wingbeat::cli
