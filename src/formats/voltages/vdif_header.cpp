// SPDX-License-Identifier: Apache-2.0
#include "formats/voltages/vdif_header.hpp"

#include <algorithm>  // min

#include "formats/files/byte_order.hpp"  // load
#include "formats/files/refusal.hpp"     // refuse

namespace wingbeat::formats {
namespace {

constexpr unsigned max_channels_log2 = 16;

/// Returns bits first .. first + count - 1 of word i.
std::uint32_t field(std::span<const std::byte> head, std::size_t i, unsigned first,
                    unsigned count) {
  const auto word = load<std::uint32_t>(&head[4 * i]);
  return word >> first & static_cast<std::uint32_t>((std::uint64_t{1} << count) - 1);
}

void parse_extension(std::span<const std::byte> head, frame_header& found) {
  found.extension = field(head, 4, 24, 8);
  if (found.extension == 1 || found.extension == 3) {
    const double unit_hz = field(head, 4, 23, 1) == 1 ? 1e6 : 1e3;
    found.stated_rate_hz = unit_hz * field(head, 4, 0, 23);
  } else if (found.extension == 4) {
    found.n_groups = field(head, 4, 16, 8);
    found.valid_groups = load<std::uint64_t>(&head[24]);
  }
}

}  // namespace

bool frame_header::is_valid_in(std::optional<std::size_t> channel) const {
  constexpr unsigned max_groups = 64;
  if (!is_valid || n_groups == 0 || n_groups > max_groups) return is_valid;
  const std::size_t n = std::min<std::size_t>(n_groups, shape.n_channels);
  if (channel) return (valid_groups >> std::min(*channel * n / shape.n_channels, n - 1) & 1) == 1;
  const std::uint64_t mask = n == max_groups ? ~std::uint64_t{0} : (std::uint64_t{1} << n) - 1;
  return (valid_groups & mask) == mask;
}

frame_header parse_header(std::span<const std::byte> head, std::size_t n_left, std::size_t index,
                          std::string_view name) {
  const bool is_legacy = head.size() >= 4 && field(head, 0, 30, 1) == 1;
  if (head.size() < (is_legacy ? legacy_vdif_header_bytes : vdif_header_bytes)) {
    refuse(name, "ends inside the header of frame {}; copy or record it again", index);
  }
  frame_header found{.shape = {},
                     .second = field(head, 0, 0, 30),
                     .number = field(head, 1, 0, 24),
                     .epoch = field(head, 1, 24, 6),
                     .thread = field(head, 3, 16, 10),
                     .is_valid = field(head, 0, 31, 1) == 0};
  frame_shape& shape = found.shape;
  shape.header = is_legacy ? legacy_vdif_header_bytes : vdif_header_bytes;
  shape.frame_bytes = vdif_frame_bytes(head);
  const unsigned channels_log2 = field(head, 2, 24, 5);
  shape.sample_bits = field(head, 3, 26, 5) + 1;
  shape.is_complex = field(head, 3, 31, 1) == 1;
  if (channels_log2 > max_channels_log2) {
    refuse(name, "claims 2^{} channels in frame {}; at most 2^{} are read", channels_log2, index,
           max_channels_log2);
  }
  shape.n_channels = std::size_t{1} << channels_log2;
  const std::size_t bits = shape.sample_bits;
  if (bits != 1 && bits != 2 && bits != 4 && bits != 8 && bits != 16) {
    refuse(name, "has samples of {} bits in frame {}; 1, 2, 4, 8 and 16 are read", bits, index);
  }
  if (shape.frame_bytes > n_left) {
    refuse(name, "is truncated: frame {} claims {} bytes but {} follow; copy or record it again",
           index, shape.frame_bytes, n_left);
  }
  if (shape.frame_bytes <= shape.header || shape.n_samples() == 0 ||
      shape.n_samples() * bits * (shape.is_complex ? 2 : 1) * shape.n_channels !=
          (shape.frame_bytes - shape.header) * 8) {
    refuse(name, "has {} bytes in frame {}, which hold no whole samples of {} channels of {} bits",
           shape.frame_bytes, index, shape.n_channels, bits);
  }
  if (!is_legacy) parse_extension(head, found);
  return found;
}

std::size_t vdif_frame_bytes(std::span<const std::byte> head) {
  return std::size_t{field(head, 2, 0, 24)} * 8;
}

bool is_same_vdif_shape(std::span<const std::byte> a, std::span<const std::byte> b) {
  const auto is_same = [&](std::size_t word, unsigned first, unsigned count) {
    return field(a, word, first, count) == field(b, word, first, count);
  };
  return is_same(0, 30, 1) && is_same(1, 24, 6) && is_same(2, 0, 29) && is_same(3, 26, 6);
}

}  // namespace wingbeat::formats
