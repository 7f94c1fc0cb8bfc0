// SPDX-License-Identifier: Apache-2.0
// The buffers that the system grants: beyond its limit to those who may, and up to it to others,
// who are told so.
#include "net/socket_buffers.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <linux/capability.h>  // CAP_NET_ADMIN
#include <sys/syscall.h>       // SYS_capset
#include <unistd.h>            // syscall

#include <fstream>
#include <thread>

#include "net/udp_receiver.hpp"
#include "net/udp_sender.hpp"

namespace {

using namespace wingbeat;
using ::testing::HasSubstr;

constexpr net::endpoint loopback{0x7f000001, 0};
constexpr std::uint32_t net_admin = 1u << CAP_NET_ADMIN;

std::size_t limit_of(const char* name) {
  std::size_t n_bytes = 0;
  std::ifstream{std::string("/proc/sys/net/core/") + name} >> n_bytes;
  return n_bytes;
}

struct capabilities {
  __user_cap_header_struct head{_LINUX_CAPABILITY_VERSION_3, 0};
  __user_cap_data_struct data[2]{};

  capabilities() { syscall(SYS_capget, &head, data); }
};

bool is_admin() {
  return (capabilities().data[0].effective & net_admin) != 0;
}

/// Runs in a thread without the capability to exceed limits.
template <class Function>
void run_unprivileged(Function function) {
  std::thread([&] {
    capabilities own;
    own.data[0].effective &= ~net_admin;
    ASSERT_EQ(syscall(SYS_capset, &own.head, own.data), 0);
    function();
  }).join();
}

TEST(socket_buffers, end_at_the_limit_without_privilege) {
  const std::size_t max_in = limit_of("rmem_max"), max_out = limit_of("wmem_max");
  if (max_in == 0 || max_in > 1 << 28 || max_out == 0 || max_out > 1 << 28) {
    GTEST_SKIP() << "the system's limits are " << max_in << " and " << max_out << " bytes";
  }
  run_unprivileged([&] {
    const net::udp_receiver in{loopback, 0, 2 * max_in};
    EXPECT_EQ(in.buffers().asked_bytes, 2 * max_in);
    EXPECT_EQ(in.buffers().granted_bytes, max_in);
    EXPECT_TRUE(in.buffers().is_short());
    const net::udp_sender out{loopback.address, 2 * max_out, 1};
    EXPECT_EQ(out.buffers().granted_bytes, max_out);
    EXPECT_FALSE(net::udp_receiver(loopback, 0, max_in).buffers().is_short());
  });
}

TEST(socket_buffers, exceed_the_limit_with_privilege) {
  const std::size_t max_in = limit_of("rmem_max");
  if (!is_admin() || max_in > 1 << 28) GTEST_SKIP() << "this process may not exceed limits";
  const net::udp_receiver in{loopback, 0, 2 * max_in};
  EXPECT_EQ(in.buffers().granted_bytes, 2 * max_in);
  EXPECT_FALSE(in.buffers().is_short());
}

TEST(socket_buffers, say_what_to_do) {
  net::socket_buffers buffers;
  for (int i = 0; i < 2; ++i) buffers.add({std::size_t{1} << 26, std::size_t{1} << 21, 1});
  const auto sentence = [&] {
    return net::sentence_of(buffers, "receive buffers", "--recv-buffer", "net.core.rmem_max");
  };
  EXPECT_EQ(
      sentence(),
      "receive buffers of 2 sockets: 128.0 MiB asked for by --recv-buffer, 4.0 MiB granted; set "
      "net.core.rmem_max to 67108864 or more by sysctl, or give a smaller --recv-buffer");
  buffers.granted_bytes = buffers.asked_bytes;
  EXPECT_EQ(
      sentence(),
      "receive buffers of 2 sockets: 128.0 MiB asked for by --recv-buffer, 128.0 MiB granted");
  buffers = {std::size_t{1} << 34, std::size_t{1} << 30, 1};
  EXPECT_THAT(sentence(), HasSubstr("a socket has at most 1024.0 MiB, so give more endpoints"));
}

}  // namespace
