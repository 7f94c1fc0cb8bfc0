// SPDX-License-Identifier: Apache-2.0
// Files of PSRDADA, made byte by byte.
#include "formats/voltages/format.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "formats/message.hpp"           // message_of
#include "formats/temporary_folder.hpp"  // temporary_folder
#include "formats/voltages/bytes.hpp"    // dada_header
#include "formats/voltages/read.hpp"     // read_dada

namespace {

using namespace wingbeat::test;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using namespace wingbeat::formats;

const std::string small = "NBIT 8\nNDIM 1\nNPOL 1\nNCHAN 1\nTSAMP 1000\n";

std::string why(const file_bytes& content) {
  return message_of([&] { static_cast<void>(read_dada(content, "x.dada")); });
}

TEST(dada, holds_times_channels_and_polarisations) {
  const std::string keys =
      "NBIT 8\nNDIM 2\nNPOL 2\nNCHAN 2\nTSAMP\t0.5 # us\nFREQ 1400\nBW -4\nSOURCE B0329+54\n"
      "UTC_START 2026-11-29-23:59:59.5\nOBS_OFFSET 16000000\n";
  std::vector<int> values(16);
  for (int i = 0; i < 16; ++i) values[static_cast<std::size_t>(i)] = i - 8;
  const voltages read = read_dada(dada_header(keys) + bytes_of(values), "x.dada");
  EXPECT_THAT(read.samples, ElementsAre(-8, -7, 0, 1, -4, -3, 4, 5, -6, -5, 2, 3, -2, -1, 6, 7));
  EXPECT_TRUE(read.is_complex);
  EXPECT_DOUBLE_EQ(read.sample_rate_hz, 2e6);
  EXPECT_EQ(read.frequencies, (channel_frequencies{1401e6, -2e6}));
  EXPECT_EQ(read.target, "B0329+54");
  // 8 bytes are a time, so that the file begins 2,000,000 times behind UTC_START: 1 s.
  EXPECT_EQ(read.start->day_mjd, 61374);
  EXPECT_NEAR(read.start->second, 0.5, 1e-9);
}

TEST(dada, has_samples_of_16_bits_in_both_orders) {
  const std::string keys = "NBIT 16\nNDIM 1\nNPOL 2\nNCHAN 2\nMJD_START 60000.25\n";
  const file_bytes content = bytes_of({1, 0, 2, 0, 3, 0, 0xFF, 0x7F, 0, 0x80, 6, 0, 7, 0, 8, 0});
  const voltages usual = read_dada(dada_header(keys) + content, "x.dada");
  EXPECT_THAT(usual.samples, ElementsAre(1, -32768, 3, 7, 2, 6, 32767, 8));
  EXPECT_EQ(usual.sample_rate_hz, 0);
  EXPECT_EQ(*usual.start, (day_time{60000, 21600}));
  const voltages other = read_dada(dada_header(keys + "ORDER TPF\n") + content, "x.dada");
  EXPECT_THAT(other.samples, ElementsAre(1, -32768, 2, 6, 3, 7, 32767, 8));
}

TEST(dada, has_more_channels_than_polarisations_in_both_orders) {
  const std::string keys = "NBIT 8\nNDIM 1\nNPOL 2\nNCHAN 3\n";
  const file_bytes content = bytes_of({1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12});
  EXPECT_THAT(read_dada(dada_header(keys) + content, "x.dada").samples,
              ElementsAre(1, 7, 3, 9, 5, 11, 2, 8, 4, 10, 6, 12));
  EXPECT_THAT(read_dada(dada_header(keys + "ORDER TPF\n") + content, "x.dada").samples,
              ElementsAre(1, 7, 2, 8, 3, 9, 4, 10, 5, 11, 6, 12));
}

class sequence : public ::testing::Test {
 protected:
  std::string file(const std::string& name, const std::string& more, int first, int count) {
    file_bytes content = more.empty() ? file_bytes{} : dada_header(small + more);
    for (int i = 0; i < count; ++i) content.push_back(static_cast<std::byte>(first + i));
    const std::string path = place_.path() / name;
    std::ofstream(path, std::ios::binary)
        .write(reinterpret_cast<const char*>(content.data()),
               static_cast<std::streamsize>(content.size()));
    return path;
  }
  static voltages read(const std::vector<std::string>& files) {
    const byte_source source{files};
    return read_all(*open_dada(source, {}));
  }
  temporary_folder place_;
};

TEST_F(sequence, is_placed_by_its_offsets) {
  const std::string a = file("a", "OBS_OFFSET 8\n", 1, 4), b = file("b", "OBS_OFFSET 12\n", 5, 4),
                    c = file("c", "OBS_OFFSET 16\n", 9, 3);
  const voltages whole = read({c, a, b});
  EXPECT_THAT(whole.samples, ElementsAre(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11));
  const voltages gap = read({a, c});
  EXPECT_THAT(gap.samples, ElementsAre(1, 2, 3, 4, 0, 0, 0, 0, 9, 10, 11));
  EXPECT_THAT(gap.present, ElementsAre(std::vector<bool>{true, false, true}));
  const voltages odd = read({a, b, file("d", "OBS_OFFSET 17\n", 9, 4)});
  EXPECT_EQ(odd.n_samples, 8U);
  EXPECT_THAT(odd.remarks, ElementsAre(HasSubstr("file 2 of the sequence is at no place of its")));
}

TEST_F(sequence, may_have_its_header_beside) {
  const std::string a = file("a", "\n", 0, 0), b = file("b", "", 1, 3), c = file("c", "", 4, 2);
  EXPECT_THAT(read({a, b}).samples, ElementsAre(1, 2, 3));
  EXPECT_THAT(read({a, b, c}).samples, ElementsAre(1, 2, 3, 4, 5));
  EXPECT_THAT(message_of([&] { static_cast<void>(read({a})); }),
              HasSubstr("is a DADA header without samples; give it with --sequence"));
}

TEST(dada, is_refused_in_one_sentence) {
  const auto refusal = [](const std::string& keys) {
    return why(dada_header(keys) + file_bytes(64));
  };
  EXPECT_THAT(refusal("NBIT 8\n"), HasSubstr("has no NDIM in a header; it is no DADA file"));
  EXPECT_THAT(refusal("NBIT 2\nNDIM 1\n"), HasSubstr("NBIT 2; 8 and 16 bits are read"));
  EXPECT_THAT(refusal("NBIT -32\nNDIM 1\n"), HasSubstr("NBIT -32; 8 and 16 bits are read"));
  EXPECT_THAT(refusal("NBIT 8\nNDIM 2\nNCHAN 2\nORDER FTP\n"),
              HasSubstr("in ORDER 'FTP'; TFP and TPF are read"));
  EXPECT_THAT(refusal("NBIT 8\nNDIM 1\nNANT 4\n"), HasSubstr("several antennas"));
  EXPECT_THAT(refusal("NBIT 8\nNDIM 1\nUTC_START yesterday\n"), HasSubstr("which is no time"));
  EXPECT_THAT(refusal("NBIT 8\nNDIM 1\nNPOL 4\n"), HasSubstr("NPOL '4'"));
}

}  // namespace
