// SPDX-License-Identifier: Apache-2.0
#include "searching/part.hpp"

#include <algorithm>  // find_if, max, min
#include <tuple>      // tie

#include "text/formatted.hpp"  // formatted
#include "text/reject.hpp"     // reject

namespace wingbeat::searching {
namespace {

/// Returns "valid, normalised, fp32".
std::string options_text(const search_source& source, const part_words& words) {
  return formatted("{}{}, {}{}", name_of(source.mode), source.is_normalised ? ", normalised" : "",
                   source.arithmetic,
                   source.min_valid == search_source{}.min_valid
                       ? ""
                       : formatted(", {} {:g}", words.min_valid, 100 * source.min_valid));
}

}  // namespace

void require_same_search(const search_part& a, const search_part& b, std::string_view a_name,
                         std::string_view b_name, const part_words& words) {
  const auto require = [&](bool is_same, std::string_view difference) {
    if (is_same) return;
    reject("{} and {} are parts of different searches, {}; merge the parts of {}", a_name, b_name,
           difference, words.parts);
  };
  const search_source &x = a.source, &y = b.source;
  require(a.image_hash == b.image_hash, "of different images");
  require(x.is_normalised == y.is_normalised && x.mode == y.mode && x.arithmetic == y.arithmetic &&
              x.min_valid == y.min_valid,
          formatted("with different options, {} and {}", options_text(x, words),
                    options_text(y, words)));
  require(a.n_templates == b.n_templates,
          formatted("of {} and {} templates", a.n_templates, b.n_templates));
  require(x.template_height == y.template_height && x.template_width == y.template_width,
          "of templates of different sizes");
  require(a.templates_hash == b.templates_hash, "of different templates");
}

search_source source_of(const search_spec& spec, double min_valid) {
  search_source source{.is_normalised = spec.is_normalised,
                       .mode = spec.mode,
                       .arithmetic = std::string{name_of(spec.real)},
                       .min_valid = min_valid,
                       .template_height = spec.templates[0],
                       .template_width = spec.templates[1]};
  if (spec.between) source.arithmetic += formatted(", {}", name_of(*spec.between));
  if (spec.keeps_counts) source.arithmetic += formatted(", threshold {}", spec.threshold);
  return source;
}

std::string kind_of(const device_info& device) {
  return formatted("{} {}", name_of(device.runs_on), device.name);
}

template_range shard::of(std::size_t n_templates, std::size_t at_once) const {
  const std::size_t n_batches = (n_templates + at_once - 1) / at_once;
  const auto first_of = [&](std::size_t number) {
    const std::size_t whole = n_batches / count, rest = n_batches % count;
    return std::min((number * whole + number * rest / count) * at_once, n_templates);
  };
  return {first_of(index), first_of(index + 1)};
}

std::optional<std::size_t> add_range(std::vector<template_range>& ranges, template_range added) {
  if (added.begin == added.end) return std::nullopt;
  const auto next = std::find_if(ranges.begin(), ranges.end(),
                                 [&](const auto& range) { return range.end >= added.begin; });
  auto end = next;  // the first range behind those that touch `added`
  for (; end != ranges.end() && end->begin <= added.end; ++end) {
    const std::size_t twice = std::max(end->begin, added.begin);
    if (twice < std::min(end->end, added.end)) return twice;
  }
  if (next != end) {
    added = {std::min(added.begin, next->begin), std::max(added.end, (end - 1)->end)};
  }
  ranges.insert(ranges.erase(next, end), added);
  return std::nullopt;
}

void search_part::merge(const search_part& other, std::string_view own_name, std::string_view name,
                        const part_words& words) {
  require_same_search(*this, other, own_name, name, words);
  reject_if(kept.unit_sums.size() != other.kept.unit_sums.size() ||
                kept.sums.size() != other.kept.sums.size(),
            "{} and {} are parts of different searches, one of them without {}; merge the parts of "
            "{}",
            own_name, name, words.moments, words.parts);
  reject_if(kept.histogram.size() != other.kept.histogram.size(),
            "{} and {} are parts of different searches, one of them without a histogram; merge the "
            "parts of {}",
            own_name, name, words.parts);
  std::vector<template_range> ranges = templates;
  for (const template_range& range : other.templates) {
    const auto twice = add_range(ranges, range);
    if (!twice) continue;
    reject(
        "template {} is in {} and in what was merged before; give every "
        "part once",
        *twice, name);
  }
  kept.merge(other.kept);
  templates = std::move(ranges);
  devices.insert(other.devices.begin(), other.devices.end());
  if (std::tie(other.source.micrograph, other.source.image_file) <
      std::tie(source.micrograph, source.image_file)) {
    source.micrograph = other.source.micrograph;
    source.image_file = other.source.image_file;
  }
}

std::vector<template_range> search_part::missing() const {
  std::vector<template_range> gaps;
  std::size_t next = 0;
  const auto add = [&](std::size_t begin, std::size_t end) {
    if (begin < end) gaps.push_back({begin, end});
  };
  for (const template_range& range : templates) {
    add(next, range.begin);
    next = range.end;
  }
  add(next, n_templates);
  return gaps;
}

}  // namespace wingbeat::searching
