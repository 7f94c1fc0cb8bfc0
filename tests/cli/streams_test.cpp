// SPDX-License-Identifier: Apache-2.0
// Messages that cannot be written cost nothing; data that cannot be written is an error.
#include "cli/streams.hpp"

#include <fcntl.h>  // open
#include <gtest/gtest.h>
#include <unistd.h>  // close, read, write

#include <cstdlib>  // system
#include <string>

#include "support/child.hpp"   // start_child, exit_code_of
#include "support/folder.hpp"  // folder, content_of

namespace {

using namespace wingbeat::test;
using wingbeat::cli::occupy_closed_streams;

TEST(occupy_closed_streams, keeps_their_numbers_from_files) {
  const folder directory;
  for (const int closed : {0, 1, 2, 3}) {  // 3: all three
    const pid_t child = start_child([&] {
      for (int number : {0, 1, 2}) {
        if (closed == 3 || closed == number) ::close(number);
      }
      occupy_closed_streams();
      if (::open((directory / "file").c_str(), O_RDWR | O_CREAT, 0600) < 3) return 1;
      for (int number : {0, 1, 2}) {
        char byte = 0;
        if (closed != 3 && closed != number) continue;
        const ssize_t n = number == 0 ? ::read(0, &byte, 1) : ::write(number, &byte, 1);
        if (n != -1) return 2;
      }
      return 0;
    });
    EXPECT_EQ(exit_code_of(child), 0) << closed;
  }
  EXPECT_EQ(content_of(directory / "file"), "");
}

TEST(occupy_closed_streams, leaves_open_ones_alone) {
  const folder directory;
  const pid_t child = start_child([&] {
    ::dup2(::open((directory / "out").c_str(), O_WRONLY | O_CREAT, 0600), 1);
    ::close(2);
    occupy_closed_streams();
    return ::write(1, "data", 4) == 4 ? 0 : 1;
  });
  EXPECT_EQ(exit_code_of(child), 0);
  EXPECT_EQ(content_of(directory / "out"), "data");
}

/// Runs a short bench, which shows its progress on stderr, and returns its exit code.
std::string code_of(const folder& directory, const std::string& redirections) {
  const std::string path = directory.path().string();
  const std::string command = "cd " + path +
                              " && { { " WINGBEAT_PROGRAM
                              " bench --device host --lengths 64 --mib 1 --rounds 2 " +
                              redirections + "; echo $? > code; } 2>&3 3>&- | true; } 3>&2";
  EXPECT_EQ(std::system(command.c_str()), 0);
  return content_of(directory / "code");
}

TEST(program, needs_no_stderr) {
  const folder directory;
  for (const std::string spoilt : {"2> err", "2>&-", "2> /dev/full", "<&- 2>&-"}) {
    EXPECT_EQ(code_of(directory, "> out " + spoilt), "0\n") << spoilt;
    EXPECT_NE(content_of(directory / "out").find("64"), std::string::npos) << spoilt;
    EXPECT_EQ(content_of(directory / "out").find("bench:"), std::string::npos)
        << "a message in data";
  }
  EXPECT_NE(content_of(directory / "err").find("bench: 1 of 1"), std::string::npos);
  EXPECT_EQ(code_of(directory, "2>&1 > out"), "0\n") << "stderr is a pipe whose reader is gone";
}

TEST(program, needs_stdout) {
  const folder directory;
  for (const std::string spoilt : {"> /dev/full", ">&-", ">&- 2>&-", "> /dev/full 2> /dev/full"}) {
    EXPECT_EQ(code_of(directory, spoilt), "4\n") << spoilt;
  }
}

}  // namespace
