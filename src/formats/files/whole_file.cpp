// SPDX-License-Identifier: Apache-2.0
#include "formats/files/whole_file.hpp"

#include <fcntl.h>     // fcntl, open
#include <sys/stat.h>  // fstat
#include <unistd.h>    // close, read

#include <algorithm>  // min
#include <cerrno>
#include <cstring>  // strerror
#include <new>      // bad_alloc

#include "formats/files/refusal.hpp"  // refuse

namespace wingbeat::formats {

std::string shown_name(const std::filesystem::path& file) {
  return file == "-" ? "stdin" : file.string();
}

input_file::input_file(const std::filesystem::path& file, std::string_view content)
    : name_(shown_name(file)),
      descriptor_(file == "-" ? ::fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0)
                              : ::open(file.c_str(), O_RDONLY | O_CLOEXEC)) {
  struct stat status = {};
  if (descriptor_ < 0) refuse(name_, "cannot be opened: {}", std::strerror(errno));
  if (::fstat(descriptor_, &status) != 0) return;
  if (S_ISREG(status.st_mode)) size_ = static_cast<std::size_t>(status.st_size);
  if (!S_ISDIR(status.st_mode)) return;
  ::close(descriptor_);
  refuse(name_, "is a directory; name a file of {}", content);
}

input_file::~input_file() {
  ::close(descriptor_);
}

std::size_t input_file::read(std::span<std::byte> target) {
  std::size_t done = 0;
  while (done < target.size()) {
    const auto got = ::read(descriptor_, target.data() + done, target.size() - done);
    if (got == 0) break;
    if (got > 0) {
      done += static_cast<std::size_t>(got);
    } else if (errno != EINTR) {
      refuse(name_, "cannot be read: {}", std::strerror(errno));
    }
  }
  return done;
}

std::vector<std::byte> read_whole_file(const std::filesystem::path& file, std::size_t limit_bytes,
                                       std::string_view content) try {
  input_file input{file, content};
  const std::size_t expected = input.size().value_or(std::size_t{1} << 16);
  refuse_if(expected > limit_bytes && input.size(), input.name(),
            "holds {} bytes; at most {} are read, so split the file", expected, limit_bytes);
  // One byte more than expected, so that the read that finds the end needs no second allocation.
  std::vector<std::byte> bytes(expected + 1);
  std::size_t n_bytes = input.read(bytes);
  while (n_bytes == bytes.size()) {
    refuse_if(n_bytes > limit_bytes, input.name(),
              "goes on after {} bytes; at most that many are read, so split the file", limit_bytes);
    bytes.resize(std::min(2 * n_bytes, limit_bytes + 1));
    n_bytes += input.read(std::span{bytes}.subspan(n_bytes));
  }
  refuse_if(n_bytes == 0, input.name(), "is empty; name a file of {}", content);
  bytes.resize(n_bytes);
  return bytes;
} catch (const std::bad_alloc&) {
  refuse(shown_name(file), "does not fit into memory; split the file");
}

}  // namespace wingbeat::formats
