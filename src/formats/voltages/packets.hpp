// SPDX-License-Identifier: Apache-2.0
// The packets of a recording, its blocks or frames: damaged ones are left out, while the rest of it
// is read.
#pragma once

#include <cstddef>  // size_t
#include <map>
#include <string>
#include <string_view>
#include <utility>  // forward
#include <vector>

#include "formats/files/byte_source.hpp"  // byte_source
#include "formats/files/refusal.hpp"      // refuse
#include "text/counted.hpp"               // counted
#include "text/formatted.hpp"             // formatted

namespace wingbeat::formats {

/// Packets that are left out, and why the first of them is.
class flaws {
 public:
  template <class... Arguments>
  void add(fmt::format_string<Arguments...> why, Arguments&&... arguments) {
    if (count_++ == 0) first_ = formatted(why, std::forward<Arguments>(arguments)...);
  }

  [[nodiscard]] std::size_t count() const { return count_; }

  /// Throws `file_error` where more are left out than `n_read`, because the file is then not what
  /// it seems to be.
  void require_fewer(std::size_t n_read, std::string_view name) const {
    if (count_ > n_read) refuse(name, "{}", first_);
  }

  /// Returns a sentence without the file's name; `noun` is "block".
  [[nodiscard]] std::string sentence(std::string_view noun) const {
    return formatted("{} of the file {} left out; the first: {}", counted(count_, noun),
                     count_ == 1 ? "is" : "are", first_);
  }

 private:
  std::size_t count_ = 0;
  std::string first_;
};

/// The packets that are read, in the file's order. A packet has a `name()`, as "block 3".
template <class Packet>
struct packet_list {
  std::vector<Packet> packets = {};
  flaws left_out = {};

  /// Leaves out packets for which `is_flawed`; `why` stands behind a packet's name.
  template <class Predicate>
  void leave_out(std::string_view why, Predicate is_flawed) {
    std::erase_if(packets, [&](const Packet& packet) {
      if (!is_flawed(packet)) return false;
      left_out.add("{} {}", packet.name(), why);
      return true;
    });
  }
};

/// Takes the packets of a file, from each to the next, and returns what is left out: damaged ones,
/// and stray bytes between packets. Throws `file_error` where most are damaged. `noun` is "block".
/// take: takes the packet that begins at an offset, number so many, and returns where it ends, or
/// throws `file_error`.
/// next: returns where the next one begins behind a damaged one at an offset, where those that are
/// whole have so many bytes, 0 where none is; the file's end where none follows.
/// is_packet: returns whether a packet begins at an offset, however damaged it is.
template <class Take, class Next, class IsPacket>
flaws take_packets(const byte_source& source, std::string_view noun, Take take, Next next,
                   IsPacket is_packet) {
  const std::string& name = source.name();
  if (source.size() == 0) refuse(name, "is empty; copy or record it again");
  flaws left_out;
  std::size_t n_taken = 0, number = 0, packet_bytes = 0;
  for (std::size_t begin = 0, end = 0; begin < source.size(); begin = end) {
    try {
      end = take(begin, number);
      packet_bytes = end - begin;
      ++n_taken;
      ++number;
    } catch (const file_error& damage) {
      end = next(begin, packet_bytes);
      const bool is_last = end >= source.size();
      const bool is_stray = !is_last && end - begin != packet_bytes && !is_packet(begin);
      if (n_taken == 0 && (is_last || is_stray)) throw;
      if (is_stray) {
        left_out.add("{} before {} {} belong to none", counted(end - begin, "byte"), noun, number);
      } else {
        left_out.add("{}", std::string_view{damage.what()}.substr(name.size() + 2));
        ++number;
      }
      left_out.require_fewer(n_taken + 1, name);  // the first packet may be the damaged one
    }
  }
  left_out.require_fewer(n_taken, name);
  return left_out;
}

/// Returns the most frequent value, of equally frequent ones the first. There are some.
template <class Value>
Value most_frequent(const std::vector<Value>& values) {
  std::map<Value, std::size_t> counts;
  for (const Value& value : values) ++counts[value];
  const Value* most = values.data();
  for (const Value& value : values) {
    if (counts[value] > counts[*most]) most = &value;
  }
  return *most;
}

}  // namespace wingbeat::formats
