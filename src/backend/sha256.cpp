// SPDX-License-Identifier: Apache-2.0
#include "backend/sha256.hpp"

#include <algorithm>  // min
#include <bit>        // rotr
#include <cstring>    // memcpy

namespace wingbeat::backend {
namespace {

// FIPS 180-4, 4.2.2: fractional bits of the cube roots of the first 64 primes.
constexpr std::array<std::uint32_t, 64> round_constants{
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

std::uint32_t big_endian_word(const unsigned char* bytes) {
  return std::uint32_t{bytes[0]} << 24 | std::uint32_t{bytes[1]} << 16 |
         std::uint32_t{bytes[2]} << 8 | std::uint32_t{bytes[3]};
}

void put_big_endian(unsigned char* target, std::uint64_t value, int n_bytes) {
  for (int i = n_bytes - 1; i >= 0; --i, value >>= 8) target[i] = static_cast<unsigned char>(value);
}

// 6.2.2, step 1: the block, extended to one word per round.
std::array<std::uint32_t, 64> message_schedule(const unsigned char* block) {
  std::array<std::uint32_t, 64> w;
  for (int t = 0; t < 16; ++t) w[t] = big_endian_word(block + 4 * t);
  for (int t = 16; t < 64; ++t) {
    const auto s0 = std::rotr(w[t - 15], 7) ^ std::rotr(w[t - 15], 18) ^ (w[t - 15] >> 3);
    const auto s1 = std::rotr(w[t - 2], 17) ^ std::rotr(w[t - 2], 19) ^ (w[t - 2] >> 10);
    w[t] = s1 + w[t - 7] + s0 + w[t - 16];
  }
  return w;
}

}  // namespace

sha256::digest sha256::of(std::string_view bytes) {
  sha256 hash;
  hash.add(bytes);
  return hash.finish();
}

void sha256::add(std::string_view bytes) {
  n_bytes_ += bytes.size();
  while (!bytes.empty()) {
    const std::size_t taken = std::min(bytes.size(), pending_.size() - n_pending_);
    std::memcpy(pending_.data() + n_pending_, bytes.data(), taken);
    bytes.remove_prefix(taken);
    n_pending_ += taken;
    if (n_pending_ < pending_.size()) return;
    add_block(pending_.data());
    n_pending_ = 0;
  }
}

sha256::digest sha256::finish() {
  const std::uint64_t n_bits = 8 * n_bytes_;
  add(std::string_view("\x80", 1));
  while (n_pending_ != 56) add(std::string_view("\0", 1));
  char length[8];
  put_big_endian(reinterpret_cast<unsigned char*>(length), n_bits, 8);
  add({length, sizeof length});

  digest result;
  for (std::size_t i = 0; i < state_.size(); ++i) put_big_endian(&result[4 * i], state_[i], 4);
  return result;
}

// 6.2.2, steps 2 to 4; the letters are the standard's.
void sha256::add_block(const unsigned char* block) {
  const auto w = message_schedule(block);
  auto [a, b, c, d, e, f, g, h] = state_;
  for (int t = 0; t < 64; ++t) {
    const auto sum1 = std::rotr(e, 6) ^ std::rotr(e, 11) ^ std::rotr(e, 25);
    const auto choose = (e & f) ^ (~e & g);
    const auto t1 = h + sum1 + choose + round_constants[t] + w[t];
    const auto sum0 = std::rotr(a, 2) ^ std::rotr(a, 13) ^ std::rotr(a, 22);
    const auto majority = (a & b) ^ (a & c) ^ (b & c);
    h = g;
    g = f;
    f = e;
    e = d + t1;
    d = c;
    c = b;
    b = a;
    a = t1 + sum0 + majority;
  }
  const std::array<std::uint32_t, 8> added{a, b, c, d, e, f, g, h};
  for (std::size_t i = 0; i < state_.size(); ++i) state_[i] += added[i];
}

std::string hex(const sha256::digest& digest) {
  constexpr char digits[] = "0123456789abcdef";
  std::string text;
  for (const unsigned char byte : digest) {
    text += digits[byte >> 4];
    text += digits[byte & 15];
  }
  return text;
}

bool is_hex(std::string_view text) noexcept {
  return text.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

}  // namespace wingbeat::backend
