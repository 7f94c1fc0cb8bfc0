// SPDX-License-Identifier: Apache-2.0
// Directories that are not safe must be refused, and what is written is there whole or not at all.
#include "backend/private_directory.hpp"

#include <fcntl.h>  // AT_FDCWD
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>  // setrlimit
#include <sys/stat.h>      // chmod, stat, mkfifo, utimensat

#include <csignal>
#include <string>
#include <vector>

#include "support/child.hpp"   // start_child, exit_code_of
#include "support/folder.hpp"  // folder, set_content, content_of
#include "wingbeat/error.hpp"  // file_error

namespace {

using ::testing::HasSubstr;
using namespace wingbeat::test;
using wingbeat::file_error;
using wingbeat::backend::private_directory;
namespace fs = std::filesystem;

constexpr std::size_t no_limit = std::size_t{1} << 30;

std::vector<char> bytes_of(std::string_view text) {
  return {text.begin(), text.end()};
}

std::string refusal_of(const fs::path& path) {
  try {
    const private_directory opened{path};
    return "accepted";
  } catch (const file_error& refused) {
    return refused.what();
  }
}

void set_age(const fs::path& file, long age_s) {
  timespec time{};
  ::clock_gettime(CLOCK_REALTIME, &time);
  const timespec then{time.tv_sec - age_s, 0};
  const timespec times[2] = {then, then};
  ASSERT_EQ(::utimensat(AT_FDCWD, file.c_str(), times, 0), 0);
}

int n_files(const fs::path& path) {
  return static_cast<int>(std::distance(fs::directory_iterator{path}, {}));
}

TEST(private_directory, is_made_for_its_owner_alone) {
  const folder root;
  const private_directory directory{root / "a/b/c"};
  for (const char* name : {"a", "a/b", "a/b/c"}) {
    struct stat seen {};
    ASSERT_EQ(::stat((root / name).c_str(), &seen), 0) << name;
    EXPECT_EQ(seen.st_mode & 0777, 0700u) << name;
  }
}

TEST(private_directory, refuses_a_symbolic_link) {
  const folder root;
  fs::create_directory(root / "real");
  fs::permissions(root / "real", fs::perms::owner_all);
  fs::create_symlink(root / "real", root / "link");
  EXPECT_EQ(refusal_of(root / "real"), "accepted");
  EXPECT_THAT(refusal_of(root / "link"), HasSubstr("is a symbolic link"));
  EXPECT_THAT(refusal_of(root / "link/"), HasSubstr("is a symbolic link"));
  EXPECT_THAT(refusal_of(root / "link//"), HasSubstr("is a symbolic link"));
  fs::create_symlink(root / "nowhere", root / "dangling");
  EXPECT_THAT(refusal_of(root / "dangling"), HasSubstr("is a symbolic link"));
}

TEST(private_directory, refuses_what_others_can_write) {
  const folder root;
  for (const mode_t mode : {0770, 0707, 0777, 01777}) {
    const auto folder = root / std::to_string(mode);
    fs::create_directory(folder);
    ASSERT_EQ(::chmod(folder.c_str(), mode), 0);
    EXPECT_THAT(refusal_of(folder), HasSubstr("is writable by others")) << mode;
  }
  ASSERT_EQ(::chmod((root / "511").c_str(), 0755), 0);
  EXPECT_EQ(refusal_of(root / "511"), "accepted");
}

TEST(private_directory, refuses_a_file_in_its_place) {
  const folder root;
  set_content(root / "file", "text");
  EXPECT_THAT(refusal_of(root / "file"), HasSubstr("is not a directory"));
  EXPECT_THAT(refusal_of(root / "file/below"), HasSubstr("cannot be made"));
  EXPECT_EQ(content_of(root / "file"), "text");
}

TEST(private_directory, refuses_where_nobody_can_write) {
  EXPECT_THAT(refusal_of("/proc/wingbeat"), HasSubstr("cannot be made"));
}

// As root one may write anywhere, so the child becomes somebody else.
TEST(private_directory, refuses_the_directory_of_another_user) {
  if (::geteuid() != 0) GTEST_SKIP() << "needs root, to become another user";
  const folder root;
  fs::permissions(root.path(), fs::perms::all);
  fs::create_directory(root / "mine");
  ASSERT_EQ(::chmod((root / "mine").c_str(), 0755), 0);
  fs::create_directory(root / "closed");
  ASSERT_EQ(::chmod((root / "closed").c_str(), 0700), 0);
  const pid_t child = start_child([&] {
    if (::seteuid(65534) != 0) return 1;
    if (refusal_of(root / "mine").find("belongs to another user") == std::string::npos) return 2;
    if (refusal_of(root / "closed/x").find("Permission denied") == std::string::npos) return 3;
    return refusal_of(root / "own") == "accepted" ? 0 : 4;
  });
  EXPECT_EQ(exit_code_of(child), 0);
}

TEST(private_directory, reads_what_was_written) {
  const folder root;
  const private_directory directory{root / "d"};
  EXPECT_FALSE(directory.read("a", no_limit));
  directory.write("a", bytes_of("first"));
  directory.write("a", bytes_of("second"));
  EXPECT_EQ(directory.read("a", no_limit), bytes_of("second"));
  EXPECT_FALSE(directory.read("a", 5)) << "longer than allowed";
  directory.write("empty", {});
  EXPECT_EQ(directory.read("empty", no_limit), bytes_of(""));
  EXPECT_EQ(n_files(root / "d"), 2);
  struct stat seen {};
  ASSERT_EQ(::stat((root / "d/a").c_str(), &seen), 0);
  EXPECT_EQ(seen.st_mode & 0777, 0600u);
}

TEST(private_directory, reads_regular_files_only) {
  const folder root;
  const private_directory directory{root / "d"};
  set_content(root / "elsewhere", "text");
  fs::create_symlink(root / "elsewhere", root / "d/link");
  ASSERT_EQ(::mkfifo((root / "d/pipe").c_str(), 0600), 0);
  fs::create_directory(root / "d/folder");
  for (const char* name : {"link", "pipe", "folder"}) {
    EXPECT_FALSE(directory.read(name, no_limit)) << name;
  }
  directory.write("link", bytes_of("own"));
  EXPECT_EQ(directory.read("link", no_limit), bytes_of("own"));
  EXPECT_EQ(content_of(root / "elsewhere"), "text") << "the link must be replaced, not followed";
}

TEST(private_directory, survives_being_swapped) {
  const folder root;
  const private_directory directory{root / "d"};
  directory.write("a", bytes_of("ours"));
  fs::rename(root / "d", root / "moved");
  fs::create_directory(root / "d");
  set_content(root / "d/a", "theirs");
  EXPECT_EQ(directory.read("a", no_limit), bytes_of("ours"));
}

// A file size limit stands in for a full disk.
TEST(private_directory, leaves_no_trace_of_a_failed_write) {
  const folder root;
  const private_directory directory{root / "d"};
  directory.write("a", bytes_of("old"));
  const pid_t child = start_child([&] {
    std::signal(SIGXFSZ, SIG_IGN);
    const rlimit limit{1000, 1000};
    if (::setrlimit(RLIMIT_FSIZE, &limit) != 0) return 1;
    try {
      directory.write("a", std::vector<char>(2000, 'x'));
      return 2;
    } catch (const file_error& failed) {
      return std::string(failed.what()).find("File too large") == std::string::npos ? 3 : 0;
    }
  });
  EXPECT_EQ(exit_code_of(child), 0);
  EXPECT_EQ(directory.read("a", no_limit), bytes_of("old"));
  EXPECT_EQ(n_files(root / "d"), 1);
}

bool ends_in_k(std::string_view name) {
  return name.ends_with(".k");
}

TEST(private_directory, tidies_the_longest_unused_first) {
  const folder root;
  const private_directory directory{root / "d"};
  for (const char* name : {"1.k", "2.k", "3.k", "4.k"}) {
    directory.write(name, std::vector<char>(100, 'x'));
    set_age(root.path() / "d" / name, 100 * ('5' - name[0]));
  }
  set_content(root / "d/letter.txt", std::string(10000, 'x'));
  ASSERT_TRUE(directory.read("1.k", no_limit));  // used now, though written first
  directory.tidy(ends_in_k, 250);
  EXPECT_TRUE(directory.read("1.k", no_limit));
  EXPECT_FALSE(directory.read("2.k", no_limit));
  EXPECT_FALSE(directory.read("3.k", no_limit));
  EXPECT_TRUE(directory.read("4.k", no_limit));
  EXPECT_TRUE(fs::exists(root / "d/letter.txt")) << "not ours to remove";
}

TEST(private_directory, tidies_what_a_killed_process_left) {
  const folder root;
  const private_directory directory{root / "d"};
  set_content(root / "d/.unfinished-0123456789abcdef", "half");
  set_content(root / "d/.unfinished-fedcba9876543210", "half");
  set_age(root / "d/.unfinished-0123456789abcdef", 3601);
  directory.tidy(ends_in_k, no_limit);
  EXPECT_FALSE(fs::exists(root / "d/.unfinished-0123456789abcdef"));
  EXPECT_TRUE(fs::exists(root / "d/.unfinished-fedcba9876543210")) << "may still be in use";
}

// A folder may be named as a cache that holds other people's files too.
TEST(private_directory, tidies_no_stranger) {
  const folder root;
  const private_directory directory{root / "d"};
  const std::vector<std::string> strangers{".unfinished-",
                                           ".unfinished-0123456789abcde",
                                           ".unfinished-0123456789abcdef0",
                                           ".unfinished-letter.txt",
                                           ".unfinished-0123456789ABCDEF",
                                           ".unfinished-0123456789abcdeg",
                                           "unfinished-0123456789abcdef",
                                           ".unfinished-0123456789abcdef.txt",
                                           "letter.txt"};
  for (const auto& name : strangers) set_content(root / ("d/" + name), "a stranger's");
  fs::create_directory(root / "d/.unfinished-00000000000000d0");
  fs::create_directory(root / "d/folder.k");
  set_content(root / "elsewhere", std::string(1000, 'x'));
  for (const char* link : {"d/.unfinished-0000000000000011", "d/link.k"}) {
    fs::create_symlink(root / "elsewhere", root / link);
  }
  const int n_strangers = n_files(root / "d");
  set_content(root / "d/1.k", std::string(1000, 'x'));
  set_content(root / "d/.unfinished-0123456789abcdef", "half");
  for (const auto& each : fs::directory_iterator{root / "d"}) set_age(each.path(), 1000000);
  directory.tidy(ends_in_k, 100);
  EXPECT_FALSE(fs::exists(root / "d/1.k"));
  EXPECT_FALSE(fs::exists(root / "d/.unfinished-0123456789abcdef"));
  EXPECT_EQ(n_files(root / "d"), n_strangers);
  for (const auto& name : strangers) EXPECT_TRUE(fs::exists(root / ("d/" + name))) << name;
  EXPECT_EQ(content_of(root / "elsewhere"), std::string(1000, 'x'));
}

// As root one may write anywhere, so a file is given to somebody else.
TEST(private_directory, tidies_no_file_of_another_user) {
  if (::geteuid() != 0) GTEST_SKIP() << "needs root, to give a file away";
  const folder root;
  const private_directory directory{root / "d"};
  for (const char* name : {"d/theirs.k", "d/.unfinished-0123456789abcdef"}) {
    set_content(root / name, std::string(1000, 'x'));
    set_age(root / name, 1000000);
    ASSERT_EQ(::chown((root / name).c_str(), 65534, 65534), 0);
  }
  directory.tidy(ends_in_k, 100);
  EXPECT_EQ(n_files(root / "d"), 2);
}

}  // namespace
