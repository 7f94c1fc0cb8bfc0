// SPDX-License-Identifier: Apache-2.0
// Keys of GUPPI raw that change the meaning of others, and files with one flaw.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>  // iota
#include <utility>  // pair

#include "formats/message.hpp"          // message_of
#include "formats/voltages/bytes.hpp"   // guppi_card
#include "formats/voltages/format.hpp"  // is_guppi
#include "formats/voltages/read.hpp"    // read_guppi

namespace {

using namespace wingbeat::test;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using namespace wingbeat::formats;
using cards = std::vector<std::pair<std::string, std::string>>;

file_bytes text_card(const std::string& text) {
  file_bytes card;
  for (const char c : text) card.push_back(static_cast<std::byte>(c));
  card.resize(80, std::byte{' '});
  return card;
}

/// A block of 4 times of one channel and one polarisation, 8 bytes, all equal to `value`.
file_bytes block(const cards& more, int value = 1) {
  file_bytes content;
  for (const auto& [key, text] : cards{{"BLOCSIZE", "8"}, {"NPOL", "1"}, {"NBITS", "8"}}) {
    content = content + guppi_card(key, text);
  }
  bool has_channels = false;
  for (const auto& [key, text] : more) {
    content = content + guppi_card(key, text);
    has_channels = has_channels || key == "OBSNCHAN";
  }
  if (!has_channels) content = content + guppi_card("OBSNCHAN", "1");
  return content + guppi_end() + bytes_of(std::vector<int>(8, value));
}

voltages read(const file_bytes& content) {
  return read_guppi(content, "x.raw");
}

std::string why(const file_bytes& content) {
  return message_of([&] { static_cast<void>(read(content)); });
}

TEST(guppi_keys, give_each_antenna_its_frequencies) {
  const voltages two =
      read(block({{"OBSNCHAN", "4"}, {"NANTS", "2"}, {"OBSFREQ", "100"}, {"OBSBW", "8"}}));
  EXPECT_EQ(two.n_channels, 4U);
  EXPECT_EQ(two.n_antennas, 2U);
  ASSERT_TRUE(two.frequencies);
  EXPECT_DOUBLE_EQ(two.frequencies->step_hz, 4e6);
  EXPECT_DOUBLE_EQ(two.frequencies->first_hz, 98e6);
}

TEST(guppi_keys, state_the_width_of_channels_where_no_band_is_stated) {
  const voltages read_alone = read(block({{"OBSFREQ", "100"}, {"CHAN_BW", "-3"}}));
  ASSERT_TRUE(read_alone.frequencies);
  EXPECT_DOUBLE_EQ(read_alone.frequencies->step_hz, -3e6);
  const voltages both =
      read(block({{"OBSFREQ", "100"}, {"OBSBW", "-3"}, {"CHAN_BW", "3"}, {"TBIN", "1e-6"}}));
  EXPECT_DOUBLE_EQ(both.frequencies->step_hz, -3e6);
  EXPECT_THAT(both.remarks, ElementsAre(HasSubstr("has CHAN_BW 3 and OBSBW -3 of 1 frequencies")));
  EXPECT_EQ(read(block({{"OBSBW", "-3"}, {"CHAN_BW", "-3.0"}})).remarks.size(), 0U);
  EXPECT_THAT(why(block({{"OBSFREQ", "100"}, {"OBSBW", "-3"}, {"TBIN", "1.6666666667e-7"}})),
              HasSubstr("one channel at twice the rate of its OBSBW, as real samples have"));
}

// A block of 8 bytes is 4 packets of 2 bytes.
TEST(guppi_keys, state_the_step_of_blocks_by_the_bytes_of_packets) {
  const auto block_at = [](const std::string& index) {
    return block({{"PKTSIZE", "2"}, {"PKTIDX", index}});
  };
  const voltages gap = read(block_at("100") + block_at("108"));
  EXPECT_THAT(gap.present, ElementsAre(std::vector<bool>{true, false, true}));
  EXPECT_EQ(gap.remarks.size(), 0U);
  // With an overlap of one of 4 times, which is one packet, three are its own.
  const auto overlapping = [](const std::string& index) {
    return block({{"PKTSIZE", "2"}, {"PKTIDX", index}, {"OVERLAP", "1"}});
  };
  EXPECT_EQ(read(overlapping("0") + overlapping("6")).present[0][1], false);
  // Other programs count spectra in PKTIDX.
  const voltages unlike = read(block_at("0") + block_at("4096") + block_at("8192"));
  EXPECT_THAT(unlike.present, ElementsAre(std::vector<bool>{true, true, true}));
  EXPECT_THAT(unlike.remarks, ElementsAre(HasSubstr("states 4 packets for a block")));
}

TEST(guppi_keys, may_stand_beside_text_for_people) {
  const file_bytes remark = text_card("COMMENT   taken by = hand"), blank = text_card("");
  const file_bytes history = text_card("HISTORY cut / by 2"), more = text_card("CONTINUE  'x&'");
  const voltages found = read(remark + history + blank + more + block({}));
  EXPECT_EQ(found.n_samples, 4U);
  EXPECT_EQ(found.remarks.size(), 0U);
  EXPECT_TRUE(is_guppi(remark + block({})));
  EXPECT_FALSE(is_guppi(file_bytes(800, std::byte{' '})));
  EXPECT_FALSE(is_guppi(remark));
}

TEST(guppi_keys, stand_once_or_agree) {
  EXPECT_EQ(read(block({{"NBITS", "8 / again"}})).n_samples, 4U);
  EXPECT_THAT(why(block({{"NBITS", "4"}})),
              HasSubstr("has NBITS twice in a header, as '8' and '4'; remove one"));
  EXPECT_EQ(read(block({{"LST", "1"}, {"LST", "2"}})).n_samples, 4U) << "it changes nothing";
}

TEST(guppi_keys, tell_of_packets_that_are_lost_within_blocks) {
  EXPECT_EQ(read(block({{"NDROP", "0"}, {"DROPBLK", "0.5"}})).remarks.size(), 0U);
  for (const cards& more : {cards{{"NDROP", "3"}}, cards{{"DROPBLK", "0.25"}}}) {
    EXPECT_THAT(read(block(more) + block({})).remarks,
                ElementsAre(HasSubstr("NDROP or DROPBLK that packets of 1 block were lost")));
  }
}

/// Blocks 0 to 5 with the PKTIDX that are given.
file_bytes blocks_at(const std::vector<std::string>& indices) {
  file_bytes content;
  for (std::size_t i = 0; i < indices.size(); ++i) {
    content = content + block({{"PKTIDX", indices[i]}}, static_cast<int>(i) + 1);
  }
  return content;
}

void expect_one_left_out(const file_bytes& content, const std::vector<int>& values,
                         const std::string& remark) {
  const voltages found = read(content);
  EXPECT_THAT(found.remarks,
              ElementsAre(HasSubstr("1 block of the file is left out; the first: " + remark)));
  ASSERT_EQ(found.n_samples, 4 * values.size()) << remark;
  for (std::size_t i = 0; i < values.size(); ++i) {
    EXPECT_EQ(found.samples[8 * i], values[i]) << remark << i;
    EXPECT_EQ(found.present[0][i], values[i] != 0) << remark << i;
  }
}

// One flaw is said, and the rest is read as it is without it.
TEST(guppi_keys, of_one_damaged_block_leave_the_rest) {
  file_bytes cut = blocks_at({"0", "5", "10"});
  cut.pop_back();
  expect_one_left_out(cut, {1, 2}, "is truncated: block 2 claims 8 bytes but 7 follow");
  cut.resize(cut.size() - 200);
  expect_one_left_out(cut, {1, 2}, "ends inside a header");
  file_bytes broken = blocks_at({"0", "5", "10", "15"});
  const std::size_t stride = broken.size() / 4;
  broken[stride + 8] = std::byte{'#'};
  expect_one_left_out(broken, {1, 0, 3, 4}, "has the card 'BLOCSIZE# 8 ");
  const auto twin = blocks_at({"0", "5", "5", "10", "15"});
  expect_one_left_out(twin, {1, 2, 4, 5}, "PKTIDX 5 of block 2 does not follow");
  expect_one_left_out(blocks_at({"10", "15", "0", "20"}), {1, 2, 4},
                      "PKTIDX 0 of block 2 does not");
  expect_one_left_out(blocks_at({"0", "5", "4000000000000000000", "10"}), {1, 2, 4},
                      "PKTIDX 4000000000000000000 of block 2 lies far behind; split");
  expect_one_left_out(blocks_at({"0", "5", "12", "15", "20"}), {1, 2, 0, 4, 5},
                      "PKTIDX 12 of block 2 is at no multiple of 5");
  const file_bytes nameless = block({}, 9);
  expect_one_left_out(blocks_at({"0", "5"}) + nameless + blocks_at({"15"}), {1, 2, 0, 1},
                      "block 2 is without PKTIDX, unlike the first");
}

TEST(guppi_keys, of_mostly_damaged_blocks_are_refused) {
  EXPECT_THAT(why(blocks_at({"9", "3", "2", "1"})),
              HasSubstr("x.raw: PKTIDX 3 of block 1 does not follow"));
}

}  // namespace
