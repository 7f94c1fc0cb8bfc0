// SPDX-License-Identifier: Apache-2.0
#include "backend/kernel_cache.hpp"

#include <unistd.h>  // getpid

#include <atomic>
#include <condition_variable>
#include <cstdint>  // uint64_t
#include <cstdlib>  // getenv
#include <exception>
#include <map>
#include <mutex>
#include <string_view>

#include "backend/message.hpp"            // write_message
#include "backend/private_directory.hpp"  // private_directory
#include "backend/sha256.hpp"             // sha256, hex, is_hex
#include "text/formatted.hpp"             // formatted
#include "wingbeat/version.hpp"           // WINGBEAT_VERSION_MAJOR ...

namespace wingbeat::backend {
namespace {

using bytes = std::vector<char>;

// An entry: magic [8] | digest of the key [32] | digest of the binary [32] | length [8] | binary
// The magic changes when this layout does. Numbers are little-endian.
constexpr std::string_view magic = "wbkernl1";
constexpr std::string_view suffix = ".kernel";
constexpr std::size_t digest_bytes = 32;
constexpr std::size_t header_bytes = 8 + 2 * digest_bytes + 8;

std::string little_endian(std::uint64_t value) {
  std::string text;
  for (int i = 0; i < 8; ++i, value >>= 8) text += static_cast<char>(value & 0xff);
  return text;
}

std::string_view view_of(const sha256::digest& digest) {
  return {reinterpret_cast<const char*>(digest.data()), digest.size()};
}

// Each field is preceded by its length: ("ab", "c") and ("a", "bc") differ.
sha256::digest digest_of(const kernel_key& key) {
  const std::string version = formatted("wingbeat {}.{}.{}", WINGBEAT_VERSION_MAJOR,
                                        WINGBEAT_VERSION_MINOR, WINGBEAT_VERSION_PATCH);
  sha256 hash;
  for (const std::string* field :
       {&version, &key.source, &key.options, &key.compiler, &key.driver, &key.architecture}) {
    hash.add(little_endian(field->size()));
    hash.add(*field);
  }
  return hash.finish();
}

std::string file_name(const sha256::digest& key) {
  return hex(key).append(suffix);
}

bool is_file_name(std::string_view name) {
  if (name.size() != 2 * digest_bytes + suffix.size() || !name.ends_with(suffix)) return false;
  return is_hex(name.substr(0, 2 * digest_bytes));
}

std::string header_of(const sha256::digest& key, std::string_view binary) {
  std::string header{magic};
  header += view_of(key);
  header += view_of(sha256::of(binary));
  header += little_endian(binary.size());
  return header;
}

bytes entry_of(const sha256::digest& key, std::string_view binary) {
  const std::string header = header_of(key, binary);
  bytes entry(header.begin(), header.end());
  entry.insert(entry.end(), binary.begin(), binary.end());
  return entry;
}

// The header must equal the one computed from this key and this binary; any other entry is ignored.
std::optional<bytes> binary_in(const bytes& entry, const sha256::digest& key) {
  if (entry.size() < header_bytes) return std::nullopt;
  const std::string_view content{entry.data(), entry.size()};
  const std::string_view binary = content.substr(header_bytes);
  if (content.substr(0, header_bytes) != header_of(key, binary)) return std::nullopt;
  return bytes(binary.begin(), binary.end());
}

std::filesystem::path environment_directory() {
  const auto variable = [](const char* name) {
    const char* const value = std::getenv(name);
    return std::string{value == nullptr ? "" : value};
  };
  if (const auto own = variable("WINGBEAT_CACHE"); !own.empty()) return own == "off" ? "" : own;
  // The XDG rules: a relative path counts as none.
  if (const std::filesystem::path xdg = variable("XDG_CACHE_HOME"); xdg.is_absolute()) {
    return xdg / "wingbeat";
  }
  if (const std::filesystem::path home = variable("HOME"); home.is_absolute()) {
    return home / ".cache" / "wingbeat";
  }
  return {};
}

void warn_once(std::string_view sentence) noexcept try {
  static std::once_flag warned;
  std::call_once(warned, [&] {
    write_message(
        formatted("wingbeat: kernels are kept in memory only: {} in WINGBEAT_CACHE\n", sentence));
  });
} catch (const std::exception&) {
  // Out of memory: writes no warning.
}

}  // namespace

struct kernel_cache::impl {
  std::optional<private_directory> directory;
  std::string refusal;
  std::size_t capacity_bytes = 0;
  std::atomic<bool> is_ignoring = false;

  std::mutex mutex;  // of all below
  std::map<sha256::digest, bytes> memory;
  std::size_t memory_bytes = 0;
  std::map<std::string, pid_t> being_made;  // by file name; the process, because it may fork
  std::condition_variable changed;

  std::optional<bytes> recall(const sha256::digest& key) {
    const std::lock_guard held{mutex};
    const auto found = memory.find(key);
    return found == memory.end() ? std::nullopt : std::optional{found->second};
  }

  void remember(const sha256::digest& key, const bytes& binary) {
    if (binary.size() > capacity_bytes) return;
    const std::lock_guard held{mutex};
    if (memory_bytes + binary.size() > capacity_bytes) {
      memory.clear();
      memory_bytes = 0;
    }
    bytes& place = memory[key];
    memory_bytes += binary.size() - place.size();
    place = binary;
  }
};

kernel_cache& kernel_cache::shared() {
  // Never destroyed, because engines refer to it and plans may be made at exit.
  static auto& cache = *std::make_unique<kernel_cache>(environment_directory()).release();
  if (!cache.refusal().empty()) warn_once(cache.refusal());
  return cache;
}

kernel_cache::kernel_cache(const std::filesystem::path& directory, std::size_t capacity_bytes)
    : impl_(std::make_unique<impl>()) {
  impl_->capacity_bytes = capacity_bytes;
  if (directory.empty()) return;
  try {
    impl_->directory.emplace(directory);
  } catch (const std::exception& refused) {
    impl_->refusal = refused.what();
  }
}

kernel_cache::~kernel_cache() = default;

std::optional<std::vector<char>> kernel_cache::find(const kernel_key& key) {
  if (impl_->is_ignoring || key.source.empty()) return std::nullopt;
  const sha256::digest digest = digest_of(key);
  if (auto recalled = impl_->recall(digest)) return recalled;
  if (!impl_->directory) return std::nullopt;
  const auto entry = impl_->directory->read(file_name(digest), impl_->capacity_bytes);
  if (!entry) return std::nullopt;
  auto binary = binary_in(*entry, digest);
  if (binary) impl_->remember(digest, *binary);
  return binary;
}

void kernel_cache::store(const kernel_key& key, const std::vector<char>& binary) {
  if (key.source.empty()) return;
  const sha256::digest digest = digest_of(key);
  impl_->remember(digest, binary);
  if (!impl_->directory) return;
  const bytes entry = entry_of(digest, {binary.data(), binary.size()});
  if (entry.size() > impl_->capacity_bytes) return;
  try {
    impl_->directory->write(file_name(digest), entry);
    impl_->directory->tidy(is_file_name, impl_->capacity_bytes);
  } catch (const std::exception& failed) {
    warn_once(failed.what());
  }
}

kernel_cache::turn::turn(kernel_cache& cache, const kernel_key& key) : cache_(cache) {
  if (key.source.empty()) return;
  made_ = file_name(digest_of(key));
  impl& shared = *cache_.impl_;
  std::unique_lock held{shared.mutex};
  const auto is_free = [&] {
    const auto found = shared.being_made.find(made_);
    return found == shared.being_made.end() || found->second != ::getpid();
  };
  has_waited_ = !is_free();
  shared.changed.wait(held, is_free);
  shared.being_made[made_] = ::getpid();
}

kernel_cache::turn::~turn() {
  if (made_.empty()) return;
  impl& shared = *cache_.impl_;
  const std::lock_guard held{shared.mutex};
  shared.being_made.erase(made_);
  shared.changed.notify_all();
}

void kernel_cache::ignore_entries(bool is_ignoring) noexcept {
  impl_->is_ignoring = is_ignoring;
}

const std::filesystem::path& kernel_cache::directory() const noexcept {
  static const auto& none = *std::make_unique<const std::filesystem::path>().release();
  return impl_->directory ? impl_->directory->path() : none;
}

const std::string& kernel_cache::refusal() const noexcept {
  return impl_->refusal;
}

}  // namespace wingbeat::backend
