// SPDX-License-Identifier: Apache-2.0
// GUPPI raw files, made byte by byte.
#include "formats/guppi.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <numeric>  // iota

#include "formats/message.hpp"        // message_of
#include "formats/voltage_bytes.hpp"  // guppi_card

namespace {

using namespace wingbeat::test;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using wingbeat::formats::read_guppi;
using wingbeat::formats::voltages;
using cards = std::map<std::string, std::string>;

file_bytes header(const cards& given) {
  file_bytes all = guppi_card("BACKEND", "'GUPPI   '");
  for (const auto& [key, value] : given) all = all + guppi_card(key, value);
  return all + guppi_end();
}

/// One channel of one polarisation, 8 bits.
cards small() {
  return {{"BLOCSIZE", "8"}, {"OBSNCHAN", "1"}, {"NPOL", "1"}, {"NBITS", "8"}};
}

cards with(cards all, const std::string& key, const std::string& value) {
  all[key] = value;
  return all;
}

std::string why(const file_bytes& content) {
  return message_of([&] { static_cast<void>(read_guppi(content, "x.raw")); });
}

TEST(guppi, holds_channels_times_and_polarisations) {
  std::vector<int> values(16);
  std::iota(values.begin(), values.end(), -8);
  const voltages read = read_guppi(header({{"BLOCSIZE", "16 / bytes"},
                                           {"OBSNCHAN", "2"},
                                           {"NPOL", "4"},
                                           {"NBITS", "8"},
                                           {"TBIN", "2.5E-07"},
                                           {"PKTFMT", "'1SFA    '"}}) +
                                       bytes_of(values),
                                   "x.raw");
  EXPECT_EQ(read.n_polarisations, 2u);
  EXPECT_EQ(read.n_channels, 2u);
  EXPECT_EQ(read.n_samples, 2u);
  EXPECT_TRUE(read.is_complex);
  EXPECT_EQ(read.sample_bits, 8u);
  EXPECT_DOUBLE_EQ(read.sample_rate_hz, 4e6);
  EXPECT_THAT(read.samples,
              ElementsAre(-8, -7, -4, -3, 0, 1, 4, 5,  // the first polarisation: two channels
                          -6, -5, -2, -1, 2, 3, 6, 7));
  EXPECT_THAT(read.present, ElementsAre(std::vector<bool>{true}, std::vector<bool>{true}));
}

TEST(guppi, gives_one_channel_and_its_frequency) {
  std::vector<int> values(16);
  std::iota(values.begin(), values.end(), -8);
  for (const int sign : {1, -1}) {
    const auto content = header({{"BLOCSIZE", "16"},
                                 {"OBSNCHAN", "2"},
                                 {"NPOL", "4"},
                                 {"NBITS", "8"},
                                 {"OBSFREQ", "1500.5"},
                                 {"OBSBW", sign > 0 ? "8" : "-8."}}) +
                         bytes_of(values);
    const voltages all = read_guppi(content, "x.raw");
    ASSERT_TRUE(all.frequencies);
    EXPECT_DOUBLE_EQ(all.frequencies->first_hz, 1500.5e6 - sign * 2e6);
    EXPECT_DOUBLE_EQ(all.frequencies->step_hz, sign * 4e6);
    const voltages read = read_guppi(content, "x.raw", {.channel = 1});
    EXPECT_EQ(read.n_channels, 1U);
    EXPECT_THAT(read.samples, ElementsAre(0, 1, 4, 5, 2, 3, 6, 7));
    EXPECT_DOUBLE_EQ(read.frequencies->first_hz, 1500.5e6 + sign * 2e6);
  }
  EXPECT_FALSE(read_guppi(header(small()) + bytes_of(std::vector<int>(8)), "x.raw").frequencies);
}

TEST(guppi, has_samples_of_4_8_and_16_bits) {
  const auto samples_of = [](const std::string& bits, const std::vector<int>& values) {
    const auto read = read_guppi(header(with(small(), "NBITS", bits)) + bytes_of(values), "x.raw");
    EXPECT_EQ(std::to_string(read.sample_bits), bits);
    return read.samples;
  };
  EXPECT_THAT(samples_of("4", {0x7F, 0x80, 0x12, 0xED, 0, 0, 0, 0x0F}),
              ElementsAre(7, -1, -8, 0, 1, 2, -2, -3, 0, 0, 0, 0, 0, 0, 0, -1));
  EXPECT_THAT(samples_of("8", {0x7F, 0x80, 1, 0xFF, 0, 0, 0, 0}),
              ElementsAre(127, -128, 1, -1, 0, 0, 0, 0));
  EXPECT_THAT(samples_of("16", {0x34, 0x12, 0xFF, 0x7F, 0, 0x80, 0xFE, 0xFF}),
              ElementsAre(0x1234, 32767, -32768, -2));
}

TEST(guppi, drops_what_blocks_repeat) {
  const cards shape = with(small(), "OVERLAP", "1");
  const voltages read = read_guppi(header(shape) + bytes_of({0, 1, 2, 3, 4, 5, 6, 7}) +
                                       header(shape) + bytes_of({6, 7, 8, 9, 10, 11, 12, 13}),
                                   "x.raw");
  EXPECT_THAT(read.samples, ElementsAre(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13));
  EXPECT_EQ(read.packet_samples, 3u);
  EXPECT_THAT(read.present, ElementsAre(std::vector<bool>{true, true, true}));
}

TEST(guppi, flags_blocks_that_are_missing) {
  file_bytes all;
  for (const int index : {100, 116, 148}) {
    all = all + header(with(small(), "PKTIDX", std::to_string(index))) +
          bytes_of({index, 1, 2, 3, 4, 5, 6, 7});
  }
  const voltages read = read_guppi(all, "x.raw");
  EXPECT_EQ(read.n_samples, 16u);
  EXPECT_THAT(read.present, ElementsAre(std::vector<bool>{true, true, false, true}));
  EXPECT_EQ(read.samples[8], 116);
  EXPECT_EQ(read.samples[16], 0);
  EXPECT_EQ(read.samples[24], static_cast<signed char>(148));
}

TEST(guppi, leaves_missing_samples_0_though_the_block_before_repeats_them) {
  const cards shape = with(small(), "OVERLAP", "1");
  file_bytes all;
  for (const char* const index : {"0", "1", "3"}) {
    all = all + header(with(shape, "PKTIDX", index)) + bytes_of({1, 2, 3, 4, 5, 6, 7, 8});
  }
  const voltages read = read_guppi(all, "x.raw");
  EXPECT_THAT(read.samples, ElementsAre(1, 2, 3, 4, 5, 6, 1, 2, 3, 4, 5, 6, 0, 0, 0, 0, 0, 0, 1, 2,
                                        3, 4, 5, 6, 7, 8));
}

TEST(guppi, is_padded_for_direct_access) {
  const cards shape = with(small(), "DIRECTIO", "1");
  const auto padded = [](file_bytes part, std::byte filler) {
    part.resize((part.size() + 511) / 512 * 512, filler);
    return part;
  };
  const file_bytes head = padded(header(shape), std::byte{' '});
  const file_bytes data = bytes_of({0, 1, 2, 3, 4, 5, 6, 7});
  // With data of 512 bytes both customs agree; those of 8 are padded, or not.
  const voltages both = read_guppi(head + padded(data, std::byte{0}) + head + data, "x.raw");
  EXPECT_EQ(both.n_samples, 8u);
  EXPECT_EQ(both.samples[9], 1);
  const file_bytes first = head + data;
  const std::size_t at = (first.size() + header(shape).size()) % 512;
  file_bytes second = header(shape);
  second.resize(second.size() + (512 - at) % 512, std::byte{' '});
  EXPECT_EQ(read_guppi(first + second + data, "x.raw").samples, both.samples);
}

TEST(guppi, is_refused_in_one_sentence) {
  const file_bytes data = bytes_of({0, 1, 2, 3, 4, 5, 6, 7});
  const auto of = [&](const std::string& key, const std::string& value) {
    return why(header(with(small(), key, value)) + data);
  };
  EXPECT_EQ(why({}), "x.raw: is empty; copy or record it again");
  EXPECT_THAT(why(bytes_of({'E', 'N', 'D'})), HasSubstr("ends inside a header"));
  EXPECT_THAT(why(file_bytes(80, std::byte{7})), HasSubstr("without '=' behind 8 letters"));
  EXPECT_THAT(why(guppi_end() + data), HasSubstr("has no BLOCSIZE in a header"));
  EXPECT_THAT(why(header(small())), HasSubstr("block 0 claims 8 bytes but 0 follow"));
  EXPECT_THAT(of("BLOCSIZE", "99999999999999999999"), HasSubstr("no whole number from 1 to "));
  EXPECT_THAT(of("BLOCSIZE", "1000000000000"), HasSubstr("is truncated"));
  EXPECT_THAT(of("BLOCSIZE", "-8"), HasSubstr("BLOCSIZE '-8'"));
  EXPECT_THAT(of("BLOCSIZE", "7"), HasSubstr("no multiple of the 16 bits of a time"));
  EXPECT_THAT(of("NBITS", "2"), HasSubstr("4, 8 and 16 are read"));
  EXPECT_THAT(of("NPOL", "3"), HasSubstr("1, 2 and 4 are read"));
  EXPECT_THAT(of("OVERLAP", "4"), HasSubstr("OVERLAP '4'"));
  EXPECT_THAT(of("TBIN", "0"), HasSubstr("TBIN '0', which is no number from 1e-15 to"));
  EXPECT_THAT(of("OBSFREQ", "1.4 GHz"), HasSubstr("OBSFREQ '1.4 GHz', which is no number"));
  EXPECT_THAT(of("OBSBW", "nan"), HasSubstr("OBSBW 'nan'"));
  EXPECT_THAT(of("PKTFMT", "'SIMPLE  '"), HasSubstr("format SIMPLE"));
  const auto block = [&](const cards& shape) { return header(shape) + data; };
  EXPECT_THAT(why(block(small()) + block(with(small(), "NPOL", "2"))),
              HasSubstr("block 1 of another size or shape"));
  const auto at = [&](const std::string& index) { return block(with(small(), "PKTIDX", index)); };
  EXPECT_THAT(why(at("5") + at("5")), HasSubstr("block 1 whose PKTIDX does not follow"));
  EXPECT_THAT(why(at("0") + at("2") + at("5")), HasSubstr("at no multiple of 2 in PKTIDX"));
  EXPECT_THAT(why(at("0") + at("1") + at("4000000000000000000")),
              HasSubstr("split the file at the gap"));
}

}  // namespace
