// SPDX-License-Identifier: Apache-2.0
// Archives of gzip are spelled out, in blocks without compression.
#include "formats/files/gzip.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "formats/images/bytes.hpp"  // number
#include "formats/images/image.hpp"  // has_image_libraries
#include "formats/message.hpp"       // as_bytes, message_of

namespace {

using namespace wingbeat::formats;
using namespace wingbeat::test;
using ::testing::HasSubstr;

class gzip : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!has_image_libraries()) GTEST_SKIP() << "this build has no zlib";
  }
};

/// One part: a header, a stored block, the CRC of "abc" and the length.
std::string part() {
  return std::string("\x1F\x8B\x08\0\0\0\0\0\0\3", 10) + '\1' + number(3, 2) +
         number(0xFFFF - 3, 2) + "abc" + number(0x352441C2, 4) + number(3, 4);
}

std::string inflated_text(const std::string& content, std::size_t limit_bytes = 1 << 20) {
  const byte_source packed{as_bytes(content), "in.gz"};
  const auto source = inflated(packed, limit_bytes);
  if (!source) return "none";
  std::string text(source->size(), '\0');
  source->read(0, std::as_writable_bytes(std::span{text}));
  EXPECT_EQ(source->name(), "in.gz");
  return text;
}

TEST_F(gzip, is_unpacked_in_all_its_parts) {
  EXPECT_EQ(inflated_text(part()), "abc");
  EXPECT_EQ(inflated_text(part() + part()), "abcabc");
  EXPECT_EQ(inflated_text("abc"), "none");
  EXPECT_EQ(inflated_text(""), "none");
}

TEST_F(gzip, is_refused_where_it_is_damaged_or_too_long) {
  const auto refusal = [](const std::string& content, std::size_t limit_bytes) {
    return message_of([&] { (void)inflated_text(content, limit_bytes); });
  };
  for (std::size_t n = 3; n < part().size(); ++n) {
    EXPECT_THAT(refusal(part().substr(0, n), 100), HasSubstr("truncated or damaged")) << n;
  }
  std::string damaged = part();
  damaged[16] = 'x';
  EXPECT_THAT(refusal(damaged, 100), HasSubstr("truncated or damaged"));
  EXPECT_THAT(refusal(part() + "behind", 100), HasSubstr("truncated or damaged"));
  EXPECT_THAT(refusal(part(), 2), HasSubstr("more than 2 bytes"));
}

}  // namespace
