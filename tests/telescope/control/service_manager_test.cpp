// SPDX-License-Identifier: Apache-2.0
// What a service manager's socket gets, by a path and by an abstract name.
#include "control/service_manager.hpp"

#include <gtest/gtest.h>
#include <unistd.h>  // getpid

#include <cstdlib>  // setenv

#include "formats/temporary_folder.hpp"  // temporary_folder

namespace {

using wingbeat::file_descriptor;
using wingbeat::control::service_manager;

class service_managers : public ::testing::Test {
 protected:
  ~service_managers() override { ::unsetenv("NOTIFY_SOCKET"); }

  /// Listens at a path, or, with '@' for its first letter, at a name without a file.
  static file_descriptor listen(std::string name) {
    ::setenv("NOTIFY_SOCKET", name.c_str(), 1);
    if (name[0] == '@') name[0] = '\0';
    sockaddr_un address{.sun_family = AF_UNIX, .sun_path = {}};
    name.copy(address.sun_path, name.size());
    file_descriptor heard{::socket(AF_UNIX, SOCK_DGRAM | SOCK_NONBLOCK, 0)};
    const auto n_bytes = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + name.size());
    EXPECT_EQ(::bind(heard.get(), reinterpret_cast<sockaddr*>(&address), n_bytes), 0);
    return heard;
  }

  static std::string next(const file_descriptor& heard) {
    char text[256];
    const auto n = ::recv(heard.get(), text, sizeof text, 0);
    return n < 0 ? "" : std::string(text, static_cast<std::size_t>(n));
  }
};

TEST_F(service_managers, are_told_over_their_sockets) {
  const wingbeat::test::temporary_folder folder;
  for (const std::string& name :
       {(folder.path() / "notify").string(), "@wingbeat-test-" + std::to_string(::getpid())}) {
    const file_descriptor heard = listen(name);
    const service_manager manager;
    EXPECT_TRUE(manager.notify("READY=1\nSTATUS=works"));
    EXPECT_TRUE(manager.notify("WATCHDOG=1"));
    EXPECT_EQ(next(heard), "READY=1\nSTATUS=works") << name;
    EXPECT_EQ(next(heard), "WATCHDOG=1") << name;
    EXPECT_EQ(next(heard), "");
  }
}

TEST_F(service_managers, need_not_be_there) {
  ::unsetenv("NOTIFY_SOCKET");
  EXPECT_TRUE(service_manager{}.notify("READY=1"));
}

TEST_F(service_managers, that_do_not_listen_are_named) {
  ::setenv("NOTIFY_SOCKET", "/nowhere/at/all", 1);
  const service_manager manager;
  EXPECT_FALSE(manager.notify("READY=1"));
  EXPECT_EQ(manager.failure(),
            "the service manager is not told: NOTIFY_SOCKET cannot be written: No such file or "
            "directory");
}

// Type=notify would wait for ever where nothing is said.
TEST_F(service_managers, whose_name_is_too_long_are_named) {
  ::setenv("NOTIFY_SOCKET", std::string(200, 'x').c_str(), 1);
  EXPECT_FALSE(service_manager{}.notify("READY=1"));
}

}  // namespace
