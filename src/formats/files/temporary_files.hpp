// SPDX-License-Identifier: Apache-2.0
// The temporary files of this process, listed so that a signal handler can remove them.
#pragma once

#include <string>

namespace wingbeat::formats {

/// Lists the file under `name`, for `remove_temporary_files`. Call it before the file is created.
/// Returns the entry, or -1 if 16 files are already listed or the name is too long for a path.
int list_temporary_file(const std::string& name) noexcept;

/// Removes an entry from the list; -1 is none. Call it once the file is renamed or unlinked.
void unlist_temporary_file(int entry) noexcept;

/// Unlinks every listed file. A forked child leaves the files of its parent alone.
/// Async-signal-safe, for handlers of signals that end the process. Installs no handler itself,
/// because handlers belong to the program.
void remove_temporary_files() noexcept;

}  // namespace wingbeat::formats
