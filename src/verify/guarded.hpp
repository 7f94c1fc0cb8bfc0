// SPDX-License-Identifier: Apache-2.0
// Memory of a device between guards, which reveal writes outside it.
#pragma once

#include <algorithm>  // copy
#include <cstddef>    // size_t, ptrdiff_t
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "arrays/view_part.hpp"  // part_of
#include "text/formatted.hpp"    // formatted
#include "wingbeat/buffer.hpp"   // buffer, buffer_view

namespace wingbeat::verify {

using bytes = std::vector<unsigned char>;

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
    return part_of(memory_.view(), first_, sent_.size() - first_ - guard_bytes);
  }

  /// Returns the bytes between the guards as they are now.
  [[nodiscard]] bytes inner() const {
    const bytes content = read();
    const auto first = content.begin() + static_cast<std::ptrdiff_t>(first_);
    return {first, content.end() - static_cast<std::ptrdiff_t>(guard_bytes)};
  }

  /// Returns the bytes that changed but should not have, counted from the first between the guards:
  /// those outside, and those inside where `may_change` is 0.
  [[nodiscard]] std::vector<std::ptrdiff_t> trespasses(const bytes& may_change) const {
    const bytes content = read();
    std::vector<std::ptrdiff_t> places;
    for (std::size_t b = 0; b < content.size(); ++b) {
      const bool is_inside = b >= first_ && b - first_ < may_change.size();
      if (content[b] == sent_[b] || (is_inside && may_change[b - first_] != 0)) continue;
      places.push_back(static_cast<std::ptrdiff_t>(b) - static_cast<std::ptrdiff_t>(first_));
    }
    return places;
  }

  /// Describes the first trespass.
  [[nodiscard]] std::optional<std::string> trespass(std::string_view name,
                                                    const bytes& may_change) const {
    const auto places = trespasses(may_change);
    if (places.empty()) return std::nullopt;
    return formatted("byte {} of the {} (of {}) was overwritten", places.front(), name,
                     may_change.size());
  }

 private:
  static constexpr std::size_t guard_bytes = 256;

  [[nodiscard]] bytes read() const {
    bytes content(sent_.size());
    memory_.read(content.data(), content.size());
    return content;
  }

  std::size_t first_;
  bytes sent_;
  buffer memory_;
};

}  // namespace wingbeat::verify
