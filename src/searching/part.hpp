// SPDX-License-Identifier: Apache-2.0
// Parts of a search for many templates, which several processes make and one merges: which
// templates each of them has, and what it kept.
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

#include "formats/images/image.hpp"      // pixel_size, mrc_placement
#include "wingbeat/devices.hpp"          // device_info
#include "wingbeat/template_search.hpp"  // search_state, extent

namespace wingbeat::searching {

/// Where scores come from: what titles, particles and maps say of it.
struct search_source {
  std::string micrograph = {};  ///< As RELION has it: "000021@stack.mrcs" of image 20 of a stack.
  std::string image_file = {};
  formats::pixel_size pixel_angstrom = {};
  std::optional<formats::mrc_placement> placement = {};  ///< Of maps.
  bool is_normalised = false;
  extent mode = extent::valid;
  std::string arithmetic = {};  ///< Precision, what is stored between launches: "fp32, fp16"
  double min_valid = 0.5;       ///< As in `search_request`.
  std::size_t template_height = 0, template_width = 0;
};

/// Returns what a search of that spec says of its scores, without names and places of files.
[[nodiscard]] search_source source_of(const search_spec& spec, double min_valid);

/// Returns "cuda NVIDIA H200": devices of one kind round scores alike.
[[nodiscard]] std::string kind_of(const device_info& device);

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

/// Adds a range to ranges that are ascending, none empty or touching, and stay so. Returns the
/// first number that they have already; then they are as they were.
[[nodiscard]] std::optional<std::size_t> add_range(std::vector<template_range>& ranges,
                                                   template_range added);

/// What messages call options of a search.
struct part_words {
  std::string_view parts = "one search that differ in their templates only";
  std::string_view min_valid = "100 min_valid =", moments = "moments";
};

/// What one process kept of a search, or what was merged of several.
struct search_part {
  search_state kept = {};
  search_source source = {};
  std::uint64_t image_hash = 0;                ///< Of the pixels that were searched.
  std::uint64_t templates_hash = 0;            ///< Of the files of the whole search.
  std::set<std::string> devices = {};          ///< "cuda NVIDIA H200", of each kind once.
  std::size_t n_templates = 0;                 ///< Of the whole search.
  std::vector<template_range> templates = {};  ///< Of this part, ascending, none empty or touching.

  /// Takes another part. Throws `plan_error`, with the names of both, unless it is of the same
  /// search and of other templates. Of two spellings of the image's name the lesser is kept.
  void merge(const search_part& other, std::string_view own_name, std::string_view name,
             const part_words& words = {});

  /// Returns the templates that are not in this part, ascending.
  [[nodiscard]] std::vector<template_range> missing() const;
};

/// A hash of numbers, and of bytes by words: FNV-1a.
class word_hash {
 public:
  void add(std::uint64_t word) { value_ = (value_ ^ word) * 0x100000001b3U ^ value_ >> 32; }
  /// Adds the words of bytes, the last one filled up with zeros.
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

/// Returns a hash of the pixels of an image, the same of floats and of doubles.
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
