// SPDX-License-Identifier: Apache-2.0
// Files of parts of a search.
#pragma once

#include <cstdint>  // uint64_t
#include <string>
#include <string_view>
#include <vector>

#include "searching/part.hpp"  // search_part, shard

namespace wingbeat::cli {

/// Returns the shard that "3/16" is, number 3 of 0 .. 15. Throws `plan_error` for another text.
[[nodiscard]] searching::shard shard_of(std::string_view text);

/// Returns a hash of the sizes of files and of pieces of their content, all of a few small ones;
/// pipes count as nothing.
[[nodiscard]] std::uint64_t hash_of(const std::vector<std::string>& files);

/// Writes a file of type .npy, an array of unsigned integers of 64 bits, [plane][y][x], with a line
/// of JSON behind it. Planes: `search_state::keys`, then both of `unit_sums` if they are kept.
void write_part(const std::string& file, const searching::search_part& part);

/// Reads it. Throws `file_error` for any other file.
[[nodiscard]] searching::search_part read_part(const std::string& file);

}  // namespace wingbeat::cli
