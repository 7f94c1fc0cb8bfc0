// SPDX-License-Identifier: Apache-2.0
#include "searching/part_bytes.hpp"

#include <algorithm>  // copy_n
#include <concepts>   // same_as
#include <cstdint>    // uint64_t
#include <sstream>    // istringstream
#include <string>
#include <string_view>
#include <type_traits>  // is_arithmetic_v, is_const_v, is_enum_v
#include <utility>      // exchange

namespace wingbeat::searching {
namespace {

constexpr std::string_view known_schema = "wingbeat.search part 4\n";

/// A value whose bytes in memory are what is written.
template <class Value>
concept plain = (std::is_arithmetic_v<Value> || std::is_enum_v<Value>)&&!std::same_as<Value, bool>;

/// Lines, in a set or in order.
template <class Texts>
concept list_of_texts = std::same_as<typename Texts::value_type, std::string>;

/// Writes fields one after another: numbers as memory has them, sequences of numbers behind their
/// length.
class field_writer {
 public:
  explicit field_writer(const std::function<void(std::span<const std::byte>)>& write)
      : write_(write) {}

  template <class Value>
  void operator()(const Value& value) {
    if constexpr (plain<Value>) {
      write(&value, sizeof value);
    } else if constexpr (std::same_as<Value, bool>) {
      (*this)(static_cast<unsigned char>(value));
    } else {
      (*this)(std::uint64_t{value.size()});
      write(value.data(), value.size() * sizeof *value.data());
    }
  }
  template <list_of_texts Texts>
  void operator()(const Texts& texts) {
    std::string lines;
    for (const std::string& each : texts) lines += each + '\n';
    (*this)(lines);
  }
  [[nodiscard]] std::uint64_t checksum() const { return hash_.value(); }

 private:
  void write(const void* value, std::size_t size) {
    const std::span bytes{static_cast<const std::byte*>(value), size};
    hash_.add(bytes);
    write_(bytes);
  }

  const std::function<void(std::span<const std::byte>)>& write_;
  word_hash hash_;
};

/// Reads what a `field_writer` wrote. After the first field that the bytes do not hold, all others
/// are left as they are.
class field_reader {
 public:
  explicit field_reader(std::span<const std::byte> bytes) : unread_(bytes) {}

  template <class Value>
  void operator()(Value& value) {
    if constexpr (plain<Value>) {
      read(&value, sizeof value);
    } else if constexpr (std::same_as<Value, bool>) {
      unsigned char byte = 0;
      (*this)(byte);
      value = byte == 1;
    } else {
      std::uint64_t size = 0;
      (*this)(size);
      is_valid_ = is_valid_ && size <= unread_.size() / sizeof *value.data();
      if constexpr (requires { value.resize(size); }) value.resize(is_valid_ ? size : 0);
      is_valid_ = is_valid_ && size == value.size();
      if (is_valid_) read(value.data(), size * sizeof *value.data());
    }
  }
  template <list_of_texts Texts>
  void operator()(Texts& texts) {
    std::string lines;
    (*this)(lines);
    std::istringstream stream{lines};
    for (std::string each; std::getline(stream, each);) texts.insert(texts.end(), each);
  }
  [[nodiscard]] std::uint64_t checksum() const { return hash_.value(); }
  [[nodiscard]] bool is_valid() const { return is_valid_; }
  [[nodiscard]] bool is_at_end() const { return unread_.empty(); }

 private:
  void read(void* value, std::size_t size) {
    is_valid_ = is_valid_ && size <= unread_.size();
    if (!is_valid_) return;
    std::copy_n(unread_.begin(), size, static_cast<std::byte*>(value));
    hash_.add(unread_.first(size));
    unread_ = unread_.subspan(size);
  }

  std::span<const std::byte> unread_;
  word_hash hash_;
  bool is_valid_ = true;
};

/// Writes or reads all fields of a part.
template <class Fields, class Part>
void pass(Fields& fields, Part& part) {
  auto& source = part.source;
  auto& kept = part.kept;
  fields(source.micrograph);
  fields(source.image_file);
  fields(source.pixel_angstrom.z);
  fields(source.pixel_angstrom.y);
  fields(source.pixel_angstrom.x);
  bool has_placement = source.placement.has_value();
  fields(has_placement);
  if (has_placement) {
    if constexpr (!std::is_const_v<Part>) source.placement.emplace();
    fields(source.placement->words);
    fields(source.placement->lengths);
    fields(source.placement->first);
    fields(source.placement->fits_cards);
  }
  fields(source.is_normalised);
  fields(source.mode);
  fields(source.arithmetic);
  fields(source.min_valid);
  fields(source.template_height);
  fields(source.template_width);
  fields(part.image_hash);
  fields(part.templates_hash);
  fields(part.devices);
  fields(part.n_templates);
  fields(part.templates);
  fields(kept.height);
  fields(kept.width);
  fields(kept.templates);
  fields(kept.keys);
  fields(kept.unit_sums);
  fields(kept.sum_unit);
  fields(kept.sums);
  fields(kept.counts);
  fields(kept.histogram);
}

}  // namespace

void write_part(const search_part& part,
                const std::function<void(std::span<const std::byte>)>& write) {
  field_writer fields{write};
  fields(known_schema);
  pass(fields, part);
  fields(fields.checksum());
}

std::optional<search_part> read_part(std::span<const std::byte> bytes) {
  field_reader fields{bytes};
  std::string schema;
  fields(schema);
  if (schema != known_schema) return std::nullopt;
  search_part part;
  pass(fields, part);
  const std::uint64_t checksum = fields.checksum();
  std::uint64_t written = 0;
  fields(written);
  if (!fields.is_valid() || !fields.is_at_end() || written != checksum) return std::nullopt;
  part.kept.is_normalised = part.source.is_normalised;
  for (const template_range& range : std::exchange(part.templates, {})) {
    const bool is_known = range.begin <= range.end && range.end <= part.n_templates;
    if (!is_known || add_range(part.templates, range)) return std::nullopt;
  }
  return part;
}

}  // namespace wingbeat::searching
