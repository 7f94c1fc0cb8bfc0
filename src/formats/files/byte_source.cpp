// SPDX-License-Identifier: Apache-2.0
#include "formats/files/byte_source.hpp"

#include <fcntl.h>     // open
#include <sys/stat.h>  // stat
#include <unistd.h>    // close, pread

#include <algorithm>  // copy_n, min, ranges::upper_bound
#include <cerrno>

#include "formats/files/hdf5.hpp"        // hdf5_name_of
#include "formats/files/refusal.hpp"     // refuse
#include "formats/files/whole_file.hpp"  // read_whole_file, shown_name

namespace wingbeat::formats {

/// Opens a regular file that is not empty behind those before; leaves others alone.
void byte_source::open(const std::filesystem::path& file) {
  struct stat status = {};
  const std::filesystem::path path = hdf5_name_of(file).file;
  if (file == "-" || ::stat(path.c_str(), &status) != 0 || !S_ISREG(status.st_mode)) return;
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) return;
  if (status.st_size == 0) {
    ::close(descriptor);
    return;
  }
  parts_.push_back({descriptor, size_, size_ + static_cast<std::size_t>(status.st_size)});
  size_ = parts_.back().end;
}

byte_source::byte_source(const std::filesystem::path& file, std::size_t limit_bytes)
    : name_(shown_name(file)) {
  open(file);
  if (!parts_.empty()) return;
  kept_ = read_whole_file(file, limit_bytes);  // or its error for a file that cannot be read
  content_ = kept_;
  size_ = kept_.size();
}

byte_source::byte_source(const std::vector<std::string>& sequence) : name_(sequence.front()) {
  try {
    for (const std::string& file : sequence) {
      open(file);
      if (parts_.size() == static_cast<std::size_t>(&file - sequence.data()) + 1) continue;
      refuse(file, "is no file with content that can be opened; a sequence has such files alone");
    }
  } catch (...) {
    for (const part& each : parts_) ::close(each.descriptor);
    throw;
  }
}

byte_source::~byte_source() {
  for (const part& each : parts_) ::close(each.descriptor);
}

std::size_t byte_source::file_end(std::size_t offset) const noexcept {
  const auto found =
      std::ranges::upper_bound(parts_, offset, {}, [](const part& each) { return each.end; });
  return found == parts_.end() ? size_ : found->end;
}

std::size_t byte_source::read_some(std::size_t offset, std::span<std::byte> buffer) const noexcept {
  if (offset >= size_) return 0;
  const std::size_t wanted = std::min(buffer.size(), size_ - offset);
  if (parts_.empty()) {
    std::copy_n(content_.begin() + static_cast<std::ptrdiff_t>(offset), wanted, buffer.begin());
    return wanted;
  }
  std::size_t n_read = 0;
  auto file =
      std::ranges::upper_bound(parts_, offset, {}, [](const part& each) { return each.end; });
  while (n_read < wanted) {
    const std::size_t place = offset + n_read;
    if (place == file->end) ++file;
    const auto got = ::pread(file->descriptor, buffer.data() + n_read,
                             std::min(wanted - n_read, file->end - place),
                             static_cast<off_t>(place - file->begin));
    if (got == 0 || (got < 0 && errno != EINTR)) break;
    if (got > 0) n_read += static_cast<std::size_t>(got);
  }
  return n_read;
}

void byte_source::read(std::size_t offset, std::span<std::byte> buffer) const {
  const std::size_t n_read = read_some(offset, buffer);
  if (n_read == buffer.size()) return;
  refuse(name_,
         "ends at byte {} or cannot be read on from there; start again when nothing writes it",
         offset + n_read);
}

std::string byte_source::text(std::size_t offset, std::size_t count) const {
  std::string text(count, '\0');
  read(offset, std::as_writable_bytes(std::span{text}));
  return text;
}

std::vector<std::byte> byte_source::all(std::size_t limit_bytes) const {
  refuse_if(size_ > limit_bytes, name_, "holds {} bytes; at most {} are read, so split the file",
            size_, limit_bytes);
  std::vector<std::byte> bytes(size_);
  read(0, bytes);
  return bytes;
}

}  // namespace wingbeat::formats
