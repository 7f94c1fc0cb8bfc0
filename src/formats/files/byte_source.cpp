// SPDX-License-Identifier: Apache-2.0
#include "formats/files/byte_source.hpp"

#include <fcntl.h>     // open
#include <sys/stat.h>  // stat
#include <unistd.h>    // close, pread

#include <algorithm>  // copy_n, min
#include <cerrno>

#include "formats/files/hdf5.hpp"        // hdf5_name_of
#include "formats/files/refusal.hpp"     // refuse
#include "formats/files/whole_file.hpp"  // read_whole_file, shown_name

namespace wingbeat::formats {

byte_source::byte_source(const std::filesystem::path& file, std::size_t limit_bytes)
    : name_(shown_name(file)) {
  struct stat status = {};
  const std::filesystem::path path = hdf5_name_of(file).file;
  const bool is_regular =
      file != "-" && ::stat(path.c_str(), &status) == 0 && S_ISREG(status.st_mode);
  if (is_regular) descriptor_ = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor_ >= 0 && status.st_size > 0) {
    size_ = static_cast<std::size_t>(status.st_size);
    return;
  }
  if (descriptor_ >= 0) ::close(descriptor_);
  descriptor_ = -1;
  kept_ = read_whole_file(file, limit_bytes);  // or its error for a file that cannot be read
  content_ = kept_;
  size_ = kept_.size();
}

byte_source::~byte_source() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

std::size_t byte_source::read_some(std::size_t offset, std::span<std::byte> buffer) const noexcept {
  if (offset >= size_) return 0;
  const std::size_t wanted = std::min(buffer.size(), size_ - offset);
  if (descriptor_ < 0) {
    std::copy_n(content_.begin() + static_cast<std::ptrdiff_t>(offset), wanted, buffer.begin());
    return wanted;
  }
  std::size_t n_read = 0;
  while (n_read < wanted) {
    const auto got = ::pread(descriptor_, buffer.data() + n_read, wanted - n_read,
                             static_cast<off_t>(offset + n_read));
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

std::vector<std::byte> byte_source::all(std::size_t limit_bytes) const {
  if (size_ > limit_bytes) {
    refuse(name_, "holds {} bytes; at most {} are read, so split the file", size_, limit_bytes);
  }
  std::vector<std::byte> bytes(size_);
  read(0, bytes);
  return bytes;
}

}  // namespace wingbeat::formats
