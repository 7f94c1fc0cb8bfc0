// SPDX-License-Identifier: Apache-2.0
// Label: cli
// Which files `wingbeat channelise` and `wingbeat fengine` take for packed samples, which have no
// mark of their own.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <filesystem>  // remove
#include <string>
#include <vector>

#include "cli/program.hpp"      // workplace, run_with_stdin
#include "formats/message.hpp"  // little_endian

namespace {

using namespace wingbeat::test;
using namespace std::string_literals;
using ::testing::HasSubstr;
using ::testing::Not;
using words = std::vector<std::string>;

/// Bytes that are no text and begin no known format.
std::string packed_samples() {
  std::string bytes(6000, '\0');
  for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<char>(i * i % 251 + 3);
  return bytes;
}

words line_of(const std::string& file, const words& more = {}) {
  words line{"channelise", file,       "--adc-rate", "1e6", "--channels",
             "64",         "--engine", "host",       "-o",  "x.npy"};
  line.insert(line.end(), more.begin(), more.end());
  return line;
}

class recordings : public ::testing::Test {
 protected:
  void expect_refusal(const words& line, int code, const std::string& why) const {
    const std::ptrdiff_t n_before = at_.folder().n_files();
    const finished run = at_.run(line);
    EXPECT_EQ(run.code, code) << run.err;
    EXPECT_EQ(n_lines(run.err), 1U) << run.err;
    EXPECT_THAT(run.err, HasSubstr(why));
    EXPECT_EQ(at_.folder().n_files(), n_before);
  }

  workplace at_;
};

TEST_F(recordings, of_packed_samples_are_named_so) {
  for (const std::string name : {"a.raw", "a.bin", "a.DAT"}) {
    at_.file(name, packed_samples());
    EXPECT_EQ(at_.run(line_of(name)).code, 0) << name;
  }
  for (const std::string name : {"a.samples", "a"}) {
    at_.file(name, packed_samples());
    expect_refusal(line_of(name), 2, name + " does not say what it holds; give --format raw if");
    EXPECT_EQ(at_.run(line_of(name, {"--format", "raw"})).code, 0) << name;
  }
  EXPECT_EQ(run_with_stdin(at_, line_of("-"), packed_samples()).code, 0);
  EXPECT_EQ(run_with_stdin(at_, line_of("/dev/stdin"), packed_samples()).code, 0);
}

TEST_F(recordings, without_a_mark_are_said_to_be_packed) {
  at_.file("a.raw", packed_samples());
  const std::string note = "a.raw has no mark and was taken for packed samples of 10 bits";
  EXPECT_THAT(at_.run(line_of("a.raw")).err, HasSubstr(note));
  EXPECT_THAT(at_.run(line_of("a.raw", {"--format", "raw"})).err, HasSubstr("of 10 bits"));
  EXPECT_THAT(at_.run(line_of("a.raw", {"--sample-bits", "10"})).err, Not(HasSubstr("no mark")));
}

/// An array of int16 with one more sample for each; in Fortran order polarisations are in turn.
std::string array_of(std::string shape, bool is_fortran, std::size_t n_samples, int stride) {
  std::string header =
      "{'descr': '<i2', 'fortran_order': " + std::string(is_fortran ? "True" : "False") +
      ", 'shape': " + shape + ", }";
  header.resize(117, ' ');
  std::string file = "\x93NUMPY\x01\0\x76\0"s + header + '\n';
  for (int p = 0; p < 2; ++p) {
    for (std::size_t i = 0; i < n_samples; ++i) {
      const std::size_t frame = is_fortran ? i / 2 : i, pol = is_fortran ? i % 2 : std::size_t(p);
      file += little_endian((frame * frame + 7 * pol) % 251, 2);
    }
    if (stride == 2) break;
  }
  return file;
}

TEST_F(recordings, are_arrays_in_either_order) {
  at_.file("c.npy", array_of("(2, 5001)", false, 5001, 1));
  at_.file("fortran.npy", array_of("(2L, 5001L)", true, 10002, 2));
  EXPECT_EQ(at_.run(line_of("c.npy")).code, 0);
  const std::string expected = at_.folder().read("x.npy");
  std::filesystem::remove(at_.folder().path() / "x.npy");
  const finished run = at_.run(line_of("fortran.npy"));
  EXPECT_EQ(run.code, 0) << run.err;
  EXPECT_EQ(at_.folder().read("x.npy"), expected);
}

TEST_F(recordings, are_no_files_of_other_formats) {
  const std::string rest = packed_samples();
  for (const auto& [name, content, noun] : std::vector<std::array<std::string, 3>>{
           {"a.png", "\x89PNG\r\n\x1A\n"s + rest, "a PNG image"},
           {"a.dat", "\x1F\x8B\x08\0"s + rest, "a gzip archive"},
           {"a.pcap", "\xD4\xC3\xB2\xA1"s + rest, "a capture of packets (pcap)"},
           {"a.dat", "\x0C\0\0\0HEADER_START"s + rest, "a sigproc file"},
           {"a.fits", "SIMPLE  = "s + std::string(6000, ' '), "a FITS file"},
           {"README.md", std::string(6000, 'x'), "a text"}}) {
    at_.file(name, content);
    const std::string why = name + ": is " + noun + ", which holds no packed samples; name a";
    expect_refusal(line_of(name), 4, why);
    const finished piped = run_with_stdin(at_, line_of("-"), content);
    EXPECT_EQ(piped.code, 4) << piped.err;
    EXPECT_THAT(piped.err, HasSubstr("stdin: is " + noun));
    EXPECT_EQ(at_.run(line_of(name, {"--format", "raw"})).code, 0) << name;
    std::filesystem::remove(at_.folder().path() / "x.npy");
    if (name == "a.pcap") continue;
    expect_refusal({"fengine", name, name, "--adc-sample-rate", "1e6", "--sync-time", "0",
                    "--wideband", "name=w,channels=64,dst=127.0.0.1:7148"},
                   4, why);
  }
}

// Names of packed samples do not hide headers.
TEST_F(recordings, are_known_by_their_headers) {
  const std::string sound = "RIFF\x24\0\0\0WAVEfmt "s + packed_samples();
  at_.file("sound.raw", sound);
  EXPECT_NE(at_.run(line_of("sound.raw")).code, 0) << "a damaged header";
  EXPECT_THAT(run_with_stdin(at_, line_of("-"), sound).err,
              HasSubstr("stdin is to hold the format WAV sound, and raw samples alone come from"));
  EXPECT_EQ(at_.run(line_of("sound.raw", {"--format", "raw"})).code, 0);
  std::filesystem::remove(at_.folder().path() / "x.npy");
  at_.file("dada.raw", "HEADER DADA\nHDR_SIZE 4096\n" + std::string(9000, '\0'));
  expect_refusal(line_of("dada.raw"), 4, "dada.raw: has no NDIM in a header; it is no DADA file");
  at_.file("mark5b.bin", "\xED\xDE\xAD\xAB"s + packed_samples());
  expect_refusal(line_of("mark5b.bin"), 4,
                 "mark5b.bin: is Mark 5B, which does not state its channels; give them by");
  at_.file("a.raw", packed_samples());
  expect_refusal(line_of("a.raw", {"--file-channels", "4"}), 2, "a.raw is no Mark 5B");
  expect_refusal(
      line_of("a.raw", {"--levels", "optimal"}), 2,
      "--levels is given, and a.raw has no headers, and one channel; give it for guppi,");
  expect_refusal(line_of("a.raw", {"--sequence"}), 2, "--sequence is given, and a.raw has no");
  expect_refusal(line_of("a.raw", {"--sum-spectra", "2"}), 2, "--sum-spectra is of powers");
}

TEST_F(recordings, of_packets_alone_have_missing_ones) {
  at_.file("a.raw", packed_samples());
  for (const std::string word : {"zero-fill", "withhold"}) {
    expect_refusal(line_of("a.raw", {"--missing", word}), 2,
                   "--missing is of formats whose packets may be lost, and a.raw has none");
  }
}

}  // namespace
