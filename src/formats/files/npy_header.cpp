// SPDX-License-Identifier: Apache-2.0
#include "formats/files/npy_header.hpp"

#include <algorithm>     // min, replace
#include <charconv>      // from_chars
#include <cstdint>       // uint16_t, uint32_t
#include <system_error>  // errc

#include "formats/files/byte_order.hpp"  // load, store
#include "formats/files/refusal.hpp"     // printable, refuse
#include "text/formatted.hpp"            // formatted, joined
#include "text/trimmed.hpp"              // trimmed

namespace wingbeat::formats {
namespace {

constexpr std::string_view magic = "\x93NUMPY";

/// Cuts off the magic, the version and the length, and returns the dictionary's text.
std::string_view take_header(std::span<const std::byte>& content, std::string_view name) {
  const std::string_view text{reinterpret_cast<const char*>(content.data()), content.size()};
  refuse_if(!text.starts_with(magic), name,
            "does not start with NumPy's magic bytes; save it with numpy.save");
  if (content.size() < 10) refuse(name, "ends inside its .npy header; save it again");
  const int major = std::to_integer<int>(content[6]);
  const int minor = std::to_integer<int>(content[7]);
  refuse_if(major < 1 || major > 3 || minor != 0, name,
            "has .npy version {}.{}; versions 1.0, 2.0 and 3.0 are read, so save it as one", major,
            minor);
  const std::size_t length_bytes = major == 1 ? 2 : 4;
  const std::size_t start = magic.size() + 2 + length_bytes;
  if (content.size() < start) refuse(name, "ends inside its .npy header; save it again");
  const std::size_t length =
      major == 1 ? load<std::uint16_t>(&content[8]) : load<std::uint32_t>(&content[8]);
  if (length > content.size() - start) refuse(name, "ends inside its .npy header; save it again");
  content = content.subspan(start + length);
  return text.substr(start, length);
}

/// The text of a dictionary that describes an array, whose keys may come in any order.
struct dictionary {
  std::string_view text, name;

  /// Returns what stands behind a key.
  [[nodiscard]] std::string_view value_of(std::string_view key) const {
    const std::size_t found = text.find(formatted("'{}'", key));
    refuse_if(found == text.npos, name, "lacks '{}' in its .npy header; save it again", key);
    const std::string_view behind = trimmed(text.substr(found + key.size() + 2));
    if (!behind.starts_with(':')) refuse_at(behind, "a colon");
    return trimmed(behind.substr(1));
  }

  [[nodiscard]] std::string string(std::string_view key) const {
    const std::string_view value = value_of(key);
    refuse_if(value.starts_with('['), name,
              "holds records of several fields; save one field as an array");
    const std::size_t end = value.find('\'', 1);
    if (!value.starts_with('\'') || end == value.npos) refuse_at(value, "a string");
    return std::string(value.substr(1, end - 1));
  }

  [[nodiscard]] bool boolean(std::string_view key) const {
    const std::string_view value = value_of(key);
    if (!value.starts_with("True") && !value.starts_with("False"))
      refuse_at(value, "True or False");
    return value.starts_with("True");
  }

  /// A tuple: (), (3,), (3, 4), (3, 4,); Python's (3) is a number, not a tuple.
  [[nodiscard]] std::vector<std::size_t> lengths(std::string_view key) const {
    std::vector<std::size_t> axes;
    std::string_view rest = value_of(key);
    if (!rest.starts_with('(')) refuse_at(rest, "a tuple");
    for (rest = trimmed(rest.substr(1)); !rest.starts_with(')');) {
      const auto [stopped, failure] =
          std::from_chars(rest.data(), rest.data() + rest.size(), axes.emplace_back());
      refuse_if(failure == std::errc::result_out_of_range, name,
                "claims an axis longer than any memory; it is damaged, so save it again");
      if (failure != std::errc{}) refuse_at(rest, "a length");
      rest.remove_prefix(static_cast<std::size_t>(stopped - rest.data()));
      if (rest.starts_with('L')) rest.remove_prefix(1);  // of Python 2's long integers
      rest = trimmed(rest);
      const bool has_comma = rest.starts_with(',');
      if (!has_comma && (axes.size() == 1 || !rest.starts_with(')'))) refuse_at(rest, "a comma");
      if (has_comma) rest = trimmed(rest.substr(1));
    }
    return axes;
  }

  [[noreturn]] void refuse_at(std::string_view place, std::string_view wanted) const {
    refuse(name, "has '{}' in its .npy header where {} should be; it is damaged, so save it again",
           printable(place.substr(0, 16)), wanted);
  }
};

}  // namespace

npy_header take_npy_header(std::span<const std::byte>& content, std::string_view name) {
  std::string text{take_header(content, name)};
  std::replace(text.begin(), text.end(), '"', '\'');
  const dictionary header{text, name};
  return {header.string("descr"), header.boolean("fortran_order"), header.lengths("shape")};
}

std::pair<npy_header, std::size_t> read_npy_header(const byte_source& source) {
  constexpr std::size_t max_header_bytes = std::size_t{1} << 20;
  std::vector<std::byte> head(std::min(source.size(), max_header_bytes));
  source.read(0, head);
  std::span<const std::byte> rest = head;
  npy_header header = take_npy_header(rest, source.name());
  return {std::move(header), head.size() - rest.size()};
}

std::optional<npy_type> npy_type_of(std::string_view descr) {
  using enum number_type;
  struct known_type {
    std::string_view name;
    number_type part;
    bool is_complex = false;
  };
  constexpr known_type known[] = {{"b1", uint8},         {"u1", uint8},         {"i1", int8},
                                  {"u2", uint16},        {"i2", int16},         {"u4", uint32},
                                  {"i4", int32},         {"u8", uint64},        {"i8", int64},
                                  {"f2", float16},       {"f4", float32},       {"f8", float64},
                                  {"c8", float32, true}, {"c16", float64, true}};
  if (descr.empty()) return std::nullopt;
  const std::endian order = descr[0] == '>' ? std::endian::big : std::endian::little;
  for (const auto& [name, part, is_complex] : known) {
    if (name != descr.substr(1)) continue;
    const bool has_order = descr[0] == '<' || descr[0] == '>';
    if (has_order || (descr[0] == '|' && bytes_of(part) == 1))
      return npy_type{part, order, is_complex};
  }
  return std::nullopt;
}

void require_npy_samples(std::size_t n_rows, std::size_t row_length, const npy_type& type,
                         std::size_t n_bytes, std::string_view name) {
  refuse_if(n_bytes / type.sample_bytes() / row_length < n_rows, name,
            "is truncated: its header claims {} x {} samples of {} bytes but {} bytes follow; "
            "copy or save it again",
            n_rows, row_length, type.sample_bytes(), n_bytes);
  const std::size_t claimed = n_rows * row_length * type.sample_bytes();
  if (n_bytes == claimed) return;
  refuse(name, "has {} bytes after its {} x {} samples; save it again", n_bytes - claimed, n_rows,
         row_length);
}

std::string npy_prefix(std::string_view descr, const std::vector<std::size_t>& shape) {
  std::string header = formatted("{{'descr': '{}', 'fortran_order': False, 'shape': ({}{}), }}",
                                 descr, joined(shape, ", "), shape.size() == 1 ? "," : "");
  constexpr std::size_t fixed = 10;
  const std::size_t total = (fixed + header.size() + 1 + 63) / 64 * 64;
  header.resize(total - fixed - 1, ' ');
  header += '\n';
  std::string prefix = std::string(magic) + '\x01' + std::string(3, '\0');
  store(reinterpret_cast<std::byte*>(&prefix[8]), static_cast<std::uint16_t>(header.size()));
  return prefix + header;
}

}  // namespace wingbeat::formats
