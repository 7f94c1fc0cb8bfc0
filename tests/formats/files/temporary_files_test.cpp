// SPDX-License-Identifier: Apache-2.0
// Law: what a signal handler removes is what this process is writing, and nothing else.
#include "formats/files/temporary_files.hpp"

#include <gtest/gtest.h>
#include <sys/wait.h>  // waitpid
#include <unistd.h>    // fork

#include <csignal>
#include <string>
#include <vector>

#include "formats/files/atomic_file.hpp"  // atomic_file
#include "formats/temporary_folder.hpp"   // temporary_folder

namespace {

namespace fs = std::filesystem;
using namespace wingbeat::formats;
using namespace wingbeat::test;

TEST(temporary_files, are_removed_while_listed) {
  const temporary_folder folder;
  const auto kept = folder.write("kept", ""), removed = folder.write("removed", "");
  unlist_temporary_file(list_temporary_file(kept.string()));
  const int entry = list_temporary_file(removed.string());
  remove_temporary_files();
  EXPECT_TRUE(fs::exists(kept));
  EXPECT_FALSE(fs::exists(removed));
  unlist_temporary_file(entry);
  remove_temporary_files();
  EXPECT_TRUE(fs::exists(kept));
}

TEST(temporary_files, are_those_of_an_output_until_it_is_committed) {
  const temporary_folder folder;
  folder.write("old", "old");
  {
    atomic_file finished(folder.path() / "finished");
    finished.commit();
    atomic_file unfinished(folder.path() / "old");
    unfinished.write(std::string(3 << 20, 'x'));
    EXPECT_EQ(folder.n_files(), 3);
    remove_temporary_files();
    EXPECT_EQ(folder.n_files(), 2);
  }
  EXPECT_EQ(folder.read("old"), "old");
  EXPECT_TRUE(fs::exists(folder.path() / "finished"));
}

TEST(temporary_files, of_a_parent_are_left_alone_by_its_child) {
  const temporary_folder folder;
  atomic_file file(folder.path() / "out");
  const pid_t child = ::fork();
  if (child == 0) {
    remove_temporary_files();
    ::_exit(0);
  }
  ASSERT_EQ(::waitpid(child, nullptr, 0), child);
  file.commit();
  EXPECT_TRUE(fs::exists(folder.path() / "out"));
}

// A child process that ends in the middle of a write.
TEST(temporary_files, go_with_a_process_that_a_handler_ends) {
  const temporary_folder folder;
  const pid_t child = ::fork();
  if (child == 0) {
    std::signal(SIGTERM, [](int) {
      remove_temporary_files();
      ::_exit(7);
    });
    atomic_file file(folder.path() / "out");
    file.write(std::string(3 << 20, 'x'));
    std::raise(SIGTERM);
    ::_exit(1);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(WEXITSTATUS(status), 7);
  EXPECT_EQ(folder.n_files(), 0);
}

TEST(temporary_files, beyond_the_list_are_written_all_the_same) {
  const temporary_folder folder;
  std::vector<int> entries{list_temporary_file("/nowhere/at all")};
  ASSERT_GE(entries.back(), 0);
  while (entries.size() <= 16 && entries.back() >= 0) {
    entries.push_back(list_temporary_file("/nowhere/at all"));
  }
  EXPECT_EQ(entries.back(), -1);
  atomic_file file(folder.path() / "out");
  file.commit();
  EXPECT_TRUE(fs::exists(folder.path() / "out"));
  for (const int entry : entries) unlist_temporary_file(entry);
  EXPECT_EQ(list_temporary_file(std::string(5000, 'x')), -1);
}

}  // namespace
