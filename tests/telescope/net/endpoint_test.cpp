// SPDX-License-Identifier: Apache-2.0
#include "net/endpoint.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/refusal.hpp"  // message_of
#include "wingbeat/error.hpp"   // plan_error

namespace {

using namespace wingbeat::net;
using ::testing::HasSubstr;

std::string refusal_of(const std::string& list) {
  return wingbeat::test::message_of<wingbeat::plan_error>([&] { (void)parse_endpoints(list); });
}

TEST(net_endpoint, is_read_from_lists) {
  const auto groups = parse_endpoints("239.10.10.254+2:7150,127.0.0.1", 7000);
  ASSERT_EQ(groups.size(), 4u);
  EXPECT_EQ(to_string(groups[0]), "239.10.10.254:7150");
  EXPECT_EQ(to_string(groups[2]), "239.10.11.0:7150");
  EXPECT_EQ(to_string(groups[3]), "127.0.0.1:7000");
  EXPECT_EQ(groups[3].address, 0x7f000001u);
  EXPECT_TRUE(groups[0].is_multicast());
  EXPECT_FALSE(groups[3].is_multicast());
  EXPECT_EQ(parse_endpoints("1.2.3.4")[0].port, 7148);
}

TEST(net_endpoint, is_refused_in_one_sentence) {
  EXPECT_THAT(refusal_of(""), HasSubstr("'' in the endpoints '' is no IPv4 address"));
  EXPECT_THAT(refusal_of("1.2.3"), HasSubstr("write them as 239.10.10.10+7:7148"));
  EXPECT_THAT(refusal_of("1.2.3.4,"), HasSubstr("no IPv4 address"));
  EXPECT_THAT(refusal_of("1.2.3.4:0"), HasSubstr("ports are 1 to 65535"));
  EXPECT_THAT(refusal_of("1.2.3.4:65536"), HasSubstr("'65536'"));
  EXPECT_THAT(refusal_of("1.2.3.4+x"), HasSubstr("'x'"));
  EXPECT_THAT(refusal_of("1.2.3.4+65536"), HasSubstr("no number up to 65535"));
  EXPECT_THAT(refusal_of("1.2.3.4+65535,1.2.3.4"), HasSubstr("at most 65536"));
  EXPECT_THAT(refusal_of("255.255.255.255+1"), HasSubstr("behind 255.255.255.255"));
  EXPECT_EQ(refusal_of("255.255.255.250+5"), "");
  EXPECT_THAT(refusal_of("::1"), HasSubstr("no IPv4 address"));
}

TEST(net_endpoint, has_the_address_of_an_interface) {
  EXPECT_EQ(interface_address("lo"), 0x7f000001u);
  EXPECT_EQ(interface_address("127.0.0.1"), 0x7f000001u);
  const std::string refused =
      wingbeat::test::message_of<wingbeat::plan_error>([] { (void)interface_address("no\nsuch"); });
  EXPECT_THAT(refused, HasSubstr("'no?such' is no interface of this machine"));
  EXPECT_THAT(refused, HasSubstr("lo"));
}

}  // namespace
