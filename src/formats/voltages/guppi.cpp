// SPDX-License-Identifier: Apache-2.0
#include "formats/voltages/guppi.hpp"

#include <algorithm>  // all_of, max, max_element, min, search
#include <array>
#include <charconv>  // from_chars
#include <cmath>     // abs
#include <map>
#include <optional>
#include <string>
#include <utility>  // exchange, move, pair
#include <vector>

#include "formats/files/byte_order.hpp"  // load
#include "formats/files/refusal.hpp"     // printable, refuse
#include "formats/voltages/flaws.hpp"    // flaws

namespace wingbeat::formats {
namespace {

using bytes = std::span<const std::byte>;

constexpr std::size_t card_bytes = 80, key_bytes = 8, max_cards = 4096, direct_bytes = 512;
constexpr std::size_t max_block_bytes = std::size_t{1} << 40;
constexpr double max_real = 1e15;

/// A key may stand in several cards.
using cards = std::multimap<std::string, std::string, std::less<>>;

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

/// Returns whether a card holds text for people.
bool is_commentary(std::string_view card) {
  const std::string_view key = trimmed(card.substr(0, key_bytes));
  return card[key_bytes] != '=' &&
         (key.empty() || key == "COMMENT" || key == "HISTORY" || key == "CONTINUE");
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
    if (is_commentary(card)) continue;
    if (card[key_bytes] != '=') {
      refuse(name,
             "has the card '{}' in a header, without '=' behind 8 letters; it is no GUPPI raw",
             printable(card));
    }
    found.emplace(trimmed(card.substr(0, key_bytes)), value_of(card.substr(key_bytes + 1)));
  }
  refuse(name, "has a header of more than {} cards; it is no GUPPI raw", max_cards);
}

/// Returns the value of a key, none where it has no card. Throws `file_error` where cards differ.
std::optional<std::string_view> text_of(const cards& header, std::string_view key,
                                        std::string_view name) {
  const auto [first, end] = header.equal_range(key);
  if (first == end) return std::nullopt;
  for (auto other = first; other != end; ++other) {
    if (other->second == first->second) continue;
    refuse(name, "has {} twice in a header, as '{}' and '{}'; remove one", key,
           printable(first->second), printable(other->second));
  }
  return first->second;
}

/// Returns a number of a header; none where it has no such card. `kind` is what it should be.
template <class Number>
std::optional<Number> number_of(const cards& header, std::string_view key, Number least,
                                Number most, std::string_view kind, std::string_view name) {
  const auto found = text_of(header, key, name);
  if (!found) return std::nullopt;
  const std::string_view text = without_plus(*found);
  Number number = 0;
  const auto end = std::from_chars(text.data(), text.data() + text.size(), number);
  if (end.ec != std::errc{} || end.ptr != text.data() + text.size() || !(number >= least) ||
      !(number <= most)) {
    refuse(name, "has {} '{}' in a header, which is no {} from {} to {}; record it again", key,
           printable(*found), kind, least, most);
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
  std::size_t block_bytes = 0, n_channels = 1, n_antennas = 1, n_polarisations = 1, sample_bits = 8;
  std::size_t n_samples = 0, overlap = 0;
  bool operator==(const block_shape&) const = default;

  /// All channels at one time.
  [[nodiscard]] std::size_t time_bits() const {
    return n_channels * n_polarisations * 2 * sample_bits;
  }
};

/// Throws `file_error` for samples that are no integers, or in another order than this reader's.
void require_integers(const cards& header, std::string_view name) {
  if (text_of(header, "PKTFMT", name) == "SIMPLE") {
    refuse(name, "has packets of format SIMPLE, whose channels alternate; convert it");
  }
  const std::string_view kind = text_of(header, "DATATYPE", name).value_or("INTEGER");
  if (kind != "INTEGER") {
    refuse(name, "has samples of DATATYPE '{}'; those of INTEGER are read, so convert it",
           printable(kind));
  }
}

block_shape shape_of(const cards& header, std::string_view name) {
  constexpr std::size_t max_channels = std::size_t{1} << 20;
  require_integers(header, name);
  block_shape shape;
  shape.block_bytes = required_count(header, "BLOCSIZE", 1, max_block_bytes, name);
  shape.n_channels = required_count(header, "OBSNCHAN", 1, max_channels, name);
  shape.n_antennas = count_of(header, "NANTS", 1, max_channels, name).value_or(1);
  shape.sample_bits = required_count(header, "NBITS", 1, 32, name);
  const std::size_t n_polarisations = required_count(header, "NPOL", 1, 4, name);
  // Four stood for the parts of two polarisations, before it was two.
  shape.n_polarisations = n_polarisations == 1 ? 1 : 2;
  if (n_polarisations == 3) refuse(name, "has NPOL 3; 1, 2 and 4 are read");
  if (shape.n_channels % shape.n_antennas != 0) {
    refuse(name, "has OBSNCHAN {}, no multiple of its NANTS {}; record it again", shape.n_channels,
           shape.n_antennas);
  }
  if (shape.sample_bits != 4 && shape.sample_bits != 8 && shape.sample_bits != 16) {
    refuse(name, "has samples of {} bits; 4, 8 and 16 are read, so convert it", shape.sample_bits);
  }
  if (shape.block_bytes * 8 % shape.time_bits() != 0) {
    refuse(name, "has blocks of {} bytes, no multiple of the {} bits of a time; record it again",
           shape.block_bytes, shape.time_bits());
  }
  shape.n_samples = shape.block_bytes * 8 / shape.time_bits();
  shape.overlap = count_of(header, "OVERLAP", 0, shape.n_samples - 1, name).value_or(0);
  return shape;
}

/// What the cards say of times and frequencies.
struct sky {
  std::optional<double> time_s, centre_mhz, band_mhz, channel_mhz;
  auto operator<=>(const sky&) const = default;
};

struct block {
  std::optional<std::size_t> packet_index;
  std::size_t number;   ///< In the file, those before that are damaged among them.
  std::size_t data_at;  ///< Offset in the file.
  sky seen = {};
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
  /// What PKTIDX grows by from block to block, as PIPERBLK says, or else PKTSIZE and BLOCSIZE.
  std::optional<std::size_t> packets_of_block = {};
  std::size_t n_with_drops = 0;  ///< Blocks in which packets were lost.
  flaws left_out = {};
  std::vector<std::string> remarks = {};
};

sky sky_of(const cards& header, std::string_view name) {
  const auto mhz = [&](std::string_view key) {
    return number_of(header, key, -max_real, max_real, "number", name);
  };
  return {.time_s = number_of(header, "TBIN", 1 / max_real, max_real, "number", name),
          .centre_mhz = mhz("OBSFREQ"),
          .band_mhz = mhz("OBSBW"),
          .channel_mhz = mhz("CHAN_BW")};
}

/// Returns where the frequencies of an antenna lie: by OBSBW, or by CHAN_BW where it is alone.
std::optional<channel_frequencies> frequencies_of(const sky& seen, block_list& list,
                                                  std::string_view name) {
  const auto& [time_s, centre_mhz, band_mhz, channel_mhz] = seen;
  const auto n = static_cast<double>(list.shape.n_channels / list.shape.n_antennas);
  if (band_mhz && channel_mhz &&
      std::abs(*channel_mhz * n - *band_mhz) > 0.01 * std::abs(*band_mhz)) {
    list.remarks.push_back(
        formatted("has CHAN_BW {} and OBSBW {} of {} frequencies, which contradict each other; "
                  "frequencies are by OBSBW",
                  *channel_mhz, *band_mhz, n));
  }
  if (!centre_mhz || (!band_mhz && !channel_mhz)) return std::nullopt;
  const double width_mhz = band_mhz ? *band_mhz : *channel_mhz * n, step_hz = width_mhz * 1e6 / n;
  // Of one channel some programs write reals, at twice the rate.
  if (list.shape.n_channels == 1 && list.sample_rate_hz > 1.9e6 * std::abs(width_mhz) &&
      list.sample_rate_hz < 2.1e6 * std::abs(width_mhz)) {
    refuse(name,
           "has one channel at twice the rate of its OBSBW, as real samples have; complex "
           "ones are read, so convert it");
  }
  return channel_frequencies{*centre_mhz * 1e6 - width_mhz * 1e6 / 2 + step_hz / 2, step_hz};
}

std::optional<std::size_t> packets_of_block(const cards& header, const block_shape& shape,
                                            std::string_view name) {
  constexpr std::size_t most = std::size_t{1} << 40;
  const auto stated = count_of(header, "PIPERBLK", 1, most, name);
  if (stated) return stated;
  const auto packet_bytes = count_of(header, "PKTSIZE", 0, most, name).value_or(0);
  const std::size_t n_bytes = (shape.n_samples - shape.overlap) * shape.time_bits() / 8;
  if (packet_bytes == 0 || n_bytes % packet_bytes != 0) return std::nullopt;
  return n_bytes / packet_bytes;
}

/// Takes the block at `offset`, which then lies behind it. Throws `file_error` for a damaged one.
void take_block(const byte_source& source, std::size_t& offset, std::size_t number,
                block_list& list) {
  const std::size_t size_bytes = source.size();
  const std::string& name = source.name();
  const cards header = take_cards(source, offset);
  const block_shape shape = shape_of(header, name);
  if (list.blocks.empty()) {
    list.shape = shape;
    list.packets_of_block = packets_of_block(header, shape, name);
  }
  if (shape != list.shape) {
    refuse(name, "has block {} of another size or shape than the first; split the file", number);
  }
  const bool is_direct = count_of(header, "DIRECTIO", 0, 1, name).value_or(0) == 1;
  if (is_direct) offset = behind_padding(offset, size_bytes);
  if (shape.block_bytes > size_bytes - offset) {
    refuse(name, "is truncated: block {} claims {} bytes but {} follow; copy or record it again",
           number, shape.block_bytes, size_bytes - offset);
  }
  const auto drops = number_of(header, "NDROP", 0., max_real, "number", name);
  const auto share = number_of(header, "DROPBLK", 0., max_real, "number", name);
  if (drops.value_or(share.value_or(0)) > 0) ++list.n_with_drops;
  list.blocks.push_back({count_of(header, "PKTIDX", 0, std::size_t{1} << 62, name), number, offset,
                         sky_of(header, name)});
  offset += shape.block_bytes;
  // Some writers pad the data too: the next header then begins behind zeros.
  std::byte next[1];
  if (is_direct && source.read_some(offset, next) == 1 && next[0] == std::byte{0}) {
    offset = behind_padding(offset, size_bytes);
  }
}

/// Returns where the next header begins, by the key of the file's first card: behind a damaged
/// block at `begin` where it lies if both are equally long, else where one follows, or the file's
/// end.
std::size_t next_header(const byte_source& source, std::size_t begin, std::size_t stride) {
  constexpr std::size_t mark_bytes = key_bytes + 2, window_bytes = std::size_t{1} << 20;
  std::array<std::byte, mark_bytes> mark = {}, head = {};
  static_cast<void>(source.read_some(0, mark));
  const auto is_header = [&](std::size_t offset) {
    return source.read_some(offset, head) == mark_bytes && head == mark;
  };
  if (stride > 0 && is_header(begin + stride)) return begin + stride;
  std::vector<std::byte> window(window_bytes);
  for (std::size_t offset = begin + 1; offset < source.size();
       offset += window_bytes - mark_bytes) {
    const auto end = window.begin() + static_cast<std::ptrdiff_t>(source.read_some(offset, window));
    const auto found = std::search(window.begin(), end, mark.begin(), mark.end());
    if (found != end) return offset + static_cast<std::size_t>(found - window.begin());
  }
  return source.size();
}

/// Takes the blocks that are whole, and begin where others end or behind stray bytes.
block_list take_blocks(const byte_source& source) {
  const std::string& name = source.name();
  block_list list;
  std::size_t stride = 0, number = 0;
  for (std::size_t begin = 0, offset = 0; begin < source.size(); begin = offset) {
    try {
      take_block(source, offset, number, list);
      stride = offset - begin;
      ++number;
    } catch (const file_error& damage) {
      offset = next_header(source, begin, stride);
      const bool is_last = offset == source.size();
      std::byte head[card_bytes];
      const bool is_stray =
          offset - begin != stride && !is_last && !is_guppi({head, source.read_some(begin, head)});
      if (list.blocks.empty() && (is_last || is_stray)) throw;
      if (is_stray) {
        list.left_out.add("{} before block {} belong to none", counted(offset - begin, "byte"),
                          number);
      } else {
        list.left_out.add("{}", std::string_view{damage.what()}.substr(name.size() + 2));
        ++number;
      }
      // The first block may be the damaged one.
      if (list.left_out.prevail(list.blocks.size() + 1)) {
        refuse(name, "{}", list.left_out.first());
      }
    }
  }
  if (list.left_out.prevail(list.blocks.size())) refuse(name, "{}", list.left_out.first());
  return list;
}

/// Takes times and frequencies from most blocks, of equally many from the first, and leaves out
/// those that say something else.
void take_sky(block_list& list, std::string_view name) {
  std::map<sky, std::size_t> counts;
  for (const block& each : list.blocks) ++counts[each.seen];
  sky most = list.blocks[0].seen;
  for (const block& each : list.blocks) {
    if (counts[each.seen] > counts[most]) most = each.seen;
  }
  std::erase_if(list.blocks, [&](const block& each) {
    if (each.seen == most) return false;
    list.left_out.add(
        "block {} has another TBIN, OBSFREQ, OBSBW or CHAN_BW than most; split the file",
        each.number);
    return true;
  });
  list.sample_rate_hz = most.time_s ? 1 / *most.time_s : 0;
  list.frequencies = frequencies_of(most, list, name);
}

/// Returns the step of PKTIDX that is most frequent, and of equally frequent ones the smallest; 0
/// where there is none.
std::size_t usual_step(const std::vector<block>& blocks) {
  std::map<std::size_t, std::size_t> counts;
  for (std::size_t i = 1; i < blocks.size(); ++i) {
    const auto before = blocks[i - 1].packet_index, index = blocks[i].packet_index;
    if (before && index && *index > *before) ++counts[*index - *before];
  }
  const auto most = std::max_element(counts.begin(), counts.end(), [](auto& a, auto& b) {
    return a.second < b.second;  // the first of equal ones
  });
  return most == counts.end() ? 0 : most->first;
}

/// Returns the step of PKTIDX of one block: the stated one, unless blocks contradict it.
std::size_t step_of(block_list& list) {
  const std::size_t usual = usual_step(list.blocks);
  const auto stated = list.packets_of_block;
  if (!stated || usual == 0) return std::max<std::size_t>(usual, 1);
  if (usual % *stated == 0 && usual / *stated <= max_lost_share + 1) return *stated;
  list.remarks.push_back(
      formatted("states {} for a block (by PIPERBLK, or PKTSIZE and BLOCSIZE), but PKTIDX mostly "
                "grows by {}, which is taken",
                counted(*stated, "packet"), usual));
  return usual;
}

/// Returns the place of each block, in blocks from the first one on, by PKTIDX; without any, one
/// after the other. Blocks at no place of their own are left out.
std::vector<std::size_t> take_places(block_list& list, std::string_view name) {
  const std::size_t step = step_of(list);
  const std::vector<block> found = std::exchange(list.blocks, {});
  const auto first = found[0].packet_index;
  list.blocks.assign(1, found[0]);
  std::vector<std::size_t> places{0};
  const std::size_t most = max_lost_share * found.size();
  for (const block& each : std::span(found).subspan(1)) {
    std::size_t place = each.number - found[0].number;
    if (first.has_value() != each.packet_index.has_value()) {
      list.left_out.add("block {} is {} PKTIDX, unlike the first", each.number,
                        first ? "without" : "with");
      continue;
    }
    if (first) {
      const std::size_t index = *each.packet_index;
      place = index < *first ? 0 : (index - *first) / step;
      if (place <= places.back() || place > most || (index - *first) % step != 0) {
        list.left_out.add("PKTIDX {} of block {} {}", index, each.number,
                          place <= places.back() ? "does not follow the one before; sort the blocks"
                          : place > most         ? "lies far behind; split the file at the gap"
                                                 : formatted("is at no multiple of {}", step));
        continue;
      }
    }
    list.blocks.push_back(each);
    places.push_back(place);
  }
  if (list.left_out.prevail(list.blocks.size())) {
    refuse(name, "{}", list.left_out.first());
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
std::pair<voltages, std::vector<std::size_t>> stated_contents(block_list list,
                                                              std::string_view name) {
  const std::vector<std::size_t> places = take_places(list, name);
  const block_shape& shape = list.shape;
  const std::size_t packet = shape.n_samples - shape.overlap;
  voltages contents{.n_polarisations = shape.n_polarisations,
                    .n_channels = shape.n_channels,
                    .n_antennas = shape.n_antennas,
                    .n_samples = places.back() * packet + shape.n_samples,
                    .is_complex = true,
                    .sample_bits = static_cast<unsigned>(shape.sample_bits),
                    .packet_samples = packet,
                    .first_packet = list.blocks[0].packet_index,
                    .sample_rate_hz = list.sample_rate_hz,
                    .frequencies = list.frequencies,
                    .remarks = std::move(list.remarks)};
  if (list.left_out.count() > 0) contents.remarks.push_back(list.left_out.sentence("block"));
  if (list.n_with_drops > 0) {
    contents.remarks.push_back(formatted(
        "says by NDROP or DROPBLK that packets of {} were lost, whose place in it is not known",
        counted(list.n_with_drops, "block")));
  }
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
  for (; head.size() >= card_bytes; head = head.subspan(card_bytes)) {
    const std::string_view card{reinterpret_cast<const char*>(head.data()), card_bytes};
    const bool is_printed =
        std::all_of(card.begin(), card.end(), [](char c) { return c >= ' ' && c <= '~'; });
    if (!is_printed || card[key_bytes] == '=') return is_printed;
    if (!is_commentary(card) || trimmed(card).empty()) return false;
  }
  return false;
}

std::unique_ptr<voltage_file> open_guppi(const byte_source& source) {
  if (source.size() == 0) refuse(source.name(), "is empty; copy or record it again");
  block_list list = take_blocks(source);
  take_sky(list, source.name());
  const std::size_t block_samples = list.shape.n_samples;
  return std::make_unique<guppi_file>(source, stated_contents(std::move(list), source.name()),
                                      block_samples);
}

}  // namespace wingbeat::formats
