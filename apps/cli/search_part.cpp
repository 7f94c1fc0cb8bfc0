// SPDX-License-Identifier: Apache-2.0
#include "cli/search_part.hpp"

#include <algorithm>  // max, min, sort
#include <array>
#include <bit>      // bit_cast
#include <cstring>  // memcpy
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <span>
#include <system_error>  // error_code
#include <tuple>         // tie

#include "cli/option.hpp"                 // whole_number
#include "formats/files/atomic_file.hpp"  // atomic_file
#include "formats/files/npy_header.hpp"   // npy_prefix, take_npy_header
#include "formats/files/whole_file.hpp"   // read_whole_file
#include "text/formatted.hpp"             // formatted, joined
#include "wingbeat/error.hpp"             // file_error, plan_error

namespace wingbeat::cli {
namespace {

using json = nlohmann::ordered_json;

constexpr std::string_view schema = "wingbeat.search/2";
constexpr std::string_view schema_unchecked = "wingbeat.search/1";  // without a checksum
constexpr std::size_t largest_part_bytes = std::size_t{1} << 36;

json placement_json(const std::optional<formats::mrc_placement>& placement) {
  if (!placement) return nullptr;
  return {placement->words, placement->lengths, placement->first};
}

std::optional<formats::mrc_placement> placement_of(const json& document) {
  if (document.is_null()) return std::nullopt;
  return formats::mrc_placement{document.at(0), document.at(1), document.at(2)};
}

/// FNV-1a, by words.
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

// A part ends with the checksum of all bytes before its digits:  ..,"checksum":"0123456789abcdef"}
constexpr std::string_view before_checksum = ",\"checksum\":\"", after_checksum = "\"}\n";
constexpr std::size_t checksum_digits = 16;

std::string checksum_of(const word_hash& content) {
  return formatted("{:016x}", content.value());
}

json document_of(const search_part& part) {
  const match_source& source = part.source;
  json ranges = json::array();
  for (const template_range& range : part.templates) ranges.push_back({range.begin, range.end});
  return {{"schema", schema},
          {"micrograph", source.micrograph},
          {"image_file", source.image_file},
          {"image_hash", part.image_hash},
          {"templates_hash", part.templates_hash},
          {"devices", part.devices},
          {"pixel_angstrom",
           {source.pixel_angstrom.z, source.pixel_angstrom.y, source.pixel_angstrom.x}},
          {"placement", placement_json(source.placement)},
          {"is_normalised", source.is_normalised},
          {"mode", name_of(source.mode)},
          {"arithmetic", source.arithmetic},
          {"min_valid", source.min_valid},
          {"template", {source.template_height, source.template_width}},
          {"n_templates", part.n_templates},
          {"templates", std::move(ranges)}};
}

extent mode_of(const std::string& name) {
  for (const extent mode : {extent::full, extent::same, extent::valid}) {
    if (name == name_of(mode)) return mode;
  }
  throw json::other_error::create(501, "no mode", static_cast<const json*>(nullptr));
}

/// Reads the line behind the array. Throws json's errors.
search_part part_of(const json& document) {
  search_part part;
  match_source& source = part.source;
  if (document.at("schema") != schema)
    throw json::other_error::create(501, "no search", static_cast<const json*>(nullptr));
  document.at("micrograph").get_to(source.micrograph);
  document.at("image_file").get_to(source.image_file);
  document.at("image_hash").get_to(part.image_hash);
  document.at("templates_hash").get_to(part.templates_hash);
  document.at("devices").get_to(part.devices);
  const json& pixel = document.at("pixel_angstrom");
  source.pixel_angstrom = {pixel.at(0), pixel.at(1), pixel.at(2)};
  source.placement = placement_of(document.value("placement", json(nullptr)));
  document.at("is_normalised").get_to(source.is_normalised);
  source.mode = mode_of(document.at("mode"));
  document.at("arithmetic").get_to(source.arithmetic);
  document.at("min_valid").get_to(source.min_valid);
  document.at("template").at(0).get_to(source.template_height);
  document.at("template").at(1).get_to(source.template_width);
  document.at("n_templates").get_to(part.n_templates);
  for (const json& range : document.at("templates")) {
    part.templates.push_back({range.at(0), range.at(1)});
    part.kept.templates += part.templates.back().end - part.templates.back().begin;
  }
  part.kept.is_normalised = source.is_normalised;
  return part;
}

/// Returns "valid, normalised, fp32".
std::string options_text(const match_source& source) {
  return formatted("{}{}, {}{}", name_of(source.mode), source.is_normalised ? ", normalised" : "",
                   source.arithmetic,
                   source.min_valid == match_source{}.min_valid
                       ? ""
                       : formatted(", --min-valid {:g}", 100 * source.min_valid));
}

[[noreturn]] void refuse(const std::string& file) {
  throw file_error(formatted(
      "{} is no part of a search, or was cut off; give files that wingbeat match --state wrote",
      file));
}

/// Requires that a part is as it was written. Returns the text behind its arrays.
std::string_view checked_text(const std::string& file, std::span<const std::byte> header,
                              std::span<const std::byte> arrays, std::span<const std::byte> rest) {
  const std::string_view text{reinterpret_cast<const char*>(rest.data()), rest.size()};
  if (text.find(formatted("\"{}\"", schema_unchecked)) != text.npos) {
    throw file_error(formatted(
        "{} is a part of a search that an earlier version wrote without a checksum; make it again "
        "with this version's wingbeat match --state",
        file));
  }
  const std::size_t n_behind = checksum_digits + after_checksum.size();
  if (text.size() < n_behind || !text.ends_with(after_checksum)) refuse(file);
  word_hash hash;
  hash.add(header);
  hash.add(arrays);
  hash.add(rest.first(rest.size() - n_behind));
  if (text.substr(text.size() - n_behind, checksum_digits) == checksum_of(hash)) return text;
  throw file_error(formatted(
      "{} is damaged, because its checksum is another; copy or make this part again", file));
}

std::vector<std::uint64_t> take_values(std::span<const std::byte>& content, std::size_t count) {
  std::vector<std::uint64_t> values(count);
  std::memcpy(values.data(), content.data(), count * sizeof(std::uint64_t));
  content = content.subspan(count * sizeof(std::uint64_t));
  return values;
}

void require_same_search(const search_part& a, const search_part& b, std::string_view a_name,
                         std::string_view b_name) {
  const auto require = [&](bool is_same, std::string_view difference) {
    if (is_same) return;
    throw plan_error(
        formatted("{} and {} are parts of different searches, {}; merge the parts of "
                  "one command that differ in --shard only",
                  a_name, b_name, difference));
  };
  const match_source &x = a.source, &y = b.source;
  require(a.image_hash == b.image_hash, "of different images");
  require(x.is_normalised == y.is_normalised && x.mode == y.mode && x.arithmetic == y.arithmetic &&
              x.min_valid == y.min_valid,
          formatted("with different options, {} and {}", options_text(x), options_text(y)));
  require(a.n_templates == b.n_templates,
          formatted("of {} and {} templates", a.n_templates, b.n_templates));
  require(x.template_height == y.template_height && x.template_width == y.template_width,
          "of templates of different sizes");
  require(a.templates_hash == b.templates_hash, "of different templates");
  require(a.kept.unit_sums.size() == b.kept.unit_sums.size(), "one of them without --moments");
}

/// Puts ranges in order and joins those that touch. Returns the first number that two have.
std::optional<std::size_t> put_in_order(std::vector<template_range>& ranges) {
  std::sort(ranges.begin(), ranges.end(),
            [](const auto& a, const auto& b) { return a.begin < b.begin; });
  std::vector<template_range> joined;
  for (const template_range& range : ranges) {
    if (range.begin == range.end) continue;
    if (!joined.empty() && range.begin < joined.back().end) return range.begin;
    if (!joined.empty() && range.begin == joined.back().end) {
      joined.back().end = range.end;
    } else {
      joined.push_back(range);
    }
  }
  ranges = std::move(joined);
  return std::nullopt;
}

}  // namespace

template_range shard::of(std::size_t n_templates, std::size_t at_once) const {
  const std::size_t n_batches = (n_templates + at_once - 1) / at_once;
  const auto first_of = [&](std::size_t number) {
    const std::size_t whole = n_batches / count, rest = n_batches % count;
    return std::min((number * whole + number * rest / count) * at_once, n_templates);
  };
  return {first_of(index), first_of(index + 1)};
}

shard shard_of(std::string_view text) {
  constexpr std::size_t most = std::size_t{1} << 20;
  const std::size_t slash = std::min(text.find('/'), text.size());
  const auto index = whole_number(text.substr(0, slash));
  const auto count = whole_number(text.substr(std::min(slash + 1, text.size())));
  if (index && count && *index < *count && *count <= most) return {*index, *count};
  throw plan_error(formatted(
      "--shard is '{}'; give a number and how many there are, from 0/16 to 15/16, at most 2^20",
      text));
}

void search_part::merge(const search_part& other, std::string_view own_name,
                        std::string_view name) {
  require_same_search(*this, other, own_name, name);
  std::vector<template_range> ranges = templates;
  ranges.insert(ranges.end(), other.templates.begin(), other.templates.end());
  if (const auto twice = put_in_order(ranges)) {
    throw plan_error(
        formatted("template {} is in {} and in what was merged before; give every "
                  "part once",
                  *twice, name));
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

std::string search_part::missing_text() const {
  std::vector<std::string> gaps;
  std::size_t next = 0;
  const auto add = [&](std::size_t begin, std::size_t end) {
    if (begin + 1 == end) gaps.push_back(formatted("{}", begin));
    if (begin + 1 < end) gaps.push_back(formatted("{} to {}", begin, end - 1));
  };
  for (const template_range& range : templates) {
    add(next, range.begin);
    next = range.end;
  }
  add(next, n_templates);
  return joined(gaps, ", ");
}

std::uint64_t hash_of(const formats::image_stack& image) {
  word_hash hash;
  hash.add(image.height);
  hash.add(image.width);
  for (std::size_t i = 0; i < formats::size_of(image.samples); ++i) {
    hash.add(std::bit_cast<std::uint64_t>(formats::sample_at(image.samples, i)));
  }
  return hash.value();
}

std::uint64_t hash_of(const std::vector<std::string>& files) {
  const std::size_t n_pieces = std::max<std::size_t>(64 / files.size(), 3);
  std::array<std::uint64_t, 512> words{};
  word_hash hash;
  for (const std::string& file : files) {
    std::error_code failure;
    if (!std::filesystem::is_regular_file(file, failure)) continue;
    const std::uintmax_t size = std::filesystem::file_size(file, failure);
    const std::uintmax_t last = size - std::min<std::uintmax_t>(size, sizeof(words));
    hash.add(size);
    std::ifstream content{file, std::ios::binary};
    for (std::size_t i = 0; i < n_pieces; ++i) {
      content.clear();  // of the end
      content.seekg(static_cast<std::streamoff>(last * i / (n_pieces - 1)));
      content.read(reinterpret_cast<char*>(words.data()), sizeof(words));
      for (const std::uint64_t word : words) hash.add(word);
    }
  }
  return hash.value();
}

void write_part(const std::string& file, const search_part& part) {
  const search_state& kept = part.kept;
  formats::atomic_file output{file};
  word_hash hash;
  const auto write = [&](std::span<const std::byte> bytes) {
    output.write(bytes);
    hash.add(bytes);
  };
  const auto bytes_of = [](const std::string& text) { return std::as_bytes(std::span{text}); };
  const std::size_t n_planes = kept.unit_sums.empty() ? 1 : 3;
  write(bytes_of(formats::npy_prefix("<u8", {n_planes, kept.height, kept.width})));
  write(std::as_bytes(std::span{kept.keys}));
  write(std::as_bytes(std::span{kept.unit_sums}));
  std::string text = document_of(part).dump();
  text.replace(text.size() - 1, 1, before_checksum);  // its closing brace
  write(bytes_of(text));
  output.write(checksum_of(hash).append(after_checksum));
  output.commit();
}

search_part read_part(const std::string& file) {
  const std::vector<std::byte> bytes =
      formats::read_whole_file(file, largest_part_bytes, "a search");
  std::span<const std::byte> content{bytes};
  const formats::npy_header header = formats::take_npy_header(content, file);
  const bool is_known = header.descr == "<u8" && !header.is_fortran_order &&
                        header.shape.size() == 3 && (header.shape[0] == 1 || header.shape[0] == 3);
  if (!is_known) refuse(file);
  const std::size_t n_planes = header.shape[0], height = header.shape[1], width = header.shape[2];
  const std::size_t n_values = content.size() / sizeof(std::uint64_t);
  if (height == 0 || width == 0 || height > n_values / width / n_planes) refuse(file);
  const std::size_t header_bytes = bytes.size() - content.size();
  const std::span<const std::byte> arrays = content.first(n_planes * height * width * 8);
  const std::string_view text = checked_text(file, std::span{bytes}.first(header_bytes), arrays,
                                             content.subspan(arrays.size()));
  std::vector<std::uint64_t> keys = take_values(content, height * width);
  std::vector<std::uint64_t> sums = take_values(content, (n_planes - 1) * height * width);
  try {
    search_part part = part_of(json::parse(text));
    part.kept.height = height;
    part.kept.width = width;
    part.kept.keys = std::move(keys);
    part.kept.unit_sums = std::move(sums);
    for (const template_range& range : part.templates) {
      if (range.begin > range.end || range.end > part.n_templates) refuse(file);
    }
    if (put_in_order(part.templates)) refuse(file);
    return part;
  } catch (const json::exception&) {
    refuse(file);
  }
}

}  // namespace wingbeat::cli
