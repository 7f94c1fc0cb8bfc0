// SPDX-License-Identifier: Apache-2.0
#include "cli/byte_source.hpp"

#include <algorithm>  // copy_n, min

#include "formats/files/atomic_file.hpp"  // is_written_directly
#include "formats/files/refusal.hpp"      // refuse_if

namespace wingbeat::cli {

byte_source::byte_source(const std::string& name)
    : file_(name),
      has_own_name_(name != "-" && !formats::is_written_directly(name)),
      head_(std::size_t{1} << 17) {
  head_.resize(file_.read(head_));
  formats::refuse_if(head_.empty(), file_.name(), "is empty; it must hold at least one sample");
}

std::size_t byte_source::read(std::span<std::byte> target) {
  const std::size_t n_head = std::min(target.size(), head_.size() - position_);
  std::copy_n(head_.begin() + static_cast<std::ptrdiff_t>(position_), n_head, target.begin());
  position_ += n_head;
  return n_head + file_.read(target.subspan(n_head));
}

}  // namespace wingbeat::cli
