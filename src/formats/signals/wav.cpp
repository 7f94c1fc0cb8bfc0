// SPDX-License-Identifier: Apache-2.0
#include "formats/signals/wav.hpp"

#include <algorithm>  // all_of, equal, find, min
#include <array>
#include <bit>    // endian
#include <cmath>  // isfinite, ldexp
#include <cstdint>
#include <optional>
#include <string>

#include "formats/files/byte_order.hpp"  // load
#include "formats/files/refusal.hpp"     // printable, refuse, refuse_not_finite
#include "text/formatted.hpp"            // formatted
#include "wingbeat/error.hpp"            // plan_error

namespace wingbeat::formats {
namespace {

using bytes = std::span<const std::byte>;

enum class coding : std::uint16_t { pcm = 1, ieee_float = 3, extensible = 0xFFFE };

/// More than the bytes of any known format chunk.
constexpr std::size_t max_format_bytes = 4096;

struct wave_format {
  coding code;
  std::size_t n_channels;
  std::size_t sample_rate_hz;
  std::size_t frame_bytes;  ///< One sample of every channel.
  std::size_t sample_bits;
};

/// A range of bytes of the file.
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

/// Writers to pipes leave 0, about 2^31 or about 2^32 for an unknown size; the difference is less
/// than a frame or headers.
bool is_unknown_size(std::size_t size) {
  return size == 0 || (size >= 0x7FFF0000 && size <= 0x8000FFFF) || size >= 0xFFFF0000;
}

/// A file's chunks: a name of four letters, a size, that many bytes, and a padding byte if the size
/// is odd.
class riff_file {
 public:
  explicit riff_file(const byte_source& source) : from_(source) {
    if (source.size() < riff_bytes) {
      refuse(source.name(), "has {} bytes, fewer than a .wav header; copy or record it again",
             source.size());
    }
    const std::string form = text_at(0);
    if (!is_wav(form) || text_at(8) != "WAVE") {
      refuse(source.name(), "starts with '{}' and is not a RIFF WAVE recording; convert it to .wav",
             printable(form));
    }
    if (form == "RIFX") order = std::endian::big;
    claimed_ = number_at(4);
  }

  /// Streamed data of unknown size extend to the end of the file. After a format and data, damaged
  /// chunks and bytes behind the RIFF chunk are ignored.
  [[nodiscard]] wave_chunks find_chunks() {
    wave_chunks found;
    std::size_t offset = riff_bytes;
    while (from_.size() - offset >= 8) {
      const std::string id = text_at(offset);
      std::size_t size = number_at(offset + 4);
      offset += 8;
      const std::size_t rest = from_.size() - offset;
      const bool is_data = id == "data";
      if (is_data && size == 0xFFFFFFFF && long_size_) size = *long_size_;
      if (is_data && (size == 0 || size > rest) && is_open(offset, size)) {
        size = open_end(offset) - offset;
        found.data_is_open = true;
      }
      if (size > rest) {
        if (found.format && found.data && !is_data) break;
        refuse(
            from_.name(),
            "is truncated: its '{}' chunk claims {} bytes but {} follow; copy or record it again",
            printable(id), size, rest);
      }
      if (id == "ds64" && size >= 16) read_long_size(offset);
      if (id == "fmt " || is_data) {
        auto& chunk = is_data ? found.data : found.format;
        if (chunk) refuse(from_.name(), "has two '{}' chunks; convert it with one of each", id);
        chunk = byte_range{offset, size};
      }
      offset = behind(offset + size, size % 2 == 1);
      if (found.format && found.data && offset >= claimed_ + 8) return found;
    }
    if (from_.size() - offset > 1 && !(found.format && found.data)) {
      refuse(from_.name(), "ends inside a chunk header; copy or record it again");
    }
    return found;
  }

  std::endian order = std::endian::little;

 private:
  [[nodiscard]] std::uint32_t number_at(std::size_t offset) const {
    std::array<std::byte, 4> number;
    from_.read(offset, number);
    return load<std::uint32_t>(number.data(), order);
  }

  [[nodiscard]] std::string text_at(std::size_t offset) const {
    std::array<std::byte, 4> text;
    from_.read(offset, text);
    return {reinterpret_cast<const char*>(text.data()), text.size()};
  }

  /// RF64 has the sizes of the file and of its data in 64 bits.
  void read_long_size(std::size_t offset) {
    std::array<std::byte, 8> number;
    from_.read(offset + 8, number);
    long_size_ = load<std::uint64_t>(number.data());
  }

  /// Returns whether the size of data at `offset` is unknown: the size of the file is unknown too,
  /// or the file should end here, because its writer ended before it filled in sizes.
  [[nodiscard]] bool is_open(std::size_t offset, std::size_t size) const {
    if (long_size_) return size == 0 || size == 0xFFFFFFFF;
    return is_unknown_size(size) &&
           (is_unknown_size(claimed_) || (size == 0 && claimed_ + 8 == offset));
  }

  /// Returns the end of data of unknown size that begin at `offset`: the end of the file, or the
  /// beginning of chunks of text that reach it, within the last 64 KiB.
  [[nodiscard]] std::size_t open_end(std::size_t offset) const {
    constexpr std::array<std::string_view, 6> names = {"LIST", "id3 ", "ID3 ",
                                                       "bext", "cue ", "iXML"};
    constexpr std::size_t behind_bytes = std::size_t{1} << 16;
    std::vector<std::byte> last(std::min(from_.size() - offset, behind_bytes));
    const std::size_t begin = from_.size() - last.size();
    from_.read(begin, last);
    std::size_t end = last.size();
    for (std::size_t i = end; i-- > 0;) {
      if (end - i < 8) continue;
      const std::string_view id{reinterpret_cast<const char*>(&last[i]), 4};
      const std::size_t size = load<std::uint32_t>(&last[i + 4], order);
      const bool fits = i + 8 + size == end || i + 8 + size + size % 2 == end;
      if (fits && std::find(names.begin(), names.end(), id) != names.end()) end = i;
    }
    return begin + end;
  }

  /// Returns whether a chunk that fits could begin there, or the file ends.
  [[nodiscard]] bool has_chunk(std::size_t offset) const {
    if (offset >= from_.size()) return offset == from_.size();
    if (from_.size() - offset < 8) return false;
    const std::string id = text_at(offset);
    const bool is_name =
        std::all_of(id.begin(), id.end(), [](char c) { return c >= ' ' && c <= '~'; });
    return is_name && (id == "data" || number_at(offset + 4) <= from_.size() - offset - 8);
  }

  /// Returns the beginning of the next chunk; some writers omit the padding.
  [[nodiscard]] std::size_t behind(std::size_t end, bool is_odd) const {
    const bool is_padded = is_odd && (has_chunk(end + 1) || !has_chunk(end));
    return std::min(end + (is_padded ? 1 : 0), from_.size());
  }

  const byte_source& from_;
  std::size_t claimed_ = 0;
  std::optional<std::size_t> long_size_;
};

/// Returns the coding within an extensible format: its GUID is the code and a fixed rest.
coding unwrap_extensible(bytes chunk, std::endian order, std::size_t sample_bits,
                         std::string_view name) {
  constexpr std::uint8_t fixed[8] = {0x80, 0, 0, 0xAA, 0, 0x38, 0x9B, 0x71};
  if (chunk.size() < 40 || load<std::uint16_t>(&chunk[16], order) < 22) {
    refuse(name, "has an extensible 'fmt ' chunk of {} bytes, 40 are needed; record it again",
           chunk.size());
  }
  // If fewer bits are valid, they are the upper ones of the container, so the scale is the
  // container's.
  const std::size_t valid_bits = load<std::uint16_t>(&chunk[18], order);
  if (valid_bits > sample_bits) {
    refuse(name, "claims {} valid bits in samples of {} bits; record it again", valid_bits,
           sample_bits);
  }
  const auto code = load<std::uint32_t>(&chunk[24], order);
  const bool is_known = code <= 0xFFFF && load<std::uint16_t>(&chunk[28], order) == 0 &&
                        load<std::uint16_t>(&chunk[30], order) == 0x10 &&
                        std::equal(std::begin(fixed), std::end(fixed), chunk.begin() + 32,
                                   [](std::uint8_t a, std::byte b) { return std::byte{a} == b; });
  if (!is_known) {
    refuse(name, "wraps an unknown coding in its extensible format; convert it to PCM or float");
  }
  return static_cast<coding>(code);
}

/// Returns the bits that a sample takes in the file, or 0 if the bytes of a frame do not fit. PCM
/// bits are the upper ones of the next whole bytes, or, with 17 to 24 bits, of 32.
std::size_t stored_bits_of(const wave_format& format) {
  const std::size_t bits = format.sample_bits, whole = (bits + 7) / 8 * 8;
  if (format.n_channels == 0 || format.frame_bytes % format.n_channels != 0) return 0;
  const std::size_t stored = format.frame_bytes / format.n_channels * 8;
  const bool is_wider = format.code == coding::pcm && stored == 32 && whole == 24;
  return stored == whole || is_wider ? stored : 0;
}

void check_format(const wave_format& format, std::string_view name) {
  const std::size_t bits = format.sample_bits;
  const bool is_read = (format.code == coding::pcm && bits >= 1 && bits <= 32) ||
                       (format.code == coding::ieee_float && (bits == 32 || bits == 64));
  if (!is_read) {
    refuse(name,
           "has samples of coding {} with {} bits; PCM of 1 to 32 bits and float of 32 or 64 bits "
           "are read, so convert it",
           static_cast<unsigned>(format.code), bits);
  }
  if (format.n_channels == 0) refuse(name, "has no channels; it must have at least one");
  if (format.sample_rate_hz == 0) refuse(name, "has a sample rate of 0 Hz; record it again");
  if (stored_bits_of(format) == 0) {
    refuse(name, "claims {} bytes a frame, but {} channel(s) of {} bits make {}; record it again",
           format.frame_bytes, format.n_channels, bits, format.n_channels * ((bits + 7) / 8));
  }
}

wave_format parse_format(bytes chunk, std::endian order, std::string_view name) {
  if (chunk.size() < 16) {
    refuse(name, "has a 'fmt ' chunk of {} bytes, at least 16 are needed; record it again",
           chunk.size());
  }
  const auto word = [&](std::size_t at) { return load<std::uint16_t>(&chunk[at], order); };
  wave_format format{static_cast<coding>(word(0)), word(2), load<std::uint32_t>(&chunk[4], order),
                     word(12), word(14)};
  if (format.code == coding::extensible) {
    format.code = unwrap_extensible(chunk, order, format.sample_bits, name);
  }
  check_format(format, name);
  format.sample_bits = stored_bits_of(format);
  return format;
}

double load_sample(const std::byte* source, const wav_layout& format) {
  const std::endian order = format.order;
  if (format.is_float) {
    return format.sample_bits == 32 ? load<float>(source, order) : load<double>(source, order);
  }
  switch (format.sample_bits) {
    case 8: return std::ldexp(load<std::uint8_t>(source) - 128, -7);
    case 16: return std::ldexp(load<std::int16_t>(source, order), -15);
    case 24: {
      // The byte below the lowest is 0, so the sign lands in bit 31.
      const bool is_little = order == std::endian::little;
      const std::byte wide[4] = {is_little ? std::byte{0} : source[0], source[is_little ? 0 : 1],
                                 source[is_little ? 1 : 2], is_little ? source[2] : std::byte{0}};
      return std::ldexp(load<std::int32_t>(wide, order), -31);
    }
    default: return std::ldexp(load<std::int32_t>(source, order), -31);
  }
}

}  // namespace

bool is_wav(std::string_view head) {
  return head.starts_with("RIFF") || head.starts_with("RIFX") || head.starts_with("RF64") ||
         head.starts_with("BW64");
}

wav_reader::wav_reader(const byte_source& source) : from_(source) {
  const std::string& name = source.name();
  riff_file file{source};
  const wave_chunks chunks = file.find_chunks();
  if (!chunks.format) refuse(name, "has no 'fmt ' chunk; record it again");
  if (!chunks.data) refuse(name, "has no 'data' chunk; record it again");
  std::vector<std::byte> chunk(std::min(chunks.format->size, max_format_bytes));
  source.read(chunks.format->begin, chunk);
  const wave_format format = parse_format(chunk, file.order, name);
  const std::size_t data_bytes = chunks.data->size;
  if (!chunks.data_is_open && data_bytes % format.frame_bytes != 0) {
    refuse(name,
           "has {} bytes of samples, which is no multiple of its {} bytes a frame; record it "
           "again",
           data_bytes, format.frame_bytes);
  }
  if (data_bytes < format.frame_bytes) refuse(name, "holds no samples; record it again");
  const bool is_float = format.code == coding::ieee_float;
  layout_ = {chunks.data->begin, format.frame_bytes, format.sample_bits, is_float, file.order};
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
