// SPDX-License-Identifier: Apache-2.0
// Parts of a search for many templates, which several processes make and one merges: which
// templates each of them has, and what it kept, in a file.
#pragma once

#include <cstddef>  // size_t
#include <cstdint>  // uint64_t
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "cli/match_run.hpp"             // match_source
#include "formats/images/image.hpp"      // image_stack
#include "wingbeat/template_search.hpp"  // search_state

namespace wingbeat::cli {

/// Numbers from `begin` on, before `end`.
struct template_range {
  std::size_t begin = 0, end = 0;
};

/// Part `index` of `count`.
struct shard {
  std::size_t index = 0, count = 1;

  /// Returns its part of so many templates: whole batches of `at_once`, as a search of all of them
  /// makes them, because the rounding of a score may depend on how many are scored at once.
  [[nodiscard]] template_range of(std::size_t n_templates, std::size_t at_once) const;
};

/// Returns the shard that "3/16" is, number 3 of 0 .. 15. Throws `plan_error` for another text.
[[nodiscard]] shard shard_of(std::string_view text);

/// What one process kept of a search, or what was merged of several.
struct search_part {
  search_state kept = {};
  match_source source;
  std::uint64_t image_hash = 0;                ///< Of the pixels that were searched.
  std::uint64_t templates_hash = 0;            ///< Of the files of the whole search.
  std::set<std::string> devices = {};          ///< "cuda NVIDIA H200", of each kind once.
  std::size_t n_templates = 0;                 ///< Of the whole search.
  std::vector<template_range> templates = {};  ///< Of this part, ascending, none empty or touching.

  /// Takes another part. Throws `plan_error`, with the names of both files, unless it is of the
  /// same search and of other templates. Of two spellings of the image's name the lesser is kept.
  void merge(const search_part& other, std::string_view own_name, std::string_view name);

  /// Returns the templates that are not in this part: "64 to 127 and 300".
  [[nodiscard]] std::string missing_text() const;
};

[[nodiscard]] std::uint64_t hash_of(const formats::image_stack& image);

/// Returns a hash of the sizes of files and of pieces of their content, all of a few small ones;
/// pipes count as nothing.
[[nodiscard]] std::uint64_t hash_of(const std::vector<std::string>& files);

/// Writes a file of type .npy, an array of unsigned integers of 64 bits, [plane][y][x], with a line
/// of JSON behind it. Planes: `search_state::keys`, then both of `unit_sums` if they are kept.
void write_part(const std::string& file, const search_part& part);

/// Reads it. Throws `file_error` for any other file.
[[nodiscard]] search_part read_part(const std::string& file);

}  // namespace wingbeat::cli
