// SPDX-License-Identifier: Apache-2.0
#include "wingbeat/pinned_memory.hpp"

#include <utility>  // exchange, move, swap

#include "backend/backend.hpp"  // queue

namespace wingbeat {

pinned_memory::pinned_memory(const queue& on, std::size_t size_bytes) : owner_(on.impl()) {
  if (size_bytes == 0) return;
  bytes_ = {static_cast<std::byte*>(owner_->allocate_pinned(size_bytes)), size_bytes};
}

pinned_memory::pinned_memory(pinned_memory&& other) noexcept
    : owner_(std::move(other.owner_)), bytes_(std::exchange(other.bytes_, {})) {}

pinned_memory& pinned_memory::operator=(pinned_memory&& other) noexcept {
  std::swap(owner_, other.owner_);
  std::swap(bytes_, other.bytes_);
  return *this;
}

pinned_memory::~pinned_memory() {
  if (!bytes_.empty()) owner_->release_pinned(bytes_.data());
}

}  // namespace wingbeat
