// SPDX-License-Identifier: Apache-2.0
// GUPPI raw files, made byte by byte.
#include "formats/voltages/format.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <numeric>  // iota

#include "formats/message.hpp"           // message_of
#include "formats/temporary_folder.hpp"  // temporary_folder
#include "formats/voltages/bytes.hpp"    // guppi_card
#include "formats/voltages/read.hpp"     // read_guppi

namespace {

using namespace wingbeat::test;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using namespace wingbeat::formats;
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

TEST(guppi, of_simple_packets_has_channels_in_turn) {
  const voltages read = read_guppi(header({{"BLOCSIZE", "8"},
                                           {"OBSNCHAN", "2"},
                                           {"NPOL", "1"},
                                           {"NBITS", "8"},
                                           {"PKTFMT", "'SIMPLE  '"}}) +
                                       bytes_of({1, 2, 3, 4, 5, 6, 7, 8}),
                                   "x.raw");
  EXPECT_THAT(read.samples, ElementsAre(1, 2, 5, 6, 3, 4, 7, 8));
}

TEST(guppi, states_its_start_and_its_target) {
  cards given = with(small(), "TBIN", "1E-3");
  given["STT_IMJD"] = "60000";
  given["STT_SMJD"] = "86399";
  given["STT_OFFS"] = "0.5";
  given["SRC_NAME"] = "'B0329+54'";
  given["PKTSIZE"] = "4";
  const auto start_at = [&](const std::string& index) {
    const file_bytes content = header(with(given, "PKTIDX", index)) + file_bytes(8);
    const voltages read = read_guppi(content, "x.raw");
    EXPECT_EQ(read.target, "B0329+54");
    return *read.start;
  };
  EXPECT_EQ(start_at("0").day_mjd, 60000);
  EXPECT_DOUBLE_EQ(start_at("0").second, 86399.5);
  // A block has two packets, and takes 4 ms.
  EXPECT_EQ(start_at("500").day_mjd, 60001);
  EXPECT_NEAR(start_at("500").second, 0.5, 1e-9);
  given["PKTSTART"] = "400";
  EXPECT_NEAR(start_at("500").second, 86399.7, 1e-9);
}

TEST(guppi, has_numbers_with_a_plus_sign) {
  const auto read = read_guppi(header({{"BLOCSIZE", "+4"},
                                       {"OBSNCHAN", "1"},
                                       {"NPOL", "1"},
                                       {"NBITS", "8"},
                                       {"TBIN", "+1E-6"}}) +
                                   bytes_of({1, 2, 3, 4}),
                               "x.raw");
  EXPECT_EQ(read.n_samples, 2u);
  EXPECT_DOUBLE_EQ(read.sample_rate_hz, 1e6);
}

TEST(guppi, has_the_frequencies_of_channels) {
  for (const int sign : {1, -1}) {
    const auto content = header({{"BLOCSIZE", "16"},
                                 {"OBSNCHAN", "2"},
                                 {"NPOL", "4"},
                                 {"NBITS", "8"},
                                 {"OBSFREQ", "1500.5"},
                                 {"OBSBW", sign > 0 ? "8" : "-8."}}) +
                         bytes_of(std::vector<int>(16));
    const voltages all = read_guppi(content, "x.raw");
    ASSERT_TRUE(all.frequencies);
    EXPECT_DOUBLE_EQ(all.frequencies->first_hz, 1500.5e6 - sign * 2e6);
    EXPECT_DOUBLE_EQ(all.frequencies->step_hz, sign * 4e6);
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
  file_bytes result;
  for (const int index : {100, 116, 148}) {
    result = result + header(with(small(), "PKTIDX", std::to_string(index))) +
             bytes_of({index, 1, 2, 3, 4, 5, 6, 7});
  }
  const voltages read = read_guppi(result, "x.raw");
  EXPECT_EQ(read.n_samples, 16u);
  EXPECT_THAT(read.present, ElementsAre(std::vector<bool>{true, true, false, true}));
  EXPECT_EQ(read.samples[8], 116);
  EXPECT_EQ(read.samples[16], 0);
  EXPECT_EQ(read.samples[24], static_cast<signed char>(148));
}

// Each second block was lost, so that no two blocks are a step apart.
TEST(guppi, knows_the_step_of_blocks_by_their_packets) {
  file_bytes all, unlike;
  for (const int index : {100, 132, 164}) {
    const cards shape = with(small(), "PKTIDX", std::to_string(index));
    const file_bytes data = bytes_of({index, 1, 2, 3, 4, 5, 6, 7});
    all = all + header(with(shape, "PIPERBLK", "16")) + data;
    unlike = unlike + header(with(shape, "PIPERBLK", "48")) + data;
  }
  const voltages read = read_guppi(all, "x.raw");
  EXPECT_THAT(read.present, ElementsAre(std::vector<bool>{true, false, true, false, true}));
  EXPECT_EQ(read.first_packet, 100U);
  const voltages other = read_guppi(unlike, "x.raw");
  EXPECT_THAT(other.present, ElementsAre(std::vector<bool>{true, true, true}));
  EXPECT_THAT(other.remarks, ElementsAre(HasSubstr("states 48 packets for a block (by PIPERBLK")));
}

/// Three blocks of two channels and two polarisations, which overlap, the second left out.
file_bytes with_a_gap(const std::string& bits) {
  const cards shape{{"BLOCSIZE", "32"}, {"OBSNCHAN", "2"}, {"NPOL", "4"},
                    {"NBITS", bits},    {"OVERLAP", "1"},  {"DIRECTIO", "1"}};
  file_bytes result;
  for (const int index : {0, 2, 3}) {
    result = result + header(with(shape, "PKTIDX", std::to_string(index)));
    result.resize((result.size() + 511) / 512 * 512);
    for (int i = 0; i < 32; ++i) result.push_back(static_cast<std::byte>(i * 37 + index * 91));
    result.resize((result.size() + 511) / 512 * 512);
  }
  return result;
}

TEST(guppi, finds_channels_in_blocks_that_overlap) {
  const voltages all = read_guppi(with_a_gap("8"), "x.raw");
  ASSERT_EQ(all.n_samples, 13U);  // 4 packets of 3, and the last one's fourth
  for (std::size_t offset = 0; offset < all.samples.size(); ++offset) {
    const std::size_t part = offset % 2, i = offset / 2 % 13, c = offset / 26 % 2, p = offset / 52;
    const std::size_t block = std::min<std::size_t>(i / 3, 3), time = i - 3 * block;
    const std::size_t byte = ((c * 4 + time) * 2 + p) * 2 + part;
    const int expected = block == 1 ? 0 : static_cast<signed char>(byte * 37 + block * 91);
    EXPECT_EQ(all.samples[offset], expected) << offset;
  }
}

TEST(guppi, reads_any_samples_of_a_channel) {
  for (const char* const bits : {"4", "8", "16"}) {
    const file_bytes content = with_a_gap(bits);
    const voltages all = read_guppi(content, "x.raw");
    const byte_source source{content, "x.raw"};
    const auto file = open_guppi(source, {});
    for (std::size_t c = 0; c < 2; ++c) {
      for (std::size_t first = 0; first < all.n_samples; ++first) {
        for (std::size_t count = 1; first + count <= all.n_samples; ++count) {
          std::vector<std::int16_t> x(2 * count, 99), y(2 * count, 99);
          const std::vector<std::span<std::int16_t>> rows{x, y};
          file->read(c, first, count, rows);
          const auto same =
              all.samples.begin() + static_cast<std::ptrdiff_t>(2 * (c * all.n_samples + first));
          const auto other = same + static_cast<std::ptrdiff_t>(4 * all.n_samples);
          ASSERT_TRUE(std::equal(x.begin(), x.end(), same)) << first << " " << count;
          ASSERT_TRUE(std::equal(y.begin(), y.end(), other)) << first << " " << count;
        }
      }
    }
  }
}

TEST(guppi, refuses_a_file_that_became_shorter) {
  const file_bytes content = with_a_gap("8");
  const temporary_folder folder;
  const auto path =
      folder.write("x.raw", {reinterpret_cast<const char*>(content.data()), content.size()});
  const byte_source source{path, content.size()};
  const auto file = open_guppi(source, {});
  std::filesystem::resize_file(path, content.size() / 2);
  std::vector<std::int16_t> x(2 * file->contents().n_samples), y = x;
  const std::vector<std::span<std::int16_t>> rows{x, y};
  EXPECT_THAT(message_of([&] { file->read(1, 0, file->contents().n_samples, rows); }),
              HasSubstr("x.raw: ends within a block; another program shortened it"));
}

TEST(guppi, leaves_missing_samples_0_though_the_block_before_repeats_them) {
  const cards shape = with(small(), "OVERLAP", "1");
  file_bytes result;
  for (const char* const index : {"0", "1", "3"}) {
    result = result + header(with(shape, "PKTIDX", index)) + bytes_of({1, 2, 3, 4, 5, 6, 7, 8});
  }
  const voltages read = read_guppi(result, "x.raw");
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
  const std::size_t offset = (first.size() + header(shape).size()) % 512;
  file_bytes second = header(shape);
  second.resize(second.size() + (512 - offset) % 512, std::byte{' '});
  EXPECT_EQ(read_guppi(first + second + data, "x.raw").samples, both.samples);
}

/// Four blocks of 4 samples, each of its own number.
std::vector<file_bytes> four_blocks(std::size_t changed = 4, const std::string& key = "",
                                    const std::string& value = "") {
  std::vector<file_bytes> blocks;
  for (std::size_t i = 0; i < 4; ++i) {
    cards given = small();
    given["PKTIDX"] = std::to_string(i);
    given["TBIN"] = "1e-6";
    given["OBSFREQ"] = "1400";
    given["OBSBW"] = "1";
    if (i == changed) given[key] = value;
    blocks.push_back(header(given) + bytes_of(std::vector<int>(8, static_cast<int>(i) + 1)));
  }
  return blocks;
}

file_bytes joined_blocks(const std::vector<file_bytes>& blocks) {
  file_bytes content;
  for (const file_bytes& each : blocks) content = content + each;
  return content;
}

TEST(guppi, leaves_out_blocks_of_other_times_or_frequencies) {
  for (const auto& [key, value] :
       cards{{"TBIN", "2e-6"}, {"OBSFREQ", "1401"}, {"OBSBW", "-1"}, {"CHAN_BW", "1.001"}}) {
    for (const std::size_t odd : {0u, 2u}) {
      const voltages read = read_guppi(joined_blocks(four_blocks(odd, key, value)), "x.raw");
      EXPECT_THAT(read.remarks,
                  ElementsAre(HasSubstr("block " + std::to_string(odd) + " has another TBIN")))
          << key;
      EXPECT_EQ(read.sample_rate_hz, 1e6);
      EXPECT_EQ(read.frequencies->first_hz, 1400e6);
      EXPECT_EQ(read.frequencies->step_hz, 1e6);
      EXPECT_EQ(read.samples[0], odd == 0 ? 2 : 1);
      EXPECT_EQ(read.samples.back(), 4);
    }
  }
  // The same number, written in another way.
  EXPECT_EQ(read_guppi(joined_blocks(four_blocks(2, "TBIN", "1.0E-6")), "x.raw").remarks.size(),
            0U);
}

TEST(guppi, reads_blocks_behind_a_damaged_first_one) {
  for (const auto& [key, value] : cards{{"NBITS", "eight"}, {"PKTIDX", "none"}}) {
    const voltages read = read_guppi(joined_blocks(four_blocks(0, key, value)), "x.raw");
    EXPECT_THAT(read.remarks, ElementsAre(HasSubstr("has " + key + " '" + value)));
    EXPECT_EQ(read.n_samples, 12U);
    EXPECT_EQ(read.samples[0], 2);
  }
}

TEST(guppi, leaves_out_a_first_block_that_comes_at_a_wrong_time) {
  for (const std::string index : {"3", "1099511627776"}) {
    const voltages read = read_guppi(joined_blocks(four_blocks(0, "PKTIDX", index)), "x.raw");
    EXPECT_THAT(read.remarks,
                ElementsAre(HasSubstr("PKTIDX " + index + " of block 0 does not fit")));
    EXPECT_EQ(read.n_samples, 12U);
    EXPECT_EQ(read.samples[0], 2);
  }
}

TEST(guppi, believes_the_stated_step_where_one_block_contradicts_it) {
  const auto blocks = [](std::initializer_list<std::size_t> indices) {
    file_bytes content;
    for (const std::size_t index : indices) {
      const cards shape = with(with(small(), "PIPERBLK", "64"), "PKTIDX", std::to_string(index));
      content = content + header(shape) + bytes_of({1, 2, 3, 4, 5, 6, 7, 8});
    }
    return read_guppi(content, "x.raw");
  };
  const voltages far = blocks({0, std::size_t{1} << 40, 64});
  EXPECT_THAT(far.present, ElementsAre(std::vector<bool>{true, true}));
  EXPECT_THAT(far.remarks,
              ElementsAre(HasSubstr("PKTIDX 1099511627776 of block 1 lies far behind")));
  const voltages odd = blocks({0, 64, 131, 192});
  EXPECT_THAT(odd.present, ElementsAre(std::vector<bool>{true, true, false, true}));
  EXPECT_THAT(odd.remarks, ElementsAre(HasSubstr("PKTIDX 131 of block 2 is at no multiple of 64")));
}

TEST(guppi, reads_blocks_behind_stray_bytes) {
  const voltages whole = read_guppi(joined_blocks(four_blocks()), "x.raw");
  std::vector<file_bytes> blocks = four_blocks();
  blocks[2] = file_bytes(30, std::byte{0xFF}) + blocks[2];
  const voltages read = read_guppi(joined_blocks(blocks), "x.raw");
  EXPECT_EQ(read.samples, whole.samples);
  EXPECT_THAT(read.remarks, ElementsAre(HasSubstr("30 bytes before block 2 belong to none")));
}

TEST(guppi, is_refused_in_one_sentence) {
  const file_bytes data = bytes_of({0, 1, 2, 3, 4, 5, 6, 7});
  const auto refusal_with = [&](const std::string& key, const std::string& value) {
    return why(header(with(small(), key, value)) + data);
  };
  EXPECT_EQ(why({}), "x.raw: is empty; copy or record it again");
  EXPECT_THAT(why(bytes_of({'E', 'N', 'D'})), HasSubstr("ends inside a header"));
  EXPECT_THAT(why(file_bytes(80, std::byte{7})), HasSubstr("without '=' behind 8 letters"));
  EXPECT_THAT(why(guppi_end() + data), HasSubstr("has no BLOCSIZE in a header"));
  EXPECT_THAT(why(header(small())), HasSubstr("block 0 claims 8 bytes but 0 follow"));
  EXPECT_THAT(refusal_with("BLOCSIZE", "99999999999999999999"),
              HasSubstr("no whole number from 1 to "));
  EXPECT_THAT(refusal_with("BLOCSIZE", "1000000000000"), HasSubstr("is truncated"));
  EXPECT_THAT(refusal_with("BLOCSIZE", "-8"), HasSubstr("BLOCSIZE '-8'"));
  EXPECT_THAT(refusal_with("BLOCSIZE", "7"), HasSubstr("no multiple of the 16 bits of a time"));
  EXPECT_THAT(refusal_with("NBITS", "2"), HasSubstr("4, 8 and 16 are read"));
  EXPECT_THAT(refusal_with("NPOL", "3"), HasSubstr("1, 2 and 4 are read"));
  EXPECT_THAT(refusal_with("OVERLAP", "4"), HasSubstr("OVERLAP '4'"));
  EXPECT_THAT(refusal_with("TBIN", "0"),
              HasSubstr("TBIN '0' in a header, which is no number from 1e-15 to"));
  EXPECT_THAT(refusal_with("TBIN", "+-1E-6"), HasSubstr("TBIN '+-1E-6'"));
  EXPECT_THAT(refusal_with("NBITS", "++8"), HasSubstr("NBITS '++8'"));
  EXPECT_THAT(refusal_with("OBSFREQ", "1.4 GHz"),
              HasSubstr("OBSFREQ '1.4 GHz' in a header, which is no number"));
  EXPECT_THAT(refusal_with("OBSBW", "nan"), HasSubstr("OBSBW 'nan'"));
  EXPECT_THAT(refusal_with("DATATYPE", "'FLOAT   '"),
              HasSubstr("has samples of DATATYPE 'FLOAT'; those of INTEGER are read"));
  EXPECT_THAT(refusal_with("NANTS", "2"), HasSubstr("OBSNCHAN 1, no multiple of its NANTS 2"));
  const file_bytes other = header(with(small(), "NPOL", "2")) + data;
  EXPECT_THAT(why(header(small()) + data + other + other),
              HasSubstr("block 1 of another size or shape"));
}

}  // namespace
