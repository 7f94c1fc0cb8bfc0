// SPDX-License-Identifier: Apache-2.0
#include "formats/guppi.hpp"

#include <algorithm>  // min
#include <charconv>   // from_chars
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "formats/byte_order.hpp"  // load
#include "formats/refusal.hpp"     // printable, refuse

namespace wingbeat::formats {
namespace {

using bytes = std::span<const std::byte>;

constexpr std::size_t card_bytes = 80, key_bytes = 8, most_cards = 4096, direct_bytes = 512;
constexpr std::size_t most_block_bytes = std::size_t{1} << 40;
constexpr double most_real = 1e15;

using cards = std::map<std::string, std::string, std::less<>>;

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return text;
}

/// Returns the value of a card: what is between quotes, or what stands before a comment.
std::string_view value_of(std::string_view text) {
  text = trimmed(text);
  if (text.starts_with('\'')) {
    text.remove_prefix(1);
    return trimmed(text.substr(0, text.find('\'')));
  }
  return trimmed(text.substr(0, text.find('/')));
}

/// Takes the cards of a header off `rest`.
cards take_cards(bytes& rest, std::string_view name) {
  cards found;
  for (std::size_t i = 0; i < most_cards; ++i) {
    if (rest.size() < card_bytes) {
      refuse(name, "ends inside a header, {} cards behind its start; copy or record it again", i);
    }
    const std::string_view card{reinterpret_cast<const char*>(rest.data()), card_bytes};
    rest = rest.subspan(card_bytes);
    if (trimmed(card) == "END") return found;
    if (card[key_bytes] != '=') {
      refuse(name,
             "has the card '{}' in a header, without '=' behind 8 letters; it is no GUPPI raw",
             printable(card));
    }
    found.insert_or_assign(std::string(trimmed(card.substr(0, key_bytes))),
                           std::string(value_of(card.substr(key_bytes + 1))));
  }
  refuse(name, "has a header of more than {} cards; it is no GUPPI raw", most_cards);
}

/// Returns a whole number of a header; none where it has no such card.
std::optional<std::size_t> count_of(const cards& header, std::string_view key, std::size_t least,
                                    std::size_t most, std::string_view name) {
  const auto found = header.find(key);
  if (found == header.end()) return std::nullopt;
  const std::string& text = found->second;
  std::size_t count = 0;
  const auto end = std::from_chars(text.data(), text.data() + text.size(), count);
  if (end.ec != std::errc{} || end.ptr != text.data() + text.size() || count < least ||
      count > most) {
    refuse(name, "has {} '{}' in a header, which is no whole number from {} to {}; record it again",
           key, printable(text), least, most);
  }
  return count;
}

std::size_t required_count(const cards& header, std::string_view key, std::size_t least,
                           std::size_t most, std::string_view name) {
  const auto count = count_of(header, key, least, most, name);
  if (!count) refuse(name, "has no {} in a header; it is no GUPPI raw", key);
  return *count;
}

/// What all blocks have in common.
struct block_shape {
  std::size_t block_bytes = 0, n_channels = 1, n_polarisations = 1, sample_bits = 8;
  std::size_t n_samples = 0, overlap = 0;
  bool operator==(const block_shape&) const = default;
};

block_shape shape_of(const cards& header, std::string_view name) {
  const auto format = header.find("PKTFMT");
  if (format != header.end() && format->second == "SIMPLE") {
    refuse(name, "has packets of format SIMPLE, whose channels alternate; convert it");
  }
  block_shape shape;
  shape.block_bytes = required_count(header, "BLOCSIZE", 1, most_block_bytes, name);
  shape.n_channels = required_count(header, "OBSNCHAN", 1, 1u << 20, name);
  shape.sample_bits = required_count(header, "NBITS", 1, 32, name);
  const std::size_t n_polarisations = required_count(header, "NPOL", 1, 4, name);
  // Four stood for the parts of two polarisations, before it was two.
  shape.n_polarisations = n_polarisations == 1 ? 1 : 2;
  if (n_polarisations == 3) refuse(name, "has NPOL 3; 1, 2 and 4 are read");
  if (shape.sample_bits != 4 && shape.sample_bits != 8 && shape.sample_bits != 16) {
    refuse(name, "has samples of {} bits; 4, 8 and 16 are read, so convert it", shape.sample_bits);
  }
  const std::size_t time_bits = shape.n_channels * shape.n_polarisations * 2 * shape.sample_bits;
  if (shape.block_bytes * 8 % time_bits != 0) {
    refuse(name, "has blocks of {} bytes, no multiple of the {} bits of a time; record it again",
           shape.block_bytes, time_bits);
  }
  shape.n_samples = shape.block_bytes * 8 / time_bits;
  shape.overlap = count_of(header, "OVERLAP", 0, shape.n_samples - 1, name).value_or(0);
  return shape;
}

struct block {
  std::optional<std::size_t> packet_index;
  bytes data;
};

/// Skips to the next multiple of 512 bytes of the file.
void skip_padding(bytes& rest, std::size_t content_bytes) {
  const std::size_t used = (content_bytes - rest.size()) % direct_bytes;
  if (used != 0) rest = rest.subspan(std::min(direct_bytes - used, rest.size()));
}

struct block_list {
  std::vector<block> blocks;
  block_shape shape;
  double sample_rate_hz = 0;
  std::optional<channel_frequencies> frequencies = {};
};

/// Returns a real number of a header, from `least` to 1e15; none where it has no such card.
std::optional<double> real_of(const cards& header, std::string_view key, double least,
                              std::string_view unit, std::string_view name) {
  const auto found = header.find(key);
  if (found == header.end()) return std::nullopt;
  double value = 0;
  const std::string& text = found->second;
  const auto end = std::from_chars(text.data(), text.data() + text.size(), value);
  if (end.ec != std::errc{} || end.ptr != text.data() + text.size() || !(value >= least) ||
      !(value <= most_real)) {
    refuse(name, "has {} '{}', which is no number from {} to {} {}; record it again", key,
           printable(text), least, most_real, unit);
  }
  return value;
}

double rate_of(const cards& header, std::string_view name) {
  const auto seconds = real_of(header, "TBIN", 1 / most_real, "s", name);
  return seconds ? 1 / *seconds : 0;
}

std::optional<channel_frequencies> frequencies_of(const cards& header, std::size_t n_channels,
                                                  std::string_view name) {
  const auto centre_mhz = real_of(header, "OBSFREQ", -most_real, "MHz", name);
  const auto width_mhz = real_of(header, "OBSBW", -most_real, "MHz", name);
  if (!centre_mhz || !width_mhz) return std::nullopt;
  const double step_hz = *width_mhz * 1e6 / static_cast<double>(n_channels);
  return channel_frequencies{*centre_mhz * 1e6 - *width_mhz * 1e6 / 2 + step_hz / 2, step_hz};
}

block_list take_blocks(bytes content, std::string_view name) {
  block_list list;
  bytes rest = content;
  while (!rest.empty()) {
    const cards header = take_cards(rest, name);
    const block_shape shape = shape_of(header, name);
    if (list.blocks.empty()) {
      list.shape = shape;
      list.sample_rate_hz = rate_of(header, name);
      list.frequencies = frequencies_of(header, shape.n_channels, name);
    }
    if (shape != list.shape) {
      refuse(name, "has block {} of another size or shape than the first; split the file",
             list.blocks.size());
    }
    const bool is_direct = count_of(header, "DIRECTIO", 0, 1, name).value_or(0) == 1;
    if (is_direct) skip_padding(rest, content.size());
    if (shape.block_bytes > rest.size()) {
      refuse(name, "is truncated: block {} claims {} bytes but {} follow; copy or record it again",
             list.blocks.size(), shape.block_bytes, rest.size());
    }
    list.blocks.push_back(
        {count_of(header, "PKTIDX", 0, std::size_t{1} << 62, name), rest.first(shape.block_bytes)});
    rest = rest.subspan(shape.block_bytes);
    // Some writers pad the data too: the next header then begins behind zeros.
    if (is_direct && !rest.empty() && rest.front() == std::byte{0}) {
      skip_padding(rest, content.size());
    }
  }
  return list;
}

/// Returns the place of each block, in blocks from the first one on: as PKTIDX says, whose smallest
/// step is one block; without PKTIDX, one after the other.
std::vector<std::size_t> places_of(const block_list& list, std::string_view name) {
  std::vector<std::size_t> places(list.blocks.size());
  std::size_t step = 0;
  for (std::size_t i = 1; i < places.size(); ++i) {
    places[i] = i;
    const auto before = list.blocks[i - 1].packet_index, now = list.blocks[i].packet_index;
    if (before.has_value() != now.has_value() || (now && *now <= *before)) {
      refuse(name, "has block {} whose PKTIDX does not follow the one before; sort the blocks", i);
    }
    if (now && (step == 0 || *now - *before < step)) step = *now - *before;
  }
  if (step == 0) return places;
  for (std::size_t i = 1; i < places.size(); ++i) {
    const std::size_t distance = *list.blocks[i].packet_index - *list.blocks[0].packet_index;
    places[i] = distance / step;
    if (distance % step != 0) {
      refuse(name, "has block {} at no multiple of {} in PKTIDX; record it again", i, step);
    }
    if (places[i] > most_lost_share * list.blocks.size()) {
      refuse(name, "has {} blocks, but block {} would be number {}; split the file at the gap",
             list.blocks.size(), i, places[i]);
    }
  }
  return places;
}

/// Returns number `index` of a block: parts of samples, in the file's order.
std::int16_t part_at(bytes data, std::size_t index, std::size_t sample_bits) {
  if (sample_bits == 16) return load<std::int16_t>(&data[2 * index]);
  if (sample_bits == 8) return load<std::int8_t>(&data[index]);
  const auto both = std::to_integer<unsigned>(data[index / 2]);
  const unsigned half = index % 2 == 0 ? both >> 4 : both & 0xF;
  return static_cast<std::int16_t>(half >= 8 ? static_cast<int>(half) - 16
                                             : static_cast<int>(half));
}

/// Copies the first `n_samples` of a block to where they belong, of the file's channels from
/// `first_channel` on.
void place_block(voltages& to, const block_shape& shape, std::size_t first_channel, bytes data,
                 std::size_t first, std::size_t n_samples) {
  const std::size_t n_pols = shape.n_polarisations;
  for (std::size_t c = 0; c < to.n_channels; ++c) {
    const std::size_t row = (first_channel + c) * shape.n_samples;
    for (std::size_t i = 0; i < n_samples; ++i) {
      for (std::size_t p = 0; p < n_pols; ++p) {
        for (std::size_t part = 0; part < 2; ++part) {
          const std::size_t from = ((row + i) * n_pols + p) * 2 + part;
          const std::size_t at = ((p * to.n_channels + c) * to.n_samples + first + i) * 2 + part;
          to.samples[at] = part_at(data, from, shape.sample_bits);
        }
      }
    }
  }
}

}  // namespace

voltages read_guppi(std::span<const std::byte> content, std::string_view name,
                    const guppi_options& options) {
  if (content.empty()) refuse(name, "is empty; copy or record it again");
  const block_list list = take_blocks(content, name);
  const std::vector<std::size_t> places = places_of(list, name);
  const block_shape& shape = list.shape;
  const std::size_t first_channel = options.channel.value_or(0);
  if (first_channel >= shape.n_channels) {
    refuse(name, "has {} channels, not one of number {}; choose 0 to {}", shape.n_channels,
           first_channel, shape.n_channels - 1);
  }
  voltages result{.n_polarisations = shape.n_polarisations,
                  .n_channels = options.channel ? 1 : shape.n_channels,
                  .is_complex = true,
                  .sample_bits = static_cast<unsigned>(shape.sample_bits),
                  .packet_samples = shape.n_samples - shape.overlap,
                  .sample_rate_hz = list.sample_rate_hz,
                  .frequencies = list.frequencies};
  if (result.frequencies) {
    result.frequencies->first_hz +=
        static_cast<double>(first_channel) * result.frequencies->step_hz;
  }
  const std::size_t last = places.back();
  result.n_samples = last * result.packet_samples + shape.n_samples;
  result.samples.resize(result.n_samples * result.n_channels * shape.n_polarisations * 2);
  const std::size_t n_packets =
      (result.n_samples + result.packet_samples - 1) / result.packet_samples;
  std::vector<bool> present(n_packets, false);
  for (std::size_t i = 0; i < places.size(); ++i) {
    const bool is_last = places[i] == last;
    place_block(result, shape, first_channel, list.blocks[i].data,
                places[i] * result.packet_samples,
                is_last ? shape.n_samples : result.packet_samples);
    present[places[i]] = true;
  }
  // The last block's repeated samples lie in packets of their own.
  for (std::size_t i = last; i < n_packets; ++i) present[i] = true;
  result.present.assign(shape.n_polarisations, present);
  return result;
}

}  // namespace wingbeat::formats
