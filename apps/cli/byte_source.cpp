// SPDX-License-Identifier: Apache-2.0
#include "cli/byte_source.hpp"

#include <fcntl.h>     // open
#include <sys/stat.h>  // fstat
#include <unistd.h>    // close, dup, read

#include <algorithm>  // copy_n, min
#include <cerrno>
#include <cstring>  // strerror
#include <utility>  // move

#include "formats/files/atomic_file.hpp"  // is_written_directly
#include "formats/files/refusal.hpp"      // refuse

namespace wingbeat::cli {

using formats::refuse;

byte_source::byte_source(std::string name) : name_(std::move(name)) {
  has_own_name_ = name_ != "-" && !formats::is_written_directly(name_);
  if (name_ == "-") {
    name_ = "stdin";
    descriptor_ = ::dup(STDIN_FILENO);
  } else {
    descriptor_ = ::open(name_.c_str(), O_RDONLY | O_CLOEXEC);
  }
  if (descriptor_ < 0) refuse(name_, "cannot be opened: {}", std::strerror(errno));
  struct stat status = {};
  if (::fstat(descriptor_, &status) == 0) {
    if (S_ISDIR(status.st_mode)) refuse(name_, "is a directory; name a file of samples");
    if (S_ISREG(status.st_mode)) size_ = static_cast<std::size_t>(status.st_size);
  }
  std::vector<std::byte> head(std::size_t{1} << 17);
  head.resize(read(head));
  if (head.empty()) refuse(name_, "is empty; it must hold at least one sample");
  head_ = std::move(head);
}

byte_source::~byte_source() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

std::size_t byte_source::read(std::span<std::byte> target) {
  std::size_t done = std::min(target.size(), head_.size() - position_);
  std::copy_n(head_.begin() + static_cast<std::ptrdiff_t>(position_), done, target.begin());
  position_ += done;
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

}  // namespace wingbeat::cli
