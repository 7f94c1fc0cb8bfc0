// SPDX-License-Identifier: Apache-2.0

#include <algorithm>  // find, any_of
#include <charconv>   // from_chars
#include <memory>     // make_unique
#include <string>
#include <string_view>
#include <vector>

#include "backend/device_sources.hpp"
#include "backend/directives.hpp"  // directives_of
#include "backend/sha256.hpp"      // sha256, hex
#include "formatted.hpp"           // formatted
#include "wingbeat/error.hpp"      // plan_error

namespace wingbeat::backend {
namespace {

/// The path of #include "..." or <...>; empty for anything else.
std::string_view quoted(std::string_view rest) {
  if (!rest.starts_with('"') && !rest.starts_with('<')) return {};
  const auto end = rest.find(rest.front() == '<' ? '>' : '"', 1);
  return end == std::string_view::npos ? std::string_view{} : rest.substr(1, end - 1);
}

bool includes_a_file(const directive& line) {
  return line.name == "include" || line.name == "include_next" || line.name == "import" ||
         line.name == "embed";
}

std::string line_directive(std::size_t line, std::string_view path) {
  std::string text = formatted("#line {} \"", line);
  for (const char c : path) {
    if (c == '"' || c == '\\') text += '\\';
    text += static_cast<unsigned char>(c) < ' ' ? '?' : c;
  }
  return text + "\"\n";
}

/// The path and line number that messages name, following the text's own #line directives.
struct place {
  std::string_view path;
  std::size_t first_line = 1;  ///< The number of line `counted_from`.
  std::size_t counted_from = 1;

  [[nodiscard]] std::string name_of(std::size_t line) const {
    return formatted("{} line {}", path, line_number(line));
  }
  [[nodiscard]] std::size_t line_number(std::size_t line) const {
    return line - counted_from + first_line;
  }
  /// Follows `#line n "path"`: after it, lines count on from n.
  void follow(const directive& found) {
    std::size_t n = 0;
    const char* const begin = found.rest.data();
    const auto [end, failed] = std::from_chars(begin, begin + found.rest.size(), n);
    if (failed != std::errc{}) return;
    first_line = n;
    counted_from = found.next_line;
    const auto name = found.rest.find('"');
    if (name != std::string::npos) path = quoted(std::string_view{found.rest}.substr(name));
  }
};

[[noreturn]] void refuse(const std::string& at, std::string_view sentence) {
  throw plan_error(formatted("{} {}", at, sentence));
}

constexpr std::string_view allowed =
    "a kernel may include the headers of wingbeat/device only, because it is cached by its text; "
    "write what it needs into the text";

/// Refuses directives that read files of this machine.
void require_no_file(const directive& found, const place& at) {
  if (found.is_raw_string) {
    refuse(at.name_of(found.line),
           "has a raw string that does not end, or not on its directive's line; end it there");
  }
  if (found.name.starts_with("__has_")) {
    refuse(at.name_of(found.line), formatted("uses {}; {}", found.name, allowed));
  }
  if (includes_a_file(found)) {
    refuse(at.name_of(found.line), formatted("includes {}; {}", found.rest, allowed));
  }
}

/// Refuses directives that read files under any compiler's rules, not only under the usual ones.
void require_one_reading(std::string_view text, std::string_view path) {
  place at{path};
  const auto usual = directives_of(text);
  const auto is_known = [&](const directive& found) {
    return std::any_of(usual.begin(), usual.end(), [&](const directive& known) {
      return known.begin == found.begin && known.name == found.name && known.rest == found.rest;
    });
  };
  for (const bool continues : {false, true}) {
    for (const bool has_trigraphs : {false, true}) {
      at = {path};
      for (const directive& found : directives_of(text, {continues, has_trigraphs})) {
        if (found.name == "line") at.follow(found);
        if (!is_known(found)) require_no_file(found, at);
      }
    }
  }
}

void require_plain_characters(std::string_view text, std::string_view path) {
  std::size_t line = 1;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool is_lone_return = text[i] == '\r' && text.substr(i + 1, 1) != "\n";
    if (text[i] == '\0' || is_lone_return) {
      refuse(formatted("{} line {}", path, line),
             formatted("holds a character {}, which compilers read unlike each other; remove it",
                       text[i] == '\0' ? "0" : "13 (carriage return) within it"));
    }
    if (text[i] == '\n') ++line;
  }
}

class flattener {
 public:
  /// Adds a text; `is_ours`: one of the library's own, which may include a compiler's headers.
  void add(std::string_view text, std::string_view path, bool is_ours, bool is_conditional) {
    result_ += line_directive(1, path);
    place at{path};
    int depth = 0;  // of #if
    std::size_t copied = 0;
    const auto copy_to = [&](std::size_t end) {
      result_ += text.substr(copied, end - copied);
      if (!result_.ends_with('\n')) result_ += '\n';
    };
    const auto found = directives_of(text);
    for (const directive& line : found) {
      if (line.name == "line") at.follow(line);
      if (line.name.starts_with("if")) ++depth;
      if (line.name == "endif") --depth;
      if (line.name == "include" && is_device_header(quoted(line.rest))) {
        copy_to(line.begin);
        include(quoted(line.rest), at.name_of(line.line), is_conditional || depth > 0);
        result_ += line_directive(at.line_number(line.next_line), at.path);
        copied = line.end;
      } else if (line.name == "pragma" && line.rest == "once") {
        copy_to(line.begin);
        result_.append(line.next_line - line.line, '\n');  // the lines below keep their numbers
        copied = line.end;
      } else if (!is_ours) {
        require_no_file(line, at);
      }
    }
    copy_to(text.size());
  }

  [[nodiscard]] std::string take() { return std::move(result_); }

 private:
  static bool is_device_header(std::string_view path) {
    return path.starts_with("wingbeat/") || path.starts_with("backend/");
  }

  // A header under #if may turn out not to be read, so it counts as included only when it is not
  // under one; its guard keeps the compiler from reading it twice.
  void include(std::string_view wanted, const std::string& from, bool is_conditional) {
    const auto sources = device_sources();
    const auto header = std::find_if(sources.begin(), sources.end(),
                                     [&](const device_source& s) { return s.path == wanted; });
    if (header == sources.end()) refuse(from, formatted("includes \"{}\"; {}", wanted, allowed));
    if (contains(included_, header->path) || contains(open_, header->path)) return;
    if (!is_conditional) included_.push_back(header->path);
    open_.push_back(header->path);
    const auto guard = formatted("WINGBEAT_FLATTENED_{}", header - sources.begin());
    result_ += formatted("#ifndef {0}\n#define {0}\n", guard);
    add(header->text, header->path, /*is_ours=*/true, is_conditional);
    result_ += "#endif\n";
    open_.pop_back();
  }

  static bool contains(const std::vector<std::string_view>& list, std::string_view path) {
    return std::find(list.begin(), list.end(), path) != list.end();
  }

  std::string result_;
  std::vector<std::string_view> included_;  // unconditionally
  std::vector<std::string_view> open_;      // being read, outermost first
};

}  // namespace

std::string flatten(std::string_view text, std::string_view path) {
  require_plain_characters(text, path);
  require_one_reading(text, path);
  flattener flattened;
  flattened.add(text, path, /*is_ours=*/false, /*is_conditional=*/false);
  return flattened.take();
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
