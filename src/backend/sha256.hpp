// SPDX-License-Identifier: Apache-2.0
// SHA-256 (FIPS 180-4): names cache entries by their contents, and detects altered ones.
#pragma once

#include <array>
#include <cstddef>  // size_t
#include <cstdint>  // uint32_t, uint64_t
#include <string>
#include <string_view>

namespace wingbeat::backend {

/// Hashes bytes in pieces; their borders do not matter.
class sha256 {
 public:
  using digest = std::array<unsigned char, 32>;

  /// Returns the digest of one piece.
  [[nodiscard]] static digest of(std::string_view bytes);

  void add(std::string_view bytes);

  /// Returns the digest of everything added. Call it once, last.
  [[nodiscard]] digest finish();

 private:
  void add_block(const unsigned char* block);

  std::array<std::uint32_t, 8> state_{0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                      0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
  std::array<unsigned char, 64> pending_{};
  std::size_t n_pending_ = 0;
  std::uint64_t n_bytes_ = 0;
};

/// Returns the digest as 64 lower-case hexadecimal digits.
[[nodiscard]] std::string hex(const sha256::digest& digest);

/// Returns whether a text has digits as `hex` writes them, and nothing else.
[[nodiscard]] bool is_hex(std::string_view text) noexcept;

}  // namespace wingbeat::backend
