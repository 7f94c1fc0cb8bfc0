// SPDX-License-Identifier: Apache-2.0
// Oracle: the examples of FIPS 180-4 and of NIST's SHAVS, and sha256sum for the lengths between.
#include "backend/sha256.hpp"

#include <gtest/gtest.h>

#include <string>

namespace {

using namespace wingbeat::backend;

std::string hash_of(std::string_view text) {
  return hex(sha256::of(text));
}

TEST(sha256, agrees_with_the_standard) {
  EXPECT_EQ(hash_of(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(hash_of("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(hash_of("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"),
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  EXPECT_EQ(hash_of(std::string(1000000, 'a')),
            "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

// One byte, three and none of padding: where the length just fits its block, and just does not.
TEST(sha256, pads_at_the_edge_of_a_block) {
  EXPECT_EQ(hash_of(std::string(55, 'a')),
            "9f4390f8d30c2dd92ec9f095b65e2b9ae9b0a925a5258e241c9f1e910f734318");
  EXPECT_EQ(hash_of(std::string(56, 'a')),
            "b35439a4ac6f0948b6d6f9e3c6af0f5f590ce20f1bde7090ef7970686ec6738a");
  EXPECT_EQ(hash_of(std::string(63, 'a')),
            "7d3e74a05d7db15bce4ad9ec0658ea98e3f06eeecf16b4c6fff2da457ddc2f34");
  EXPECT_EQ(hash_of(std::string(64, 'a')),
            "ffe054fe7ae0cb6dc65c3af9b61d5209f439851db43d0ba5997337df154668eb");
}

TEST(sha256, does_not_see_where_the_pieces_end) {
  const std::string text(300, 'x');
  for (std::size_t split = 0; split <= text.size(); ++split) {
    sha256 hash;
    hash.add(std::string_view(text).substr(0, split));
    hash.add(std::string_view(text).substr(split));
    ASSERT_EQ(hex(hash.finish()), hash_of(text)) << "split at " << split;
  }
}

}  // namespace
