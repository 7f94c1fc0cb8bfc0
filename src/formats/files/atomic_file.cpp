// SPDX-License-Identifier: Apache-2.0
#include "formats/files/atomic_file.hpp"

#include <fcntl.h>     // faccessat, fcntl, open
#include <sys/stat.h>  // fchmod, stat
#include <unistd.h>    // close, fchown, fsync, pwrite, unlink, write

#include <cerrno>
#include <cstdio>     // fflush, rename
#include <cstring>    // strerror
#include <random>     // random_device
#include <stdexcept>  // logic_error
#include <system_error>
#include <utility>  // exchange

#include "formats/files/temporary_files.hpp"  // list_temporary_file, unlist_temporary_file
#include "text/formatted.hpp"                 // formatted
#include "text/number.hpp"                    // number_from
#include "wingbeat/error.hpp"                 // file_error

namespace wingbeat::formats {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t pending_bytes = std::size_t{1} << 20;
constexpr const char* temporary_mark = ".tmp-";  // and eight hexadecimal digits
constexpr int max_links = 40;                    // the limit of Linux

/// The end of the symbolic links of a path: a file, which need not exist, or, for /dev/stdout and
/// the like, a descriptor of this process.
struct link_target {
  fs::path file;
  std::optional<int> descriptor;
};

/// Returns nothing if the links form a loop.
std::optional<link_target> follow_links(fs::path path) {
  if (path == "-") return link_target{"/dev/stdout", STDOUT_FILENO};
  std::error_code ignored;
  const fs::path descriptors = fs::canonical("/proc/self/fd", ignored);
  for (int n_links = 0; n_links <= max_links; ++n_links) {
    const fs::path folder = path.has_parent_path() ? path.parent_path() : fs::path(".");
    if (!descriptors.empty() && fs::canonical(folder, ignored) == descriptors) {
      return link_target{path, number_from<int>(path.filename().string())};
    }
    if (!fs::is_symlink(fs::symlink_status(path, ignored))) return link_target{path, {}};
    path = folder / fs::read_symlink(path, ignored);
  }
  return std::nullopt;
}

bool is_direct(const link_target& place, bool exists, const struct stat& status) {
  return place.descriptor || (exists && !S_ISREG(status.st_mode) && !S_ISDIR(status.st_mode));
}

/// Gives the new file the mode, the group and the owner of the old one, as far as the system
/// allows. If the group cannot be kept, the new one only gets the rights of others.
void keep_permissions(int descriptor, const struct stat& old) {
  mode_t mode = old.st_mode & 07777;
  if (::fchown(descriptor, static_cast<uid_t>(-1), old.st_gid) != 0) {
    mode &= ~static_cast<mode_t>(S_ISGID | 070) | ((mode & 07) << 3);
  }
  if (::fchown(descriptor, old.st_uid, static_cast<gid_t>(-1)) != 0) mode &= ~S_ISUID;
  // A file system without modes may refuse; all of its files then have the same mode.
  static_cast<void>(::fchmod(descriptor, mode));
}

int open_retrying(const char* path, int flags, mode_t mode = 0) {
  int descriptor = -1;
  do {
    descriptor = ::open(path, flags | O_CLOEXEC, mode);
  } while (descriptor < 0 && errno == EINTR);
  return descriptor;
}

}  // namespace

fs::path written_file(const fs::path& path) {
  const auto place = follow_links(path);
  return place ? place->file : path;
}

bool is_written_directly(const fs::path& path) {
  const auto place = follow_links(path);
  struct stat status = {};
  return place && is_direct(*place, ::stat(place->file.c_str(), &status) == 0, status);
}

atomic_file::atomic_file(fs::path path) : path_(std::move(path)) {
  if (!path_.has_filename()) {
    throw file_error(formatted("cannot write '{}': it names no file", path_.string()));
  }
  const auto place = follow_links(path_);
  if (!place) {
    throw file_error(
        formatted("cannot write {}: its symbolic links form a loop; name a file", path_.string()));
  }
  target_ = place->file;
  struct stat old = {};
  const bool exists = ::stat(target_.c_str(), &old) == 0;
  if (exists && S_ISDIR(old.st_mode)) {
    throw file_error(formatted("cannot write {}: it is a directory; name a file", path_.string()));
  }
  if (is_direct(*place, exists, old)) {
    open_directly(place->descriptor);
  } else {
    open_temporary(exists ? &old : nullptr);
  }
}

void atomic_file::open_directly(std::optional<int> descriptor) {
  if (descriptor) std::fflush(stdout);  // keeps the order of earlier output
  descriptor_ = descriptor ? ::fcntl(*descriptor, F_DUPFD_CLOEXEC, 0)
                           : open_retrying(target_.c_str(), O_WRONLY | O_NOCTTY);
  if (descriptor_ < 0) refuse("opened", errno);
}

void atomic_file::open_temporary(const struct stat* old) {
  if (old != nullptr && ::faccessat(AT_FDCWD, target_.c_str(), W_OK, AT_EACCESS) != 0) {
    refuse("replaced", errno);
  }
  // Not mkstemp: its mode 0600 would survive the rename, and the umask cannot be read safely.
  const mode_t mode = old != nullptr ? 0600 : 0666;
  std::random_device random;
  for (;;) {
    temporary_ = formatted("{}{}{:08x}", target_.string(), temporary_mark, random());
    entry_ = list_temporary_file(temporary_);
    descriptor_ = open_retrying(temporary_.c_str(), O_RDWR | O_CREAT | O_EXCL, mode);
    if (descriptor_ >= 0) break;
    const int failure = errno;
    unlist_temporary_file(entry_);
    if (failure != EEXIST) refuse("created", failure);
  }
  if (old != nullptr) keep_permissions(descriptor_, *old);
}

atomic_file::~atomic_file() {
  if (descriptor_ >= 0) ::close(descriptor_);
  if (temporary_.empty()) return;
  ::unlink(temporary_.c_str());
  unlist_temporary_file(entry_);
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

void atomic_file::rewrite(std::size_t offset, std::span<const std::byte> bytes) {
  if (!can_rewrite()) throw std::logic_error("what a pipe was given cannot be changed");
  flush();
  while (!bytes.empty()) {
    const auto written =
        ::pwrite(descriptor_, bytes.data(), bytes.size(), static_cast<off_t>(offset));
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) refuse("written", errno);
    bytes = bytes.subspan(static_cast<std::size_t>(written));
    offset += static_cast<std::size_t>(written);
  }
}

int atomic_file::duplicate() {
  flush();
  const int descriptor = ::fcntl(descriptor_, F_DUPFD_CLOEXEC, 0);
  if (descriptor < 0) refuse("opened", errno);
  return descriptor;
}

void atomic_file::commit() {
  flush();
  const bool renames = !temporary_.empty();
  // Some file systems do not support fsync and return EINVAL, which is ignored.
  if (renames && ::fsync(descriptor_) != 0 && errno != EINVAL) refuse("written", errno);
  if (::close(std::exchange(descriptor_, -1)) != 0) refuse("written", errno);
  if (!renames) return;
  if (std::rename(temporary_.c_str(), target_.c_str()) != 0) refuse("put in place", errno);
  temporary_.clear();
  unlist_temporary_file(entry_);
}

void atomic_file::refuse(std::string_view action, int errno_value) const {
  throw file_error(formatted("{} cannot be {}: {}; choose a place that can be written",
                             path_.string(), action, std::strerror(errno_value)));
}

void write_whole_file(const fs::path& path, std::string_view text) {
  atomic_file file{path};
  file.write(text);
  file.commit();
}

void remove_leftovers(const fs::path& path) {
  const fs::path file = written_file(path);
  const std::string prefix = file.filename().string() + temporary_mark;
  std::error_code ignored;
  const fs::path folder = file.has_parent_path() ? file.parent_path() : fs::path(".");
  for (const auto& entry : fs::directory_iterator(folder, ignored)) {
    const std::string name = entry.path().filename().string();
    const bool is_left = name.size() == prefix.size() + 8 && name.starts_with(prefix) &&
                         name.find_first_not_of("0123456789abcdef", prefix.size()) == name.npos;
    if (is_left) fs::remove(entry.path(), ignored);
  }
}

}  // namespace wingbeat::formats
