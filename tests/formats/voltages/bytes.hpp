// SPDX-License-Identifier: Apache-2.0
// Recordings of voltages made byte by byte.
#pragma once

#include <cstddef>  // byte
#include <cstdint>  // uint32_t
#include <string>
#include <vector>

namespace wingbeat::test {

using file_bytes = std::vector<std::byte>;

inline file_bytes operator+(file_bytes a, const file_bytes& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

inline file_bytes bytes_of(const std::vector<int>& values) {
  file_bytes result;
  for (const int value : values) result.push_back(static_cast<std::byte>(value));
  return result;
}

/// One card of 80 characters: "NBITS   = 8".
inline file_bytes guppi_card(const std::string& key, const std::string& value) {
  std::string text = key;
  text.resize(8, ' ');
  text += "= " + value;
  text.resize(80, ' ');
  file_bytes result;
  for (const char c : text) result.push_back(static_cast<std::byte>(c));
  return result;
}

/// The card that ends a header.
inline file_bytes guppi_end() {
  file_bytes all = bytes_of({'E', 'N', 'D'});
  all.resize(80, std::byte{' '});
  return all;
}

/// The header of a VDIF frame.
struct vdif_header {
  unsigned second = 0, number = 0, thread = 0, bits = 8, channels_log2 = 0;
  bool is_complex = false, is_legacy = false, is_invalid = false;
  unsigned epoch = 30;
  std::vector<std::uint32_t> extended = {0, 0, 0, 0};  ///< Words 4 to 7.
};

inline file_bytes vdif_frame(const vdif_header& h, const std::vector<int>& payload) {
  const unsigned n_bytes = (h.is_legacy ? 16 : 32) + static_cast<unsigned>(payload.size());
  std::vector<std::uint32_t> words{
      h.second | (h.is_legacy ? 1u << 30 : 0) | (h.is_invalid ? 1u << 31 : 0),
      h.number | h.epoch << 24, n_bytes / 8 | h.channels_log2 << 24,
      0x4141u | h.thread << 16 | (h.bits - 1) << 26 | (h.is_complex ? 1u << 31 : 0)};
  if (!h.is_legacy) words.insert(words.end(), h.extended.begin(), h.extended.end());
  file_bytes result;
  for (const std::uint32_t word : words) {
    for (int i = 0; i < 4; ++i) result.push_back(static_cast<std::byte>(word >> 8 * i));
  }
  return result + bytes_of(payload);
}

/// A frame of Mark 5B, all of whose words are one.
inline file_bytes mark5b_frame(std::uint32_t time, unsigned number, std::uint32_t word) {
  file_bytes result;
  const auto add = [&](std::uint32_t value) {
    for (int i = 0; i < 4; ++i) result.push_back(static_cast<std::byte>(value >> 8 * i));
  };
  add(0xabaddeed);
  add(number | 0xbead0000);
  add(time);
  add(0x12340000);
  for (int i = 0; i < 2500; ++i) add(word);
  return result;
}

/// A header of PSRDADA.
inline file_bytes dada_header(const std::string& lines) {
  std::string text = "HEADER DADA\nHDR_SIZE 4096 # bytes\n" + lines;
  text.resize(4096, '\0');
  const auto* first = reinterpret_cast<const std::byte*>(text.data());
  return {first, first + text.size()};
}

}  // namespace wingbeat::test
