// SPDX-License-Identifier: Apache-2.0
// Searches drawn from a seed: any that an engine may be asked for.
#pragma once

#include <fmt/format.h>

#include <algorithm>  // clamp
#include <cstdint>    // uint64_t
#include <string>
#include <vector>

#include "arrays/address_space.hpp"  // product_of
#include "support/dice.hpp"          // dice
#include "wingbeat/template_search.hpp"

namespace wingbeat::test {

/// A search, and what it is given.
struct drawn_search {
  search_spec spec;
  double offset = 0;                ///< Of the image; a fourth of it of templates.
  std::size_t count = 1;            ///< Of templates, all told.
  std::size_t first_part = 1;       ///< So many of them are added in the first call.
  bool is_last_part_first = false;  ///< The parts are added in the other order.
  bool restarts = false;            ///< All were added and forgotten before.
};

/// Draws lengths of small images, or of narrow ones so high that a GPU keeps scores.
inline void draw_lengths(dice& roll, search_spec& spec) {
  const bool is_high = roll.one_in(3);
  spec.image = is_high ? std::vector{roll.between(2112, 2600), roll.between(12, 40)}
                       : std::vector{roll.between(1, 64), roll.between(1, 64)};
  for (const std::size_t n : spec.image) {
    const std::size_t most = is_high ? 4 : spec.mode == extent::valid ? n : 2 * n + 1;
    spec.templates.push_back(roll.one_in(2) ? roll.between(1, most)
                                            : roll.between(1, (most + 7) / 8));
  }
}

/// Returns a search that every engine must accept. The same seed gives the same one everywhere.
inline drawn_search random_search(std::uint64_t seed, bool has_fp64) {
  constexpr extent modes[] = {extent::full, extent::same, extent::valid};
  constexpr std::size_t counts[] = {1, 2, 3, 5, 9, 20};
  constexpr precision narrow[] = {precision::fp16, precision::bf16};
  constexpr std::size_t most_products = std::size_t{1} << 21;
  dice roll{seed};
  drawn_search drawn;
  search_spec& spec = drawn.spec;
  spec.mode = roll.one_of(modes);
  draw_lengths(roll, spec);
  drawn.count = roll.one_of(counts);
  const std::size_t of_one = product_of(spec.image) * product_of(spec.templates);
  drawn.count = std::clamp<std::size_t>(most_products / of_one, 1, drawn.count);
  spec.is_normalised = roll.one_in(2);
  spec.keeps_sums = roll.one_in(2);
  spec.keeps_counts = roll.one_in(2);
  if (spec.keeps_counts) spec.threshold = 0.05 * static_cast<double>(roll.below(9)) - 0.1;
  spec.templates_at_once = roll.between(1, drawn.count + 1);
  if (roll.one_in(3)) spec.form = operand_form::spectrum;
  if (has_fp64 && roll.one_in(3)) spec.real = precision::fp64;
  drawn.offset = roll.one_in(3) ? 3 : 0;
  if (spec.real == precision::fp32 && roll.one_in(3)) {
    spec.between = roll.one_of(narrow);
  }
  if (spec.between == precision::fp16) {
    spec.image_peak = 1 + drawn.offset;
    if (!spec.is_normalised) spec.template_peak = 1 + drawn.offset / 4;
  }
  drawn.first_part = roll.between(1, drawn.count);
  drawn.is_last_part_first = roll.one_in(3);
  drawn.restarts = roll.one_in(6);
  return drawn;
}

/// Returns a search as C++ that makes it, on one line.
inline std::string as_initialiser(const search_spec& spec) {
  std::string text =
      fmt::format("{{.image = {{{}}}, .templates = {{{}}}, .mode = extent::{}",
                  fmt::join(spec.image, ", "), fmt::join(spec.templates, ", "), name_of(spec.mode));
  if (spec.real == precision::fp64) text += ", .real = precision::fp64";
  if (spec.is_normalised) text += ", .is_normalised = true";
  if (spec.keeps_sums) text += ", .keeps_sums = true";
  if (spec.keeps_counts) text += ", .keeps_counts = true";
  text += fmt::format(", .threshold = {}, .templates_at_once = {}", spec.threshold,
                      spec.templates_at_once);
  if (spec.between) {
    text += fmt::format(", .between = precision::{}, .image_peak = {}, .template_peak = {}",
                        name_of(*spec.between), spec.image_peak, spec.template_peak);
  }
  if (spec.form == operand_form::spectrum) text += ", .form = operand_form::spectrum";
  return text + "}";
}

}  // namespace wingbeat::test
