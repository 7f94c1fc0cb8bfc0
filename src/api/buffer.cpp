// SPDX-License-Identifier: Apache-2.0
#include "wingbeat/buffer.hpp"

#include <string_view>
#include <utility>  // exchange

#include "backend/backend.hpp"  // queue
#include "text/reject.hpp"      // reject
#include "views/views.hpp"      // origin_of

namespace wingbeat {
namespace {

buffer_view part(buffer_view whole, std::size_t size_bytes, std::size_t offset_bytes) {
  reject_if(offset_bytes > whole.size_bytes || size_bytes > whole.size_bytes - offset_bytes,
            "{} bytes at {} do not lie inside a buffer of {} bytes", size_bytes, offset_bytes,
            whole.size_bytes);
  return {whole.handle, whole.offset_bytes + offset_bytes, size_bytes};
}

void require_pointer(const void* given, std::string_view verb, std::size_t size_bytes) {
  if (given != nullptr) return;
  reject(
      "{} was given a null pointer for {} bytes; pass memory of this process that holds "
      "as many",
      verb, size_bytes);
}

}  // namespace

buffer::buffer(const queue& on, std::size_t size_bytes) : owner_(on.impl()) {
  view_ = {size_bytes == 0 ? nullptr : owner_->allocate(size_bytes), 0, size_bytes,
           origin_of(*owner_)};
}

buffer::buffer(buffer&& other) noexcept
    : owner_(std::move(other.owner_)), view_(std::exchange(other.view_, {})) {}

buffer& buffer::operator=(buffer&& other) noexcept {
  std::swap(owner_, other.owner_);
  std::swap(view_, other.view_);
  return *this;
}

buffer::~buffer() {
  if (view_.handle != nullptr) owner_->release(view_.handle);
}

void buffer::write(const void* source, std::size_t size_bytes, std::size_t offset_bytes) {
  const auto target = part(view_, size_bytes, offset_bytes);
  if (size_bytes == 0) return;
  require_pointer(source, "write", size_bytes);
  owner_->write(target, source);
}

void buffer::read(void* into, std::size_t size_bytes, std::size_t offset_bytes) const {
  const auto source = part(view_, size_bytes, offset_bytes);
  if (size_bytes == 0) return;
  require_pointer(into, "read", size_bytes);
  owner_->read(into, source);
}

}  // namespace wingbeat
