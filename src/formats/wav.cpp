// SPDX-License-Identifier: Apache-2.0
#include "formats/wav.hpp"

#include <algorithm>  // equal
#include <cmath>      // isfinite, ldexp
#include <cstdint>
#include <optional>
#include <string>

#include "formats/byte_order.hpp"  // load
#include "formats/refusal.hpp"     // printable, refuse, refuse_not_finite
#include "formatted.hpp"           // formatted
#include "wingbeat/error.hpp"      // plan_error

namespace wingbeat::formats {
namespace {

using bytes = std::span<const std::byte>;

enum class coding : std::uint16_t { pcm = 1, ieee_float = 3, extensible = 0xFFFE };

struct wave_format {
  coding code;
  std::size_t n_channels;
  std::size_t sample_rate_hz;
  std::size_t frame_bytes;  ///< One sample of every channel.
  std::size_t sample_bits;
};

struct wave_chunks {
  std::optional<bytes> format;
  std::optional<bytes> data;
  bool data_is_open = false;  ///< Of unknown size: the recording may end inside a frame.
};

/// The RIFF chunk's content after the word WAVE.
struct riff_content {
  bytes chunks;
  bool is_streamed;  ///< Its writer could not go back to fill in sizes.
};

/// Writers of streams leave one of these in place of a size that they do not know.
bool is_unknown_size(std::size_t size) {
  return size == 0 || size == 0xFFFFFFFF;
}

std::string_view text_at(bytes content, std::size_t offset) {
  return {reinterpret_cast<const char*>(content.data()) + offset, 4};
}

/// A header of 44 bytes whose writer ended before it filled in sizes: RIFF 36, data 0.
bool is_unpatched(bytes content) {
  return content.size() > 44 && load<std::uint32_t>(&content[4]) == 36 &&
         text_at(content, 36) == "data" && load<std::uint32_t>(&content[40]) == 0;
}

riff_content take_riff(bytes content, std::string_view name) {
  if (content.size() < 12) {
    refuse(name, "has {} bytes, fewer than a .wav header; copy or record it again", content.size());
  }
  const std::string_view form = text_at(content, 0);
  if (form != "RIFF" || text_at(content, 8) != "WAVE") {
    refuse(name, "starts with '{}' and is not a RIFF WAVE recording; convert it to .wav",
           printable(form));
  }
  const std::size_t claimed = load<std::uint32_t>(&content[4]);
  if (is_unknown_size(claimed) || is_unpatched(content)) return {content.subspan(12), true};
  if (claimed < 4 || claimed > content.size() - 8) {
    refuse(name,
           "is truncated or damaged: its header claims {} bytes but {} follow; copy or "
           "record it again",
           claimed, content.size() - 8);
  }
  // Programs differ on whether the size counts the last chunk's padding byte.
  if (content.size() - 8 > claimed + 1) {
    refuse(name, "has {} bytes after the {} that its header claims; remove them",
           content.size() - 8 - claimed, claimed);
  }
  return {content.subspan(12), false};
}

/// Walks the chunks: a name of four letters, a size, that many bytes, one more if that is odd.
/// Streamed data of unknown size reaches to the end of the file.
wave_chunks find_chunks(riff_content content, std::string_view name) {
  wave_chunks found;
  bytes rest = content.chunks;
  while (rest.size() >= 8) {
    const std::string_view id = text_at(rest, 0);
    std::size_t size = load<std::uint32_t>(&rest[4]);
    rest = rest.subspan(8);
    if (content.is_streamed && id == "data" && is_unknown_size(size)) {
      size = rest.size();
      found.data_is_open = true;
    }
    if (size > rest.size()) {
      refuse(name,
             "is truncated: its '{}' chunk claims {} bytes but {} follow; copy or record it "
             "again",
             printable(id), size, rest.size());
    }
    if (id == "fmt " || id == "data") {
      auto& chunk = id == "data" ? found.data : found.format;
      if (chunk) refuse(name, "has two '{}' chunks; convert it with one of each", id);
      chunk = rest.first(size);
    }
    rest = rest.subspan(std::min(size + size % 2, rest.size()));
  }
  if (rest.size() > 1) {
    refuse(name, "ends inside a chunk header; copy or record it again");
  }
  return found;
}

/// Returns the coding that an extensible format wraps: its GUID is the code and a fixed rest.
coding unwrap_extensible(bytes chunk, std::size_t sample_bits, std::string_view name) {
  constexpr std::uint8_t fixed[14] = {0, 0, 0, 0, 0x10, 0, 0x80, 0, 0, 0xAA, 0, 0x38, 0x9B, 0x71};
  if (chunk.size() < 40 || load<std::uint16_t>(&chunk[16]) < 22) {
    refuse(name, "has an extensible 'fmt ' chunk of {} bytes, 40 are needed; record it again",
           chunk.size());
  }
  // Fewer valid bits than the container has are its upper ones, so the scale is the container's.
  const std::size_t valid_bits = load<std::uint16_t>(&chunk[18]);
  if (valid_bits > sample_bits) {
    refuse(name, "claims {} valid bits in samples of {} bits; record it again", valid_bits,
           sample_bits);
  }
  const bool is_known = std::equal(std::begin(fixed), std::end(fixed), chunk.begin() + 26,
                                   [](std::uint8_t a, std::byte b) { return std::byte{a} == b; });
  if (!is_known) {
    refuse(name, "wraps an unknown coding in its extensible format; convert it to PCM or float");
  }
  return static_cast<coding>(load<std::uint16_t>(&chunk[24]));
}

void check_format(const wave_format& format, std::string_view name) {
  const std::size_t bits = format.sample_bits;
  const bool is_read = (format.code == coding::pcm && bits % 8 == 0 && bits >= 8 && bits <= 32) ||
                       (format.code == coding::ieee_float && (bits == 32 || bits == 64));
  if (!is_read) {
    refuse(name,
           "has samples of coding {} with {} bits; PCM of 8, 16, 24 or 32 bits and float of 32 "
           "or 64 bits are read, so convert it",
           static_cast<unsigned>(format.code), bits);
  }
  if (format.n_channels == 0) refuse(name, "has no channels; it must have at least one");
  if (format.sample_rate_hz == 0) refuse(name, "has a sample rate of 0 Hz; record it again");
  if (format.frame_bytes != format.n_channels * bits / 8) {
    refuse(name, "claims {} bytes a frame, but {} channel(s) of {} bits make {}; record it again",
           format.frame_bytes, format.n_channels, bits, format.n_channels * bits / 8);
  }
}

wave_format parse_format(bytes chunk, std::string_view name) {
  if (chunk.size() < 16) {
    refuse(name, "has a 'fmt ' chunk of {} bytes, at least 16 are needed; record it again",
           chunk.size());
  }
  wave_format format{static_cast<coding>(load<std::uint16_t>(&chunk[0])),
                     load<std::uint16_t>(&chunk[2]), load<std::uint32_t>(&chunk[4]),
                     load<std::uint16_t>(&chunk[12]), load<std::uint16_t>(&chunk[14])};
  if (format.code == coding::extensible) {
    format.code = unwrap_extensible(chunk, format.sample_bits, name);
  }
  check_format(format, name);
  return format;
}

double load_sample(const std::byte* from, const wave_format& format) {
  if (format.code == coding::ieee_float) {
    return format.sample_bits == 32 ? load<float>(from) : load<double>(from);
  }
  switch (format.sample_bits) {
    case 8: return std::ldexp(load<std::uint8_t>(from) - 128, -7);
    case 16: return std::ldexp(load<std::int16_t>(from), -15);
    case 24: {
      // The byte below the lowest is 0, so the sign lands in bit 31.
      const std::byte wide[4] = {std::byte{0}, from[0], from[1], from[2]};
      return std::ldexp(load<std::int32_t>(wide), -31);
    }
    default: return std::ldexp(load<std::int32_t>(from), -31);
  }
}

}  // namespace

signal read_wav(std::span<const std::byte> content, std::string_view name, std::size_t channel) {
  const wave_chunks chunks = find_chunks(take_riff(content, name), name);
  if (!chunks.format) refuse(name, "has no 'fmt ' chunk; record it again");
  if (!chunks.data) refuse(name, "has no 'data' chunk; record it again");
  const wave_format format = parse_format(*chunks.format, name);
  if (!chunks.data_is_open && chunks.data->size() % format.frame_bytes != 0) {
    refuse(name,
           "has {} bytes of samples, which is no multiple of its {} bytes a frame; record it "
           "again",
           chunks.data->size(), format.frame_bytes);
  }
  if (chunks.data->size() < format.frame_bytes) refuse(name, "holds no samples; record it again");
  if (channel >= format.n_channels) {
    throw plan_error(formatted("{} has no channel {}; choose one from 0 to {}", name, channel,
                               format.n_channels - 1));
  }

  signal result;
  result.row_length = chunks.data->size() / format.frame_bytes;
  result.sample_rate_hz = static_cast<double>(format.sample_rate_hz);
  result.n_channels = format.n_channels;
  result.is_single_precision =
      format.sample_bits <= 24 || (format.code == coding::ieee_float && format.sample_bits == 32);
  result.samples.reserve(result.row_length);
  const std::size_t offset = channel * format.sample_bits / 8;
  for (std::size_t i = 0; i < result.row_length; ++i) {
    const double value = load_sample(&(*chunks.data)[i * format.frame_bytes + offset], format);
    if (!std::isfinite(value)) {
      refuse_not_finite(name, formatted("sample {} of channel {}", i, channel), value);
    }
    result.samples.emplace_back(value);
  }
  return result;
}

}  // namespace wingbeat::formats
