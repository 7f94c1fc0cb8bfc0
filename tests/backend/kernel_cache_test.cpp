// SPDX-License-Identifier: Apache-2.0
// Law: whatever happens to the disk, find returns the binary stored under that key, or nothing.
#include "backend/kernel_cache.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>  // max_element
#include <atomic>
#include <chrono>
#include <csignal>  // kill
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "support/child.hpp"   // start_child, exit_code_of
#include "support/folder.hpp"  // folder, set_content, content_of

namespace {

using ::testing::HasSubstr;
using namespace wingbeat::test;
using namespace wingbeat::backend;
namespace fs = std::filesystem;

const kernel_key some_key{"source", "-O2", "clang 15", "driver 1", "sm_90"};

// Of a length and content that belong to `seed` alone.
std::vector<char> binary(unsigned seed) {
  std::mt19937 random{seed};
  std::vector<char> bytes(1000 + seed % 5000);
  for (char& byte : bytes) byte = static_cast<char>(random());
  return bytes;
}

fs::path only_entry(const fs::path& path) {
  fs::path found;
  for (const auto& each : fs::directory_iterator{path}) {
    EXPECT_TRUE(found.empty()) << "more than one file in " << path;
    found = each.path();
  }
  EXPECT_EQ(found.extension(), ".kernel");
  return found;
}

// A cache of its own each time, as another process would have: nothing is in memory.
std::optional<std::vector<char>> found_on_disk(const fs::path& path, const kernel_key& key) {
  return kernel_cache{path}.find(key);
}

TEST(kernel_cache, finds_what_another_process_stored) {
  const folder directory;
  EXPECT_FALSE(found_on_disk(directory / "c", some_key));
  kernel_cache{directory / "c"}.store(some_key, binary(1));
  EXPECT_EQ(found_on_disk(directory / "c", some_key), binary(1));
  kernel_cache{directory / "c"}.store(some_key, binary(2));
  EXPECT_EQ(found_on_disk(directory / "c", some_key), binary(2));
}

TEST(kernel_cache, has_one_thread_make_an_entry_that_others_wait_for) {
  kernel_cache cache{""};
  std::atomic<int> n_made = 0, n_waited = 0;
  {
    std::vector<std::jthread> threads(8);
    for (std::jthread& each : threads) {
      each = std::jthread{[&] {
        const kernel_cache::turn turn{cache, some_key};
        n_waited += turn.has_waited() ? 1 : 0;
        if (cache.find(some_key)) return;
        ++n_made;
        std::this_thread::sleep_for(std::chrono::milliseconds{20});
        cache.store(some_key, binary(1));
      }};
    }
  }
  EXPECT_EQ(n_made, 1);
  EXPECT_GT(n_waited, 0);
  // Another key does not wait, nor does a text that is not cached.
  const kernel_cache::turn held{cache, some_key};
  kernel_key other = some_key;
  for (const char* source : {"another", ""}) {
    other.source = source;
    const kernel_cache::turn first{cache, other};
    EXPECT_FALSE(first.has_waited());
  }
}

TEST(kernel_cache, leaves_a_forked_child_the_turns_of_threads_that_it_has_not) {
  kernel_cache cache{""};
  const kernel_cache::turn held{cache, some_key};
  const pid_t child = start_child([&] {
    const kernel_cache::turn mine{cache, some_key};
    return 0;
  });
  EXPECT_EQ(exit_code_of(child), 0);
}

TEST(kernel_cache, finds_nothing_while_it_ignores_entries_but_stores_them) {
  const folder directory;
  kernel_cache cache{directory / "c"};
  cache.store(some_key, binary(1));
  cache.ignore_entries(true);
  EXPECT_FALSE(cache.find(some_key));
  cache.store(some_key, binary(2));
  cache.ignore_entries(false);
  EXPECT_EQ(cache.find(some_key), binary(2));
  EXPECT_EQ(found_on_disk(directory / "c", some_key), binary(2));
}

TEST(kernel_cache, keeps_nothing_of_a_key_without_a_source) {
  const folder directory;
  kernel_cache cache{directory / "c"};
  const kernel_key key{"", "-O2", "clang 15", "driver 1", "sm_90"};
  cache.store(key, binary(1));
  EXPECT_FALSE(cache.find(key));
  EXPECT_TRUE(fs::is_empty(directory / "c"));
}

TEST(kernel_cache, tells_keys_apart_by_every_field) {
  const folder directory;
  std::vector<kernel_key> keys{some_key};
  for (const auto field : {&kernel_key::source, &kernel_key::options, &kernel_key::compiler,
                           &kernel_key::driver, &kernel_key::architecture}) {
    keys.push_back(some_key);
    keys.back().*field += 'x';
  }
  keys.push_back({"source-", "O2", "clang 15", "driver 1", "sm_90"});  // a border moved
  for (unsigned i = 0; i < keys.size(); ++i) {
    EXPECT_FALSE(found_on_disk(directory / "c", keys[i])) << i;
    kernel_cache{directory / "c"}.store(keys[i], binary(i));
  }
  for (unsigned i = 0; i < keys.size(); ++i) {
    EXPECT_EQ(found_on_disk(directory / "c", keys[i]), binary(i)) << i;
  }
}

TEST(kernel_cache, does_not_find_an_entry_with_any_byte_altered) {
  const folder directory;
  kernel_cache{directory / "c"}.store(some_key, std::vector<char>(200, 'k'));
  const auto file = only_entry(directory / "c");
  const std::string good = content_of(file);
  for (std::size_t offset = 0; offset < good.size(); ++offset) {
    std::string bad = good;
    bad[offset] = static_cast<char>(bad[offset] ^ (1 << offset % 8));
    set_content(file, bad);
    ASSERT_FALSE(found_on_disk(directory / "c", some_key)) << "byte " << offset;
  }
  set_content(file, good);
  EXPECT_TRUE(found_on_disk(directory / "c", some_key));
}

TEST(kernel_cache, does_not_find_an_entry_cut_or_lengthened_anywhere) {
  const folder directory;
  kernel_cache{directory / "c"}.store(some_key, std::vector<char>(200, 'k'));
  const auto file = only_entry(directory / "c");
  const std::string good = content_of(file);
  for (std::size_t size = 0; size < good.size(); ++size) {
    set_content(file, good.substr(0, size));
    ASSERT_FALSE(found_on_disk(directory / "c", some_key)) << "cut to " << size;
  }
  set_content(file, good + "k");
  EXPECT_FALSE(found_on_disk(directory / "c", some_key));
}

TEST(kernel_cache, does_not_find_an_entry_under_another_key) {
  const folder directory;
  kernel_key other = some_key;
  other.architecture = "sm_80";
  kernel_cache{directory / "a"}.store(some_key, binary(1));
  kernel_cache{directory / "b"}.store(other, binary(2));
  fs::copy_file(only_entry(directory / "b"), only_entry(directory / "a"),
                fs::copy_options::overwrite_existing);
  EXPECT_FALSE(found_on_disk(directory / "a", some_key));
}

TEST(kernel_cache, replaces_a_damaged_entry) {
  const folder directory;
  kernel_cache{directory / "c"}.store(some_key, binary(1));
  set_content(only_entry(directory / "c"), "damaged");
  EXPECT_FALSE(found_on_disk(directory / "c", some_key));
  kernel_cache{directory / "c"}.store(some_key, binary(1));
  EXPECT_EQ(found_on_disk(directory / "c", some_key), binary(1));
}

TEST(kernel_cache, holds_an_empty_binary) {
  const folder directory;
  kernel_cache{directory / "c"}.store(some_key, {});
  EXPECT_EQ(found_on_disk(directory / "c", some_key), std::vector<char>{});
}

TEST(kernel_cache, works_in_memory_alone) {
  kernel_cache cache{""};
  cache.store(some_key, binary(1));
  EXPECT_EQ(cache.find(some_key), binary(1));
  EXPECT_TRUE(cache.directory().empty());
  EXPECT_EQ(cache.refusal(), "");
}

TEST(kernel_cache, works_in_memory_when_its_directory_is_refused) {
  const folder directory;
  fs::create_directory(directory / "real");
  fs::create_symlink(directory / "real", directory / "link");
  kernel_cache cache{directory / "link"};
  cache.store(some_key, binary(1));
  EXPECT_EQ(cache.find(some_key), binary(1));
  EXPECT_TRUE(cache.directory().empty());
  EXPECT_THAT(cache.refusal(), HasSubstr("is a symbolic link"));
  EXPECT_TRUE(fs::is_empty(directory / "real"));
}

TEST(kernel_cache, works_in_memory_when_its_directory_is_gone) {
  const folder directory;
  kernel_cache cache{directory / "c"};
  fs::remove_all(directory / "c");
  cache.store(some_key, binary(1));
  EXPECT_EQ(cache.find(some_key), binary(1));
}

TEST(kernel_cache, stays_below_its_capacity) {
  const folder directory;
  kernel_cache cache{directory / "c", 10000};
  for (unsigned i = 0; i < 20; ++i) {
    cache.store({"source " + std::to_string(i), "", "", "", ""}, std::vector<char>(2000, 'x'));
  }
  std::size_t all_bytes = 0;
  for (const auto& each : fs::directory_iterator{directory / "c"}) all_bytes += each.file_size();
  EXPECT_LE(all_bytes, 10000u);
  EXPECT_GE(all_bytes, 8000u);
  EXPECT_TRUE(found_on_disk(directory / "c", {"source 19", "", "", "", ""}));
  EXPECT_FALSE(found_on_disk(directory / "c", {"source 0", "", "", "", ""}));
}

// The variable may name a folder that holds more than kernels.
TEST(kernel_cache, removes_no_file_but_its_own) {
  const folder directory;
  kernel_cache cache{directory / "c", 10000};
  const std::string digest(64, 'a');
  const std::vector<std::string> strangers{"holiday.kernel",
                                           digest.substr(1) + ".kernel",
                                           digest + "a.kernel",
                                           digest + ".kernel.bak",
                                           digest + ".Kernel",
                                           std::string(64, 'A') + ".kernel",
                                           std::string(64, 'g') + ".kernel",
                                           ".kernel",
                                           "." + digest.substr(1) + ".kernel"};
  for (const auto& name : strangers) set_content(directory / ("c/" + name), std::string(9000, 'x'));
  set_content(directory / ("c/" + digest + ".kernel"), std::string(9000, 'x'));
  for (const auto& each : fs::directory_iterator{directory / "c"}) {
    fs::last_write_time(each.path(), fs::file_time_type::clock::now() - std::chrono::hours(1000));
  }
  cache.store(some_key, std::vector<char>(2000, 'x'));
  EXPECT_TRUE(found_on_disk(directory / "c", some_key));
  EXPECT_FALSE(fs::exists(directory / ("c/" + digest + ".kernel"))) << "of its own form, and over";
  for (const auto& name : strangers) EXPECT_TRUE(fs::exists(directory / ("c/" + name))) << name;
}

// One key always belongs to one binary, as with a deterministic compiler.
int store_and_find(const fs::path& path, unsigned first, unsigned rounds) {
  kernel_cache cache{path};
  for (unsigned i = first; i < first + rounds; ++i) {
    const kernel_key key{std::to_string(i % 7), "", "", "", ""};
    cache.store(key, binary(i % 7));
    if (cache.find(key) != binary(i % 7)) return 1;
    const kernel_key other{std::to_string((i + 3) % 7), "", "", "", ""};
    const auto found = found_on_disk(path, other);
    if (found && *found != binary((i + 3) % 7)) return 2;
  }
  return 0;
}

TEST(kernel_cache, serves_many_threads_of_many_processes) {
  const folder directory;
  const auto eight_threads = [&] {
    std::vector<std::thread> threads;
    std::vector<int> codes(8, -1);
    for (unsigned t = 0; t < 8; ++t) {
      threads.emplace_back([&, t] { codes[t] = store_and_find(directory / "c", t, 20); });
    }
    for (auto& each : threads) each.join();
    return *std::max_element(codes.begin(), codes.end());
  };
  std::vector<pid_t> children;
  for (int i = 0; i < 4; ++i) children.push_back(start_child(eight_threads));
  for (const pid_t child : children) EXPECT_EQ(exit_code_of(child), 0);
  EXPECT_EQ(std::distance(fs::directory_iterator{directory / "c"}, {}), 7)
      << "no temporary file left";
}

TEST(kernel_cache, serves_many_threads_of_one_object) {
  const folder directory;
  kernel_cache cache{directory / "c", 20000};  // small, so that entries come and go
  std::vector<std::thread> threads;
  for (unsigned t = 0; t < 8; ++t) {
    threads.emplace_back([&, t] {
      for (unsigned i = t; i < t + 20; ++i) {
        const kernel_key key{std::to_string(i % 7), "", "", "", ""};
        const auto found = cache.find(key);
        EXPECT_TRUE(!found || *found == binary(i % 7));
        cache.store(key, binary(i % 7));
      }
    });
  }
  for (auto& each : threads) each.join();
}

TEST(kernel_cache, is_whole_after_its_writer_was_killed) {
  const folder directory;
  for (int i = 0; i < 20; ++i) {
    const pid_t child = start_child([&] { return store_and_find(directory / "c", 0, 1000000); });
    std::this_thread::sleep_for(std::chrono::milliseconds(5 + 3 * i));
    ::kill(child, SIGKILL);
    EXPECT_EQ(exit_code_of(child), -SIGKILL);
    for (unsigned k = 0; k < 7; ++k) {
      const auto found = found_on_disk(directory / "c", {std::to_string(k), "", "", "", ""});
      EXPECT_TRUE(!found || *found == binary(k)) << k;
    }
  }
  EXPECT_EQ(store_and_find(directory / "c", 0, 7), 0);
}

// The environment is read once in a process, so each case has its own.
fs::path shared_directory(const std::vector<std::pair<std::string, std::string>>& environment,
                          const folder& directory) {
  const pid_t child = start_child([&] {
    for (const char* name : {"WINGBEAT_CACHE", "XDG_CACHE_HOME", "HOME"}) ::unsetenv(name);
    for (const auto& [name, value] : environment) ::setenv(name.c_str(), value.c_str(), 1);
    set_content(directory / "answer", kernel_cache::shared().directory().string());
    return 0;
  });
  EXPECT_EQ(exit_code_of(child), 0);
  return content_of(directory / "answer");
}

TEST(kernel_cache, reads_its_directory_from_the_environment) {
  const folder directory;
  const std::string base = directory.path().string();
  EXPECT_EQ(shared_directory({}, directory), "");
  EXPECT_EQ(shared_directory({{"HOME", base}}, directory), base + "/.cache/wingbeat");
  EXPECT_EQ(shared_directory({{"HOME", base}, {"XDG_CACHE_HOME", base + "/x"}}, directory),
            base + "/x/wingbeat");
  EXPECT_EQ(shared_directory({{"HOME", base}, {"XDG_CACHE_HOME", "relative"}}, directory),
            base + "/.cache/wingbeat");
  EXPECT_EQ(shared_directory({{"HOME", base}, {"WINGBEAT_CACHE", base + "/own"}}, directory),
            base + "/own");
  EXPECT_EQ(shared_directory({{"HOME", base}, {"WINGBEAT_CACHE", "off"}}, directory), "");
}

}  // namespace
