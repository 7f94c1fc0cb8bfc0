// SPDX-License-Identifier: Apache-2.0
#include <chrono>  // sys_days

#include "formats/files/byte_order.hpp"  // load
#include "formats/files/refusal.hpp"     // refuse
#include "formats/voltages/format.hpp"   // is_vdif, open_vdif, is_text, signed_content
#include "formats/voltages/frames.hpp"   // frame_format, open_frames

namespace wingbeat::formats {
namespace {

using bytes = std::span<const std::byte>;

constexpr std::size_t header_bytes = 32, legacy_header_bytes = 16;

/// Returns the first day of a half-year, which count from 2000 on.
std::int64_t mjd_of_epoch(unsigned epoch) {
  using namespace std::chrono;
  constexpr sys_days mjd_0 = year{1858} / 11 / 17;
  const sys_days first = year{2000 + static_cast<int>(epoch / 2)} / (epoch % 2 == 0 ? 1 : 7) / 1;
  return (first - mjd_0).count();
}

void parse_extension(bytes head, frame_header& found) {
  constexpr unsigned mark5b = 0xab;
  found.extension = header_field(head, 4, 24, 8);
  if (found.extension == 1 || found.extension == 3) {
    found.stated_rate = header_field(head, 4, 0, 24);
  } else if (found.extension == 4) {
    found.n_groups = header_field(head, 4, 16, 8);
    found.valid_groups = load<std::uint64_t>(&head[24]);
  } else if (found.extension == mark5b) {
    found.shape.coding = sample_coding::sign_magnitude;
  }
}

std::size_t frame_bytes(bytes head) {
  return std::size_t{header_field(head, 2, 0, 24)} * 8;
}

frame_header parse(bytes head, std::size_t n_left, std::size_t index, std::string_view name,
                   const voltage_options&) {
  constexpr unsigned max_channels_log2 = 16;
  const bool is_legacy = head.size() >= 4 && header_field(head, 0, 30, 1) == 1;
  refuse_if(head.size() < (is_legacy ? legacy_header_bytes : header_bytes), name,
            "ends inside the header of frame {}; copy or record it again", index);
  frame_header found{.shape = {},
                     .second = header_field(head, 0, 0, 30),
                     .number = header_field(head, 1, 0, 24),
                     .thread = header_field(head, 3, 16, 10),
                     .epoch_mjd = mjd_of_epoch(header_field(head, 1, 24, 6)),
                     .is_valid = header_field(head, 0, 31, 1) == 0};
  frame_shape& shape = found.shape;
  shape.header = is_legacy ? legacy_header_bytes : header_bytes;
  shape.frame_bytes = frame_bytes(head);
  const unsigned channels_log2 = header_field(head, 2, 24, 5);
  shape.sample_bits = header_field(head, 3, 26, 5) + 1;
  shape.is_complex = header_field(head, 3, 31, 1) == 1;
  refuse_if(channels_log2 > max_channels_log2, name,
            "claims 2^{} channels in frame {}; at most 2^{} are read", channels_log2, index,
            max_channels_log2);
  shape.n_channels = std::size_t{1} << channels_log2;
  const std::size_t bits = shape.sample_bits;
  refuse_if(bits != 1 && bits != 2 && bits != 4 && bits != 8 && bits != 16 && bits != 32, name,
            "has samples of {} bits in frame {}; 1, 2, 4, 8, 16 and 32 are read", bits, index);
  require_whole_frame(shape, n_left, index, name);
  if (!is_legacy) parse_extension(head, found);
  return found;
}

bool is_same_shape(bytes a, bytes b) {
  const auto is_same = [&](std::size_t word, unsigned first, unsigned count) {
    return header_field(a, word, first, count) == header_field(b, word, first, count);
  };
  return is_same(0, 30, 1) && is_same(1, 24, 6) && is_same(2, 0, 29) && is_same(3, 26, 6);
}

constexpr frame_format vdif_frames{header_bytes, legacy_header_bytes, parse, frame_bytes,
                                   is_same_shape};

}  // namespace

bool is_vdif(bytes head, std::optional<std::size_t> size_bytes) {
  // What follows is compared with the first header: frames may be damaged, and the last one cut.
  constexpr std::size_t min_when_cut = 512, max_damaged = 3;  // shorter: a pattern of samples
  if (head.size() < legacy_header_bytes || is_text(head)) return false;
  if (!signed_content(head).empty()) return false;
  const std::size_t n_bytes = frame_bytes(head);
  if (n_bytes <= legacy_header_bytes) return false;
  const bool is_whole = size_bytes && *size_bytes % n_bytes == 0;
  if (!is_whole && n_bytes < min_when_cut) return false;
  if (size_bytes == n_bytes) return true;
  for (std::size_t i = 1; i <= 1 + max_damaged; ++i) {
    if (i * n_bytes + legacy_header_bytes > head.size()) return i == 1 && is_whole;
    if (is_same_shape(head, head.subspan(i * n_bytes))) return true;
  }
  return false;
}

std::unique_ptr<voltage_file> open_vdif(const byte_source& source, const voltage_options& options) {
  return open_frames(source, vdif_frames, options);
}

}  // namespace wingbeat::formats
