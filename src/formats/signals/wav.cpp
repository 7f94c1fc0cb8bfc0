// SPDX-License-Identifier: Apache-2.0
#include "formats/signals/wav.hpp"

#include <algorithm>  // equal, min
#include <array>
#include <cmath>  // isfinite, ldexp
#include <cstdint>
#include <optional>
#include <string>

#include "formats/files/byte_order.hpp"  // load
#include "formats/files/refusal.hpp"     // printable, refuse, refuse_not_finite
#include "formatted.hpp"                 // formatted
#include "wingbeat/error.hpp"            // plan_error

namespace wingbeat::formats {
namespace {

using bytes = std::span<const std::byte>;

enum class coding : std::uint16_t { pcm = 1, ieee_float = 3, extensible = 0xFFFE };

/// More than any known format chunk has.
constexpr std::size_t max_format_bytes = 4096;

struct wave_format {
  coding code;
  std::size_t n_channels;
  std::size_t sample_rate_hz;
  std::size_t frame_bytes;  ///< One sample of every channel.
  std::size_t sample_bits;
};

/// Bytes of the file.
struct byte_range {
  std::size_t begin = 0, size = 0;
};

struct wave_chunks {
  std::optional<byte_range> format;
  std::optional<byte_range> data;
  bool data_is_open = false;  ///< Of unknown size: the recording may end inside a frame.
};

/// The size of the RIFF chunk's header with the word WAVE.
constexpr std::size_t riff_bytes = 12;

/// Writers of streams leave one of these in place of a size that they do not know.
bool is_unknown_size(std::size_t size) {
  return size == 0 || size == 0xFFFFFFFF;
}

std::uint32_t number_at(const byte_source& source, std::size_t offset) {
  std::array<std::byte, 4> number;
  source.read(offset, number);
  return load<std::uint32_t>(number.data());
}

std::string text_at(const byte_source& source, std::size_t offset) {
  std::array<std::byte, 4> text;
  source.read(offset, text);
  return {reinterpret_cast<const char*>(text.data()), text.size()};
}

/// A header of 44 bytes whose writer ended before it filled in sizes: RIFF 36, data 0.
bool is_unpatched(const byte_source& source) {
  return source.size() > 44 && number_at(source, 4) == 36 && text_at(source, 36) == "data" &&
         number_at(source, 40) == 0;
}

/// Checks the RIFF chunk; returns whether the recording is streamed: its writer could not go back
/// to fill in sizes.
bool check_riff(const byte_source& source) {
  const std::string& name = source.name();
  if (source.size() < riff_bytes) {
    refuse(name, "has {} bytes, fewer than a .wav header; copy or record it again", source.size());
  }
  const std::string form = text_at(source, 0);
  if (form != "RIFF" || text_at(source, 8) != "WAVE") {
    refuse(name, "starts with '{}' and is not a RIFF WAVE recording; convert it to .wav",
           printable(form));
  }
  const std::size_t claimed = number_at(source, 4);
  if (is_unknown_size(claimed) || is_unpatched(source)) return true;
  if (claimed < 4 || claimed > source.size() - 8) {
    refuse(name,
           "is truncated or damaged: its header claims {} bytes but {} follow; copy or "
           "record it again",
           claimed, source.size() - 8);
  }
  // Programs differ on whether the size counts the last chunk's padding byte.
  if (source.size() - 8 > claimed + 1) {
    refuse(name, "has {} bytes after the {} that its header claims; remove them",
           source.size() - 8 - claimed, claimed);
  }
  return false;
}

/// Walks the chunks: a name of four letters, a size, that many bytes, one more if that is odd.
/// Streamed data of unknown size reaches to the end of the file.
wave_chunks find_chunks(const byte_source& source) {
  const bool is_streamed = check_riff(source);
  const std::string& name = source.name();
  wave_chunks found;
  std::size_t offset = riff_bytes;
  while (source.size() - offset >= 8) {
    const std::string id = text_at(source, offset);
    std::size_t size = number_at(source, offset + 4);
    offset += 8;
    const std::size_t rest = source.size() - offset;
    if (is_streamed && id == "data" && is_unknown_size(size)) {
      size = rest;
      found.data_is_open = true;
    }
    if (size > rest) {
      refuse(name,
             "is truncated: its '{}' chunk claims {} bytes but {} follow; copy or record it "
             "again",
             printable(id), size, rest);
    }
    if (id == "fmt " || id == "data") {
      auto& chunk = id == "data" ? found.data : found.format;
      if (chunk) refuse(name, "has two '{}' chunks; convert it with one of each", id);
      chunk = byte_range{offset, size};
    }
    offset += std::min(size + size % 2, rest);
  }
  if (source.size() - offset > 1) {
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

double load_sample(const std::byte* source, const wav_layout& format) {
  if (format.is_float) {
    return format.sample_bits == 32 ? load<float>(source) : load<double>(source);
  }
  switch (format.sample_bits) {
    case 8: return std::ldexp(load<std::uint8_t>(source) - 128, -7);
    case 16: return std::ldexp(load<std::int16_t>(source), -15);
    case 24: {
      // The byte below the lowest is 0, so the sign lands in bit 31.
      const std::byte wide[4] = {std::byte{0}, source[0], source[1], source[2]};
      return std::ldexp(load<std::int32_t>(wide), -31);
    }
    default: return std::ldexp(load<std::int32_t>(source), -31);
  }
}

}  // namespace

wav_reader::wav_reader(const byte_source& source) : from_(source) {
  const std::string& name = source.name();
  const wave_chunks chunks = find_chunks(source);
  if (!chunks.format) refuse(name, "has no 'fmt ' chunk; record it again");
  if (!chunks.data) refuse(name, "has no 'data' chunk; record it again");
  std::vector<std::byte> chunk(std::min(chunks.format->size, max_format_bytes));
  source.read(chunks.format->begin, chunk);
  const wave_format format = parse_format(chunk, name);
  const std::size_t data_bytes = chunks.data->size;
  if (!chunks.data_is_open && data_bytes % format.frame_bytes != 0) {
    refuse(name,
           "has {} bytes of samples, which is no multiple of its {} bytes a frame; record it "
           "again",
           data_bytes, format.frame_bytes);
  }
  if (data_bytes < format.frame_bytes) refuse(name, "holds no samples; record it again");
  const bool is_float = format.code == coding::ieee_float;
  layout_ = {chunks.data->begin, format.frame_bytes, format.sample_bits, is_float};
  shape_.n_rows = shape_.n_channels = format.n_channels;
  shape_.row_length = data_bytes / format.frame_bytes;
  shape_.sample_rate_hz = static_cast<double>(format.sample_rate_hz);
  shape_.is_single_precision = format.sample_bits <= 24 || (is_float && format.sample_bits == 32);
}

void wav_reader::require_channel(std::size_t channel) const {
  if (channel < shape_.n_channels) return;
  throw plan_error(formatted("{} has no channel {}; choose one from 0 to {}", from_.name(), channel,
                             shape_.n_channels - 1));
}

std::vector<double> wav_reader::read(std::size_t first, std::size_t count,
                                     std::optional<std::size_t> channel) const {
  const std::size_t first_channel = channel.value_or(0);
  const std::size_t n_channels = channel ? 1 : shape_.n_channels;
  const std::size_t sample_bytes = layout_.sample_bits / 8;
  std::vector<double> samples;
  samples.reserve(count * n_channels);
  const auto take = [&](std::span<const std::byte> piece, std::size_t offset) {
    for (std::size_t frame = 0; frame < piece.size(); frame += layout_.frame_bytes) {
      for (std::size_t c = first_channel; c < first_channel + n_channels; ++c) {
        const double value = load_sample(&piece[frame + c * sample_bytes], layout_);
        if (!std::isfinite(value)) {
          const std::size_t number = first + (offset + frame) / layout_.frame_bytes;
          refuse_not_finite(from_.name(), formatted("sample {} of channel {}", number, c), value);
        }
        samples.push_back(value);
      }
    }
  };
  read_pieces(from_, layout_.first_byte + first * layout_.frame_bytes, count * layout_.frame_bytes,
              layout_.frame_bytes, take);
  return samples;
}

signal read_wav(std::span<const std::byte> content, std::string_view name,
                std::optional<std::size_t> channel) {
  const byte_source source{content, std::string{name}};
  const wav_reader reader{source};
  if (channel) reader.require_channel(*channel);
  signal result = reader.shape();
  if (channel) result.n_rows = 1;
  result.samples.resize(result.n_rows * result.row_length);
  constexpr std::size_t frames_at_once = std::size_t{1} << 16;
  for (std::size_t first = 0; first < result.row_length; first += frames_at_once) {
    const std::size_t count = std::min(frames_at_once, result.row_length - first);
    const std::vector<double> samples = reader.read(first, count, channel);
    for (std::size_t i = 0; i < samples.size(); ++i) {
      const std::size_t frame = first + i / result.n_rows;
      result.samples[i % result.n_rows * result.row_length + frame] = samples[i];
    }
  }
  return result;
}

}  // namespace wingbeat::formats
