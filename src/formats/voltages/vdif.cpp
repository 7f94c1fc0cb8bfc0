// SPDX-License-Identifier: Apache-2.0
#include "formats/voltages/vdif.hpp"

#include <algorithm>  // count_if, fill, find, max, min, nth_element
#include <cmath>      // abs, round
#include <cstdint>    // int16_t, uint16_t, uint32_t, uint64_t
#include <map>
#include <string>
#include <tuple>    // tie
#include <utility>  // move, pair
#include <vector>

#include "formats/files/byte_order.hpp"      // load
#include "formats/files/refusal.hpp"         // refuse
#include "formats/files/signature.hpp"       // is_text
#include "formats/voltages/flaws.hpp"        // flaws
#include "formats/voltages/vdif_header.hpp"  // frame_header, parse_header
#include "text/counted.hpp"                  // counted

namespace wingbeat::formats {
namespace {

using bytes = std::span<const std::byte>;

constexpr std::size_t max_frames_per_second = std::size_t{1} << 32;

/// Bytes of a file in windows, for readings that mostly go forward.
class forward_reader {
 public:
  forward_reader(const byte_source& source, std::size_t window_bytes)
      : source_(source), window_bytes_(window_bytes) {}

  /// Returns `n_bytes` bytes from `offset` on, fewer at the end, valid until the next call.
  bytes at(std::size_t offset, std::size_t n_bytes) {
    if (offset < begin_ || offset + n_bytes > begin_ + held_.size()) {
      begin_ = offset;
      held_.resize(std::max(n_bytes, window_bytes_));
      held_.resize(source_.read_some(offset, held_));
    }
    const bytes found = bytes{held_}.subspan(std::min(offset - begin_, held_.size()));
    return found.first(std::min(n_bytes, found.size()));
  }

 private:
  const byte_source& source_;
  std::size_t window_bytes_, begin_ = 0;
  std::vector<std::byte> held_;
};

struct frame {
  std::uint32_t second = 0, number = 0;
  std::uint16_t thread = 0;
  bool is_valid = true;
  std::size_t payload_at = 0;  ///< Offset in the file.
  unsigned extension = 0;
  double stated_rate_hz = 0;
};

struct frame_list {
  frame_header first = {};
  std::vector<frame> frames = {};
  flaws left_out = {};
};

/// Returns where the next frame begins behind damage at `offset`: where it lies if all are equally
/// long, else where a header like `first` is, or nothing. Where `first` is empty, it is one whose
/// frame ends where another like it begins.
std::optional<std::size_t> next_frame(const byte_source& source, std::size_t offset, bytes first) {
  constexpr std::size_t window_bytes = 8192, max_searched = std::size_t{1} << 17;
  const std::size_t stride = first.empty() ? 0 : vdif_frame_bytes(first);
  forward_reader near{source, window_bytes}, far{source, vdif_header_bytes};
  const auto is_like = [](bytes a, bytes b) {
    return b.size() >= legacy_vdif_header_bytes && is_same_vdif_shape(a, b);
  };
  if (stride > 0 && is_like(first, near.at(offset + stride, vdif_header_bytes))) {
    return offset + stride;
  }
  const std::size_t end = std::min(source.size(), offset + std::max(2 * stride, max_searched));
  for (std::size_t place = offset + 1; place + vdif_header_bytes <= end; ++place) {
    const bytes head = near.at(place, vdif_header_bytes);
    if (!first.empty()) {
      if (is_like(first, head)) return place;
      continue;
    }
    const std::size_t n_bytes = vdif_frame_bytes(head);
    if (n_bytes <= vdif_header_bytes || n_bytes > source.size() - place) continue;
    if (is_like(head, far.at(place + n_bytes, vdif_header_bytes))) return place;
  }
  return std::nullopt;
}

/// Takes the frames that are whole, and begin where others end or behind stray bytes.
frame_list take_frames(const byte_source& source, const voltage_options& options) {
  constexpr std::size_t window_bytes = 8192;
  const std::string& name = source.name();
  if (source.size() == 0) refuse(name, "is empty; copy or record it again");
  forward_reader reader{source, window_bytes};
  frame_list list;
  std::vector<std::byte> first;  // the first header
  std::size_t index = 0;
  for (std::size_t offset = 0; offset < source.size(); ++index) {
    try {
      const bytes head = reader.at(offset, vdif_header_bytes);
      const frame_header next = parse_header(head, source.size() - offset, index, name);
      if (list.frames.empty()) {
        list.first = next;
        first.assign(head.begin(), head.end());
      }
      if (next.shape != list.first.shape || next.epoch != list.first.epoch) {
        refuse(name, "has frame {} of another size, shape or epoch than the first; split the file",
               index);
      }
      list.frames.push_back({next.second, next.number, static_cast<std::uint16_t>(next.thread),
                             next.is_valid_in(options.channel), offset + next.shape.header,
                             next.extension, next.stated_rate_hz});
      offset += next.shape.frame_bytes;
    } catch (const file_error& damage) {
      const auto found = next_frame(source, offset, first);
      if (list.frames.empty() && (!found || list.left_out.count() > 0)) throw;
      const std::size_t stride = list.first.shape.frame_bytes,
                        after = found.value_or(offset + stride);
      if (!list.frames.empty() && after - offset != stride) {
        list.left_out.add("{} before frame {} belong to none", counted(after - offset, "byte"),
                          index);
      } else {
        list.left_out.add("{}", std::string_view{damage.what()}.substr(name.size() + 2));
      }
      // The first frame may be the damaged one.
      if (list.left_out.prevail(list.frames.size() + 1)) {
        refuse(name, "{}", list.left_out.first());
      }
      offset = after;
    }
  }
  if (list.left_out.prevail(list.frames.size())) refuse(name, "{}", list.left_out.first());
  return list;
}

/// Leaves out frames for which `is_stray`.
template <class Predicate>
void leave_out(frame_list& list, std::string_view why, Predicate is_stray) {
  std::erase_if(list.frames, [&](const frame& f) {
    if (!is_stray(f)) return false;
    list.left_out.add("frame {} of second {} of thread {} {}", f.number, f.second, f.thread, why);
    return true;
  });
}

/// Leaves out frames whose extended headers state another rate than most, of equally many than the
/// first.
void leave_out_other_rates(frame_list& list) {
  using rate = std::pair<unsigned, double>;
  const auto rate_of = [](const frame& f) { return rate{f.extension, f.stated_rate_hz}; };
  std::map<rate, std::size_t> counts;
  for (const frame& f : list.frames) {
    if (f.stated_rate_hz > 0) ++counts[rate_of(f)];
  }
  if (counts.empty()) return;
  rate most{};
  for (const frame& f : list.frames) {
    if (f.stated_rate_hz > 0 && counts[rate_of(f)] > counts[most]) most = rate_of(f);
  }
  std::tie(list.first.extension, list.first.stated_rate_hz) = most;
  leave_out(list, "states another sample rate than most; split the file",
            [&](const frame& f) { return f.stated_rate_hz > 0 && rate_of(f) != most; });
}

/// Returns the threads that are polarisations, and leaves the frames of others out.
std::vector<std::uint32_t> take_threads(frame_list& list, const voltage_options& options,
                                        std::string_view name) {
  // A thread with fewer frames than this share of another's is a damaged header.
  constexpr std::size_t least_share = 16;
  std::map<std::uint32_t, std::size_t> counts;
  for (const frame& f : list.frames) ++counts[f.thread];
  std::vector<std::uint32_t> threads;
  for (const std::size_t wanted : options.threads) {
    if (!counts.contains(static_cast<std::uint32_t>(wanted))) {
      refuse(name, "has no frame of thread {}; its threads are {} to {}", wanted,
             counts.begin()->first, counts.rbegin()->first);
    }
    threads.push_back(static_cast<std::uint32_t>(wanted));
  }
  if (threads.empty()) {
    std::size_t most = 0;
    for (const auto& [thread, count] : counts) most = std::max(most, count);
    for (const auto& [thread, count] : counts) {
      if (count * least_share >= most) threads.push_back(thread);
    }
    leave_out(list, "is of a thread with few frames",
              [&](const frame& f) { return counts[f.thread] * least_share < most; });
  }
  if (threads.size() > 2) {
    refuse(name, "has {} threads, {}, {} to {}; give one or two of them by --vdif-threads",
           threads.size(), threads[0], threads[1], threads.back());
  }
  std::erase_if(list.frames, [&](const frame& f) {
    return std::find(threads.begin(), threads.end(), f.thread) == threads.end();
  });
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

/// Returns the frames of a second at a sample rate.
std::size_t frames_at(double sample_rate_hz, const frame_shape& shape, std::string_view name) {
  const double frames = sample_rate_hz / static_cast<double>(shape.n_samples());
  const double whole = std::round(frames);
  if (whole < 1 || whole > static_cast<double>(max_frames_per_second) ||
      std::abs(frames - whole) > 1e-6 * frames) {
    refuse(name,
           "has frames of {} samples, of which {} samples a second make no whole number of frames "
           "a second; give the rate that it was sampled at by --adc-rate",
           shape.n_samples(), sample_rate_hz);
  }
  return static_cast<std::size_t>(whole);
}

std::uint32_t middle_of(std::vector<std::uint32_t> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

/// Leaves out frames whose time is so far from most that their headers are damaged.
void leave_out_strays(frame_list& list, std::size_t n_threads, std::string_view name) {
  const std::size_t most = max_lost_share * (list.frames.size() / n_threads + 1);
  const auto is_far = [&](std::uint32_t a, std::uint32_t b) {
    return std::max(a, b) - std::min(a, b) > most;
  };
  const std::size_t n_before = list.frames.size();
  std::vector<std::uint32_t> seconds;
  for (const frame& f : list.frames) seconds.push_back(f.second);
  const std::uint32_t middle = middle_of(std::move(seconds));
  const std::string why = "is far from the time of most; split the file at the gap";
  leave_out(list, why, [&](const frame& f) { return is_far(f.second, middle); });
  std::map<std::uint32_t, std::vector<std::uint32_t>> numbers;
  for (const frame& f : list.frames) numbers[f.second].push_back(f.number);
  std::map<std::uint32_t, std::uint32_t> middles;
  for (auto& [second, values] : numbers) middles[second] = middle_of(std::move(values));
  leave_out(list, why, [&](const frame& f) { return is_far(f.number, middles[f.second]); });
  if (2 * list.frames.size() <= n_before) {
    refuse(name,
           "has {} frames, {} of which are far from the time of others; split the file at "
           "the gap",
           n_before, n_before - list.frames.size());
  }
}

/// Leaves out frames of numbers beyond a second, unless they are many.
void require_numbers(frame_list& list, std::size_t frames_per_second, std::string_view name) {
  const auto is_beyond = [&](const frame& f) { return f.number >= frames_per_second; };
  const auto n_beyond = std::count_if(list.frames.begin(), list.frames.end(), is_beyond);
  if (2 * static_cast<std::size_t>(n_beyond) >= list.frames.size()) {
    refuse(name,
           "has {} frames a second by its rate, and {} of {} frames have higher numbers; give a "
           "higher rate by --adc-rate",
           frames_per_second, n_beyond, list.frames.size());
  }
  leave_out(list, "has a number beyond its second", is_beyond);
}

time_line times_of(const frame_list& list, std::size_t n_threads,
                   std::optional<std::size_t> frames_per_second, std::string_view name) {
  const std::vector<frame>& frames = list.frames;
  time_line line{.first_second = frames[0].second};
  std::uint32_t highest = 0, last_second = 0;
  for (const frame& f : frames) {
    line.first_second = std::min(line.first_second, f.second);
    last_second = std::max(last_second, f.second);
    highest = std::max(highest, f.number);
  }
  line.frames_per_second = frames_per_second.value_or(std::size_t{highest} + 1);
  std::size_t last = 0;
  line.first = line.frames_per_second;
  for (const frame& f : frames) {
    if (f.second == line.first_second) line.first = std::min<std::size_t>(line.first, f.number);
    if (f.second == last_second) last = std::max<std::size_t>(last, f.number);
  }
  const std::size_t seconds = last_second - line.first_second;
  // The product fits: both factors are below 2^32.
  line.n_frames =
      seconds * std::min(line.frames_per_second, max_frames_per_second) + last + 1 - line.first;
  if (line.n_frames > max_lost_share * (frames.size() / n_threads + 1)) {
    refuse(name, "has {} frames within the time of {}; split the file at the gap", frames.size(),
           line.n_frames);
  }
  return line;
}

/// Returns part `bit / bits` of the bytes: its bits from the lowest up, as an integer around 0.
std::int16_t part_at(bytes payload, std::size_t bit, std::size_t bits) {
  unsigned code = 0;
  if (bits == 16) {
    code = load<std::uint16_t>(&payload[bit / 8]);
  } else {
    code = std::to_integer<unsigned>(payload[bit / 8]) >> bit % 8 & ((1u << bits) - 1);
  }
  const int value = static_cast<int>(code), steps = 1 << bits;
  // One and two bits have no 0 in their middle.
  return static_cast<std::int16_t>(bits <= 2 ? 2 * value + 1 - steps : value - steps / 2);
}

constexpr std::size_t no_frame = ~std::size_t{0};

/// Offsets of payloads: [polarisation][packet], or `no_frame`.
using payload_places = std::vector<std::vector<std::size_t>>;

class vdif_file final : public voltage_file {
 public:
  vdif_file(const byte_source& source, voltages contents, payload_places payloads)
      : voltage_file(std::move(contents)),
        reader_(source, window_bytes),
        name_(source.name()),
        payloads_(std::move(payloads)) {}

  void read(std::size_t channel, std::size_t first, std::size_t count,
            std::span<const std::span<std::int16_t>> rows) const override {
    const std::size_t packet_samples = contents().packet_samples;
    for (std::size_t done = 0; done < count;) {
      const std::size_t packet = (first + done) / packet_samples;
      const std::size_t in_packet = (first + done) % packet_samples;
      const std::size_t n = std::min(count - done, packet_samples - in_packet);
      const std::size_t parts = contents().is_complex ? 2 : 1;
      for (std::size_t p = 0; p < rows.size(); ++p) {
        read_packet(payloads_[p][packet], channel, in_packet,
                    rows[p].subspan(done * parts, n * parts));
      }
      done += n;
    }
  }

 private:
  static constexpr std::size_t window_bytes = std::size_t{1} << 19;

  /// Reads samples of a frame from sample `first` on.
  void read_packet(std::size_t payload_at, std::size_t channel, std::size_t first,
                   std::span<std::int16_t> row) const {
    if (payload_at == no_frame) return std::fill(row.begin(), row.end(), std::int16_t{0});
    const std::size_t parts = contents().is_complex ? 2 : 1, bits = contents().sample_bits;
    const std::size_t time_bits = contents().n_channels * parts * bits;
    const std::size_t begin = first * time_bits / 8 * 8;  // in whole bytes
    const std::size_t end = (first + row.size() / parts) * time_bits;
    const std::size_t n_bytes = (end - begin + 7) / 8;
    const bytes data = reader_.at(payload_at + begin / 8, n_bytes);
    if (data.size() < n_bytes) refuse(name_, "ends within a frame; another program shortened it");
    for (std::size_t i = 0; i < row.size(); ++i) {
      const std::size_t part = channel * parts + i % parts;
      row[i] = part_at(data, (first + i / parts) * time_bits - begin + part * bits, bits);
    }
  }

  mutable forward_reader reader_;
  std::string name_;
  payload_places payloads_;
};

/// Returns the rate that the headers state; 0 where they state none.
double stated_rate(const frame_list& list, voltages& contents) {
  const frame_header& first = list.first;
  if (first.stated_rate_hz <= 0 || first.shape.is_complex) return first.stated_rate_hz;
  if (first.extension == 3) return 2 * first.stated_rate_hz;  // it is of complex samples
  std::uint32_t highest = 0;
  for (const frame& f : list.frames) highest = std::max(highest, f.number);
  const double least_hz = (highest + 1.) * static_cast<double>(first.shape.n_samples());
  if (least_hz > first.stated_rate_hz) return 2 * first.stated_rate_hz;
  contents.remarks.push_back(
      formatted("has extended headers 1, whose rate of {} is taken for samples a second; give "
                "--adc-rate if it is the bandwidth",
                first.stated_rate_hz));
  return first.stated_rate_hz;
}

}  // namespace

bool is_vdif(bytes head, std::optional<std::size_t> size_bytes) {
  // What follows is compared with the first header: frames may be damaged, and the last one cut.
  constexpr std::size_t min_when_cut = 512, max_damaged = 3;  // shorter: a pattern of samples
  if (head.size() < legacy_vdif_header_bytes || is_text(head)) return false;
  const std::size_t n_bytes = vdif_frame_bytes(head);
  if (n_bytes <= legacy_vdif_header_bytes) return false;
  const bool is_whole = size_bytes && *size_bytes % n_bytes == 0;
  if (!is_whole && n_bytes < min_when_cut) return false;
  if (size_bytes == n_bytes) return true;
  for (std::size_t i = 1; i <= 1 + max_damaged; ++i) {
    if (i * n_bytes + legacy_vdif_header_bytes > head.size()) return i == 1 && is_whole;
    if (is_same_vdif_shape(head, head.subspan(i * n_bytes))) return true;
  }
  return false;
}

std::unique_ptr<voltage_file> open_vdif(const byte_source& source, const voltage_options& options) {
  const std::string& name = source.name();
  frame_list list = take_frames(source, options);
  leave_out_other_rates(list);
  const frame_shape shape = list.first.shape;
  const std::vector<std::uint32_t> threads = take_threads(list, options, name);
  leave_out_strays(list, threads.size(), name);
  voltages result{.n_polarisations = threads.size(),
                  .n_channels = shape.n_channels,
                  .is_complex = shape.is_complex,
                  .sample_bits = static_cast<unsigned>(shape.sample_bits),
                  .packet_samples = shape.n_samples()};
  result.sample_rate_hz = stated_rate(list, result);
  if (options.sample_rate_hz) result.remarks.clear();
  const double rate_hz = options.sample_rate_hz.value_or(result.sample_rate_hz);
  std::optional<std::size_t> frames_per_second;
  if (rate_hz > 0) {
    frames_per_second = frames_at(rate_hz, shape, name);
    require_numbers(list, *frames_per_second, name);
  }
  const time_line line = times_of(list, threads.size(), frames_per_second, name);
  result.n_samples = line.n_frames * shape.n_samples();
  payload_places payloads(threads.size(), std::vector<std::size_t>(line.n_frames, no_frame));
  for (const frame& f : list.frames) {
    const auto p = static_cast<std::size_t>(std::find(threads.begin(), threads.end(), f.thread) -
                                            threads.begin());
    std::size_t& place = payloads[p][line.place(f)];
    if (!f.is_valid) continue;
    if (place != no_frame) {
      list.left_out.add("frame {} of second {} of thread {} is there twice", f.number, f.second,
                        f.thread);
    } else {
      place = f.payload_at;
    }
  }
  for (const auto& each : payloads) {
    std::vector<bool>& present = result.present.emplace_back(each.size());
    for (std::size_t i = 0; i < each.size(); ++i) present[i] = each[i] != no_frame;
  }
  if (list.left_out.count() > 0) result.remarks.push_back(list.left_out.sentence("frame"));
  if (list.first.has_unknown_extension()) {
    result.remarks.push_back(formatted("has extended headers {}, which are not known and not read",
                                       list.first.extension));
  }
  if (rate_hz > 0) {
    if (result.sample_rate_hz == 0) result.sample_rate_hz = rate_hz;
    result.first_packet = std::uint64_t{line.first_second} * line.frames_per_second + line.first;
  }
  return std::make_unique<vdif_file>(source, std::move(result), std::move(payloads));
}

}  // namespace wingbeat::formats
