// SPDX-License-Identifier: Apache-2.0
// Files of parts of a search.
#pragma once

#include <cstdint>  // uint64_t
#include <string>
#include <string_view>
#include <vector>

#include "searching/part.hpp"  // search_part, shard

namespace wingbeat::cli {

/// Returns the shard of "3/16": number 3 of 0 .. 15. Throws `plan_error` for another text.
[[nodiscard]] searching::shard shard_of(std::string_view text);

/// Returns a hash of files' sizes and of pieces of their contents, or of small files all. Pipes are
/// ignored.
[[nodiscard]] std::uint64_t hash_of(const std::vector<std::string>& files);

/// Writes a file of what `searching::write_part` gives.
void write_part(const std::string& file, const searching::search_part& part);

/// Reads such a file. Throws `file_error` for any other.
[[nodiscard]] searching::search_part read_part(const std::string& file);

}  // namespace wingbeat::cli
