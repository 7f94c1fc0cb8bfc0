// SPDX-License-Identifier: Apache-2.0
#include "formats/files/npy_header.hpp"

#include <charconv>      // from_chars
#include <cstdint>       // uint16_t, uint32_t
#include <system_error>  // errc

#include "formats/files/byte_order.hpp"  // load, store
#include "formats/files/refusal.hpp"     // printable, refuse
#include "text/formatted.hpp"            // formatted, joined

namespace wingbeat::formats {
namespace {

constexpr std::string_view magic = "\x93NUMPY";

/// A recursive-descent parser; each function consumes the element in its name and the blanks after
/// it.
class literal {
 public:
  literal(std::string_view text, std::string_view name) : rest_(text), name_(name) { skip(); }

  [[nodiscard]] bool at_end() const { return rest_.empty(); }

  bool eat(std::string_view token) {
    if (!rest_.starts_with(token)) return false;
    rest_.remove_prefix(token.size());
    skip();
    return true;
  }

  void expect(std::string_view token) {
    if (!eat(token)) refuse_here(token);
  }

  std::string string() {
    const char quote = rest_.empty() ? '\0' : rest_.front();
    if (quote == '[') {
      refuse(name_, "holds records of several fields; save one field as an array");
    }
    if (quote != '\'' && quote != '"') refuse_here("a string");
    const std::size_t end = rest_.find(quote, 1);
    if (end == rest_.npos) refuse_here("a string that ends");
    std::string value(rest_.substr(1, end - 1));
    if (value.find('\\') != value.npos) refuse_here("a string without escapes");
    rest_.remove_prefix(end + 1);
    skip();
    return value;
  }

  bool boolean() {
    if (eat("True")) return true;
    expect("False");
    return false;
  }

  std::size_t count() {
    std::size_t value = 0;
    const char* const begin = rest_.data();
    const auto [stopped, failure] = std::from_chars(begin, begin + rest_.size(), value);
    if (failure == std::errc::result_out_of_range) {
      refuse(name_, "claims an axis longer than any memory; it is damaged, so save it again");
    }
    if (failure != std::errc{}) refuse_here("a length");
    rest_.remove_prefix(static_cast<std::size_t>(stopped - begin));
    if (rest_.starts_with('L')) rest_.remove_prefix(1);  // of Python 2's long integers
    skip();
    return value;
  }

  /// A tuple: (), (3,), (3, 4), (3, 4,); Python's (3) is a number, not a tuple.
  std::vector<std::size_t> shape() {
    std::vector<std::size_t> axes;
    expect("(");
    while (!eat(")")) {
      axes.push_back(count());
      const bool has_comma = eat(",");
      if (!has_comma && (axes.size() == 1 || !rest_.starts_with(')'))) refuse_here("a comma");
    }
    return axes;
  }

  [[noreturn]] void refuse_here(std::string_view wanted) const {
    refuse(name_, "has '{}' in its .npy header where {} should be; it is damaged, so save it again",
           printable(rest_.substr(0, 16)), wanted);
  }

 private:
  void skip() { rest_.remove_prefix(std::min(rest_.find_first_not_of(" \t\n"), rest_.size())); }

  std::string_view rest_;
  std::string_view name_;
};

/// Cuts off the magic, the version and the length, and returns the dictionary's text.
std::string_view take_header(std::span<const std::byte>& content, std::string_view name) {
  const std::string_view text{reinterpret_cast<const char*>(content.data()), content.size()};
  if (!text.starts_with(magic)) {
    refuse(name, "does not start with NumPy's magic bytes; save it with numpy.save");
  }
  if (content.size() < 10) refuse(name, "ends inside its .npy header; save it again");
  const int major = std::to_integer<int>(content[6]);
  const int minor = std::to_integer<int>(content[7]);
  if (major < 1 || major > 3 || minor != 0) {
    refuse(name, "has .npy version {}.{}; versions 1.0, 2.0 and 3.0 are read, so save it as one",
           major, minor);
  }
  const std::size_t length_bytes = major == 1 ? 2 : 4;
  const std::size_t start = magic.size() + 2 + length_bytes;
  if (content.size() < start) refuse(name, "ends inside its .npy header; save it again");
  const std::size_t length =
      major == 1 ? load<std::uint16_t>(&content[8]) : load<std::uint32_t>(&content[8]);
  if (length > content.size() - start) refuse(name, "ends inside its .npy header; save it again");
  content = content.subspan(start + length);
  return text.substr(start, length);
}

/// Parses the dictionary and nothing else that Python would accept: three keys, each once, a
/// string without escapes, a bool and a tuple of integers.
/// Throws `file_error` naming `name`.
npy_header parse_npy_header(std::string_view text, std::string_view name) {
  literal from(text, name);
  npy_header header;
  bool has_descr = false;
  bool has_order = false;
  bool has_shape = false;
  const auto once = [&](bool& seen, std::string_view key) {
    if (seen) refuse(name, "names '{}' twice in its .npy header; save it again", key);
    seen = true;
  };
  from.expect("{");
  while (!from.eat("}")) {
    const std::string key = from.string();
    from.expect(":");
    if (key == "descr") {
      once(has_descr, key);
      header.descr = from.string();
    } else if (key == "fortran_order") {
      once(has_order, key);
      header.is_fortran_order = from.boolean();
    } else if (key == "shape") {
      once(has_shape, key);
      header.shape = from.shape();
    } else {
      refuse(name, "has the unknown key '{}' in its .npy header; save it again", printable(key));
    }
    if (from.eat("}")) break;
    from.expect(",");
  }
  if (!from.at_end()) from.refuse_here("the end");
  if (!has_descr || !has_order || !has_shape) {
    refuse(name, "lacks {} in its .npy header; save it again",
           !has_descr   ? "'descr'"
           : !has_order ? "'fortran_order'"
                        : "'shape'");
  }
  return header;
}

}  // namespace

npy_header take_npy_header(std::span<const std::byte>& content, std::string_view name) {
  return parse_npy_header(take_header(content, name), name);
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
  if (n_bytes / type.sample_bytes() / row_length < n_rows) {
    refuse(name,
           "is truncated: its header claims {} x {} samples of {} bytes but {} bytes follow; "
           "copy or save it again",
           n_rows, row_length, type.sample_bytes(), n_bytes);
  }
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
