// SPDX-License-Identifier: Apache-2.0
#include "part_bytes.hpp"

#include <algorithm>  // copy_n
#include <cstdint>    // uint64_t
#include <cstring>    // memcpy
#include <sstream>    // istringstream
#include <string>
#include <type_traits>  // is_arithmetic_v, is_enum_v
#include <utility>      // exchange

#include "wingbeat/error.hpp"  // plan_error

namespace wingbeat::python {
namespace {

using searching::search_part;

[[noreturn]] void refuse() {
  throw plan_error(
      "these bytes are no part of a search, or were damaged or cut off; give what to_bytes of a "
      "SearchPart returned");
}

/// Writes values one after another, or reads them: numbers in their memory layout, sequences after
/// their length.
struct archive {
  bool is_read = false;
  std::vector<std::byte> written = {};
  std::span<const std::byte> unread = {};

  template <class Value>
  void operator()(Value& value) {
    if constexpr (std::is_arithmetic_v<Value> || std::is_enum_v<Value>) {
      copy(&value, sizeof value);
    } else {
      std::size_t size = value.size();
      (*this)(size);
      if (is_read && size > unread.size() / sizeof *value.data()) refuse();
      value.resize(size);
      copy(value.data(), size * sizeof *value.data());
    }
  }

 private:
  void copy(void* value, std::size_t size) {
    auto* const bytes = static_cast<std::byte*>(value);
    if (!is_read) {
      written.insert(written.end(), bytes, bytes + size);
      return;
    }
    if (size > unread.size()) refuse();
    std::copy_n(unread.begin(), size, bytes);
    unread = unread.subspan(size);
  }
};

/// Writes or reads all fields of a part; the first is `schema`.
void pass(archive& fields, std::string& schema, search_part& part) {
  fields(schema);
  fields(part.source.is_normalised);
  fields(part.source.mode);
  fields(part.source.arithmetic);
  fields(part.source.min_valid);
  fields(part.source.template_height);
  fields(part.source.template_width);
  fields(part.image_hash);
  fields(part.n_templates);
  fields(part.templates);
  fields(part.kept.height);
  fields(part.kept.width);
  fields(part.kept.templates);
  fields(part.kept.keys);
  fields(part.kept.unit_sums);
  fields(part.kept.counts);
  std::string names;  // one per line
  for (const std::string& each : part.devices) names += each + '\n';
  fields(names);
  std::istringstream lines{names};
  for (std::string each; std::getline(lines, each);) part.devices.insert(each);
}

const std::string known_schema = "wingbeat.search part 1";

std::uint64_t checksum_of(std::span<const std::byte> content) {
  searching::word_hash hash;
  hash.add(content);
  return hash.value();
}

}  // namespace

std::vector<std::byte> bytes_of(search_part part) {
  archive fields;
  std::string schema = known_schema;
  pass(fields, schema, part);
  std::uint64_t checksum = checksum_of(fields.written);
  fields(checksum);
  return std::move(fields.written);
}

search_part part_of(std::span<const std::byte> bytes) {
  std::uint64_t checksum = 0;
  if (bytes.size() < sizeof checksum) refuse();
  archive fields{.is_read = true, .unread = bytes.first(bytes.size() - sizeof checksum)};
  std::memcpy(&checksum, fields.unread.data() + fields.unread.size(), sizeof checksum);
  if (checksum != checksum_of(fields.unread)) refuse();
  std::string schema;
  search_part part;
  pass(fields, schema, part);
  if (schema != known_schema || !fields.unread.empty()) refuse();
  part.kept.is_normalised = part.source.is_normalised;
  for (const searching::template_range& range : std::exchange(part.templates, {})) {
    const bool is_known = range.begin <= range.end && range.end <= part.n_templates;
    if (!is_known || searching::add_range(part.templates, range)) refuse();
  }
  return part;
}

}  // namespace wingbeat::python
