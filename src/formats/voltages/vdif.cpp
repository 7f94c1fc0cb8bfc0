// SPDX-License-Identifier: Apache-2.0
#include "formats/voltages/vdif.hpp"

#include <algorithm>  // copy_n, find, max, min, sort
#include <cmath>      // abs, round
#include <cstdint>    // int16_t, uint32_t
#include <utility>    // move
#include <vector>

#include "formats/files/byte_order.hpp"  // load
#include "formats/files/refusal.hpp"     // refuse
#include "formats/files/signature.hpp"   // is_text
#include "formats/files/whole_file.hpp"  // largest_file_bytes

namespace wingbeat::formats {
namespace {

using bytes = std::span<const std::byte>;

constexpr std::size_t header_bytes = 32, legacy_bytes = 16, max_channels_log2 = 16;

/// What all frames have in common.
struct frame_shape {
  std::size_t frame_bytes = 0, header = header_bytes, n_channels = 1, sample_bits = 2;
  bool is_complex = false;
  bool operator==(const frame_shape&) const = default;

  [[nodiscard]] std::size_t parts() const { return is_complex ? 2 : 1; }

  /// Samples of each channel.
  [[nodiscard]] std::size_t n_samples() const {
    return (frame_bytes - header) * 8 / (sample_bits * parts() * n_channels);
  }
};

struct frame {
  frame_shape shape = {};
  std::uint32_t second = 0, number = 0, epoch = 0, thread = 0;
  bool is_valid = true;
  bytes payload = {};
};

/// Returns bits first .. first + count - 1 of a word.
std::uint32_t field(std::uint32_t word, unsigned first, unsigned count) {
  return word >> first & ((1u << count) - 1);
}

frame parse_frame(bytes rest, std::size_t index, std::string_view name) {
  if (rest.size() < legacy_bytes) {
    refuse(name, "ends inside the header of frame {}; copy or record it again", index);
  }
  const auto word = [&](std::size_t i) { return load<std::uint32_t>(&rest[4 * i]); };
  frame found{.shape = {},
              .second = field(word(0), 0, 30),
              .number = field(word(1), 0, 24),
              .epoch = field(word(1), 24, 6),
              .thread = field(word(3), 16, 10),
              .is_valid = field(word(0), 31, 1) == 0};
  frame_shape& shape = found.shape;
  shape.header = field(word(0), 30, 1) == 1 ? legacy_bytes : header_bytes;
  shape.frame_bytes = std::size_t{field(word(2), 0, 24)} * 8;
  const unsigned channels_log2 = field(word(2), 24, 5);
  shape.sample_bits = field(word(3), 26, 5) + 1;
  shape.is_complex = field(word(3), 31, 1) == 1;
  if (channels_log2 > max_channels_log2) {
    refuse(name, "claims 2^{} channels in frame {}; at most 2^{} are read", channels_log2, index,
           max_channels_log2);
  }
  shape.n_channels = std::size_t{1} << channels_log2;
  const std::size_t bits = shape.sample_bits;
  if (bits != 2 && bits != 4 && bits != 8 && bits != 16) {
    refuse(name, "has samples of {} bits in frame {}; 2, 4, 8 and 16 are read", bits, index);
  }
  if (shape.frame_bytes > rest.size()) {
    refuse(name, "is truncated: frame {} claims {} bytes but {} follow; copy or record it again",
           index, shape.frame_bytes, rest.size());
  }
  if (shape.frame_bytes <= shape.header || shape.n_samples() == 0 ||
      shape.n_samples() * bits * shape.parts() * shape.n_channels !=
          (shape.frame_bytes - shape.header) * 8) {
    refuse(name, "has {} bytes in frame {}, which hold no whole samples of {} channels of {} bits",
           shape.frame_bytes, index, shape.n_channels, bits);
  }
  found.payload = rest.subspan(shape.header, shape.frame_bytes - shape.header);
  return found;
}

std::vector<frame> parse_frames(bytes content, std::string_view name) {
  if (content.empty()) refuse(name, "is empty; copy or record it again");
  std::vector<frame> frames;
  while (!content.empty()) {
    frames.push_back(parse_frame(content, frames.size(), name));
    const frame& next = frames.back();
    if (next.shape != frames.front().shape || next.epoch != frames.front().epoch) {
      refuse(name, "has frame {} of another size, shape or epoch than the first; split the file",
             frames.size() - 1);
    }
    content = content.subspan(next.shape.frame_bytes);
  }
  return frames;
}

std::vector<std::uint32_t> threads_of(const std::vector<frame>& frames, std::string_view name) {
  std::vector<std::uint32_t> threads;
  for (const frame& f : frames) {
    if (std::find(threads.begin(), threads.end(), f.thread) != threads.end()) continue;
    threads.push_back(f.thread);
    if (threads.size() > 2) {
      refuse(name, "has more than two threads, {}, {} and {}; split the file", threads[0],
             threads[1], threads[2]);
    }
  }
  std::sort(threads.begin(), threads.end());
  return threads;
}

/// When frames come, in frames of one thread.
struct time_line {
  std::uint32_t first_second = 0;
  std::size_t frames_per_second = 0, first = 0, n_frames = 0;

  [[nodiscard]] std::size_t place(const frame& f) const {
    return (f.second - first_second) * frames_per_second + f.number - first;
  }
};

/// Returns the options with the frames of a second, where the sample rate tells them.
vdif_options with_frames(vdif_options options, const frame_shape& shape, std::string_view name) {
  if (options.frames_per_second || !options.sample_rate_hz) return options;
  const double frames = *options.sample_rate_hz / static_cast<double>(shape.n_samples());
  const double whole = std::round(frames);
  if (whole < 1 || whole > 4294967296.0 || std::abs(frames - whole) > 1e-6 * frames) {
    refuse(name,
           "has frames of {} samples, of which {} samples a second make no whole number of frames "
           "a second; give the rate that it was sampled at",
           shape.n_samples(), *options.sample_rate_hz);
  }
  options.frames_per_second = static_cast<std::size_t>(whole);
  return options;
}

time_line times_of(const std::vector<frame>& frames, std::size_t n_threads,
                   const vdif_options& options, std::string_view name) {
  time_line line{.first_second = frames[0].second};
  std::uint32_t highest = 0, last_second = 0;
  for (const frame& f : frames) {
    line.first_second = std::min(line.first_second, f.second);
    last_second = std::max(last_second, f.second);
    highest = std::max(highest, f.number);
  }
  line.frames_per_second = options.frames_per_second.value_or(std::size_t{highest} + 1);
  if (highest >= line.frames_per_second) {
    refuse(name, "has a frame with number {}, but {} frames in a second; give more of them",
           highest, line.frames_per_second);
  }
  std::size_t last = 0;
  line.first = line.frames_per_second;
  for (const frame& f : frames) {
    if (f.second == line.first_second) line.first = std::min<std::size_t>(line.first, f.number);
    if (f.second == last_second) last = std::max<std::size_t>(last, f.number);
  }
  const std::size_t seconds = last_second - line.first_second;
  const std::size_t most = max_lost_share * (frames.size() / n_threads + 1);
  // The product fits: both factors are below 2^32.
  line.n_frames =
      seconds * std::min(line.frames_per_second, std::size_t{1} << 32) + last + 1 - line.first;
  if (line.n_frames > most) {
    refuse(name, "has {} frames within the time of {}; split the file at the gap", frames.size(),
           line.n_frames);
  }
  return line;
}

/// Returns part `index` of a payload: its bits from the lowest up, as an integer around 0.
std::int16_t part_at(bytes payload, std::size_t index, std::size_t bits) {
  unsigned code = 0;
  if (bits == 16) {
    code = load<std::uint16_t>(&payload[2 * index]);
  } else {
    const std::size_t bit = index * bits;
    code = std::to_integer<unsigned>(payload[bit / 8]) >> bit % 8 & ((1u << bits) - 1);
  }
  const int value = static_cast<int>(code);
  return static_cast<std::int16_t>(bits == 2 ? 2 * value - 3 : value - (1 << (bits - 1)));
}

void place_frame(voltages& to, const frame& from, std::size_t polarisation, std::size_t place) {
  const frame_shape& shape = from.shape;
  const std::size_t n = shape.n_samples(), parts = shape.parts();
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t c = 0; c < shape.n_channels; ++c) {
      const std::size_t row = (polarisation * shape.n_channels + c) * to.n_samples;
      for (std::size_t part = 0; part < parts; ++part) {
        to.samples[(row + place * n + i) * parts + part] =
            part_at(from.payload, (i * shape.n_channels + c) * parts + part, shape.sample_bits);
      }
    }
  }
}

/// Voltages in memory.
class vdif_file final : public voltage_file {
 public:
  vdif_file(std::vector<std::int16_t> samples, voltages contents)
      : voltage_file(std::move(contents)), samples_(std::move(samples)) {}

  void read(std::size_t channel, std::size_t first, std::size_t count,
            std::span<const std::span<std::int16_t>> rows) const override {
    const std::size_t parts = contents().is_complex ? 2 : 1;
    for (std::size_t p = 0; p < rows.size(); ++p) {
      const std::size_t row = (p * contents().n_channels + channel) * contents().n_samples;
      std::copy_n(samples_.begin() + static_cast<std::ptrdiff_t>((row + first) * parts),
                  count * parts, rows[p].begin());
    }
  }

 private:
  std::vector<std::int16_t> samples_;  // [polarisation][channel][sample][re, im if complex]
};

}  // namespace

/// The file is whole frames, or its last one is cut, and the second has the shape of the first. A
/// pipe, whose size is not known, may end anywhere.
bool is_vdif(bytes head, std::optional<std::size_t> size_bytes) {
  constexpr std::size_t length_at = 8, min_when_cut = 512;  // shorter may be a pattern of samples
  constexpr std::uint32_t shape_mask = (1u << 29) - 1;
  if (head.size() < legacy_bytes || is_text(head)) return false;
  const auto word = [&](std::size_t offset) { return load<std::uint32_t>(&head[offset]); };
  const std::size_t n_bytes = std::size_t{field(word(length_at), 0, 24)} * 8;
  if (n_bytes <= legacy_bytes) return false;
  const bool is_whole = size_bytes && *size_bytes % n_bytes == 0;
  if (!is_whole && n_bytes < min_when_cut) return false;
  if (n_bytes + legacy_bytes > head.size()) return size_bytes == n_bytes;
  return ((word(length_at) ^ word(n_bytes + length_at)) & shape_mask) == 0;
}

std::unique_ptr<voltage_file> open_vdif(const byte_source& source, const vdif_options& options) {
  if (source.size() > largest_file_bytes) {
    refuse(source.name(), "holds {} bytes; at most {} are read, so split the file", source.size(),
           largest_file_bytes);
  }
  std::vector<std::byte> content(source.size());
  source.read(0, content);
  voltages held = read_vdif(content, source.name(), options);
  std::vector<std::int16_t> samples = std::move(held.samples);
  return std::make_unique<vdif_file>(std::move(samples), std::move(held));
}

voltages read_vdif(std::span<const std::byte> content, std::string_view name,
                   const vdif_options& options) {
  const std::vector<frame> frames = parse_frames(content, name);
  const std::vector<std::uint32_t> threads = threads_of(frames, name);
  const frame_shape& shape = frames.front().shape;
  const vdif_options timing = with_frames(options, shape, name);
  const time_line line = times_of(frames, threads.size(), timing, name);
  voltages result{.n_polarisations = threads.size(),
                  .n_channels = shape.n_channels,
                  .n_samples = line.n_frames * shape.n_samples(),
                  .is_complex = shape.is_complex,
                  .sample_bits = static_cast<unsigned>(shape.sample_bits),
                  .packet_samples = shape.n_samples()};
  result.samples.resize(result.n_samples * shape.n_channels * threads.size() * shape.parts());
  result.present.assign(threads.size(), std::vector<bool>(line.n_frames, false));
  std::vector<std::vector<bool>> seen = result.present;
  for (const frame& f : frames) {
    const std::size_t p = f.thread == threads[0] ? 0 : 1, place = line.place(f);
    if (seen[p][place]) {
      refuse(name, "has frame {} of second {} of thread {} twice; remove one", f.number, f.second,
             f.thread);
    }
    seen[p][place] = true;
    if (!f.is_valid) continue;
    result.present[p][place] = true;
    place_frame(result, f, p, place);
  }
  if (timing.frames_per_second) {
    result.sample_rate_hz =
        static_cast<double>(*timing.frames_per_second) * static_cast<double>(shape.n_samples());
    result.first_packet = std::uint64_t{line.first_second} * *timing.frames_per_second + line.first;
  }
  return result;
}

}  // namespace wingbeat::formats
