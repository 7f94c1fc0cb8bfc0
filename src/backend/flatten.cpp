// SPDX-License-Identifier: Apache-2.0

#include <algorithm>  // find, find_if, min
#include <charconv>   // from_chars
#include <memory>     // make_unique
#include <string>
#include <string_view>
#include <vector>

#include "backend/device_sources.hpp"
#include "backend/sha256.hpp"  // sha256, hex
#include "text/formatted.hpp"  // formatted
#include "text/reject.hpp"     // reject

namespace wingbeat::backend {
namespace {

constexpr std::string_view blanks = " \t\r\v\f";

std::string_view without_leading_blanks(std::string_view text) {
  return text.substr(std::min(text.find_first_not_of(blanks), text.size()));
}

/// A directive at the start of its line, without comments or joined lines before its end.
struct directive {
  std::string_view name, rest;

  explicit directive(std::string_view line) {
    line = without_leading_blanks(line);
    if (!line.starts_with('#')) return;
    line = without_leading_blanks(line.substr(1));
    name = line.substr(0, line.find_first_not_of("abcdefghijklmnopqrstuvwxyz_"));
    rest = without_leading_blanks(line.substr(name.size()));
    rest = rest.substr(0, rest.find_last_not_of(blanks) + 1);
  }
  [[nodiscard]] bool reads_a_file() const {
    return name == "include" || name == "include_next" || name == "import" || name == "embed";
  }
  /// Returns the path between quotes or angle brackets; empty without them.
  [[nodiscard]] std::string_view path() const {
    const auto begin = rest.find_first_of("\"<");
    if (begin == rest.npos) return {};
    const auto end = rest.find(rest[begin] == '<' ? '>' : '"', begin + 1);
    return end == rest.npos ? std::string_view{} : rest.substr(begin + 1, end - begin - 1);
  }
};

/// Takes the first line of a text, without its newline.
std::string_view take_line(std::string_view& text) {
  const std::string_view line = text.substr(0, text.find('\n'));
  text.remove_prefix(std::min(line.size() + 1, text.size()));
  return line;
}

/// Returns whether a text ends within a comment, if no string in it contains comment marks.
bool ends_in_comment(std::string_view text) {
  const auto open = text.rfind("/*"), closed = text.rfind("*/");
  return open != text.npos && (closed == text.npos || closed < open);
}

std::string line_directive(std::size_t line, std::string_view path) {
  std::string text = formatted("#line {} \"", line);
  for (const char c : path) {
    if (c == '"' || c == '\\') text += '\\';
    text += static_cast<unsigned char>(c) < ' ' ? '?' : c;
  }
  return text + "\"\n";
}

/// A line that defines integral constants of a class: their type, and their names with values.
struct constant_line {
  std::string_view type, values;

  explicit constant_line(std::string_view line) {
    line = without_leading_blanks(line);
    if (!take(line, "static constexpr ")) return;
    for (const std::string_view integral : {"unsigned ", "bool ", "int ", "size "}) {
      if (!take(line, integral)) continue;
      const auto behind_name = line.find_first_not_of("abcdefghijklmnopqrstuvwxyz_0123456789");
      if (behind_name != line.npos && line.substr(behind_name).starts_with(" =")) {
        type = integral;
        values = line;
      }
    }
  }
  static bool take(std::string_view& line, std::string_view word) {
    if (!line.starts_with(word)) return false;
    line.remove_prefix(word.size());
    return true;
  }
};

/// Returns a header in which integral constants of classes are enumerators. NVRTC makes every other
/// constant of a class a variable in the binary, used or not, which takes half to four fifths of
/// its bytes. Templates of constants stay, because it makes no variables of them.
std::string with_enumerators(std::string_view text) {
  std::string result;
  bool is_template = false, is_open = false;
  while (!text.empty()) {
    std::string line{take_line(text)};
    const constant_line constant{line};
    if (!constant.values.empty() && !is_template) {
      line = formatted("enum : {}{{ {}", constant.type, constant.values);
      is_open = true;
    }
    if (const auto end = line.find(';'); is_open && end != line.npos) {
      line.insert(end, " }");
      is_open = false;
    }
    if (line.find_first_not_of(blanks) != line.npos) is_template = line.ends_with('>');
    result += line;
    result += '\n';
  }
  return result;
}

class flattener {
 public:
  explicit flattener(constants_as constants) : constants_(constants) {}

  void add(std::string_view text, std::string_view path, bool is_conditional) {
    result_ += line_directive(1, path);
    std::size_t number = 1;  // of the next line, as messages count
    int depth = 0;           // of #if
    for (std::string_view left = text; !left.empty();) {
      const std::string_view before = text.substr(0, text.size() - left.size());
      const std::string_view line = take_line(left);
      const directive found{line};
      ++number;
      if (found.name.starts_with("if")) ++depth;
      if (found.name == "endif") --depth;
      if (found.reads_a_file() && !ends_in_comment(before)) {
        include(found, formatted("{} line {}", path, number - 1), is_conditional || depth > 0);
        result_ += line_directive(number, path);
        continue;
      }
      if (found.name == "line") follow(found, number, path);
      if (found.name != "pragma" || found.rest != "once") result_ += line;
      result_ += '\n';
    }
  }

  [[nodiscard]] std::string take() { return std::move(result_); }

 private:
  /// Follows `#line n "path"`: after it, lines count on from n.
  static void follow(const directive& found, std::size_t& number, std::string_view& path) {
    const char* const end = found.rest.data() + found.rest.size();
    if (std::from_chars(found.rest.data(), end, number).ec != std::errc{}) return;
    if (!found.path().empty()) path = found.path();
  }

  // Compilers may skip a header under #if, so only headers outside of #if count as included; its
  // guard keeps the compiler from reading it twice.
  void include(const directive& found, const std::string& folder, bool is_conditional) {
    const auto sources = device_sources();
    const auto header = std::find_if(sources.begin(), sources.end(), [&](const device_source& s) {
      return found.name == "include" && s.path == found.path();
    });
    reject_if(
        header == sources.end(),
        "{} includes {}; a kernel may include the headers of wingbeat/device only, because it is "
        "cached by its text; write what it needs into the text",
        folder, found.rest);
    if (contains(included_, header->path) || contains(open_, header->path)) return;
    if (!is_conditional) included_.push_back(header->path);
    open_.push_back(header->path);
    const auto guard = formatted("WINGBEAT_FLATTENED_{}", header - sources.begin());
    result_ += formatted("#ifndef {0}\n#define {0}\n", guard);
    // Constants in device/thread are few, and functions that deduce one type from two arguments
    // take them.
    const bool enumerates = constants_ == constants_as::enumerators &&
                            !header->path.starts_with("wingbeat/device/thread/");
    add(enumerates ? with_enumerators(header->text) : std::string{header->text}, header->path,
        is_conditional);
    result_ += "#endif\n";
    open_.pop_back();
  }

  static bool contains(const std::vector<std::string_view>& list, std::string_view path) {
    return std::find(list.begin(), list.end(), path) != list.end();
  }

  constants_as constants_;
  std::string result_;
  std::vector<std::string_view> included_;  // unconditionally
  std::vector<std::string_view> open_;      // being read, outermost first
};

/// Returns a text with its continued lines joined, without the includes that `flatten` replaces.
std::string joined_lines(std::string_view text) {
  std::string joined;
  for (std::string_view left = text; !left.empty();) {
    const std::string_view before = text.substr(0, text.size() - left.size());
    const std::string_view line = take_line(left);
    if (directive{line}.reads_a_file() && !ends_in_comment(before)) continue;
    joined += line;
    joined.erase(joined.find_last_not_of(blanks) + 1);
    if (joined.ends_with('\\')) {
      joined.pop_back();
    } else if (joined.ends_with("?\?/")) {
      joined.erase(joined.size() - 3);
    } else {
      joined += '\n';
    }
  }
  return joined;
}

/// Returns whether the name of a directive may follow a text: it ends with a # in any spelling,
/// followed by blanks or comments. Some compilers take any characters beyond ASCII as blanks.
bool may_open_directive(std::string_view text) {
  const auto last = text.find_last_not_of(std::string_view{" \t\r\v\f\n\0", 7});
  text = text.substr(0, last + 1);
  if (text.empty()) return false;
  return text.ends_with('#') || text.ends_with("%:") || text.ends_with("?\?=") ||
         text.ends_with("*/") || static_cast<unsigned char>(text.back()) >= 0x80;
}

}  // namespace

std::string flatten(std::string_view text, std::string_view path, constants_as constants) {
  flattener flattened{constants};
  flattened.add(text, path, /*is_conditional=*/false);
  return flattened.take();
}

bool may_read_files(std::string_view text) {
  const std::string joined = joined_lines(text);
  for (const std::string_view word : {"include", "import", "embed"}) {
    for (auto i = joined.find(word); i != joined.npos; i = joined.find(word, i + 1)) {
      const std::string_view before = std::string_view{joined}.substr(0, i);
      if (before.ends_with("__has_") || may_open_directive(before)) return true;
    }
  }
  return false;
}

const std::string& device_sources_digest() {
  // Never destroyed: kernels may be compiled at exit.
  static const auto& digest =
      *std::make_unique<const std::string>([] {
         sha256 hash;
         for (const device_source& each : device_sources()) {
           hash.add(formatted("{} {} {}\n", each.path.size(), each.text.size(), each.path));
           hash.add(each.text);
         }
         return hex(hash.finish());
       }())
           .release();
  return digest;
}

}  // namespace wingbeat::backend
