// SPDX-License-Identifier: Apache-2.0
#include "formats/voltages/frames.hpp"

#include <algorithm>  // count_if, find, max, min, nth_element, ranges::minmax
#include <cmath>      // abs, round
#include <cstdint>    // uint16_t, uint32_t, uint64_t
#include <cstdlib>    // lldiv
#include <map>
#include <string>
#include <tuple>    // tie
#include <utility>  // move, pair
#include <vector>

#include "formats/files/byte_order.hpp"  // load
#include "formats/files/refusal.hpp"     // refuse
#include "formats/voltages/packets.hpp"  // packet_list, take_packets

namespace wingbeat::formats {
namespace {

using bytes = std::span<const std::byte>;

constexpr std::size_t max_frames_per_second = std::size_t{1} << 32;
constexpr const char* upper_half_text = "has samples of 32 bits, of which the upper 16 are read";

/// As small as it can be: long recordings have many.
struct frame {
  std::size_t payload_at = 0;  ///< Offset in the file.
  std::uint32_t second = 0, number = 0, stated_rate = 0;
  std::uint16_t thread = 0;
  std::uint8_t extension = 0;
  bool is_valid = true;

  [[nodiscard]] std::string name() const {
    return formatted("frame {} of second {} of thread {}", number, second, thread);
  }
};

struct frame_list : packet_list<frame> {
  frame_header first = {};
};

/// Returns where the next frame begins behind damage at `offset`: where it lies if all are equally
/// long, else where a header like `first` is, or nothing. Where `first` is empty, it is one whose
/// frame ends where another like it begins.
std::optional<std::size_t> next_frame(const byte_source& source, const frame_format& format,
                                      std::size_t offset, bytes first) {
  constexpr std::size_t window_bytes = 8192, max_searched = std::size_t{1} << 17;
  const std::size_t stride = first.empty() ? 0 : format.frame_bytes(first);
  forward_reader near{source, window_bytes}, far{source, format.header_bytes};
  const auto is_like = [&](bytes a, bytes b) {
    return b.size() >= format.min_header_bytes && format.is_same_shape(a, b);
  };
  if (stride > 0 && is_like(first, near.at(offset + stride, format.header_bytes))) {
    return offset + stride;
  }
  const std::size_t end = std::min(source.size(), offset + std::max(2 * stride, max_searched));
  for (std::size_t place = offset + 1; place + format.header_bytes <= end; ++place) {
    const bytes head = near.at(place, format.header_bytes);
    if (!first.empty()) {
      if (is_like(first, head)) return place;
      continue;
    }
    const std::size_t n_bytes = format.frame_bytes(head);
    if (n_bytes <= format.header_bytes || n_bytes > source.size() - place) continue;
    if (is_like(head, far.at(place + n_bytes, format.header_bytes))) return place;
  }
  return std::nullopt;
}

frame_list take_frames(const byte_source& source, const frame_format& format,
                       const voltage_options& options) {
  constexpr std::size_t window_bytes = 8192;
  const std::string& name = source.name();
  forward_reader reader{source, window_bytes};
  frame_list list;
  std::vector<std::byte> first;  // the first header
  const auto take = [&](std::size_t offset, std::size_t number) {
    const bytes head = reader.at(offset, format.header_bytes);
    const frame_header next = format.parse(head, source.size() - offset, number, name, options);
    if (first.empty()) {
      list.first = next;
      first.assign(head.begin(), head.end());
    }
    refuse_if(next.shape != list.first.shape || next.epoch_mjd != list.first.epoch_mjd, name,
              "has frame {} of another size, shape or epoch than the first; split the file",
              number);
    list.packets.push_back({offset + next.shape.header, next.second, next.number, next.stated_rate,
                            static_cast<std::uint16_t>(next.thread),
                            static_cast<std::uint8_t>(next.extension),
                            next.is_valid_in(options.channel)});
    return offset + next.shape.frame_bytes;
  };
  const auto next = [&](std::size_t begin, std::size_t stride) {
    return next_frame(source, format, begin, first)
        .value_or(stride > 0 ? begin + stride : source.size());
  };
  // Before the first frame, nothing tells stray bytes from a damaged one.
  const auto is_frame = [&](std::size_t) { return first.empty(); };
  list.left_out = take_packets(source, "frame", take, next, is_frame);
  return list;
}

/// Leaves out frames whose extended headers state another rate than most, of equally many than the
/// first.
void leave_out_other_rates(frame_list& list) {
  using rate = std::pair<unsigned, std::uint32_t>;
  const auto rate_of = [](const frame& f) { return rate{f.extension, f.stated_rate}; };
  std::vector<rate> stated;
  for (const frame& f : list.packets) {
    if (f.stated_rate > 0) stated.push_back(rate_of(f));
  }
  if (stated.empty()) return;
  const rate most = most_frequent(stated);
  std::tie(list.first.extension, list.first.stated_rate) = most;
  list.leave_out("states another sample rate than most; split the file",
                 [&](const frame& f) { return f.stated_rate > 0 && rate_of(f) != most; });
}

/// Returns the threads that are polarisations, and leaves the frames of others out.
std::vector<std::uint32_t> take_threads(frame_list& list, const voltage_options& options,
                                        std::string_view name) {
  // A thread with fewer frames than this share of another's is a damaged header.
  constexpr std::size_t least_share = 16;
  std::map<std::uint32_t, std::size_t> counts;
  for (const frame& f : list.packets) ++counts[f.thread];
  std::vector<std::uint32_t> threads;
  for (const std::size_t wanted : options.threads) {
    refuse_if(!counts.contains(static_cast<std::uint32_t>(wanted)), name,
              "has no frame of thread {}; its threads are {} to {}", wanted, counts.begin()->first,
              counts.rbegin()->first);
    threads.push_back(static_cast<std::uint32_t>(wanted));
  }
  if (threads.empty()) {
    std::size_t most = 0;
    for (const auto& [thread, count] : counts) most = std::max(most, count);
    for (const auto& [thread, count] : counts) {
      if (count * least_share >= most) threads.push_back(thread);
    }
    list.leave_out("is of a thread with few frames",
                   [&](const frame& f) { return counts[f.thread] * least_share < most; });
  }
  if (threads.size() > 2) {
    refuse(name, "has {} threads, {}, {} {} {}; give one or two of them by --vdif-threads",
           threads.size(), threads[0], threads[1], threads.size() == 3 ? "and" : "to",
           threads.back());
  }
  std::erase_if(list.packets, [&](const frame& f) {
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
  refuse_if(whole < 1 || whole > static_cast<double>(max_frames_per_second) ||
                std::abs(frames - whole) > 1e-6 * frames,
            name,
            "has frames of {} samples, of which {} samples a second make no whole number of frames "
            "a second; give the rate that it was sampled at by --adc-rate",
            shape.n_samples(), sample_rate_hz);
  return static_cast<std::size_t>(whole);
}

std::uint32_t middle_of(std::vector<std::uint32_t> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

/// Leaves out frames whose time is so far from most that their headers are damaged.
void leave_out_strays(frame_list& list, std::size_t n_threads, std::string_view name) {
  const std::size_t most = max_lost_share * (list.packets.size() / n_threads + 1);
  const auto is_far = [&](std::uint32_t a, std::uint32_t b) {
    return std::max(a, b) - std::min(a, b) > most;
  };
  const std::size_t n_before = list.packets.size();
  std::vector<std::uint32_t> seconds;
  for (const frame& f : list.packets) seconds.push_back(f.second);
  const std::uint32_t middle = middle_of(std::move(seconds));
  const std::string why = "is far from the time of most; split the file at the gap";
  list.leave_out(why, [&](const frame& f) { return is_far(f.second, middle); });
  std::map<std::uint32_t, std::vector<std::uint32_t>> numbers;
  for (const frame& f : list.packets) numbers[f.second].push_back(f.number);
  std::map<std::uint32_t, std::uint32_t> middles;
  for (auto& [second, values] : numbers) middles[second] = middle_of(std::move(values));
  list.leave_out(why, [&](const frame& f) { return is_far(f.number, middles[f.second]); });
  refuse_if(2 * list.packets.size() <= n_before, name,
            "has {} frames, {} of which are far from the time of others; split the file at "
            "the gap",
            n_before, n_before - list.packets.size());
}

/// Leaves out frames of numbers beyond a second, unless they are many.
void require_numbers(frame_list& list, std::size_t frames_per_second, std::string_view name) {
  const auto is_beyond = [&](const frame& f) { return f.number >= frames_per_second; };
  const auto n_beyond = std::count_if(list.packets.begin(), list.packets.end(), is_beyond);
  refuse_if(2 * static_cast<std::size_t>(n_beyond) >= list.packets.size(), name,
            "has {} frames a second by its rate, and {} of {} frames have higher numbers; give a "
            "higher rate by --adc-rate",
            frames_per_second, n_beyond, list.packets.size());
  list.leave_out("has a number beyond its second", is_beyond);
}

std::uint32_t highest_number(const std::vector<frame>& frames) {
  return std::ranges::max(frames, {}, &frame::number).number;
}

time_line times_of(const frame_list& list, std::size_t n_threads,
                   std::optional<std::size_t> frames_per_second, std::string_view name) {
  const std::vector<frame>& frames = list.packets;
  const auto time_of = [](const frame& f) { return std::pair{f.second, f.number}; };
  const auto [first, last] = std::ranges::minmax(frames, {}, time_of);
  time_line line{
      .first_second = first.second,
      .frames_per_second = frames_per_second.value_or(std::size_t{highest_number(frames)} + 1),
      .first = first.number};
  const std::size_t seconds = last.second - first.second;
  // The product fits: both factors are below 2^32.
  line.n_frames = seconds * std::min(line.frames_per_second, max_frames_per_second) + last.number +
                  1 - first.number;
  refuse_if(line.n_frames > max_lost_share * (frames.size() / n_threads + 1), name,
            "has {} frames within the time of {}; split the file at the gap", frames.size(),
            line.n_frames);
  return line;
}

/// Returns the rate that the headers state; 0 where they state none.
double stated_rate(const frame_list& list, voltages& contents) {
  const frame_header& first = list.first;
  const double rate_hz = first.stated_rate_hz();
  if (rate_hz <= 0 || first.shape.is_complex) return rate_hz;
  if (first.extension == 3) return 2 * rate_hz;  // it is of complex samples
  const double least_hz =
      (highest_number(list.packets) + 1.) * static_cast<double>(first.shape.n_samples());
  if (least_hz > rate_hz) return 2 * rate_hz;
  contents.remarks.push_back(
      formatted("has extended headers 1, whose rate of {} is taken for samples a second; give "
                "--adc-rate if it is the bandwidth",
                rate_hz));
  return rate_hz;
}

}  // namespace

std::uint32_t header_field(bytes head, std::size_t i, unsigned first, unsigned count) {
  const auto word = load<std::uint32_t>(&head[4 * i]);
  return word >> first & static_cast<std::uint32_t>((std::uint64_t{1} << count) - 1);
}

void require_whole_frame(const frame_shape& shape, std::size_t n_left, std::size_t index,
                         std::string_view name) {
  refuse_if(shape.frame_bytes > n_left, name,
            "is truncated: frame {} claims {} bytes but {} follow; copy or record it again", index,
            shape.frame_bytes, n_left);
  refuse_if(
      shape.frame_bytes <= shape.header || shape.n_samples() == 0 ||
          shape.n_samples() * shape.sample_bits * (shape.is_complex ? 2 : 1) * shape.n_channels !=
              (shape.frame_bytes - shape.header) * 8,
      name, "has {} bytes in frame {}, which hold no whole samples of {} channels of {} bits",
      shape.frame_bytes, index, shape.n_channels, shape.sample_bits);
}

bool frame_header::is_valid_in(std::optional<std::size_t> channel) const {
  constexpr unsigned max_groups = 64;
  if (!is_valid || n_groups == 0 || n_groups > max_groups) return is_valid;
  const std::size_t n = std::min<std::size_t>(n_groups, shape.n_channels);
  if (channel) return (valid_groups >> std::min(*channel * n / shape.n_channels, n - 1) & 1) == 1;
  const std::uint64_t mask = n == max_groups ? ~std::uint64_t{0} : (std::uint64_t{1} << n) - 1;
  return (valid_groups & mask) == mask;
}

std::unique_ptr<voltage_file> open_frames(const byte_source& source, const frame_format& format,
                                          const voltage_options& options) {
  const std::string& name = source.name();
  frame_list list = take_frames(source, format, options);
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
  if (shape.sample_bits == 32) result.remarks.emplace_back(upper_half_text);
  const double rate_hz = options.sample_rate_hz.value_or(result.sample_rate_hz);
  std::optional<std::size_t> frames_per_second;
  if (rate_hz > 0) {
    frames_per_second = frames_at(rate_hz, shape, name);
    require_numbers(list, *frames_per_second, name);
  }
  const time_line line = times_of(list, threads.size(), frames_per_second, name);
  result.n_samples = line.n_frames * shape.n_samples();
  packet_offsets offsets(threads.size(), std::vector<std::size_t>(line.n_frames, no_packet));
  for (const frame& f : list.packets) {
    const auto p = static_cast<std::size_t>(std::find(threads.begin(), threads.end(), f.thread) -
                                            threads.begin());
    std::size_t& offset = offsets[p][line.place(f)];
    if (!f.is_valid) continue;
    if (offset != no_packet) {
      list.left_out.add("{} is there twice", f.name());
    } else {
      offset = f.payload_at;
    }
  }
  if (list.left_out.count() > 0) result.remarks.push_back(list.left_out.sentence("frame"));
  if (list.first.extension > 4 && list.first.extension != 0xab) {
    result.remarks.push_back(formatted("has extended headers {}, which are not known and not read",
                                       list.first.extension));
  }
  if (rate_hz > 0) {
    if (result.sample_rate_hz == 0) result.sample_rate_hz = rate_hz;
    result.first_packet = std::uint64_t{line.first_second} * line.frames_per_second + line.first;
  }
  if (list.first.epoch_mjd && (rate_hz > 0 || line.first == 0)) {
    const double packet_s = rate_hz > 0 ? static_cast<double>(shape.n_samples()) / rate_hz : 0;
    const auto [days, second] = std::lldiv(line.first_second, seconds_of_day);
    result.start = day_time{*list.first.epoch_mjd + days, static_cast<double>(second)}.after(
        static_cast<double>(line.first) * packet_s);
  }
  const std::size_t channel_bits = shape.sample_bits * (shape.is_complex ? 2 : 1);
  return std::make_unique<voltage_file>(source, std::move(result),
                                        packet_layout{.noun = "frame",
                                                      .channel_bits = channel_bits,
                                                      .time_bits = shape.n_channels * channel_bits,
                                                      .coding = shape.coding,
                                                      .window_bytes = std::size_t{1} << 19},
                                        std::move(offsets));
}

}  // namespace wingbeat::formats
