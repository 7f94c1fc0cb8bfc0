// SPDX-License-Identifier: Apache-2.0
// The NUMA node of interfaces, in a folder like the system's; and memory of a node.
#include "net/memory_node.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <linux/mempolicy.h>  // MPOL_PREFERRED
#include <sys/syscall.h>      // SYS_get_mempolicy
#include <unistd.h>           // syscall

#include <array>
#include <cerrno>

#include "formats/temporary_folder.hpp"  // temporary_folder

namespace {

using namespace wingbeat;
using ::testing::HasSubstr;

TEST(node_of, is_that_of_the_devices) {
  const test::temporary_folder folder;
  const std::filesystem::path system = folder.path();
  const auto add = [&](const std::string& path, const std::string& node) {
    std::filesystem::create_directories(system / "class" / "net" / path / "device");
    folder.write("class/net/" + path + "/device/numa_node", node + "\n");
  };
  add("eth0", "0");
  add("eth1", "1");
  add("eth2", "1");
  add("usb0", "-1");
  add("vlan7/lower_eth1", "1");
  add("bond0/lower_eth1", "1");
  add("bond0/lower_eth0", "0");
  std::filesystem::create_directories(system / "class" / "net" / "lo");
  EXPECT_EQ(net::node_of({"eth0"}, system), 0);
  EXPECT_EQ(net::node_of({"eth1", "eth2", "eth1"}, system), 1);
  EXPECT_EQ(net::node_of({"vlan7"}, system), 1);
  for (const std::vector<std::string>& none : std::vector<std::vector<std::string>>{
           {}, {"lo"}, {"usb0"}, {"eth0", "eth1"}, {"eth1", "lo"}, {"bond0"}, {"absent"}}) {
    EXPECT_FALSE(net::node_of(none, system)) << none.size();
  }
}

struct policy {
  int mode = -1;
  std::array<unsigned long, 16> nodes{};
  policy() { syscall(SYS_get_mempolicy, &mode, nodes.data(), 1024, nullptr, 0); }
};

TEST(memory_preference, holds_while_it_lives) {
  const policy before;
  {
    const net::memory_preference preference{0};
    if (preference.fault() == ENOSYS || preference.fault() == EPERM) {
      GTEST_SKIP() << net::memory_text(0, preference.fault());
    }
    EXPECT_EQ(preference.fault(), 0);
    const policy during;
    EXPECT_EQ(during.mode, MPOL_PREFERRED);
    EXPECT_EQ(during.nodes[0], 1u);
  }
  EXPECT_EQ(policy().mode, before.mode);
}

TEST(memory_preference, says_what_the_system_refuses) {
  const net::memory_preference refused{1023};
  EXPECT_NE(refused.fault(), 0);
  EXPECT_THAT(net::memory_text(1023, refused.fault()),
              HasSubstr("the system refuses memory of NUMA node 1023"));
  EXPECT_EQ(net::memory_preference{std::nullopt}.fault(), 0);
  EXPECT_THAT(net::memory_text({}, 0), HasSubstr("no NUMA node in common"));
  EXPECT_THAT(net::memory_text(1, 0), HasSubstr("memory of packets is of NUMA node 1"));
}

}  // namespace
