// SPDX-License-Identifier: Apache-2.0
#include "formats/voltages/guppi.hpp"

#include <algorithm>  // all_of, min
#include <array>
#include <charconv>  // from_chars
#include <map>
#include <optional>
#include <string>
#include <utility>  // move, pair
#include <vector>

#include "formats/files/byte_order.hpp"  // load
#include "formats/files/refusal.hpp"     // printable, refuse

namespace wingbeat::formats {
namespace {

using bytes = std::span<const std::byte>;

constexpr std::size_t card_bytes = 80, key_bytes = 8, max_cards = 4096, direct_bytes = 512;
constexpr std::size_t max_block_bytes = std::size_t{1} << 40;
constexpr double max_real = 1e15;

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

/// Returns a number without the plus sign that it may have, which std::from_chars does not take.
std::string_view without_plus(std::string_view number) {
  if (number.size() > 1 && number[0] == '+' && number[1] != '-') number.remove_prefix(1);
  return number;
}

/// Takes the cards of a header from `offset` on, which then lies behind it.
cards take_cards(const byte_source& source, std::size_t& offset) {
  constexpr std::size_t cards_at_once = 64;
  const std::string& name = source.name();
  std::array<std::byte, cards_at_once * card_bytes> window;
  std::size_t n_held = 0;
  cards found;
  for (std::size_t i = 0; i < max_cards; ++i) {
    const std::size_t place = i % cards_at_once * card_bytes;
    if (place == 0) n_held = source.read_some(offset, window);
    if (place + card_bytes > n_held) {
      refuse(name, "ends inside a header, {} cards behind its start; copy or record it again", i);
    }
    const std::string_view card{reinterpret_cast<const char*>(&window[place]), card_bytes};
    offset += card_bytes;
    if (trimmed(card) == "END") return found;
    if (card[key_bytes] != '=') {
      refuse(name,
             "has the card '{}' in a header, without '=' behind 8 letters; it is no GUPPI raw",
             printable(card));
    }
    found.insert_or_assign(std::string(trimmed(card.substr(0, key_bytes))),
                           std::string(value_of(card.substr(key_bytes + 1))));
  }
  refuse(name, "has a header of more than {} cards; it is no GUPPI raw", max_cards);
}

/// Returns a number of a header; none where it has no such card. `kind` is what it should be.
template <class Number>
std::optional<Number> number_of(const cards& header, std::string_view key, Number least,
                                Number most, std::string_view kind, std::string_view name) {
  const auto found = header.find(key);
  if (found == header.end()) return std::nullopt;
  const std::string_view text = without_plus(found->second);
  Number number = 0;
  const auto end = std::from_chars(text.data(), text.data() + text.size(), number);
  if (end.ec != std::errc{} || end.ptr != text.data() + text.size() || !(number >= least) ||
      !(number <= most)) {
    refuse(name, "has {} '{}' in a header, which is no {} from {} to {}; record it again", key,
           printable(found->second), kind, least, most);
  }
  return number;
}

std::optional<std::size_t> count_of(const cards& header, std::string_view key, std::size_t least,
                                    std::size_t most, std::string_view name) {
  return number_of(header, key, least, most, "whole number", name);
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
  shape.block_bytes = required_count(header, "BLOCSIZE", 1, max_block_bytes, name);
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
  std::size_t data_at;  ///< Offset in the file.
};

/// Returns the next multiple of 512 bytes, which is at most the end of the file.
std::size_t behind_padding(std::size_t offset, std::size_t size_bytes) {
  return std::min((offset + direct_bytes - 1) / direct_bytes * direct_bytes, size_bytes);
}

struct block_list {
  std::vector<block> blocks;
  block_shape shape;
  double sample_rate_hz = 0;
  std::optional<channel_frequencies> frequencies = {};
  std::optional<std::size_t> packets_of_block = {};  ///< What PKTIDX grows by, as PIPERBLK says.
};

double rate_of(const cards& header, std::string_view name) {
  const auto seconds = number_of(header, "TBIN", 1 / max_real, max_real, "number", name);
  return seconds ? 1 / *seconds : 0;
}

std::optional<channel_frequencies> frequencies_of(const cards& header, std::size_t n_channels,
                                                  std::string_view name) {
  const auto centre_mhz = number_of(header, "OBSFREQ", -max_real, max_real, "number", name);
  const auto width_mhz = number_of(header, "OBSBW", -max_real, max_real, "number", name);
  if (!centre_mhz || !width_mhz) return std::nullopt;
  const double step_hz = *width_mhz * 1e6 / static_cast<double>(n_channels);
  return channel_frequencies{*centre_mhz * 1e6 - *width_mhz * 1e6 / 2 + step_hz / 2, step_hz};
}

block_list take_blocks(const byte_source& source) {
  const std::size_t size_bytes = source.size();
  const std::string& name = source.name();
  block_list list;
  for (std::size_t offset = 0; offset < size_bytes;) {
    const cards header = take_cards(source, offset);
    const block_shape shape = shape_of(header, name);
    if (list.blocks.empty()) {
      list.shape = shape;
      list.sample_rate_hz = rate_of(header, name);
      list.frequencies = frequencies_of(header, shape.n_channels, name);
      list.packets_of_block = count_of(header, "PIPERBLK", 1, std::size_t{1} << 40, name);
    }
    if (shape != list.shape) {
      refuse(name, "has block {} of another size or shape than the first; split the file",
             list.blocks.size());
    }
    const bool is_direct = count_of(header, "DIRECTIO", 0, 1, name).value_or(0) == 1;
    if (is_direct) offset = behind_padding(offset, size_bytes);
    if (shape.block_bytes > size_bytes - offset) {
      refuse(name, "is truncated: block {} claims {} bytes but {} follow; copy or record it again",
             list.blocks.size(), shape.block_bytes, size_bytes - offset);
    }
    list.blocks.push_back({count_of(header, "PKTIDX", 0, std::size_t{1} << 62, name), offset});
    offset += shape.block_bytes;
    // Some writers pad the data too: the next header then begins behind zeros.
    std::byte next[1];
    if (is_direct && source.read_some(offset, next) == 1 && next[0] == std::byte{0}) {
      offset = behind_padding(offset, size_bytes);
    }
  }
  return list;
}

/// Returns the place of each block, in blocks from the first one on: as PKTIDX says, whose step of
/// one block PIPERBLK says if all are multiples of it, else the smallest there is; without PKTIDX,
/// one after the other.
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
  if (const auto stated = list.packets_of_block) {
    const auto is_multiple = [&](const block& each) {
      return (*each.packet_index - *list.blocks[0].packet_index) % *stated == 0;
    };
    if (std::all_of(list.blocks.begin(), list.blocks.end(), is_multiple)) step = *stated;
  }
  for (std::size_t i = 1; i < places.size(); ++i) {
    const std::size_t distance = *list.blocks[i].packet_index - *list.blocks[0].packet_index;
    places[i] = distance / step;
    if (distance % step != 0) {
      refuse(name, "has block {} at no multiple of {} in PKTIDX; record it again", i, step);
    }
    if (places[i] > max_lost_share * list.blocks.size()) {
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

constexpr std::size_t no_block = ~std::size_t{0};

/// Returns what the headers state, and offsets of the blocks' data: [packet], or `no_block`.
std::pair<voltages, std::vector<std::size_t>> stated_contents(const block_list& list,
                                                              std::string_view name) {
  const std::vector<std::size_t> places = places_of(list, name);
  const block_shape& shape = list.shape;
  const std::size_t packet = shape.n_samples - shape.overlap;
  voltages contents{.n_polarisations = shape.n_polarisations,
                    .n_channels = shape.n_channels,
                    .n_samples = places.back() * packet + shape.n_samples,
                    .is_complex = true,
                    .sample_bits = static_cast<unsigned>(shape.sample_bits),
                    .packet_samples = packet,
                    .first_packet = list.blocks[0].packet_index,
                    .sample_rate_hz = list.sample_rate_hz,
                    .frequencies = list.frequencies};
  std::vector<std::size_t> data(places.back() + 1, no_block);
  for (std::size_t i = 0; i < places.size(); ++i) data[places[i]] = list.blocks[i].data_at;
  // The last block's repeated samples lie in packets of their own.
  std::vector<bool> present((contents.n_samples + packet - 1) / packet, true);
  for (std::size_t i = 0; i < data.size(); ++i) present[i] = data[i] != no_block;
  contents.present.assign(shape.n_polarisations, present);
  return {std::move(contents), std::move(data)};
}

class guppi_file final : public voltage_file {
 public:
  guppi_file(const byte_source& source, std::pair<voltages, std::vector<std::size_t>> stated,
             std::size_t block_samples)
      : voltage_file(std::move(stated.first)),
        from_(source),
        block_samples_(block_samples),
        data_(std::move(stated.second)) {}

  void read(std::size_t channel, std::size_t first, std::size_t count,
            std::span<const std::span<std::int16_t>> rows) const override {
    const std::size_t bits = contents().sample_bits, n_pols = contents().n_polarisations;
    const std::size_t time_bits = n_pols * 2 * bits;  // at 4 bits a time is whole bytes too
    std::vector<std::byte> data;
    for (std::size_t done = 0; done < count;) {
      const std::size_t packet =
          std::min((first + done) / contents().packet_samples, data_.size() - 1);
      const std::size_t in_block = first + done - packet * contents().packet_samples;
      const bool is_last = packet + 1 == data_.size();
      const std::size_t end = is_last ? block_samples_ : contents().packet_samples;
      const std::size_t n = std::min(count - done, end - in_block);
      const bool is_missing = data_[packet] == no_block;
      data.resize(n * time_bits / 8);
      const std::size_t offset =
          data_[packet] + (channel * block_samples_ + in_block) * time_bits / 8;
      if (!is_missing && from_.read_some(offset, data) < data.size()) {
        refuse(from_.name(), "ends within a block; another program shortened it");
      }
      for (std::size_t p = 0; p < n_pols; ++p) {
        for (std::size_t i = 0; i < 2 * n; ++i) {
          const std::size_t part = (i / 2 * n_pols + p) * 2 + i % 2;
          rows[p][2 * done + i] = is_missing ? std::int16_t{0} : part_at(data, part, bits);
        }
      }
      done += n;
    }
  }

 private:
  const byte_source& from_;
  std::size_t block_samples_;  ///< With those that the next block repeats.
  std::vector<std::size_t> data_;
};

}  // namespace

bool is_guppi(std::span<const std::byte> head) {
  if (head.size() < card_bytes || head[key_bytes] != std::byte{'='}) return false;
  return std::all_of(head.begin(), head.begin() + card_bytes, [](std::byte each) {
    return each >= std::byte{' '} && each <= std::byte{'~'};
  });
}

std::unique_ptr<voltage_file> open_guppi(const byte_source& source) {
  if (source.size() == 0) refuse(source.name(), "is empty; copy or record it again");
  const block_list list = take_blocks(source);
  return std::make_unique<guppi_file>(source, stated_contents(list, source.name()),
                                      list.shape.n_samples);
}

}  // namespace wingbeat::formats
