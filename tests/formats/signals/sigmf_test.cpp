// SPDX-License-Identifier: Apache-2.0
// Raw I and Q, and SigMF: documents, archives, what is kept of both.
#include "formats/signals/sigmf.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "formats/message.hpp"           // little_endian, message_of
#include "formats/signals/signal.hpp"    // read_signal, write_signal
#include "formats/temporary_folder.hpp"  // temporary_folder

namespace {

using namespace wingbeat::formats;
using namespace wingbeat::test;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using wingbeat::plan_error;
using wingbeat::formats::signal;  // not <csignal>'s
using complex = std::complex<double>;
using namespace std::string_literals;

TEST(raw_samples, are_named_by_their_types) {
  const temporary_folder folder;
  const auto read = [&](const std::string& bytes, const std::string& format) {
    return read_signal(folder.write("x.bin", bytes), {.format = format});
  };
  EXPECT_THAT(read("\x80\xC0\x00\xFF"s, "cu8").samples,
              ElementsAre(complex{0, 0.5}, complex{-1, 127 / 128.0}));
  EXPECT_THAT(read("\x80\x40"s, "ci8").samples, ElementsAre(complex{-1, 0.5}));
  EXPECT_THAT(read("\x00\x40\xFF\xFF"s, "ci16").samples, ElementsAre(complex{0.5, -1 / 32768.0}));
  EXPECT_THAT(read("\x40\x00\xFF\xFF"s, "ci16_be").samples,
              ElementsAre(complex{0.5, -1 / 32768.0}));
  EXPECT_THAT(read("\0\0\x80\x3F\0\0\0\xC0"s, "cf32").samples, ElementsAre(complex{1, -2}));
  EXPECT_THAT(read("\x40\x00"s, "ri16_be").samples, ElementsAre(complex{0.5}));
  EXPECT_FALSE(read("\x40\x00"s, "cu8").is_real);
  EXPECT_THAT(message_of([&] { (void)read("abc", "ci8"); }), HasSubstr("frames of 2 bytes"));
  EXPECT_THAT(message_of<plan_error>([&] { (void)read("abcd", "ci12"); }),
              HasSubstr("--format ci12 is not known"));
}

TEST(raw_samples, are_two_channels_of_a_table) {
  const temporary_folder folder;
  write_signal(folder.path() / "x.npy", {.samples = {1, 2, 3, 4}, .n_rows = 2, .row_length = 2});
  EXPECT_THAT(read_signal(folder.path() / "x.npy", {.format = "iq"}).samples,
              ElementsAre(complex{1, 3}, complex{2, 4}));
  EXPECT_THAT(message_of<plan_error>(
                  [&] { (void)read_signal(folder.write("x.txt", "1\n2\n"), {.format = "iq"}); }),
              HasSubstr("I and Q are two of real ones"));
}

nlohmann::json document() {
  return {{"global",
           {{"core:datatype", "ci16_le"}, {"core:sample_rate", 2e6}, {"core:version", "1.0.0"}}},
          {"captures", {{{"core:sample_start", 0}, {"core:frequency", 1e8}}}},
          {"annotations",
           {{{"core:sample_start", 1}, {"core:sample_count", 2}, {"core:label", "tone"}}}}};
}

const std::string four_samples = "\0\x40\0\0\0\0\0\x20\0\xC0\0\0\0\0\0\0"s;

class sigmf : public ::testing::Test {
 protected:
  std::filesystem::path write(const nlohmann::json& meta) {
    folder_.write("x.sigmf-data", four_samples);
    return folder_.write("x.sigmf-meta", meta.dump());
  }
  std::string refusal(const nlohmann::json& meta) {
    return message_of([&] { (void)read_signal(write(meta)); });
  }
  temporary_folder folder_;
};

TEST_F(sigmf, is_read_by_either_name_and_from_an_archive) {
  write(document());
  const auto entry = [](const std::string& name, const std::string& content) {
    std::string block = name;
    block.resize(124, '\0');
    char size[12];
    std::snprintf(size, sizeof size, "%011zo", content.size());
    block += std::string{size, 12};
    block.resize(156, '\0');
    block += '0';
    block.resize(257, '\0');
    block += "ustar";
    block.resize(512, '\0');
    return block + content + std::string((512 - content.size() % 512) % 512, '\0');
  };
  const std::string data = entry("x/x.sigmf-data", four_samples),
                    meta = entry("x/x.sigmf-meta", document().dump());
  folder_.write("x.sigmf", meta + data + std::string(1024, '\0'));
  folder_.write("y.sigmf", data + meta);
  for (const char* name : {"x.sigmf-meta", "x.sigmf-data", "x.sigmf", "y.sigmf"}) {
    const signal read = read_signal(folder_.path() / name);
    EXPECT_THAT(read.samples,
                ElementsAre(complex{0.5}, complex{0, 0.25}, complex{-0.5}, complex{0}));
    EXPECT_EQ(read.sample_rate_hz, 2e6);
    EXPECT_EQ(read.centre_hz, 1e8);
  }
  const auto message = [&](const std::string& bytes) {
    return message_of([&] { (void)read_signal(folder_.write("z.sigmf", bytes)); });
  };
  EXPECT_THAT(message(meta), HasSubstr("lacks metadata or samples"));
  EXPECT_THAT(message(meta + meta + data), HasSubstr("several recordings"));
  EXPECT_THAT(message(meta + data.substr(0, 520)), HasSubstr("damaged or no archive"));
  EXPECT_THAT(message(std::string(600, 'x')), HasSubstr("damaged or no archive"));
}

TEST_F(sigmf, is_written_as_an_archive) {
  const signal original = read_signal(write(document()));
  write_signal(folder_.path() / "y.sigmf", original);
  const std::string bytes = folder_.read("y.sigmf");
  ASSERT_EQ(bytes.size() % 512, 0U);
  EXPECT_EQ(bytes.substr(bytes.size() - 1024), std::string(1024, '\0'));
  EXPECT_TRUE(bytes.starts_with("y/y.sigmf-meta\0"s));
  unsigned sum = 8 * ' ';  // the sum's own field counts as blanks
  for (std::size_t i = 0; i < 512; ++i) {
    if (i < 148 || i >= 156) sum += static_cast<unsigned char>(bytes[i]);
  }
  EXPECT_EQ(std::stoul(bytes.substr(148, 6), nullptr, 8), sum);
  const signal read = read_signal(folder_.path() / "y.sigmf");
  EXPECT_EQ(read.samples, original.samples);
  EXPECT_EQ(read.sample_rate_hz, 2e6);
  EXPECT_EQ(nlohmann::json::parse(read.sigmf)["annotations"], document()["annotations"]);
  EXPECT_THAT(message_of<plan_error>([&] {
                write_signal(folder_.path() / (std::string(60, 'n') + ".sigmf"), original);
              }),
              HasSubstr("a shorter name"));
  signal huge = original;
  huge.row_length = std::size_t{1} << 30;
  EXPECT_THAT(message_of<plan_error>([&] { (void)open_writer(folder_.path() / "z.sigmf", huge); }),
              HasSubstr("8 GiB"));
}

TEST_F(sigmf, keeps_captures_and_annotations) {
  const signal read = read_signal(write(document()));
  write_signal(folder_.path() / "y.sigmf-meta", read);
  const signal again = read_signal(folder_.path() / "y.sigmf-data");
  EXPECT_EQ(again.samples, read.samples);
  const auto kept = nlohmann::json::parse(again.sigmf);
  EXPECT_EQ(kept["annotations"], document()["annotations"]);
  EXPECT_EQ(kept["captures"], document()["captures"]);
  EXPECT_EQ(kept["global"]["core:datatype"], "cf32_le");
  const auto later = nlohmann::json::parse(shifted_sigmf(again.sigmf, -2, 4));
  EXPECT_EQ(later["annotations"][0]["core:sample_start"], 0);
  EXPECT_EQ(later["annotations"][0]["core:sample_count"], 1);
  EXPECT_EQ(nlohmann::json::parse(shifted_sigmf(again.sigmf, -3, 4))["annotations"].size(), 0U);
}

TEST_F(sigmf, reads_channels_headers_and_trailing_bytes) {
  auto meta = document();
  meta["global"]["core:num_channels"] = 2;
  EXPECT_THAT(read_signal(write(meta), {.channel = 1}).samples,
              ElementsAre(complex{0, 0.25}, complex{0}));
  meta = document();
  meta["captures"][0]["core:header_bytes"] = 4;
  meta["global"]["core:trailing_bytes"] = 4;
  EXPECT_THAT(read_signal(write(meta)).samples, ElementsAre(complex{0, 0.25}, complex{-0.5}));
  meta["captures"].push_back({{"core:sample_start", 2}, {"core:frequency", 2e8}});
  EXPECT_EQ(read_signal(write(meta)).centre_hz, 0) << "two frequencies";
}

TEST_F(sigmf, refuses_by_name) {
  const auto changed = [&](const char* object, const char* key, const nlohmann::json& value) {
    auto meta = document();
    (object == "global"s ? meta["global"] : meta["captures"][0])[key] = value;
    return refusal(meta);
  };
  EXPECT_THAT(changed("global", "core:datatype", "ci12"), HasSubstr("samples of type 'ci12'"));
  EXPECT_THAT(changed("global", "core:datatype", 3), HasSubstr("is no metadata of SigMF"));
  EXPECT_THAT(changed("global", "core:num_channels", 0), HasSubstr("has no channels"));
  EXPECT_THAT(changed("global", "core:num_channels", 3), HasSubstr("frames of 12 bytes"));
  EXPECT_THAT(changed("global", "core:sample_rate", -1), HasSubstr("has -1 as core:sample_rate"));
  EXPECT_THAT(changed("global", "core:metadata_only", true), HasSubstr("metadata alone"));
  EXPECT_THAT(changed("global", "core:dataset", "../x"), HasSubstr("in another folder"));
  EXPECT_THAT(changed("captures", "core:header_bytes", 40), HasSubstr("shorter than its headers"));
  EXPECT_THAT(changed("captures", "core:sample_start", "x"), HasSubstr("is no metadata of SigMF"));
  EXPECT_THAT(refusal("text"), HasSubstr("is no metadata of SigMF"));
  folder_.write("x.sigmf-collection", "{}");
  EXPECT_THAT(message_of([&] { (void)read_signal(folder_.path() / "x.sigmf-collection"); }),
              HasSubstr("is a collection"));
}

}  // namespace
