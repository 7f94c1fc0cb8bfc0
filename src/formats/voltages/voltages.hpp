// SPDX-License-Identifier: Apache-2.0
// What a recording of voltages holds, whatever its format.
#pragma once

#include <algorithm>  // clamp
#include <cmath>      // floor
#include <cstddef>    // size_t
#include <cstdint>    // int16_t, uint64_t
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "formats/files/forward_reader.hpp"  // forward_reader, byte_source

namespace wingbeat::formats {

/// Where channels lie in the sky.
struct channel_frequencies {
  /// Of 0 Hz in the first channel: its middle, or of real samples an edge.
  double first_hz = 0;
  /// From a channel to the next; where it is below 0, frequencies within a channel fall, too.
  double step_hz = 0;

  [[nodiscard]] double at(double channel) const { return first_hz + channel * step_hz; }
  bool operator==(const channel_frequencies&) const = default;
};

/// Returns those of equal channels that fill a band, which falls where its width is below 0.
[[nodiscard]] inline channel_frequencies channels_of_band(double centre_hz, double width_hz,
                                                          std::size_t n_channels, bool is_complex) {
  const double step_hz = width_hz / static_cast<double>(n_channels);
  return {centre_hz - width_hz / 2 + (is_complex ? step_hz / 2 : 0), step_hz};
}

/// A time in UTC: a day, and seconds from its beginning on.
struct day_time {
  std::int64_t day_mjd = 0;
  double second = 0;

  bool operator==(const day_time&) const = default;
  [[nodiscard]] double mjd() const { return static_cast<double>(day_mjd) + second / 86400; }

  /// Returns the time so many seconds later; headers may state absurd ones.
  [[nodiscard]] day_time after(double seconds) const {
    constexpr double most_days = 1e9;
    const double total = second + seconds;
    const double days = std::clamp(std::floor(total / 86400), -most_days, most_days);
    const double rest = total - 86400 * days;
    return {day_mjd + static_cast<std::int64_t>(days), rest >= 0 && rest < 86400 ? rest : 0};
  }
};

/// Equally many samples of every channel of every polarisation.
struct voltages {
  std::size_t n_polarisations = 1;
  std::size_t n_channels = 1;
  std::size_t n_antennas = 1;  ///< Channels are those of one antenna, then of the next.
  std::size_t n_samples = 0;   ///< Of each channel, missing ones among them.
  bool is_complex = false;
  unsigned sample_bits = 8;  ///< Of each part of a sample.
  /// As integers, of 32 bits the upper 16; missing samples are 0.
  std::vector<std::int16_t> samples = {};  // [polarisation][channel][sample][re, im if complex]
  std::size_t packet_samples = 0;          ///< Samples that were recorded, or lost, together.
  std::vector<std::vector<bool>> present = {};  // [polarisation][packet]
  /// When the first packet came, as the file counts; unset: it does not say.
  std::optional<std::uint64_t> first_packet = {};
  double sample_rate_hz = 0;                            ///< Of a channel. 0: the file does not say.
  std::optional<channel_frequencies> frequencies = {};  ///< Unset: the file does not say.
  std::optional<day_time> start = {};                   ///< Of the first sample; unset as above.
  std::string target = {};                              ///< Of the telescope; empty as above.
  /// What is left out, contradicts itself or is assumed: sentences without the file's name.
  std::vector<std::string> remarks = {};
};

/// What a user states beside a file.
struct voltage_options {
  /// Samples of a channel in a second, where the file may leave it open.
  std::optional<double> sample_rate_hz = {};
  /// The channel that is read, where parts of a file are valid for some channels alone. Unset: all.
  std::optional<std::size_t> channel = {};
  /// The threads that are polarisations, in this order. Empty: all that there are.
  std::vector<std::size_t> threads = {};
  /// Of Mark 5B, which states neither: its channels, and the bits of a sample.
  std::optional<std::size_t> n_channels = {};
  std::optional<unsigned> sample_bits = {};
  /// A day near the recording's, where the file states the last three digits alone.
  std::optional<double> near_mjd = {};
};

/// How the bits of a sample become a number.
enum class sample_coding {
  /// The first sample is in a byte's lowest bits, and codes count from the lowest value up; those
  /// of 1 bit are -1 and 1, those of 2 bits -3, -1, 1 and 3.
  offset_binary,
  /// As above, but of 2 bits the lower one is the sign, and 1 bit is 1 and -1.
  sign_magnitude,
  /// The first sample is in a byte's highest bits.
  twos_complement
};

/// How the samples of a packet lie behind its header, and how their bits are read. Numbers of bits
/// lead from a channel to the next, and so on.
struct packet_layout {
  std::string_view noun = {};  ///< Of a packet in sentences, "block".
  std::size_t channel_bits = 0, time_bits = 0, polarisation_bits = 0;
  sample_coding coding = sample_coding::offset_binary;
  std::size_t window_bytes = 0;  ///< Bytes that are read at once, or more where they are asked for.
};

inline constexpr std::size_t no_packet = ~std::size_t{0};

/// Offsets of the packets' samples in a file, or `no_packet`: [polarisation][packet]
using packet_offsets = std::vector<std::vector<std::size_t>>;

/// A recording whose samples are read when they are asked for, whatever its format.
class voltage_file {
 public:
  /// The source must outlive the file. `present` of the contents follows from the offsets; the last
  /// packet of these may hold samples of packets behind it, too.
  voltage_file(const byte_source& source, voltages contents, packet_layout layout,
               packet_offsets offsets);

  /// Returns what the file states, without samples.
  [[nodiscard]] const voltages& contents() const { return contents_; }

  /// Reads `count` samples of a channel from sample `first` on, missing ones as 0. Throws
  /// `file_error` where the file is shorter than before.
  /// rows: [polarisation][sample][re, im if complex]
  void read(std::size_t channel, std::size_t first, std::size_t count,
            std::span<const std::span<std::int16_t>> rows) const;

 private:
  void read_packet(std::size_t offset, std::size_t channel, std::size_t polarisation,
                   std::size_t first, std::span<std::int16_t> row) const;

  voltages contents_;
  packet_layout layout_;
  packet_offsets offsets_;
  std::string name_;
  mutable forward_reader reader_;
};

/// The most packets that are taken for lost beside those that are present, for each of these. More
/// are taken for damaged headers.
inline constexpr std::size_t max_lost_share = 4;

}  // namespace wingbeat::formats
