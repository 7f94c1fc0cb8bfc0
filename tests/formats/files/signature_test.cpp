// SPDX-License-Identifier: Apache-2.0
// Formats are told by their first bytes, however little of them there is; texts by all of them.
#include "formats/files/signature.hpp"

#include <gtest/gtest.h>

#include <string>
#include <utility>  // pair
#include <vector>

namespace {

using namespace wingbeat::formats;
using namespace std::string_literals;

std::span<const std::byte> bytes_of(const std::string& text) {
  return std::as_bytes(std::span{text});
}

TEST(signature, names_known_formats) {
  for (const auto& [head, content] : std::vector<std::pair<std::string, std::string>>{
           {"RIFF\x24\0\0\0WAVEfmt "s, "WAV sound"},
           {"RIFF\x24\0\0\0AVI LIST"s, "a RIFF file"},
           {"fLaC\0\0\0\x22"s, "FLAC sound"},
           {"OggS\0\2"s, "Ogg sound"},
           {"FORM\0\0\0\x30"
            "AIFFCOMM"s,
            "AIFF sound"},
           {"FORM\0\0\0\x30"
            "AIFCFVER"s,
            "AIFF sound"},
           {".snd\0\0\0\x18"s, "AU sound"},
           {"caff\0\1\0\0"s, "CAF sound"},
           {"riff\x2E\x91\xCF\x11\xA5\xD6"s, "W64 sound"},
           {"ID3\4\0"s, "MP3 sound"},
           {"\x89PNG\r\n\x1A\n\0\0"s, "a PNG image"},
           {"\xFF\xD8\xFF\xE0\0\x10JFIF"s, "a JPEG image"},
           {"II*\0\x08\0"s, "a TIFF image"},
           {"MM\0*\0\0"s, "a TIFF image"},
           {"%PDF-1.7\n"s, "a PDF document"},
           {"\x1F\x8B\x08\0"s, "a gzip archive"},
           {"PK\x03\x04\x14"s, "a ZIP archive"},
           {"BZh91AY&SY"s, "a bzip2 archive"},
           {"\x7F"
            "ELF\x02"s,
            "an ELF program"},
           {"\x93NUMPY\x01\0"s, "an array in .npy"},
           {"\xD4\xC3\xB2\xA1\x02\0"s, "a capture of packets (pcap)"},
           {"\n\r\r\n\x1C\0"s, "a capture of packets (pcapng)"},
           {"SIMPLE  =                    T"s, "a FITS file"},
           {"\x0C\0\0\0HEADER_START\x0A"s, "a sigproc file"},
           {"\xED\xDE\xAD\xAB\0\0"s, "a Mark5B recording"},
           {"HEADER DADA\nHDR_SIZE 4096\n\0\0"s, "a DADA recording"},
           {"HDR_SIZE 4096\nNBIT 8\n"s, "a DADA recording"},
           {std::string(208, '\0') + "MAP \x44\x44", "an MRC image"}}) {
    EXPECT_EQ(signed_content(bytes_of(head)), content);
    EXPECT_EQ(signed_content(bytes_of(head.substr(0, 2))), "") << content;
  }
}

TEST(signature, is_none_of_other_bytes) {
  for (const std::string& head : {""s, "\0"s, "RIF"s, "PK"s, "BZh9 and more"s, "FORM of a letter"s,
                                  std::string(5000, 'x'), std::string(300, '\0')}) {
    EXPECT_EQ(signed_content(bytes_of(head)), "");
  }
}

TEST(signature, tells_texts) {
  for (const std::string& text :
       {"a\n"s, "# README\r\n\tfirst\f\x1B[1m"s, "K\xC3\xA4se \xE2\x82\xAC"s, "cut \xE2\x82"s,
        "\xF0\x9F\x90\xA6"s}) {
    EXPECT_TRUE(is_text(bytes_of(text))) << text;
  }
  for (const std::string& other : {""s, "a\0b"s, "\x80"s, "\xC3("s,
                                   "\xFF\xFE"
                                   "a"s,
                                   "a\x01"s, "\x7F"s, "\xE2\x82\x82\x82"s}) {
    EXPECT_FALSE(is_text(bytes_of(other)));
  }
}

}  // namespace
