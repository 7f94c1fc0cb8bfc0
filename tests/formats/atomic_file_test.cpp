// SPDX-License-Identifier: Apache-2.0
// Law: the target holds either all that was written or what it held before.
#include "formats/atomic_file.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>  // setrlimit
#include <sys/stat.h>      // umask
#include <unistd.h>        // geteuid

#include <csignal>

#include "formats/message.hpp"           // message_of
#include "formats/temporary_folder.hpp"  // nobody, temporary_folder

namespace {

namespace fs = std::filesystem;
using namespace wingbeat::formats;
using namespace wingbeat::test;
using ::testing::HasSubstr;

std::string refusal(const fs::path& path) {
  return message_of([&] { atomic_file file(path); });
}

TEST(atomic_file, appears_on_commit_and_not_before) {
  const temporary_folder folder;
  atomic_file file(folder.path() / "out");
  file.write(std::string_view{"one "});
  EXPECT_FALSE(fs::exists(folder.path() / "out"));
  EXPECT_EQ(folder.n_files(), 1);
  file.write(std::string(3 << 20, 'x'));
  file.commit();
  EXPECT_EQ(folder.read("out"), "one " + std::string(3 << 20, 'x'));
  EXPECT_EQ(folder.n_files(), 1);
}

TEST(atomic_file, leaves_the_old_file_without_a_commit) {
  const temporary_folder folder;
  folder.write("out", "old");
  {
    atomic_file file(folder.path() / "out");
    file.write(std::string(3 << 20, 'x'));
  }
  EXPECT_EQ(folder.read("out"), "old");
  EXPECT_EQ(folder.n_files(), 1);
}

TEST(atomic_file, replaces_the_old_file_and_keeps_a_link_to_it) {
  const temporary_folder folder;
  folder.write("out", "old");
  fs::create_symlink("out", folder.path() / "link");
  atomic_file file(folder.path() / "link");
  file.write(std::string_view{"new"});
  file.commit();
  EXPECT_TRUE(fs::is_symlink(folder.path() / "link"));
  EXPECT_EQ(folder.read("out"), "new");
}

TEST(atomic_file, respects_the_umask) {
  const temporary_folder folder;
  const auto before = ::umask(027);
  atomic_file file(folder.path() / "out");
  ::umask(before);
  file.commit();
  EXPECT_EQ(fs::status(folder.path() / "out").permissions(), static_cast<fs::perms>(0640));
}

TEST(atomic_file, refuses_places_that_cannot_be_written) {
  const temporary_folder folder;
  EXPECT_THAT(refusal(folder.path()), HasSubstr("it is a directory; name a file"));
  EXPECT_THAT(refusal(folder.path() / "no" / "out"), HasSubstr("No such file or directory"));
  EXPECT_THAT(refusal(folder.write("file", "") / "out"), HasSubstr("Not a directory"));
  EXPECT_THAT(refusal("/dev/null"), HasSubstr("it is a device or a pipe"));
  EXPECT_THAT(refusal(""), HasSubstr("it names no file"));
  EXPECT_EQ(folder.n_files(), 1);
}

TEST(atomic_file, refuses_a_folder_or_file_without_permission) {
  const temporary_folder folder;
  const auto file = folder.write("out", "old");
  fs::permissions(file, fs::perms::owner_read | fs::perms::others_read);
  fs::permissions(folder.path(), fs::perms::all);
  {
    const nobody without_power;
    EXPECT_THAT(refusal(file), HasSubstr("cannot be replaced: Permission denied"));
    EXPECT_NO_THROW(atomic_file(folder.path() / "other"));
  }
  fs::permissions(folder.path(), static_cast<fs::perms>(0555));
  {
    const nobody without_power;
    EXPECT_THAT(refusal(folder.path() / "other"), HasSubstr("be created: Permission denied"));
  }
  fs::permissions(folder.path(), fs::perms::owner_all);
  EXPECT_EQ(folder.n_files(), 1);
}

// A limit on the size of files fails a write in its middle, as a full disk does.
TEST(atomic_file, leaves_nothing_when_the_disk_is_full) {
  const temporary_folder folder;
  folder.write("out", "old");
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
  const auto handler = std::signal(SIGXFSZ, SIG_IGN);
  const rlimit small{1 << 16, before.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &small), 0);
  const auto on_write = message_of([&] {
    atomic_file file(folder.path() / "out");
    file.write(std::string(3 << 20, 'x'));
  });
  const auto on_commit = message_of([&] {
    atomic_file file(folder.path() / "out");
    file.write(std::string(1 << 17, 'x'));
    file.commit();
  });
  ::setrlimit(RLIMIT_FSIZE, &before);
  std::signal(SIGXFSZ, handler);
  EXPECT_THAT(on_write, HasSubstr("cannot be written: File too large"));
  EXPECT_THAT(on_commit, HasSubstr("cannot be written: File too large"));
  EXPECT_EQ(folder.read("out"), "old");
  EXPECT_EQ(folder.n_files(), 1);
}

TEST(atomic_file, refuses_to_replace_a_directory_made_meanwhile) {
  const temporary_folder folder;
  atomic_file file(folder.path() / "out");
  fs::create_directory(folder.path() / "out");
  EXPECT_THAT(message_of([&] { file.commit(); }), HasSubstr("cannot be put in place"));
}

}  // namespace
