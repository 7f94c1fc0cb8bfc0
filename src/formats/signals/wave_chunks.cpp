// SPDX-License-Identifier: Apache-2.0
#include "formats/signals/wave_chunks.hpp"

#include <algorithm>  // find, min
#include <array>
#include <bit>      // endian
#include <cstdint>  // uint16_t, uint32_t, uint64_t
#include <optional>

#include "formats/files/byte_order.hpp"  // load
#include "formats/files/refusal.hpp"     // printable, refuse

namespace wingbeat::formats {
namespace {

/// More than the bytes of any known format chunk.
constexpr std::size_t max_format_bytes = 4096;

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
    refuse_if(source.size() < riff_bytes, source.name(),
              "has {} bytes, fewer than a .wav header; copy or record it again", source.size());
    const std::string form = from_.text(0, 4);
    refuse_if(!is_wave(form) || from_.text(8, 4) != "WAVE", source.name(),
              "starts with '{}' and is not a RIFF WAVE recording; convert it to .wav",
              printable(form));
    if (form == "RIFX") order_ = std::endian::big;
    claimed_ = number_at(4);
  }

  /// Returns the samples behind a header whose sizes are those of the file: libsndfile takes data
  /// of size 0, in a file of size 8, for those up to its end. What follows the samples is ignored.
  [[nodiscard]] wave_file repaired() const {
    std::string format;
    std::optional<std::size_t> long_size;
    std::size_t offset = riff_bytes;
    while (from_.size() - offset >= 8) {
      const std::string id = from_.text(offset, 4);
      std::size_t size = number_at(offset + 4);
      offset += 8;
      const std::size_t rest = from_.size() - offset;
      const bool is_data = id == "data";
      if (is_data && size == 0xFFFFFFFF && long_size) size = *long_size;
      const bool is_open =
          is_data && (size == 0 || size > rest) && is_unknown(offset, size, long_size.has_value());
      if (is_open) size = open_end(offset) - offset;
      refuse_if(
          size > rest, from_.name(),
          "is truncated: its '{}' chunk claims {} bytes but {} follow; copy or record it again",
          printable(id), size, rest);
      if (is_data) return {header_of(format, size, is_open), offset, offset + size};
      if (id == "ds64" && size >= 16) long_size = number_at<std::uint64_t>(offset + 8);
      if (id == "fmt ") format = from_.text(offset, std::min(size, max_format_bytes));
      offset = std::min(offset + size + size % 2, from_.size());
    }
    refuse_if(from_.size() - offset > 1, from_.name(),
              "ends inside a chunk header; copy or record it again");
    refuse(from_.name(), "has no '{}' chunk; record it again", format.empty() ? "fmt " : "data");
  }

 private:
  [[nodiscard]] std::string header_of(std::string format, std::size_t n_bytes, bool is_open) const {
    check(format, n_bytes, is_open);
    const bool is_big = order_ == std::endian::big;
    const auto size_of = [&](std::size_t size) {
      const std::string low{static_cast<char>(size), static_cast<char>(size >> 8)}, high(2, '\0');
      return is_big ? high + std::string{low.rbegin(), low.rend()} : low + high;
    };
    return (is_big ? "RIFX" : "RIFF") + size_of(8) + "WAVEfmt " + size_of(format.size()) + format +
           "data" + size_of(0);
  }

  /// Refuses samples of PCM and floats that do not fill their bytes of a frame, which libsndfile
  /// does not look at. Where 17 to 24 bits are stored in 32, the format becomes 32 bits. `is_open`:
  /// data may end inside a frame.
  void check(std::string& format, std::size_t n_bytes, bool is_open) const {
    const std::string& name = from_.name();
    if (format.empty()) refuse(name, "has no 'fmt ' chunk before its samples; record it again");
    refuse_if(format.size() < 16, name,
              "has a 'fmt ' chunk of {} bytes, at least 16 are needed; record it again",
              format.size());
    const auto word = [&](std::size_t offset) -> std::size_t {
      return load<std::uint16_t>(reinterpret_cast<const std::byte*>(&format[offset]), order_);
    };
    const std::size_t code = word(0), n_channels = word(2), frame_bytes = word(12);
    if (code != 1 && code != 3 && code != 0xFFFE) return;  // bytes of a block of another coding
    if (n_channels == 0) refuse(name, "has no channels; it must have at least one");
    if ((word(14) + 7) / 8 == 3 && frame_bytes == 4 * n_channels) {
      format.replace(14, 2, order_ == std::endian::big ? "\0 " : " \0", 2);
    }
    const std::size_t expected = n_channels * ((word(14) + 7) / 8);
    refuse_if(frame_bytes != expected || frame_bytes == 0, name,
              "claims {} bytes a frame, but {} channel(s) of {} bits make {}; record it again",
              frame_bytes, n_channels, word(14), expected);
    if (is_open || n_bytes % frame_bytes == 0) return;
    refuse(name,
           "has {} bytes of samples, which is no multiple of its {} bytes a frame; record it again",
           n_bytes, frame_bytes);
  }

  template <class Number = std::uint32_t>
  [[nodiscard]] Number number_at(std::size_t offset) const {
    std::array<std::byte, sizeof(Number)> number;
    from_.read(offset, number);
    return load<Number>(number.data(), order_);
  }

  /// Returns whether the size of data at `offset` is unknown: the size of the file is unknown too,
  /// or the file should end here, because its writer ended before it filled in sizes.
  [[nodiscard]] bool is_unknown(std::size_t offset, std::size_t size, bool has_long_size) const {
    if (has_long_size) return size == 0 || size == 0xFFFFFFFF;
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
      const std::size_t size = load<std::uint32_t>(&last[i + 4], order_);
      const bool fits = i + 8 + size == end || i + 8 + size + size % 2 == end;
      if (fits && std::find(names.begin(), names.end(), id) != names.end()) end = i;
    }
    return begin + end;
  }

  const byte_source& from_;
  std::endian order_ = std::endian::little;
  std::size_t claimed_ = 0;
};

}  // namespace

bool is_wave(std::string_view head) {
  return head.starts_with("RIFF") || head.starts_with("RIFX") || head.starts_with("RF64") ||
         head.starts_with("BW64");
}

wave_file find_wave(const byte_source& source) {
  return riff_file{source}.repaired();
}

}  // namespace wingbeat::formats
