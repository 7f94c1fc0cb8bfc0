// SPDX-License-Identifier: Apache-2.0
#include "formats/files/temporary_files.hpp"

#include <unistd.h>  // getpid, unlink

#include <atomic>
#include <climits>  // PATH_MAX

namespace wingbeat::formats {
namespace {

/// `busy`: one thread fills the entry, or a handler unlinks its file.
enum class entry_state { free, busy, listed };

struct table_entry {
  std::atomic<entry_state> state = entry_state::free;
  pid_t owner = 0;
  char name[PATH_MAX] = {};
};
static_assert(std::atomic<entry_state>::is_always_lock_free, "a handler may not wait for a lock");

constexpr int n_entries = 16;
table_entry table[n_entries];

bool change_state(table_entry& entry, entry_state from, entry_state to) noexcept {
  return entry.state.compare_exchange_strong(from, to);
}

}  // namespace

int list_temporary_file(const std::string& name) noexcept {
  if (name.size() >= sizeof table[0].name) return -1;
  for (int i = 0; i < n_entries; ++i) {
    if (!change_state(table[i], entry_state::free, entry_state::busy)) continue;
    name.copy(table[i].name, name.size());
    table[i].name[name.size()] = '\0';
    table[i].owner = ::getpid();
    table[i].state = entry_state::listed;
    return i;
  }
  return -1;
}

void unlist_temporary_file(int entry) noexcept {
  // An entry that a handler holds is not changed, because the process is about to end.
  if (entry >= 0) change_state(table[entry], entry_state::listed, entry_state::free);
}

void remove_temporary_files() noexcept {
  for (table_entry& entry : table) {
    if (!change_state(entry, entry_state::listed, entry_state::busy)) continue;
    if (entry.owner == ::getpid()) ::unlink(entry.name);
  }
}

}  // namespace wingbeat::formats
