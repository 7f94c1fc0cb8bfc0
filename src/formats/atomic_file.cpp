// SPDX-License-Identifier: Apache-2.0
#include "formats/atomic_file.hpp"

#include <fcntl.h>  // faccessat, open
#include <fmt/core.h>
#include <unistd.h>  // close, fsync, unlink, write

#include <cerrno>
#include <cstdio>   // rename
#include <cstring>  // strerror
#include <random>   // random_device
#include <system_error>
#include <utility>  // exchange

#include "wingbeat/error.hpp"  // file_error

namespace wingbeat::formats {
namespace {

constexpr std::size_t pending_bytes = std::size_t{1} << 20;

std::filesystem::path follow_links(const std::filesystem::path& path) {
  std::error_code failure;
  const auto followed = std::filesystem::canonical(path, failure);
  return failure ? path : followed;
}

}  // namespace

atomic_file::atomic_file(std::filesystem::path path)
    : path_(std::move(path)), target_(follow_links(path_)) {
  if (!path_.has_filename()) {
    throw file_error(fmt::format("cannot write '{}': it names no file", path_.string()));
  }
  std::error_code failure;
  const auto old = std::filesystem::status(target_, failure);
  if (std::filesystem::is_directory(old)) {
    throw file_error(
        fmt::format("cannot write {}: it is a directory; name a file", path_.string()));
  }
  if (std::filesystem::exists(old)) {
    if (!std::filesystem::is_regular_file(old)) {
      throw file_error(fmt::format("cannot write {}: it is a device or a pipe; name a regular file",
                                   path_.string()));
    }
    if (::faccessat(AT_FDCWD, target_.c_str(), W_OK, AT_EACCESS) != 0) refuse("replaced", errno);
  }
  std::random_device random;
  do {
    temporary_ = fmt::format("{}.tmp-{:08x}", target_.string(), random());
    // Not mkstemp: its mode 0600 would survive the rename, and the umask cannot be read safely.
    descriptor_ = ::open(temporary_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  } while (descriptor_ < 0 && (errno == EEXIST || errno == EINTR));
  if (descriptor_ < 0) refuse("created", errno);
}

atomic_file::~atomic_file() {
  if (descriptor_ >= 0) ::close(descriptor_);
  if (!temporary_.empty()) ::unlink(temporary_.c_str());
}

void atomic_file::write(std::string_view text) {
  pending_ += text;
  if (pending_.size() >= pending_bytes) flush();
}

void atomic_file::write(std::span<const std::byte> bytes) {
  write(std::string_view{reinterpret_cast<const char*>(bytes.data()), bytes.size()});
}

void atomic_file::flush() {
  std::string_view rest = pending_;
  while (!rest.empty()) {
    const auto written = ::write(descriptor_, rest.data(), rest.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) refuse("written", errno);
    rest.remove_prefix(static_cast<std::size_t>(written));
  }
  pending_.clear();
}

void atomic_file::commit() {
  flush();
  // Some file systems cannot fsync and say EINVAL; what they were given is then all we can do.
  if (::fsync(descriptor_) != 0 && errno != EINVAL) refuse("written", errno);
  if (::close(std::exchange(descriptor_, -1)) != 0) refuse("written", errno);
  if (std::rename(temporary_.c_str(), target_.c_str()) != 0) refuse("put in place", errno);
  temporary_.clear();
}

void atomic_file::refuse(std::string_view what, int errno_value) const {
  throw file_error(fmt::format("{} cannot be {}: {}; choose a place that can be written",
                               path_.string(), what, std::strerror(errno_value)));
}

}  // namespace wingbeat::formats
