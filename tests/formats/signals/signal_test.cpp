// SPDX-License-Identifier: Apache-2.0
// Choosing the format, and files that cannot be read at all.
#include "formats/signals/signal.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>  // mkfifo

#include <thread>

#include "formats/message.hpp"           // little_endian, message_of
#include "formats/temporary_folder.hpp"  // nobody, temporary_folder

namespace {

using namespace wingbeat::formats;
using namespace wingbeat::test;
using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using wingbeat::formats::signal;  // not <csignal>'s

std::string tiny_wav() {
  return "RIFF" + little_endian(38, 4) + "WAVEfmt " + little_endian(16, 4) + little_endian(1, 2) +
         little_endian(1, 2) + little_endian(8000, 4) + little_endian(16000, 4) +
         little_endian(2, 2) + little_endian(16, 2) + "data" + little_endian(2, 4) +
         little_endian(0x4000, 2);
}

std::string refusal(const std::filesystem::path& file) {
  return message_of([&] { (void)read_signal(file); });
}

TEST(read_signal, chooses_by_extension_and_by_magic) {
  const temporary_folder folder;
  EXPECT_THAT(read_signal(folder.write("a.txt", "0.5")).samples, ElementsAre(0.5));
  EXPECT_THAT(read_signal(folder.write("a.dat", "0.5")).samples, ElementsAre(0.5));
  EXPECT_THAT(read_signal(folder.write("a.wav", tiny_wav())).samples, ElementsAre(0.5));
  EXPECT_THAT(read_signal(folder.write("a.WAV", tiny_wav())).samples, ElementsAre(0.5));
  EXPECT_THAT(read_signal(folder.write("recording", tiny_wav())).samples, ElementsAre(0.5));
  write_signal(folder.path() / "a.npy", {.samples = {0.5}, .row_length = 1});
  EXPECT_THAT(read_signal(folder.write("array", folder.read("a.npy"))).samples, ElementsAre(0.5));
  EXPECT_THAT(refusal(folder.write("b.npy", "0.5")), HasSubstr("NumPy's magic bytes"));
  EXPECT_THAT(refusal(folder.write("b.wav", "0.5")), HasSubstr("fewer than a .wav header"));
  EXPECT_THAT(refusal(folder.write("b.flac", "fLaC\1\2\3")), HasSubstr("cannot be read as sound"));
}

TEST(read_signal, names_other_formats_that_it_does_not_read) {
  const temporary_folder folder;
  EXPECT_THAT(refusal(folder.write("b.png", "\x89PNG\r\n\x1A\n")),
              HasSubstr("is a PNG image; convolve, match and transform --axes 2 read images"));
  EXPECT_THAT(refusal(folder.write("b.txt", "%PDF-1.7\n")),
              HasSubstr("is a PDF document; sound, .npy, SigMF, HDF5, .csv and text are read"));
}

TEST(read_signal, names_what_is_no_text) {
  using namespace std::string_literals;
  const temporary_folder folder;
  EXPECT_THAT(refusal(folder.write("iq.bin", "\0\1\2\3\4\5\6\7\xC0"s)),
              HasSubstr("iq.bin: is binary, and of no format that is known; give --format"));
  EXPECT_THAT(refusal(folder.write("a.csv", "\xFF\xFEt\0,\0v\0\n\0"s)),
              HasSubstr("is a text in UTF-16; save it in UTF-8"));
}

TEST(read_signal, refuses_a_channel_where_there_are_none) {
  const temporary_folder folder;
  const auto text = folder.write("a.txt", "0.5");
  const auto message =
      message_of<wingbeat::plan_error>([&] { (void)read_signal(text, {.channel = 0}); });
  EXPECT_THAT(message, HasSubstr("has rows and no channels, so channel 0 means nothing there"));
  EXPECT_THROW((void)read_signal(folder.write("a.wav", tiny_wav()), {.channel = 1}),
               wingbeat::plan_error);
}

TEST(read_signal, refuses_files_that_cannot_be_read) {
  const temporary_folder folder;
  EXPECT_THAT(refusal(folder.path() / "no.txt"), EndsWith("cannot be opened: No such file or "
                                                          "directory"));
  EXPECT_THAT(refusal(folder.path()), HasSubstr("is a directory"));
  EXPECT_THAT(refusal(folder.write("empty.txt", "")), HasSubstr("is empty"));
  EXPECT_THAT(refusal(folder.write("empty.npy", "")), HasSubstr("is empty"));
  const auto secret = folder.write("secret.txt", "1");
  std::filesystem::permissions(secret, std::filesystem::perms::none);
  std::filesystem::permissions(folder.path(), std::filesystem::perms::all);
  const nobody without_power;
  EXPECT_THAT(refusal(secret), HasSubstr("cannot be opened: Permission denied"));
}

TEST(read_signal, refuses_more_bytes_than_it_may_hold) {
  const temporary_folder folder;
  const auto sparse = folder.write("large.txt", std::string(4096, '1'));
  std::filesystem::resize_file(sparse, (std::uintmax_t{1} << 32) + 1);
  EXPECT_THAT(refusal(sparse), HasSubstr("holds 4294967297 bytes; at most 4294967296 are read"));
}

TEST(read_signal, reads_a_pipe_to_its_end) {
  const temporary_folder folder;
  const auto pipe = folder.path() / "pipe";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  std::string content;
  for (int i = 0; i < 50000; ++i) content += std::to_string(i) + "\n";
  std::thread writer([&] { folder.write("pipe", content); });
  const auto read = read_signal(pipe);
  writer.join();
  ASSERT_EQ(read.samples.size(), 50000u);
  EXPECT_EQ(read.samples.back(), 49999.0);
}

TEST(write_signal, chooses_by_extension) {
  const temporary_folder folder;
  const signal one{.samples = {{1, -2}}, .row_length = 1, .is_real = false};
  write_signal(folder.path() / "a.txt", one);
  write_signal(folder.path() / "a.CSV", one);
  EXPECT_EQ(folder.read("a.txt"), "1 -2\n");
  EXPECT_EQ(folder.read("a.CSV"), "index,re,im\n0,1,-2\n");
  for (const char* name : {"a.mp3", "a", "a.txt.gz", ".npy"}) {
    const auto message =
        message_of<wingbeat::plan_error>([&] { write_signal(folder.path() / name, one); });
    EXPECT_THAT(message, HasSubstr("must end in .txt, .csv, .npy, .wav")) << name;
  }
  EXPECT_EQ(folder.n_files(), 2);
  const signal tone{.samples = {0.5, -2}, .row_length = 2, .sample_rate_hz = 8000};
  write_signal(folder.path() / "a.wav", tone);
  EXPECT_EQ(read_signal(folder.path() / "a.wav").samples, tone.samples);
  EXPECT_EQ(read_signal(folder.path() / "a.wav").sample_rate_hz, 8000);
}

}  // namespace
