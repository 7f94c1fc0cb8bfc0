// SPDX-License-Identifier: Apache-2.0
#include <algorithm>  // all_of, max, min, search, sort
#include <array>
#include <cmath>    // abs
#include <compare>  // operator<=>
#include <optional>
#include <string>
#include <utility>  // exchange, move
#include <vector>

#include "formats/files/forward_reader.hpp"    // forward_reader
#include "formats/files/refusal.hpp"           // refuse
#include "formats/voltages/format.hpp"         // is_guppi, open_guppi
#include "formats/voltages/header_fields.hpp"  // header_fields
#include "formats/voltages/packets.hpp"        // packet_list, take_packets
#include "text/trimmed.hpp"                    // trimmed

namespace wingbeat::formats {
namespace {

constexpr std::size_t card_bytes = 80, key_bytes = 8, max_cards = 4096;
constexpr std::size_t max_block_bytes = std::size_t{1} << 40;

/// What all blocks have in common.
struct block_shape {
  std::size_t block_bytes = 0, n_channels = 1, n_antennas = 1, n_polarisations = 1, sample_bits = 8;
  std::size_t n_samples = 0, overlap = 0;
  bool has_channels_in_turn = false;  ///< [time][channel] in place of [channel][time].
  bool operator==(const block_shape&) const = default;

  /// All channels at one time.
  [[nodiscard]] std::size_t time_bits() const {
    return n_channels * n_polarisations * 2 * sample_bits;
  }
};

/// What the cards say of times and frequencies.
struct sky {
  std::optional<double> time_s, centre_mhz, band_mhz, channel_mhz;
  auto operator<=>(const sky&) const = default;
};

/// What a header says.
struct guppi_header {
  block_shape shape = {};
  sky seen = {};
  std::optional<day_time> start = {};  ///< Of the packet `first_index`.
  std::string target = {};
  std::size_t first_index = 0;
  std::optional<std::size_t> packet_index = {};
  /// What PKTIDX grows by from block to block, as PIPERBLK says, or else PKTSIZE and BLOCSIZE.
  std::optional<std::size_t> packets_of_block = {};
  bool is_direct = false;  ///< It is padded to whole 512 bytes, by some writers the data, too.
  bool has_drops = false;  ///< Packets of the block were lost.
};

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

/// Returns the cards from `offset` on, which then lies behind them.
header_fields take_cards(const byte_source& source, std::size_t& offset) {
  constexpr std::size_t window_bytes = 64 * card_bytes;
  const std::string& name = source.name();
  forward_reader reader{source, window_bytes};
  header_fields cards{name, "GUPPI raw"};
  for (std::size_t i = 0; i < max_cards; ++i) {
    const auto bytes = reader.at(offset, card_bytes);
    refuse_if(bytes.size() < card_bytes, name,
              "ends inside a header, {} cards behind its start; copy or record it again", i);
    const std::string_view card{reinterpret_cast<const char*>(bytes.data()), card_bytes};
    offset += card_bytes;
    if (trimmed(card) == "END") return cards;
    if (is_commentary(card)) continue;
    refuse_if(card[key_bytes] != '=', name,
              "has the card '{}' in a header, without '=' behind 8 letters; it is no GUPPI raw",
              printable(card));
    cards.add(trimmed(card.substr(0, key_bytes)), value_of(card.substr(key_bytes + 1)));
  }
  refuse(name, "has a header of more than {} cards; it is no GUPPI raw", max_cards);
}

/// Throws `file_error` for samples that are no integers.
void require_integers(const header_fields& cards, std::string_view name) {
  const std::string_view kind = cards.text_of("DATATYPE").value_or("INTEGER");
  refuse_if(kind != "INTEGER", name,
            "has samples of DATATYPE '{}'; those of INTEGER are read, so convert it",
            printable(kind));
}

block_shape shape_of(const header_fields& cards, std::string_view name) {
  constexpr std::size_t max_channels = std::size_t{1} << 20;
  require_integers(cards, name);
  block_shape shape;
  shape.block_bytes = cards.required_count("BLOCSIZE", max_block_bytes);
  shape.n_channels = cards.required_count("OBSNCHAN", max_channels);
  shape.has_channels_in_turn = cards.text_of("PKTFMT") == "SIMPLE";
  shape.n_antennas = cards.count_of("NANTS", 1, max_channels).value_or(1);
  shape.sample_bits = cards.required_count("NBITS", 32);
  const std::size_t n_polarisations = cards.required_count("NPOL", 4);
  // Four stood for the parts of two polarisations, before it was two.
  shape.n_polarisations = n_polarisations == 1 ? 1 : 2;
  if (n_polarisations == 3) refuse(name, "has NPOL 3; 1, 2 and 4 are read");
  refuse_if(shape.n_channels % shape.n_antennas != 0, name,
            "has OBSNCHAN {}, no multiple of its NANTS {}; record it again", shape.n_channels,
            shape.n_antennas);
  refuse_if(shape.sample_bits != 4 && shape.sample_bits != 8 && shape.sample_bits != 16, name,
            "has samples of {} bits; 4, 8 and 16 are read, so convert it", shape.sample_bits);
  refuse_if(shape.block_bytes * 8 % shape.time_bits() != 0, name,
            "has blocks of {} bytes, no multiple of the {} bits of a time; record it again",
            shape.block_bytes, shape.time_bits());
  shape.n_samples = shape.block_bytes * 8 / shape.time_bits();
  shape.overlap = cards.count_of("OVERLAP", 0, shape.n_samples - 1).value_or(0);
  return shape;
}

std::optional<std::size_t> packets_of_block(const header_fields& cards, const block_shape& shape) {
  const auto stated = cards.count_of("PIPERBLK", 1, max_block_bytes);
  if (stated) return stated;
  const auto packet_bytes = cards.count_of("PKTSIZE", 0, max_block_bytes).value_or(0);
  const std::size_t n_bytes = (shape.n_samples - shape.overlap) * shape.time_bits() / 8;
  if (packet_bytes == 0 || n_bytes % packet_bytes != 0) return std::nullopt;
  return n_bytes / packet_bytes;
}

/// Parses the header at `offset`, which then lies behind it. Throws `file_error` for one that is
/// damaged, or of samples that are not read.
guppi_header take_guppi_header(const byte_source& source, std::size_t& offset) {
  const header_fields cards = take_cards(source, offset);
  guppi_header header{.shape = shape_of(cards, source.name())};
  header.packets_of_block = packets_of_block(cards, header.shape);
  header.is_direct = cards.count_of("DIRECTIO", 0, 1).value_or(0) == 1;
  const auto drops = cards.real_of("NDROP", 0), share = cards.real_of("DROPBLK", 0);
  header.has_drops = drops.value_or(share.value_or(0)) > 0;
  header.packet_index = cards.count_of("PKTIDX", 0, std::size_t{1} << 62);
  header.seen = {.time_s = cards.real_of("TBIN", 1e-15),
                 .centre_mhz = cards.real_of("OBSFREQ"),
                 .band_mhz = cards.real_of("OBSBW"),
                 .channel_mhz = cards.real_of("CHAN_BW")};
  const auto day = cards.count_of("STT_IMJD", 0, 1000000);
  if (day) {
    header.start = day_time{static_cast<std::int64_t>(*day)}.after(
        cards.real_of("STT_SMJD", 0).value_or(0) + cards.real_of("STT_OFFS").value_or(0));
  }
  header.first_index = cards.count_of("PKTSTART", 0, std::size_t{1} << 62).value_or(0);
  header.target = cards.text_of("SRC_NAME").value_or("");
  return header;
}

struct block {
  std::optional<std::size_t> packet_index;
  std::size_t number;   ///< In the file, those before that are damaged among them.
  std::size_t data_at;  ///< Offset in the file.
  sky seen = {};

  [[nodiscard]] std::string name() const { return formatted("block {}", number); }
};

/// Returns the next multiple of 512 bytes, which is at most the end of the file.
std::size_t behind_padding(std::size_t offset, std::size_t size_bytes) {
  constexpr std::size_t direct_bytes = 512;
  return std::min((offset + direct_bytes - 1) / direct_bytes * direct_bytes, size_bytes);
}

struct block_list : packet_list<block> {
  double sample_rate_hz = 0;
  std::optional<channel_frequencies> frequencies = {};
  std::size_t n_with_drops = 0;  ///< Blocks in which packets were lost.
  guppi_header first = {};
  std::vector<std::string> remarks = {};
};

/// Returns where the frequencies of an antenna lie: by OBSBW, or by CHAN_BW where it is alone.
std::optional<channel_frequencies> frequencies_of(const sky& seen, block_list& list,
                                                  std::string_view name) {
  const auto& [time_s, centre_mhz, band_mhz, channel_mhz] = seen;
  const auto n = static_cast<double>(list.first.shape.n_channels / list.first.shape.n_antennas);
  if (band_mhz && channel_mhz &&
      std::abs(*channel_mhz * n - *band_mhz) > 0.01 * std::abs(*band_mhz)) {
    list.remarks.push_back(
        formatted("has CHAN_BW {} and OBSBW {} of {} frequencies, which contradict each other; "
                  "frequencies are by OBSBW",
                  *channel_mhz, *band_mhz, n));
  }
  if (!centre_mhz || (!band_mhz && !channel_mhz)) return std::nullopt;
  const double width_mhz = band_mhz ? *band_mhz : *channel_mhz * n;
  // Of one channel some programs write reals, at twice the rate.
  refuse_if(list.first.shape.n_channels == 1 && list.sample_rate_hz > 1.9e6 * std::abs(width_mhz) &&
                list.sample_rate_hz < 2.1e6 * std::abs(width_mhz),
            name,
            "has one channel at twice the rate of its OBSBW, as real samples have; complex "
            "ones are read, so convert it");
  return channels_of_band(*centre_mhz * 1e6, width_mhz * 1e6, static_cast<std::size_t>(n), true);
}

/// Takes the block at `offset`, and returns where it ends. Throws `file_error` for a damaged one.
std::size_t take_block(const byte_source& source, std::size_t offset, std::size_t number,
                       block_list& list) {
  const std::size_t size_bytes = source.size();
  const std::string& name = source.name();
  const guppi_header header = take_guppi_header(source, offset);
  const block_shape& shape = header.shape;
  if (list.packets.empty()) list.first = header;
  refuse_if(shape != list.first.shape, name,
            "has block {} of another size or shape than the first; split the file", number);
  if (header.is_direct) offset = behind_padding(offset, size_bytes);
  refuse_if(shape.block_bytes > size_bytes - offset, name,
            "is truncated: block {} claims {} bytes but {} follow; copy or record it again", number,
            shape.block_bytes, size_bytes - offset);
  if (header.has_drops) ++list.n_with_drops;
  list.packets.push_back({header.packet_index, number, offset, header.seen});
  offset += shape.block_bytes;
  // Some writers pad the data too: the next header then begins behind zeros.
  std::byte next[1];
  if (header.is_direct && source.read_some(offset, next) == 1 && next[0] == std::byte{0}) {
    offset = behind_padding(offset, size_bytes);
  }
  return offset;
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
  std::vector<std::byte> window(std::min(window_bytes, source.size() + mark_bytes + 1));
  for (std::size_t offset = begin + 1; offset < source.size();
       offset += window.size() - mark_bytes) {
    const auto end = window.begin() + static_cast<std::ptrdiff_t>(source.read_some(offset, window));
    const auto found = std::search(window.begin(), end, mark.begin(), mark.end());
    if (found != end) return offset + static_cast<std::size_t>(found - window.begin());
  }
  return source.size();
}

block_list take_blocks(const byte_source& source) {
  block_list list;
  list.left_out = take_packets(
      source, "block",
      [&](std::size_t offset, std::size_t number) {
        return take_block(source, offset, number, list);
      },
      [&](std::size_t begin, std::size_t stride) { return next_header(source, begin, stride); },
      [&](std::size_t begin) {
        std::byte head[card_bytes];
        return is_guppi({head, source.read_some(begin, head)});
      });
  return list;
}

/// Takes times and frequencies from most blocks, of equally many from the first, and leaves out
/// those that say something else.
void take_sky(block_list& list, std::string_view name) {
  std::vector<sky> seen;
  for (const block& each : list.packets) seen.push_back(each.seen);
  const sky most = most_frequent(seen);
  list.leave_out("has another TBIN, OBSFREQ, OBSBW or CHAN_BW than most; split the file",
                 [&](const block& each) { return each.seen != most; });
  list.sample_rate_hz = most.time_s ? 1 / *most.time_s : 0;
  list.frequencies = frequencies_of(most, list, name);
}

/// Returns the steps of PKTIDX from block to block, those that go forward, in ascending order.
std::vector<std::size_t> steps_of(const std::vector<block>& blocks) {
  std::vector<std::size_t> steps;
  for (std::size_t i = 1; i < blocks.size(); ++i) {
    const auto before = blocks[i - 1].packet_index, index = blocks[i].packet_index;
    if (before && index && *index > *before) steps.push_back(*index - *before);
  }
  std::sort(steps.begin(), steps.end());
  return steps;
}

/// Returns the step of PKTIDX of one block: the stated one, unless more blocks contradict it by one
/// other step, the smallest of equally frequent ones, which no loss explains.
std::size_t step_of(block_list& list) {
  const std::vector<std::size_t> steps = steps_of(list.packets);
  const auto stated = list.first.packets_of_block;
  const std::size_t usual = steps.empty() ? 0 : most_frequent(steps);
  if (!stated || usual == 0) return std::max(usual, stated.value_or(1));
  const auto n_stated = std::count_if(steps.begin(), steps.end(), [&](std::size_t step) {
    return step % *stated == 0 && step / *stated <= max_lost_share + 1;
  });
  const auto n_usual = std::count(steps.begin(), steps.end(), usual);
  const bool is_far = n_usual == 1 && usual / *stated > max_lost_share * list.packets.size();
  if (is_far || n_stated >= n_usual) return *stated;
  list.remarks.push_back(
      formatted("states {} for a block (by PIPERBLK, or PKTSIZE and BLOCSIZE), but PKTIDX mostly "
                "grows by {}, which is taken",
                counted(*stated, "packet"), usual));
  return usual;
}

/// Leaves out the first block where PKTIDX of more blocks fits the second one's.
void leave_out_wrong_first(block_list& list, std::size_t step) {
  const std::vector<block>& found = list.packets;
  if (found.size() < 3) return;
  const auto n_fitting = [&](const block& origin) {
    const std::size_t most = step * max_lost_share * found.size();
    return std::count_if(found.begin() + 2, found.end(), [&](const block& each) {
      if (!origin.packet_index || !each.packet_index) return false;
      const std::size_t index = *each.packet_index, first = *origin.packet_index;
      return index > first && (index - first) % step == 0 && index - first <= most;
    });
  };
  if (n_fitting(found[1]) <= n_fitting(found[0])) return;
  list.left_out.add("PKTIDX {} of block {} does not fit those behind",
                    found[0].packet_index.value_or(0), found[0].number);
  list.packets.erase(list.packets.begin());
}

/// Returns the place of each block, in blocks from the first one on, by PKTIDX; without any, one
/// after the other. Blocks at no place of their own are left out.
std::vector<std::size_t> take_places(block_list& list, std::size_t step, std::string_view name) {
  leave_out_wrong_first(list, step);
  const std::vector<block> found = std::exchange(list.packets, {});
  const auto first = found[0].packet_index;
  list.packets.assign(1, found[0]);
  std::vector<std::size_t> places{0};
  const std::size_t most = max_lost_share * found.size();
  for (const block& each : std::span(found).subspan(1)) {
    std::size_t place = each.number - found[0].number;
    if (first.has_value() != each.packet_index.has_value()) {
      list.left_out.add("{} is {} PKTIDX, unlike the first", each.name(),
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
    list.packets.push_back(each);
    places.push_back(place);
  }
  list.left_out.require_fewer(list.packets.size(), name);
  return places;
}

/// Returns when the first block begins, by its PKTIDX.
std::optional<day_time> start_of(const block_list& list, std::size_t step) {
  const block_shape& shape = list.first.shape;
  const std::size_t index = list.packets[0].packet_index.value_or(0);
  auto start = list.first.start;
  if (!start || index <= list.first.first_index) return start;
  const bool is_known = list.first.packets_of_block.has_value() || list.packets.size() > 1;
  if (!is_known || list.sample_rate_hz == 0) return std::nullopt;
  const double n_blocks =
      static_cast<double>(index - list.first.first_index) / static_cast<double>(step);
  const auto block_samples = static_cast<double>(shape.n_samples - shape.overlap);
  return start->after(n_blocks * block_samples / list.sample_rate_hz);
}

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

std::unique_ptr<voltage_file> open_guppi(const byte_source& source, const voltage_options&) {
  block_list list = take_blocks(source);
  take_sky(list, source.name());
  const std::size_t step = step_of(list);
  const std::vector<std::size_t> places = take_places(list, step, source.name());
  const block_shape& shape = list.first.shape;
  voltages contents{.n_polarisations = shape.n_polarisations,
                    .n_channels = shape.n_channels,
                    .n_antennas = shape.n_antennas,
                    .is_complex = true,
                    .sample_bits = static_cast<unsigned>(shape.sample_bits),
                    .packet_samples = shape.n_samples - shape.overlap,
                    .first_packet = list.packets[0].packet_index,
                    .sample_rate_hz = list.sample_rate_hz,
                    .frequencies = list.frequencies,
                    .start = start_of(list, step),
                    .target = list.first.target,
                    .remarks = std::move(list.remarks)};
  contents.n_samples = places.back() * contents.packet_samples + shape.n_samples;
  if (list.left_out.count() > 0) contents.remarks.push_back(list.left_out.sentence("block"));
  if (list.n_with_drops > 0) {
    contents.remarks.push_back(formatted(
        "says by NDROP or DROPBLK that packets of {} were lost, whose place in it is not known",
        counted(list.n_with_drops, "block")));
  }
  std::vector<std::size_t> data(places.back() + 1, no_packet);
  for (std::size_t i = 0; i < places.size(); ++i) data[places[i]] = list.packets[i].data_at;
  const std::size_t value_bits = shape.n_polarisations * 2 * shape.sample_bits;
  const bool is_in_turn = shape.has_channels_in_turn;
  return std::make_unique<voltage_file>(
      source, std::move(contents),
      packet_layout{.noun = "block",
                    .channel_bits = is_in_turn ? value_bits : shape.n_samples * value_bits,
                    .time_bits = is_in_turn ? shape.time_bits() : value_bits,
                    .polarisation_bits = 2 * shape.sample_bits,
                    .coding = sample_coding::twos_complement},
      packet_offsets(shape.n_polarisations, data));
}

}  // namespace wingbeat::formats
