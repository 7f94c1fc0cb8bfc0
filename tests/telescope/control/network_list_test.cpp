// SPDX-License-Identifier: Apache-2.0
// Addresses, networks in CIDR form, and which texts are neither.
#include "control/network_list.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/refusal.hpp"  // message_of
#include "wingbeat/error.hpp"   // plan_error

namespace {

using namespace wingbeat::control;
using ::testing::HasSubstr;
using words = std::vector<std::string>;

bool contains(const words& networks, const std::string& address) {
  return network_list{"--allow", networks}.contains(parse_ip_address(address).value());
}

std::string refusal_of(const std::string& text) {
  return wingbeat::test::message_of<wingbeat::plan_error>([&] {
    const network_list list{"--allow", words{text}};
  });
}

TEST(network_list, holds_the_addresses_of_its_networks) {
  for (const char* inside : {"10.0.0.0", "10.255.255.255", "192.168.7.9", "2001:db8:0:1::5"}) {
    EXPECT_TRUE(contains({"10.0.0.0/8", "192.168.7.9", "2001:db8::/32"}, inside)) << inside;
  }
  for (const char* outside :
       {"9.255.255.255", "11.0.0.0", "192.168.7.8", "2001:db9::", "::a00:1"}) {
    EXPECT_FALSE(contains({"10.0.0.0/8", "192.168.7.9", "2001:db8::/32"}, outside)) << outside;
  }
  EXPECT_TRUE(contains({"192.0.2.128/25"}, "192.0.2.255"));
  EXPECT_FALSE(contains({"192.0.2.128/25"}, "192.0.2.127"));
  EXPECT_FALSE(contains({}, "127.0.0.1"));
}

TEST(network_list, has_ends_that_are_everything_and_one_address) {
  EXPECT_TRUE(contains({"0.0.0.0/0"}, "203.0.113.1"));
  EXPECT_FALSE(contains({"0.0.0.0/0"}, "2001:db8::1"));
  EXPECT_TRUE(contains({"::/0"}, "2001:db8::1"));
  EXPECT_TRUE(contains({"10.1.2.3/32"}, "10.1.2.3"));
  EXPECT_FALSE(contains({"10.1.2.3/32"}, "10.1.2.2"));
  EXPECT_TRUE(contains({"fe80::1/128"}, "fe80::1"));
  EXPECT_FALSE(contains({"fe80::1/128"}, "fe80::2"));
}

TEST(network_list, sees_through_mapped_addresses) {
  EXPECT_TRUE(contains({"10.0.0.0/8"}, "::ffff:10.1.2.3"));
  EXPECT_TRUE(contains({"::ffff:10.0.0.0/104"}, "10.1.2.3"));
  EXPECT_FALSE(contains({"10.0.0.0/8"}, "::10.1.2.3"));
}

TEST(network_list, refuses_other_texts) {
  for (const char* text :
       {"", "/", "/8", "10.0.0", "10.0.0.0/", "10.0.0.0/33", "10.0.0.0/-1", "10.0.0.0/8/8",
        "10.0.0.0/ 8", "10.0.0.0/8x", "10.0.0.256", "localhost", "2001:db8::/129", "2001:db8:::/32",
        "fe80::1%eth0", "10.0.0.0/255.0.0.0", "10.0.0.0/99999999999"}) {
    EXPECT_THAT(refusal_of(text), HasSubstr("--allow '" + std::string{text} + "' is no address"))
        << text;
  }
  EXPECT_THAT(refusal_of("10.1.0.0/8"), HasSubstr("'10.1.0.0/8' has bits behind the first 8"));
  EXPECT_THAT(refusal_of("2001:db8::1/64"), HasSubstr("behind the first 64"));
}

TEST(network_list, knows_what_reaches_no_other_machine) {
  for (const char* own : {"127.0.0.1", "127.255.0.9", "::1", "::ffff:127.0.0.1"}) {
    EXPECT_TRUE(is_loopback(parse_ip_address(own).value())) << own;
  }
  for (const char* other : {"0.0.0.0", "128.0.0.1", "::", "::2", "10.0.0.1"}) {
    EXPECT_FALSE(is_loopback(parse_ip_address(other).value())) << other;
  }
}

}  // namespace
