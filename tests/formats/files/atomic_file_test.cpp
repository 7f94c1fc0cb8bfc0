// SPDX-License-Identifier: Apache-2.0
// Law: the target holds either all that was written or what it held before.
#include "formats/files/atomic_file.hpp"

#include <fcntl.h>  // open
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>  // setrlimit
#include <sys/stat.h>      // mkfifo, stat, umask
#include <unistd.h>        // chown, geteuid

#include <csignal>
#include <future>  // async

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

void write_file(const fs::path& path, std::string_view text) {
  atomic_file file(path);
  file.write(text);
  file.commit();
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

TEST(atomic_file, creates_what_a_dangling_link_names) {
  const temporary_folder folder;
  fs::create_directory(folder.path() / "far");
  fs::create_symlink("far/second", folder.path() / "first");
  fs::create_symlink("out", folder.path() / "far" / "second");
  write_file(folder.path() / "first", "new");
  EXPECT_TRUE(fs::is_symlink(folder.path() / "first"));
  EXPECT_TRUE(fs::is_symlink(folder.path() / "far" / "second"));
  EXPECT_EQ(folder.read("far/out"), "new");
}

TEST(atomic_file, refuses_a_loop_of_links) {
  const temporary_folder folder;
  fs::create_symlink("second", folder.path() / "first");
  fs::create_symlink("first", folder.path() / "second");
  EXPECT_THAT(refusal(folder.path() / "first"), HasSubstr("links form a loop; name a file"));
  EXPECT_EQ(folder.n_files(), 2);
}

TEST(atomic_file, respects_the_umask) {
  const temporary_folder folder;
  const auto before = ::umask(027);
  atomic_file file(folder.path() / "out");
  ::umask(before);
  file.commit();
  EXPECT_EQ(fs::status(folder.path() / "out").permissions(), static_cast<fs::perms>(0640));
}

TEST(atomic_file, keeps_the_mode_of_the_file_it_replaces) {
  const temporary_folder folder;
  const auto out = folder.write("out", "old");
  for (const auto mode : {0600, 0640, 0664, 0666, 0755}) {
    fs::permissions(out, static_cast<fs::perms>(mode));
    atomic_file file(out);
    for (const auto& written : fs::directory_iterator(folder.path())) {
      EXPECT_EQ(written.status().permissions(), static_cast<fs::perms>(mode)) << written;
    }
    file.commit();
    EXPECT_EQ(fs::status(out).permissions(), static_cast<fs::perms>(mode)) << mode;
  }
}

TEST(atomic_file, keeps_the_owner_where_it_may) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root gives files away";
  const temporary_folder folder;
  const auto out = folder.write("out", "old");
  ASSERT_EQ(::chown(out.c_str(), 65534, 65533), 0);
  write_file(out, "new");
  struct stat status = {};
  ASSERT_EQ(::stat(out.c_str(), &status), 0);
  EXPECT_EQ(status.st_uid, 65534u);
  EXPECT_EQ(status.st_gid, 65533u);
}

// Its mode would open the file to another group than before.
TEST(atomic_file, shows_nothing_to_a_group_that_it_cannot_keep) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root makes files of another group";
  const temporary_folder folder;
  const auto out = folder.write("out", "old");
  fs::permissions(out, static_cast<fs::perms>(0666));
  fs::permissions(folder.path(), fs::perms::all);
  ASSERT_EQ(::chown(out.c_str(), 65534, 65533), 0);
  fs::permissions(out, static_cast<fs::perms>(0664));
  {
    const nobody without_power;
    write_file(out, "new");
  }
  struct stat status = {};
  ASSERT_EQ(::stat(out.c_str(), &status), 0);
  EXPECT_NE(status.st_gid, 65533u);
  EXPECT_EQ(status.st_mode & 0777, 0644u);
}

TEST(atomic_file, writes_a_pipe_directly) {
  const temporary_folder folder;
  const auto pipe = folder.path() / "out";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  EXPECT_TRUE(is_written_directly(pipe));
  auto reader = std::async(std::launch::async, [&] { return folder.read("out"); });
  write_file(pipe, "through the pipe");
  EXPECT_EQ(reader.get(), "through the pipe");
  EXPECT_TRUE(fs::is_fifo(pipe));
  EXPECT_EQ(folder.n_files(), 1);
}

TEST(atomic_file, writes_devices_directly) {
  EXPECT_THAT(message_of([] { write_file("/dev/full", "text"); }),
              HasSubstr("/dev/full cannot be written: No space left on device; choose"));
  write_file("/dev/null", "gone");
  EXPECT_TRUE(fs::is_character_file("/dev/null"));
}

// The shell's `> out` shares its place in the file with the program: nothing may be renamed there.
TEST(atomic_file, continues_an_open_descriptor) {
  const temporary_folder folder;
  const auto out = folder.write("out", "");
  const int descriptor = ::open(out.c_str(), O_WRONLY);
  ASSERT_EQ(::write(descriptor, "before, ", 8), 8);
  const auto name = "/dev/fd/" + std::to_string(descriptor);
  fs::create_symlink(name, folder.path() / "link");
  EXPECT_TRUE(is_written_directly(name));
  EXPECT_FALSE(is_written_directly(out));
  write_file(name, "between, ");
  write_file(folder.path() / "link", "through a link, ");
  ASSERT_EQ(::write(descriptor, "after", 5), 5);
  ::close(descriptor);
  EXPECT_EQ(folder.read("out"), "before, between, through a link, after");
  EXPECT_THAT(refusal(name), HasSubstr("cannot be opened: Bad file descriptor"));
}

TEST(atomic_file, refuses_places_that_cannot_be_written) {
  const temporary_folder folder;
  EXPECT_THAT(refusal(folder.path()), HasSubstr("it is a directory; name a file"));
  EXPECT_THAT(refusal(folder.path() / "no" / "out"), HasSubstr("No such file or directory"));
  EXPECT_THAT(refusal(folder.write("file", "") / "out"), HasSubstr("Not a directory"));
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
