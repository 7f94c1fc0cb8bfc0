// SPDX-License-Identifier: Apache-2.0
#include "formats/files/whole_file.hpp"

#include <fcntl.h>     // fcntl, open
#include <sys/stat.h>  // fstat
#include <unistd.h>    // close, read

#include <algorithm>  // max
#include <cerrno>
#include <cstring>  // strerror
#include <new>      // bad_alloc

#include "formats/files/refusal.hpp"  // refuse

namespace wingbeat::formats {
namespace {

struct open_file {
  int descriptor;
  ~open_file() { ::close(descriptor); }
};

/// Returns the size to start with: the file's own, or a guess for a pipe.
std::size_t expected_bytes(int descriptor, std::size_t limit_bytes, const std::string& name,
                           std::string_view content) {
  struct stat status = {};
  if (::fstat(descriptor, &status) != 0) refuse(name, "cannot be read: {}", std::strerror(errno));
  if (S_ISDIR(status.st_mode)) refuse(name, "is a directory; name a file of {}", content);
  if (!S_ISREG(status.st_mode)) return std::size_t{1} << 16;
  const auto size = static_cast<std::size_t>(status.st_size);
  refuse_if(size > limit_bytes, name, "holds {} bytes; at most {} are read, so split the file",
            size, limit_bytes);
  return size;
}

/// Appends one read to the first `n_bytes` of `content`; returns 0 at the end of the file.
std::size_t read_some(int descriptor, std::vector<std::byte>& content, std::size_t n_bytes,
                      const std::string& name) {
  if (n_bytes == content.size()) content.resize(std::max<std::size_t>(2 * n_bytes, 4096));
  for (;;) {
    const auto got = ::read(descriptor, content.data() + n_bytes, content.size() - n_bytes);
    if (got >= 0) return static_cast<std::size_t>(got);
    if (errno != EINTR) refuse(name, "cannot be read: {}", std::strerror(errno));
  }
}

}  // namespace

std::string shown_name(const std::filesystem::path& file) {
  return file == "-" ? "stdin" : file.string();
}

std::vector<std::byte> read_whole_file(const std::filesystem::path& file, std::size_t limit_bytes,
                                       std::string_view content) try {
  const std::string name = shown_name(file);
  const open_file opened{file == "-" ? ::fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0)
                                     : ::open(file.c_str(), O_RDONLY | O_CLOEXEC)};
  if (opened.descriptor < 0) refuse(name, "cannot be opened: {}", std::strerror(errno));

  // One byte more than expected, so that the read that finds the end needs no second allocation.
  std::vector<std::byte> bytes(expected_bytes(opened.descriptor, limit_bytes, name, content) + 1);
  std::size_t n_bytes = 0;
  while (const std::size_t got = read_some(opened.descriptor, bytes, n_bytes, name)) {
    n_bytes += got;
    refuse_if(n_bytes > limit_bytes, name,
              "goes on after {} bytes; at most that many are read, so split the file", limit_bytes);
  }
  if (n_bytes == 0) refuse(name, "is empty; name a file of {}", content);
  bytes.resize(n_bytes);
  return bytes;
} catch (const std::bad_alloc&) {
  refuse(shown_name(file), "does not fit into memory; split the file");
}

}  // namespace wingbeat::formats
