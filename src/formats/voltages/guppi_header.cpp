// SPDX-License-Identifier: Apache-2.0
#include "formats/voltages/guppi_header.hpp"

#include <algorithm>  // all_of

#include "formats/files/forward_reader.hpp"    // forward_reader
#include "formats/voltages/format.hpp"         // is_guppi
#include "formats/voltages/header_fields.hpp"  // header_fields, trimmed

namespace wingbeat::formats {
namespace {

constexpr std::size_t card_bytes = guppi_card_bytes, key_bytes = guppi_key_bytes, max_cards = 4096;
constexpr std::size_t max_block_bytes = std::size_t{1} << 40;

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

}  // namespace

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

}  // namespace wingbeat::formats
