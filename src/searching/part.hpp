// SPDX-License-Identifier: Apache-2.0
// Parts of a search for many templates, which several processes make and one merges: the templates
// of each part, and what it kept.
#pragma once

#include <algorithm>  // min
#include <bit>        // bit_cast
#include <cstddef>    // byte, size_t
#include <cstdint>    // uint64_t
#include <cstring>    // memcpy
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "formats/images/image.hpp"      // pixel_size, file_placement
#include "wingbeat/devices.hpp"          // device_info
#include "wingbeat/template_search.hpp"  // search_state, extent

namespace wingbeat::searching {

/// The source of scores, as titles, particles and maps state it.
struct search_source {
  std::string micrograph = {};  ///< As RELION has it: "000021@stack.mrcs" of image 20 of a stack.
  std::string image_file = {};
  formats::pixel_size pixel_angstrom = {};
  std::optional<formats::file_placement> placement = {};  ///< Placement of maps.
  bool is_normalised = false;
  extent mode = extent::valid;
  std::string arithmetic = {};  ///< Precision, what is stored between launches: "fp32, fp16"
  double min_valid = 0.5;       ///< As in `search_request`.
  std::size_t template_height = 0, template_width = 0;
};

/// Returns the source that a spec determines; names and places of files are empty.
[[nodiscard]] search_source source_of(const search_spec& spec, double min_valid);

/// Returns a text like "cuda NVIDIA H200"; devices of one kind round scores alike.
[[nodiscard]] std::string kind_of(const device_info& device);

/// The numbers from `begin` to `end` - 1.
struct template_range {
  std::size_t begin = 0, end = 0;
};

/// Part `index` of `count`.
struct shard {
  std::size_t index = 0, count = 1;

  /// Returns this part's range of `n_templates`. It consists of the same batches of `at_once` that
  /// a search of all templates makes, because the rounding of a score may depend on the batch.
  [[nodiscard]] template_range of(std::size_t n_templates, std::size_t at_once) const;
};

/// Adds a range to ascending ranges, none of them empty or touching, which stay so. If they already
/// contain a number of it, changes nothing and returns the first such number.
[[nodiscard]] std::optional<std::size_t> add_range(std::vector<template_range>& ranges,
                                                   template_range added);

/// The names of a search's options in messages.
struct part_words {
  std::string_view parts = "one search that differ in their templates only";
  std::string_view min_valid = "100 min_valid =", moments = "moments";
};

/// What one process kept of a search, or several after a merge.
struct search_part {
  search_state kept = {};
  search_source source = {};
  std::uint64_t image_hash = 0;                ///< Hash of the pixels searched.
  std::uint64_t templates_hash = 0;            ///< Hash of the whole search's files.
  std::set<std::string> devices = {};          ///< "cuda NVIDIA H200", of each kind once.
  std::size_t n_templates = 0;                 ///< Templates of the whole search.
  std::vector<template_range> templates = {};  ///< Of this part, ascending, none empty or touching.

  /// Merges another part. Throws `plan_error`, with the names of both, unless it is of the same
  /// search and has other templates. If the image's names differ, keeps the one that sorts first.
  void merge(const search_part& other, std::string_view own_name, std::string_view name,
             const part_words& words = {});

  /// Returns the templates that this part lacks, ascending.
  [[nodiscard]] std::vector<template_range> missing() const;
};

/// Throws `plan_error`, with the names of both, unless two parts are of the same search.
void require_same_search(const search_part& a, const search_part& b, std::string_view a_name,
                         std::string_view b_name, const part_words& words = {});

/// An FNV-1a hash of 64-bit words.
class word_hash {
 public:
  void add(std::uint64_t word) { value_ = (value_ ^ word) * 0x100000001b3U ^ value_ >> 32; }
  /// Adds bytes as words, the last one padded with zeros.
  void add(std::span<const std::byte> bytes) {
    for (std::size_t i = 0; i < bytes.size(); i += sizeof(std::uint64_t)) {
      std::uint64_t word = 0;
      std::memcpy(&word, bytes.data() + i, std::min(sizeof word, bytes.size() - i));
      add(word);
    }
  }
  [[nodiscard]] std::uint64_t value() const { return value_; }

 private:
  std::uint64_t value_ = 0xcbf29ce484222325U;
};

/// Returns a hash of an image's pixels, equal for floats and doubles of the same values.
template <class Real>
[[nodiscard]] std::uint64_t hash_of(std::size_t height, std::size_t width,
                                    std::span<const Real> image) {
  word_hash hash;
  hash.add(height);
  hash.add(width);
  for (const Real pixel : image) hash.add(std::bit_cast<std::uint64_t>(double{pixel}));
  return hash.value();
}

}  // namespace wingbeat::searching
