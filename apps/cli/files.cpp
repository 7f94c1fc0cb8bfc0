// SPDX-License-Identifier: Apache-2.0
#include "cli/files.hpp"

#include <fcntl.h>     // AT_EACCESS
#include <sys/stat.h>  // fstat, stat
#include <unistd.h>    // faccessat, isatty, STDIN_FILENO

#include <CLI/CLI.hpp>  // App

#include <algorithm>  // any_of
#include <cerrno>
#include <cstdio>      // fwrite
#include <cstring>     // strerror
#include <filesystem>  // weakly_canonical
#include <optional>
#include <system_error>  // error_code

#include "cli/option.hpp"                 // file_type_of
#include "formats/files/atomic_file.hpp"  // atomic_file, is_written_directly, written_file
#include "formats/files/hdf5.hpp"         // hdf5_name_of
#include "text/formatted.hpp"             // formatted
#include "text/reject.hpp"                // reject
#include "wingbeat/error.hpp"             // plan_error, file_error

namespace wingbeat::cli {
namespace {

/// Identifies a file.
struct identity {
  std::filesystem::path place;        ///< Without `.`, `..` and links, as far as it exists.
  std::optional<struct stat> status;  ///< Unset: no such file.
};

identity identity_of(const named_file& file) {
  identity found;
  struct stat status = {};
  if (file.path == "-") {
    const int stream = file.is_read ? STDIN_FILENO : STDOUT_FILENO;
    if (::fstat(stream, &status) == 0) found.status = status;
    return found;
  }
  std::filesystem::path path = formats::hdf5_name_of(file.path).file;
  if (path.extension() == ".sigmf-data") path.replace_extension(".sigmf-meta");  // one recording
  if (::stat(path.c_str(), &status) == 0) found.status = status;
  std::error_code failure;
  found.place = std::filesystem::weakly_canonical(
      std::filesystem::absolute(formats::written_file(path), failure), failure);
  return found;
}

bool is_one_file(const identity& a, const identity& b) {
  if (a.status && b.status) {
    if (a.status->st_dev == b.status->st_dev && a.status->st_ino == b.status->st_ino) return true;
  }
  return !a.place.empty() && a.place == b.place;
}

/// Refuses two options with one file, unless both read it or one of them reads a device.
void require_apart(const named_file& a, const identity& of_a, const named_file& b,
                   const identity& of_b) {
  if (!is_one_file(of_a, of_b)) return;
  reject_if(a.is_written && b.is_written, "{} and {} both write {}; give each a file of its own",
            a.option, b.option, b.path);
  if (!a.is_written && !b.is_written) {
    const bool is_pipe = of_a.status && S_ISFIFO(of_a.status->st_mode);
    if (!is_pipe && !(a.path == "-" && b.path == "-")) return;
    reject("{} and {} both read {}, which has one reader; name a file for one", a.option, b.option,
           b.path == "-" ? "stdin" : b.path);
  }
  if (!of_a.status || !S_ISREG(of_a.status->st_mode)) return;
  const named_file &input = a.is_written ? b : a, &output = a.is_written ? a : b;
  reject("{} {} is an input, and {} {} would replace it; give {} another file", input.option,
         input.path == "-" ? "stdin" : input.path, output.option, output.path, output.option);
}

/// Checks a pipe or a device without opening it, because opening a pipe waits for its reader and
/// closing it ends the reader's input. A link such as /dev/stdout leads to a file already open.
void require_direct_access(const std::string& path) {
  if (std::filesystem::is_symlink(path)) return;
  if (::faccessat(AT_FDCWD, path.c_str(), W_OK, AT_EACCESS) == 0) return;
  throw file_error(formatted("{} cannot be opened: {}; choose a place that can be written", path,
                             std::strerror(errno)));
}

void require_writable(const std::string& path) {
  if (formats::is_written_directly(path)) return require_direct_access(path);
  // Creates the temporary file in the same folder; uncommitted, it is removed again.
  const formats::atomic_file unwritten{path};
}

/// Returns whether the file is stdout, by the name "-" or one such as /dev/stdout.
bool is_stdout(const std::string& file) {
  if (file.empty() || file == "-") return !file.empty();
  const identity standard = identity_of({"", "-", false, true});
  const bool is_device = standard.status && S_ISCHR(standard.status->st_mode);
  if (is_device && ::isatty(STDOUT_FILENO) == 0) return false;  // nothing mixes in /dev/null
  return is_one_file(identity_of({"", file, false, true}), standard);
}

}  // namespace

void require_files(const std::vector<named_file>& files) {
  std::vector<named_file> given;
  std::vector<identity> identities;
  for (const named_file& file : files) {
    if (file.path.empty()) continue;
    const identity found = identity_of(file);
    for (std::size_t i = 0; i < given.size(); ++i) {
      require_apart(given[i], identities[i], file, found);
    }
    given.push_back(file);
    identities.push_back(found);
  }
  for (const named_file& file : given) {
    if (file.is_written && file.path != "-") require_writable(file.path);
  }
}

void require_files(const CLI::App& command) {
  std::vector<named_file> files;
  for (const CLI::Option* const option : command.get_options()) {
    const file_type* const type = file_type_of(option->get_type_name());
    if (type == nullptr) continue;
    for (const std::string& text : option->results()) {
      const std::string name = option->get_name();
      const auto names = type->is_list ? parts_of(name, text) : std::vector<std::string>{text};
      for (const std::string& path : names) {
        files.push_back({name, path, type->is_read, type->is_written});
      }
    }
  }
  require_files(files);
}

void print_table(std::string_view text, const std::vector<std::string>& outputs) {
  const bool is_beside_data = std::any_of(outputs.begin(), outputs.end(), is_stdout);
  std::fwrite(text.data(), 1, text.size(), is_beside_data ? stderr : stdout);
}

void require_stdout_for_json(const std::vector<named_file>& outputs) {
  for (const auto& output : outputs) {
    if (!is_stdout(output.path)) continue;
    reject("{} {} and --json both print on stdout; write one to a file", output.option,
           output.path);
  }
}

}  // namespace wingbeat::cli
