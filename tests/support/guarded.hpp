// SPDX-License-Identifier: Apache-2.0
// Memory of a device between guards, so that a test sees writes outside.
#pragma once

#include <fmt/format.h>

#include <algorithm>  // copy
#include <cstddef>    // size_t, ptrdiff_t
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "wingbeat/wingbeat.hpp"  // buffer

namespace wingbeat::test {

using bytes = std::vector<unsigned char>;

constexpr std::size_t guard_bytes = 256;

/// Bytes on a device, between two guards.
class guarded {
 public:
  guarded(const queue& on, const bytes& inner, std::size_t shift_bytes, unsigned char around)
      : first_(guard_bytes + shift_bytes),
        sent_(first_ + inner.size() + guard_bytes, around),
        memory_(on, sent_.size()) {
    std::copy(inner.begin(), inner.end(), sent_.begin() + static_cast<std::ptrdiff_t>(first_));
    memory_.write(sent_.data(), sent_.size());
  }

  [[nodiscard]] buffer_view view() const {
    auto inner = memory_.view();
    inner.offset_bytes += first_;
    inner.size_bytes = sent_.size() - first_ - guard_bytes;
    return inner;
  }

  /// Returns the bytes between the guards as they are now.
  [[nodiscard]] bytes inner() const {
    const bytes now = read();
    const auto first = now.begin() + static_cast<std::ptrdiff_t>(first_);
    return {first, now.end() - static_cast<std::ptrdiff_t>(guard_bytes)};
  }

  /// Says where a byte changed that was not to: outside, or inside where `may_change` is 0.
  [[nodiscard]] std::optional<std::string> trespass(std::string_view name,
                                                    const bytes& may_change) const {
    const bytes now = read();
    for (std::size_t b = 0; b < now.size(); ++b) {
      const bool is_inside = b >= first_ && b - first_ < may_change.size();
      if (now[b] == sent_[b] || (is_inside && may_change[b - first_] != 0)) continue;
      return fmt::format("byte {} of the {} (of {}) was overwritten",
                         static_cast<std::ptrdiff_t>(b) - static_cast<std::ptrdiff_t>(first_), name,
                         may_change.size());
    }
    return std::nullopt;
  }

 private:
  [[nodiscard]] bytes read() const {
    bytes now(sent_.size());
    memory_.read(now.data(), now.size());
    return now;
  }

  std::size_t first_;
  bytes sent_;
  buffer memory_;
};

}  // namespace wingbeat::test
