// SPDX-License-Identifier: Apache-2.0
#include "formats/files/signature.hpp"

#include <algorithm>  // find_if, min, ranges::any_of
#include <iterator>   // begin, end

namespace wingbeat::formats {
namespace {

using namespace std::string_view_literals;

/// A magic number, and a second text at another place if the first alone could occur by chance.
struct signature {
  std::string_view magic;
  std::string_view content;
  std::size_t second_at = 0;
  std::string_view second = {};
};

constexpr std::size_t dada_bytes = 4096;

constexpr signature signatures[] = {
    {"RIFF"sv, "WAV sound"sv, 8, "WAVE"sv},
    {"RF64"sv, "WAV sound"sv, 8, "WAVE"sv},
    {"RIFX"sv, "WAV sound"sv, 8, "WAVE"sv},
    {"BW64"sv, "WAV sound"sv, 8, "WAVE"sv},
    {"RIFF"sv, "a RIFF file"sv},
    {"FORM"sv, "AIFF sound"sv, 8, "AIF"sv},
    {"fLaC"sv, "FLAC sound"sv},
    {"OggS"sv, "Ogg sound"sv},
    {"ID3"sv, "MP3 sound"sv},
    {".snd"sv, "AU sound"sv},
    {"caff"sv, "CAF sound"sv},
    {"riff\x2E\x91\xCF\x11"sv, "W64 sound"sv},
    {"\x89PNG\r\n\x1A\n"sv, "a PNG image"sv},
    {"\xFF\xD8\xFF"sv, "a JPEG image"sv},
    {"II*\0"sv, "a TIFF image"sv},
    {"MM\0*"sv, "a TIFF image"sv},
    {"II+\0"sv, "a TIFF image"sv},
    {"MM\0+"sv, "a TIFF image"sv},
    {"GIF8"sv, "a GIF image"sv},
    {"SIMPLE  = "sv, "a FITS file"sv},
    {"%PDF-"sv, "a PDF document"sv},
    {"%!PS"sv, "a PostScript document"sv},
    {"\x1F\x8B\x08"sv, "a gzip archive"sv},
    {"PK\x03\x04"sv, "a ZIP archive"sv},
    {"BZh"sv, "a bzip2 archive"sv, 4, "1AY&SY"sv},
    {"\xFD\x37zXZ\0"sv, "an xz archive"sv},
    {"\x28\xB5\x2F\xFD"sv, "a zstd archive"sv},
    {"7z\xBC\xAF\x27\x1C"sv, "a 7z archive"sv},
    {"\x7F"
     "ELF"sv,
     "an ELF program"sv},
    {"\x89HDF\r\n\x1A\n"sv, "an HDF5 file"sv},
    {"MATLAB 7.3"sv, "an HDF5 file"sv},
    {"MATLAB 5.0"sv, "a MATLAB file"sv},
    {"SQLite format 3\0"sv, "a SQLite database"sv},
    {"\x93NUMPY"sv, "an array in .npy"sv},
    {"\xA1\xB2\xC3\xD4"sv, "a capture of packets (pcap)"sv},
    {"\xD4\xC3\xB2\xA1"sv, "a capture of packets (pcap)"sv},
    {"\xA1\xB2\x3C\x4D"sv, "a capture of packets (pcap)"sv},
    {"\x4D\x3C\xB2\xA1"sv, "a capture of packets (pcap)"sv},
    {"\n\r\r\n"sv, "a capture of packets (pcapng)"sv},
    {"\x0C\0\0\0HEADER_START"sv, "a sigproc file"sv},
    {"\xED\xDE\xAD\xAB"sv, "a Mark5B recording"sv},
    {""sv, "an MRC image"sv, 208, "MAP "sv},
};

}  // namespace

std::string_view signed_content(std::span<const std::byte> head) {
  const std::string_view text{reinterpret_cast<const char*>(head.data()), head.size()};
  const auto* const found =
      std::find_if(std::begin(signatures), std::end(signatures), [&](const signature& each) {
        return text.starts_with(each.magic) &&
               (each.second.empty() || (text.size() > each.second_at &&
                                        text.substr(each.second_at).starts_with(each.second)));
      });
  if (found != std::end(signatures)) return found->content;
  // PSRDADA's header is lines of keys, in any order, padded to its size by zeros.
  const std::string_view lines = text.substr(0, std::min(text.find('\0'), dada_bytes));
  const bool is_dada = lines.starts_with("HDR_SIZE ") || lines.find("\nHDR_SIZE ") != lines.npos;
  return is_dada ? "a DADA recording"sv : std::string_view{};
}

bool is_binary(std::span<const std::byte> head) {
  return std::ranges::any_of(head, [](std::byte each) { return each < std::byte{'\a'}; });
}

bool is_text(std::span<const std::byte> head) {
  std::size_t n_following = 0;  // bytes that the current UTF-8 letter still lacks
  for (const std::byte each : head) {
    const auto byte = std::to_integer<unsigned>(each);
    const bool follows = byte >= 0x80 && byte < 0xC0;
    if (follows != (n_following > 0)) return false;
    if (follows) {
      --n_following;
    } else if (byte >= 0xC0) {
      if (byte >= 0xF8) return false;
      n_following = byte >= 0xF0 ? 3 : byte >= 0xE0 ? 2 : 1;
    } else if (byte == 0x7F || (byte < ' ' && (byte < '\t' || byte > '\r') && byte != 0x1B)) {
      return false;
    }
  }
  return !head.empty();
}

}  // namespace wingbeat::formats
