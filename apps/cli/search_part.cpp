// SPDX-License-Identifier: Apache-2.0
#include "cli/search_part.hpp"

#include <algorithm>  // max, min
#include <array>
#include <cstring>  // memcpy
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <span>
#include <system_error>  // error_code
#include <utility>       // exchange

#include "formats/files/atomic_file.hpp"  // atomic_file
#include "formats/files/npy_header.hpp"   // npy_prefix, take_npy_header
#include "formats/files/whole_file.hpp"   // read_whole_file
#include "text/formatted.hpp"             // formatted
#include "text/number.hpp"                // number_from
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

// A part ends with the checksum of all bytes before its digits:  ..,"checksum":"0123456789abcdef"}
constexpr std::string_view before_checksum = ",\"checksum\":\"", after_checksum = "\"}\n";
constexpr std::size_t checksum_digits = 16;

std::string checksum_of(const searching::word_hash& content) {
  return formatted("{:016x}", content.value());
}

json document_of(const searching::search_part& part) {
  const searching::search_source& source = part.source;
  json ranges = json::array();
  for (const searching::template_range& range : part.templates)
    ranges.push_back({range.begin, range.end});
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

/// Reads the line after the array. Throws json's errors.
searching::search_part part_of(const json& document) {
  searching::search_part part;
  searching::search_source& source = part.source;
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

[[noreturn]] void refuse(const std::string& file) {
  throw file_error(formatted(
      "{} is no part of a search, or was cut off; give files that wingbeat match --state wrote",
      file));
}

/// Checks the checksum of a part. Returns the text after its arrays.
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
  searching::word_hash hash;
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

}  // namespace

searching::shard shard_of(std::string_view text) {
  constexpr std::size_t most = std::size_t{1} << 20;
  const std::size_t slash = std::min(text.find('/'), text.size());
  const auto index = number_from<std::size_t>(text.substr(0, slash));
  const auto count = number_from<std::size_t>(text.substr(std::min(slash + 1, text.size())));
  if (index && count && *index < *count && *count <= most) return {*index, *count};
  throw plan_error(formatted(
      "--shard is '{}'; give a number and how many there are, from 0/16 to 15/16, at most 2^20",
      text));
}

std::uint64_t hash_of(const std::vector<std::string>& files) {
  const std::size_t n_pieces = std::max<std::size_t>(64 / files.size(), 3);
  std::array<std::uint64_t, 512> words{};
  searching::word_hash hash;
  for (const std::string& file : files) {
    std::error_code failure;
    if (!std::filesystem::is_regular_file(file, failure)) continue;
    const std::uintmax_t size = std::filesystem::file_size(file, failure);
    const std::uintmax_t last = size - std::min<std::uintmax_t>(size, sizeof(words));
    hash.add(size);
    std::ifstream content{file, std::ios::binary};
    for (std::size_t i = 0; i < n_pieces; ++i) {
      content.clear();  // the content's end
      content.seekg(static_cast<std::streamoff>(last * i / (n_pieces - 1)));
      content.read(reinterpret_cast<char*>(words.data()), sizeof(words));
      for (const std::uint64_t word : words) hash.add(word);
    }
  }
  return hash.value();
}

void write_part(const std::string& file, const searching::search_part& part) {
  const search_state& kept = part.kept;
  formats::atomic_file output{file};
  searching::word_hash hash;
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

searching::search_part read_part(const std::string& file) {
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
    searching::search_part part = part_of(json::parse(text));
    part.kept.height = height;
    part.kept.width = width;
    part.kept.keys = std::move(keys);
    part.kept.unit_sums = std::move(sums);
    for (const searching::template_range& range : std::exchange(part.templates, {})) {
      if (range.begin > range.end || range.end > part.n_templates) refuse(file);
      if (searching::add_range(part.templates, range)) refuse(file);
    }
    return part;
  } catch (const json::exception&) {
    refuse(file);
  }
}

}  // namespace wingbeat::cli
