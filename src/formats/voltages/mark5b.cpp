// SPDX-License-Identifier: Apache-2.0
#include <cmath>  // round

#include "formats/files/refusal.hpp"    // refuse
#include "formats/voltages/format.hpp"  // open_mark5b
#include "formats/voltages/frames.hpp"  // frame_format, open_frames

namespace wingbeat::formats {
namespace {

constexpr std::size_t header_bytes = 16, frame_bytes = 10016;
constexpr std::uint32_t sync_word = 0xabaddeed;

/// Returns a number of decimal digits, of 4 bits each; none where one is no digit.
std::optional<std::uint32_t> decimal(std::uint32_t digits, unsigned count) {
  std::uint32_t value = 0;
  for (unsigned i = count; i-- > 0;) {
    const std::uint32_t digit = digits >> 4 * i & 15;
    if (digit > 9) return std::nullopt;
    value = 10 * value + digit;
  }
  return value;
}

/// Days count from one that is a multiple of 1,000, which the options' day tells.
frame_header parse(std::span<const std::byte> head, std::size_t n_left, std::size_t index,
                   std::string_view name, const voltage_options& options) {
  constexpr std::int64_t cycle_days = 1000;
  refuse_if(head.size() < header_bytes, name,
            "ends inside the header of frame {}; copy or record it again", index);
  const auto day = decimal(header_field(head, 2, 20, 12), 3);
  const auto second = decimal(header_field(head, 2, 0, 20), 5);
  refuse_if(
      header_field(head, 0, 0, 32) != sync_word || !day || !second || *second >= seconds_of_day,
      name, "has a damaged header at frame {}", index);
  frame_header found{.shape = {.frame_bytes = frame_bytes,
                               .header = header_bytes,
                               .n_channels = options.n_channels.value_or(1),
                               .sample_bits = options.sample_bits.value_or(2),
                               .coding = sample_coding::sign_magnitude},
                     .second = *day * std::uint32_t{seconds_of_day} + *second,
                     .number = header_field(head, 1, 0, 15)};
  if (options.near_mjd) {
    found.epoch_mjd =
        cycle_days * static_cast<std::int64_t>(std::round((*options.near_mjd - *day) / cycle_days));
  }
  require_whole_frame(found.shape, n_left, index, name);
  return found;
}

bool is_frame(std::span<const std::byte> head) {
  return header_field(head, 0, 0, 32) == sync_word;
}

constexpr frame_format mark5b_frames{header_bytes, header_bytes, parse,
                                     [](auto head) { return is_frame(head) ? frame_bytes : 0; },
                                     [](auto a, auto b) { return is_frame(a) && is_frame(b); }};

}  // namespace

std::unique_ptr<voltage_file> open_mark5b(const byte_source& source,
                                          const voltage_options& options) {
  const std::size_t n_channels = options.n_channels.value_or(0);
  const unsigned bits = options.sample_bits.value_or(2);
  refuse_if(
      n_channels == 0, source.name(),
      "is Mark 5B, which does not state its channels; give them by --file-channels, a power of "
      "two up to 32 divided by the bits of a sample");
  refuse_if(
      (bits != 1 && bits != 2) || n_channels * bits > 32 || (n_channels & (n_channels - 1)) != 0,
      source.name(),
      "is Mark 5B, and {} channels of {} bits are given; give 1 or 2 bits by --sample-bits, and "
      "a power of two of channels, so that all have at most 32 bits",
      n_channels, bits);
  return open_frames(source, mark5b_frames, options);
}

}  // namespace wingbeat::formats
