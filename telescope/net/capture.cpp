// SPDX-License-Identifier: Apache-2.0
#include "net/capture.hpp"

#include <algorithm>  // min
#include <cstdio>     // FILE
#include <memory>     // shared_ptr
#include <utility>    // move

#include "formats/files/refusal.hpp"  // refuse
#include "net/ethernet.hpp"           // is_known_link, parse_frame, parse_udp

namespace wingbeat::net {

using formats::refuse;

namespace {

constexpr std::size_t max_frame_bytes = 262144;  // the longest frame that programs capture
constexpr std::size_t max_interfaces = 1024;
constexpr std::size_t pcap_header = 24, record_header = 16, block_header = 8, block_trailer = 4;
constexpr std::uint32_t section = 0x0a0d0d0a, order_mark = 0x1a2b3c4d;

/// Whether the first four bytes, little-endian, start a pcap file, and the length of its ticks.
struct pcap_magic {
  bool is_pcap = false, is_big_endian = false;
  std::int64_t tick_ns = 0;
};

pcap_magic magic_of(std::uint32_t word) {
  switch (word) {
    case 0xa1b2c3d4: return {true, false, 1000};
    case 0xd4c3b2a1: return {true, true, 1000};
    case 0xa1b23c4d: return {true, false, 1};
    case 0x4d3cb2a1: return {true, true, 1};
    default: return {};
  }
}

std::shared_ptr<std::FILE> open_file(const std::filesystem::path& file) {
  return {std::fopen(file.c_str(), "rb"), [](std::FILE* f) {
            if (f != nullptr) std::fclose(f);
          }};
}

}  // namespace

capture_reader::capture_reader(read_function read, std::string name)
    : read_(std::move(read)), name_(std::move(name)) {
  if (!fill(4))
    refuse(name_, "is shorter than the header of a capture; give a pcap or pcapng file");
  const std::uint32_t word = load(0, 4);
  if (word == section) {
    is_pcapng_ = true;
    require(8);
    start_section();
    return;
  }
  const pcap_magic magic = magic_of(word);
  if (!magic.is_pcap) {
    refuse(name_, "is {}neither a pcap nor a pcapng file; give one of them",
           (word & 0xffffff) == 0x088b1f ? "packed by gzip, and " : "");
  }
  is_big_endian_ = magic.is_big_endian;
  tick_ns_ = magic.tick_ns;
  require(pcap_header);
  link_ = load(20, 4) & 0xffff;
  require_link(link_);
  skip(pcap_header);
}

/// Reads until `n_bytes` are in the buffer; returns false if the file ends before.
bool capture_reader::fill(std::size_t n_bytes) {
  const std::size_t before = buffer_.size();
  if (n_bytes <= before) return true;
  buffer_.resize(n_bytes);
  const std::size_t n_read = read_(std::span(buffer_).subspan(before));
  buffer_.resize(before + n_read);
  return buffer_.size() == n_bytes;
}

void capture_reader::require(std::size_t n_bytes) {
  if (!fill(n_bytes)) {
    refuse(name_, "ends within frame {} or what stands before it; copy or capture it again",
           n_frames_);
  }
}

/// Drops bytes from the beginning of the buffer, and reads past those that are not in it yet.
void capture_reader::skip(std::uint64_t n_bytes) {
  while (n_bytes > buffer_.size()) {
    n_bytes -= buffer_.size();
    buffer_.clear();
    require(std::min<std::uint64_t>(n_bytes, 65536));
  }
  buffer_.erase(buffer_.begin(), buffer_.begin() + static_cast<std::ptrdiff_t>(n_bytes));
}

std::uint32_t capture_reader::load(std::size_t position, std::size_t n_bytes) const {
  std::uint32_t value = 0;
  for (std::size_t i = 0; i < n_bytes; ++i) {
    const std::size_t index = is_big_endian_ ? position + i : position + n_bytes - 1 - i;
    value = value << 8 | std::to_integer<std::uint32_t>(buffer_[index]);
  }
  return value;
}

void capture_reader::require_link(unsigned link) const {
  if (is_known_link(link)) return;
  refuse(name_,
         "was captured from a link of type {}; Ethernet, raw IP and Linux's of any interface are "
         "read, so capture from an Ethernet interface by its name",
         link);
}

std::optional<captured_datagram> capture_reader::next() {
  while (true) {
    // The frame's bytes stay valid until the next frame is read.
    const auto found = is_pcapng_ ? next_of_pcapng() : next_of_pcap();
    if (!found) return {};
    ++n_frames_;
    last_ns_ = found->time_ns;
    frame content;
    frame_kind kind =
        parse_frame(std::span(buffer_).subspan(found->offset, found->length), found->link, content);
    if (kind == frame_kind::fragment && fragments_.add(content)) {
      kind = parse_udp(content.payload, content);
      counts_.fragments -= fragments_.count() - 1;
    }
    switch (kind) {
      case frame_kind::udp:
        ++counts_.datagrams;
        return captured_datagram{found->time_ns, content.source, content.destination,
                                 content.payload};
      case frame_kind::other: ++counts_.others; break;
      case frame_kind::fragment: ++counts_.fragments; break;
      case frame_kind::truncated: ++counts_.truncated; break;
    }
  }
}

std::optional<capture_reader::frame_bytes> capture_reader::next_of_pcap() {
  buffer_.clear();
  if (!fill(1)) return {};
  require(record_header);
  const std::size_t length = load(8, 4);
  if (length > max_frame_bytes) {
    refuse(name_, "claims {} bytes for frame {}; at most {} are read", length, n_frames_,
           max_frame_bytes);
  }
  require(record_header + length);
  const std::int64_t time_ns = std::int64_t{load(0, 4)} * 1000000000 + load(4, 4) * tick_ns_;
  return frame_bytes{time_ns, record_header, length, link_};
}

/// Reads the rest of a section's header, whose first eight bytes are in the buffer.
void capture_reader::start_section() {
  require(12);
  is_big_endian_ = false;
  if (load(8, 4) != order_mark) {
    is_big_endian_ = true;
    if (load(8, 4) != order_mark) refuse(name_, "has a section of pcapng without a byte order");
  }
  const std::uint32_t length = load(4, 4);
  if (length < 28 || length % 4 != 0) {
    refuse(name_, "has a section header of {} bytes; they have 28 or more", length);
  }
  interfaces_.clear();
  skip(length);
}

std::optional<capture_reader::frame_bytes> capture_reader::next_of_pcapng() {
  constexpr std::uint32_t interface_block = 1, simple_block = 3, enhanced_block = 6;
  buffer_.clear();
  while (true) {
    if (!fill(1)) return {};
    require(block_header);
    const std::uint32_t type = load(0, 4), length = load(4, 4);
    if (type == section) {
      start_section();
      continue;
    }
    if (length < block_header + block_trailer || length % 4 != 0) {
      refuse(name_, "has a block of {} bytes behind frame {}; blocks have 12 or more, in fours",
             length, n_frames_);
    }
    const bool is_read = type == interface_block || type == simple_block || type == enhanced_block;
    if (!is_read) {
      skip(length);
      continue;
    }
    if (length > max_frame_bytes + 65536) {
      refuse(name_, "claims {} bytes for a block behind frame {}; at most {} are read", length,
             n_frames_, max_frame_bytes + 65536);
    }
    require(length);
    const std::size_t n_bytes = length - block_trailer;
    if (type == enhanced_block) return enhanced_packet(n_bytes);
    if (type == simple_block) return simple_packet(n_bytes);
    add_interface(n_bytes);
    skip(length);
  }
}

/// Requires the block's first `n_bytes` bytes, without its trailer, in the buffer; so does the
/// next.
std::optional<capture_reader::frame_bytes> capture_reader::enhanced_packet(std::size_t n_bytes) {
  constexpr std::size_t head = block_header + 20;
  const std::size_t number = n_bytes < head ? max_interfaces : load(8, 4);
  if (number >= interfaces_.size()) {
    refuse(name_, "has frame {} of an interface that it does not describe", n_frames_);
  }
  const interface& source = interfaces_[number];
  require_link(source.link);
  const std::size_t length = load(20, 4);
  if (length > n_bytes - head) {
    refuse(name_, "claims {} bytes for frame {}, beyond its block", length, n_frames_);
  }
  const std::uint64_t ticks = std::uint64_t{load(12, 4)} << 32 | load(16, 4);
  const std::uint64_t rate = source.ticks_per_second, seconds = ticks / rate;
  const double fraction_ns = static_cast<double>(ticks % rate) / static_cast<double>(rate) * 1e9;
  // Unsigned, because times in damaged files may wrap.
  const std::uint64_t time_ns =
      (seconds + static_cast<std::uint64_t>(source.offset_s)) * 1000000000u +
      static_cast<std::uint64_t>(fraction_ns);
  return frame_bytes{static_cast<std::int64_t>(time_ns), head, length, source.link};
}

std::optional<capture_reader::frame_bytes> capture_reader::simple_packet(std::size_t n_bytes) {
  constexpr std::size_t head = block_header + 4;
  if (interfaces_.empty() || n_bytes < head) {
    refuse(name_, "has frame {} of an interface that it does not describe", n_frames_);
  }
  require_link(interfaces_[0].link);
  const std::size_t length = std::min<std::size_t>(load(8, 4), n_bytes - head);
  return frame_bytes{last_ns_, head, length, interfaces_[0].link};
}

void capture_reader::add_interface(std::size_t n_bytes) {
  constexpr std::size_t head = block_header + 8, option_head = 4;
  if (n_bytes < head || interfaces_.size() == max_interfaces) {
    refuse(name_, "has a damaged description of an interface, or more than {} of them",
           max_interfaces);
  }
  interface found {
    .link = load(8, 2)
  };
  std::size_t position = head;
  while (position + option_head <= n_bytes) {
    const unsigned code = load(position, 2);
    const std::size_t length = load(position + 2, 2);
    position += option_head;
    if (code == 0 || length > n_bytes - position) break;
    add_option(found, code, position, length);
    position += (length + 3) / 4 * 4;
  }
  interfaces_.push_back(found);
}

void capture_reader::add_option(interface& description, unsigned code, std::size_t position,
                                std::size_t length) const {
  constexpr unsigned resolution = 9, offset = 14;
  if (code == resolution && length >= 1) {
    const auto exponent = std::to_integer<unsigned>(buffer_[position]);
    const unsigned base = exponent >= 128 ? 2 : 10, power = exponent % 128;
    if (power > (base == 2 ? 63u : 19u)) {
      refuse(name_, "has an interface whose clock ticks {}^{} times a second", base, power);
    }
    description.ticks_per_second = 1;
    for (unsigned i = 0; i < power; ++i) description.ticks_per_second *= base;
  } else if (code == offset && length == 8) {
    const std::size_t high = is_big_endian_ ? position : position + 4,
                      low = is_big_endian_ ? position + 4 : position;
    description.offset_s =
        static_cast<std::int64_t>(std::uint64_t{load(high, 4)} << 32 | load(low, 4));
  }
}

capture_reader open_capture(const std::filesystem::path& file) {
  const auto opened = open_file(file);
  if (!opened) refuse(file.string(), "cannot be opened; give a pcap or pcapng file");
  return {[opened](std::span<std::byte> bytes) {
            return std::fread(bytes.data(), 1, bytes.size(), opened.get());
          },
          file.string()};
}

}  // namespace wingbeat::net
