// SPDX-License-Identifier: Apache-2.0
#include "backend/private_directory.hpp"

#include <dirent.h>    // fdopendir, readdir
#include <fcntl.h>     // openat
#include <sys/stat.h>  // fstat, lstat, mkdir, futimens
#include <unistd.h>    // fsync, geteuid, unlinkat

#include <algorithm>  // sort
#include <cerrno>
#include <cstring>  // strerror
#include <ctime>    // time
#include <random>   // random_device

#include "backend/sha256.hpp"  // is_hex
#include "text/formatted.hpp"  // formatted
#include "wingbeat/error.hpp"  // file_error

namespace wingbeat::backend {
namespace {

constexpr std::string_view temporary_prefix = ".unfinished-";
constexpr std::time_t temporary_lifetime_s = 3600;

[[noreturn]] void refuse(const std::filesystem::path& directory, std::string_view why) {
  throw file_error(formatted("directory {} {}; name another one", directory.string(), why));
}

// lstat follows a symbolic link "dir/", but not "dir".
std::filesystem::path without_trailing_slash(std::filesystem::path directory) {
  while (!directory.has_filename() && directory.has_parent_path() &&
         directory != directory.root_path()) {
    directory = directory.parent_path();
  }
  return directory;
}

void make(const std::filesystem::path& directory) {
  std::filesystem::path parents;
  for (const auto& part : directory) {
    parents /= part;
    if (::mkdir(parents.c_str(), 0700) == 0) continue;
    const int reason = errno;
    struct stat seen {};
    if (::lstat(parents.c_str(), &seen) == 0) continue;
    refuse(directory, formatted("cannot be made: {}", std::strerror(reason)));
  }
}

file_descriptor open_checked(const std::filesystem::path& directory) {
  struct stat seen {};
  if (::lstat(directory.c_str(), &seen) != 0) {
    refuse(directory, formatted("cannot be made: {}", std::strerror(errno)));
  }
  if (S_ISLNK(seen.st_mode)) refuse(directory, "is a symbolic link");
  if (!S_ISDIR(seen.st_mode)) refuse(directory, "is not a directory");

  // The directory may have been replaced between lstat and open, so the opened one is checked.
  file_descriptor opened{
      ::open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)};
  if (!opened.is_open() || ::fstat(opened.get(), &seen) != 0) {
    refuse(directory, formatted("cannot be opened: {}", std::strerror(errno)));
  }
  if (seen.st_uid != ::geteuid()) refuse(directory, "belongs to another user");
  if ((seen.st_mode & (S_IWGRP | S_IWOTH)) != 0) {
    refuse(directory, "is writable by others (make it mode 0700)");
  }
  return opened;
}

std::string temporary_name() {
  std::random_device random;
  return formatted("{}{:08x}{:08x}", temporary_prefix, random(), random());
}

bool is_temporary_name(std::string_view name) {
  if (!name.starts_with(temporary_prefix)) return false;
  name.remove_prefix(temporary_prefix.size());
  return name.size() == 16 && is_hex(name);
}

bool write_all(int file, std::span<const char> bytes) {
  while (!bytes.empty()) {
    const ssize_t n = ::write(file, bytes.data(), bytes.size());
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    bytes = bytes.subspan(static_cast<std::size_t>(n));
  }
  return true;
}

bool read_all(int file, std::span<char> bytes) {
  while (!bytes.empty()) {
    const ssize_t n = ::read(file, bytes.data(), bytes.size());
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    bytes = bytes.subspan(static_cast<std::size_t>(n));
  }
  return true;
}

struct listed_file {
  std::string name;
  std::size_t size_bytes = 0;
  timespec used{};
};

bool used_later(const listed_file& a, const listed_file& b) {
  if (a.used.tv_sec != b.used.tv_sec) return a.used.tv_sec > b.used.tv_sec;
  return a.used.tv_nsec > b.used.tv_nsec;
}

/// Returns the regular files of this user.
std::vector<listed_file> list(int directory) {
  std::vector<listed_file> found;
  // A separate descriptor, whose position is not shared with other threads.
  const int again = ::openat(directory, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  DIR* const entries = again < 0 ? nullptr : ::fdopendir(again);
  if (entries == nullptr) return found;
  while (const dirent* entry = ::readdir(entries)) {
    struct stat seen {};
    if (::fstatat(directory, entry->d_name, &seen, AT_SYMLINK_NOFOLLOW) != 0) continue;
    if (!S_ISREG(seen.st_mode) || seen.st_uid != ::geteuid()) continue;
    found.push_back({entry->d_name, static_cast<std::size_t>(seen.st_size), seen.st_mtim});
  }
  ::closedir(entries);
  return found;
}

}  // namespace

private_directory::private_directory(const std::filesystem::path& directory)
    : path_(without_trailing_slash(std::filesystem::absolute(directory))) {
  make(path_);
  directory_ = open_checked(path_);
}

std::optional<std::vector<char>> private_directory::read(const std::string& name,
                                                         std::size_t max_bytes) const {
  // O_NONBLOCK: opening a FIFO of that name must not block.
  const file_descriptor file{
      ::openat(directory_.get(), name.c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK)};
  struct stat seen {};
  if (!file.is_open() || ::fstat(file.get(), &seen) != 0) return std::nullopt;
  if (!S_ISREG(seen.st_mode) || seen.st_uid != ::geteuid()) return std::nullopt;
  if (static_cast<std::size_t>(seen.st_size) > max_bytes) return std::nullopt;
  std::vector<char> bytes(static_cast<std::size_t>(seen.st_size));
  if (!read_all(file.get(), bytes)) return std::nullopt;
  ::futimens(file.get(), nullptr);
  return bytes;
}

void private_directory::write(const std::string& name, std::span<const char> bytes) const {
  const std::string temporary = temporary_name();
  const int directory = directory_.get();
  const file_descriptor file{::openat(directory, temporary.c_str(),
                                      O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600)};
  const bool is_replaced = file.is_open() && write_all(file.get(), bytes) &&
                           ::fsync(file.get()) == 0 &&
                           ::renameat(directory, temporary.c_str(), directory, name.c_str()) == 0;
  if (!is_replaced) {
    const int reason = errno;
    if (file.is_open()) remove(temporary);
    throw file_error(formatted("cannot write {}: {}; free some space or name another directory",
                               (path_ / name).string(), std::strerror(reason)));
  }
  ::fsync(directory);  // so that the name survives a power cut
}

void private_directory::remove(const std::string& name) const noexcept {
  ::unlinkat(directory_.get(), name.c_str(), 0);
}

void private_directory::tidy(bool (*is_entry)(std::string_view name),
                             std::size_t capacity_bytes) const {
  std::vector<listed_file> files = list(directory_.get());
  const std::time_t current_s = ::time(nullptr);
  for (const auto& file : files) {
    const bool is_left = current_s - file.used.tv_sec >= temporary_lifetime_s;
    if (is_left && is_temporary_name(file.name)) remove(file.name);
  }
  std::erase_if(files, [&](const listed_file& file) { return !is_entry(file.name); });
  std::sort(files.begin(), files.end(), used_later);
  std::size_t kept_bytes = 0;
  for (const auto& file : files) {
    kept_bytes += file.size_bytes;
    if (kept_bytes > capacity_bytes) remove(file.name);
  }
}

}  // namespace wingbeat::backend
