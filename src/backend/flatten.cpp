// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>

#include <algorithm>  // find
#include <charconv>   // from_chars
#include <memory>     // make_unique
#include <string>
#include <string_view>
#include <vector>

#include "backend/device_sources.hpp"
#include "backend/sha256.hpp"  // sha256, hex
#include "wingbeat/error.hpp"  // plan_error

namespace wingbeat::backend {
namespace {

constexpr std::string_view blanks = " \t\r";

std::string_view trimmed(std::string_view text) {
  const auto first = text.find_first_not_of(blanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

// A preprocessor line: `# name rest`. Without a name, it is an ordinary line.
struct directive {
  std::string_view name, rest;
};

directive directive_in(std::string_view line) {
  line = trimmed(line);
  if (!line.starts_with('#')) return {};
  line = trimmed(line.substr(1));
  const auto end = std::min(line.find_first_not_of("abcdefghijklmnopqrstuvwxyz"), line.size());
  return {line.substr(0, end), trimmed(line.substr(end))};
}

// The path between the quotes of #include "..."; empty for anything else.
std::string_view quoted(std::string_view rest) {
  if (!rest.starts_with('"')) return {};
  return rest.substr(1, rest.find('"', 1) - 1);
}

std::string line_directive(std::size_t line, std::string_view path) {
  std::string text = fmt::format("#line {} \"", line);
  for (const char c : path) {
    if (c == '"' || c == '\\') text += '\\';
    text += c;
  }
  return text + "\"\n";
}

std::string_view take_line(std::string_view& text) {
  const auto end = text.find('\n');
  const std::string_view line = text.substr(0, end);
  text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  return line;
}

class flattener {
 public:
  void add(std::string_view text, std::string_view path, bool is_conditional) {
    result_ += line_directive(1, path);
    bool in_comment = false;
    int depth = 0;  // of #if
    for (std::size_t line_number = 1; !text.empty(); ++line_number) {
      const std::string_view line = take_line(text);
      const directive found = in_comment ? directive{} : directive_in(line);
      in_comment = leaves_comment_open(line, in_comment);
      if (found.name == "line") renumber(found.rest, line_number, path);
      if (found.name.starts_with("if")) ++depth;
      if (found.name == "endif") --depth;
      if (found.name == "include" && is_ours(found.rest)) {
        include(quoted(found.rest), path, line_number, is_conditional || depth > 0);
        result_ += line_directive(line_number + 1, path);
      } else if (found.name == "pragma" && found.rest == "once") {
        result_ += '\n';  // the lines below keep their numbers
      } else {
        result_.append(line) += '\n';
      }
    }
  }

  [[nodiscard]] std::string take() { return std::move(result_); }

 private:
  static bool is_ours(std::string_view rest) {
    const std::string_view path = quoted(rest);
    return path.starts_with("wingbeat/") || path.starts_with("backend/");
  }

  /// Follows `#line n "path"`: after it, lines count on from n. The loop adds one.
  static void renumber(std::string_view rest, std::size_t& line_number, std::string_view& path) {
    std::size_t n = 0;
    const auto [end, failed] = std::from_chars(rest.data(), rest.data() + rest.size(), n);
    if (failed != std::errc{} || n == 0) return;
    line_number = n - 1;
    const auto named = quoted(trimmed(rest.substr(static_cast<std::size_t>(end - rest.data()))));
    if (!named.empty()) path = named;
  }

  static bool leaves_comment_open(std::string_view line, bool is_open) {
    while (!line.empty()) {
      const auto at = line.find(is_open ? "*/" : "/*");
      if (!is_open && line.find("//") < at) return false;
      if (at == std::string_view::npos) break;
      line.remove_prefix(at + 2);
      is_open = !is_open;
    }
    return is_open;
  }

  // A header under #if may turn out not to be read, so it counts as included only when it is not
  // under one; its guard keeps the compiler from reading it twice.
  void include(std::string_view wanted, std::string_view from, std::size_t line,
               bool is_conditional) {
    const auto sources = device_sources();
    const auto header = std::find_if(sources.begin(), sources.end(),
                                     [&](const device_source& s) { return s.path == wanted; });
    if (header == sources.end()) {
      throw plan_error(fmt::format(
          "{} line {} includes \"{}\"; a kernel may include the headers of wingbeat/device only",
          from, line, wanted));
    }
    if (contains(included_, wanted) || contains(open_, wanted)) return;
    if (!is_conditional) included_.push_back(wanted);
    open_.push_back(wanted);
    const auto guard = fmt::format("WINGBEAT_FLATTENED_{}", header - sources.begin());
    result_ += fmt::format("#ifndef {0}\n#define {0}\n", guard);
    add(header->text, header->path, is_conditional);
    result_ += "#endif\n";
    open_.pop_back();
  }

  static bool contains(const std::vector<std::string_view>& list, std::string_view what) {
    return std::find(list.begin(), list.end(), what) != list.end();
  }

  std::string result_;
  std::vector<std::string_view> included_;  // for certain
  std::vector<std::string_view> open_;      // being read, outermost first
};

}  // namespace

std::string flatten(std::string_view text, std::string_view path) {
  flattener all;
  all.add(text, path, /*is_conditional=*/false);
  return all.take();
}

const std::string& device_sources_digest() {
  // Never destroyed: kernels may be compiled at exit.
  static const auto& digest =
      *std::make_unique<const std::string>([] {
         sha256 hash;
         for (const device_source& each : device_sources()) {
           hash.add(fmt::format("{} {} {}\n", each.path.size(), each.text.size(), each.path));
           hash.add(each.text);
         }
         return hex(hash.finish());
       }())
           .release();
  return digest;
}

}  // namespace wingbeat::backend
