// SPDX-License-Identifier: Apache-2.0
#include "signals/expression.hpp"

#include <algorithm>  // max
#include <charconv>   // from_chars
#include <cmath>      // floor, isfinite
#include <map>
#include <optional>
#include <string>
#include <utility>  // forward, move

#include "text/formatted.hpp"  // formatted
#include "text/reject.hpp"     // reject

namespace wingbeat::signals {
namespace {

constexpr std::size_t max_text = 65536, max_nodes = 10000, max_depth = 60;
constexpr double max_seed = 9007199254740992.0;  // 2^53: doubles count without gaps up to here

using kind = signal_node::kind;
using node_pointer = std::shared_ptr<const signal_node>;

/// A value of the language: a node, and whether `nodither` encloses it.
struct value {
  node_pointer node;
  bool has_dither = true;
};

template <class... Arguments>
[[noreturn]] void refuse_at(std::size_t column, fmt::format_string<Arguments...> why,
                            Arguments&&... arguments) {
  reject("column {}: {}", column, formatted(why, std::forward<Arguments>(arguments)...));
}

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

/// Completes a node with its size and its depth.
node_pointer finished(signal_node node) {
  for (const node_pointer& part : node.parts) {
    node.size += part->size;
    node.depth = std::max(node.depth, part->depth + 1);
  }
  if (node.size > max_nodes || node.depth > max_depth) {
    refuse_at(node.column, "the signal has {} parts, {} within each other; {} and {} are allowed",
              node.size, node.depth, max_nodes, max_depth);
  }
  return std::make_shared<const signal_node>(std::move(node));
}

node_pointer constant(double number, std::size_t column) {
  if (!std::isfinite(number)) {
    refuse_at(column, "a number is beyond what a double holds; give a smaller one");
  }
  return finished({.form = kind::constant, .numbers = {number}, .column = column});
}

/// Returns the sum or the product of both; numbers are computed at once, and chains stay flat.
value combined(kind form, const value& left, const value& right, std::size_t column) {
  for (const value* side : {&left, &right}) {
    if (side->has_dither) continue;
    refuse_at(column, "nodither is within a {}; put it around the whole signal",
              form == kind::sum ? "sum" : "product");
  }
  const signal_node &a = *left.node, &b = *right.node;
  if (a.form == kind::constant && b.form == kind::constant) {
    const double x = a.numbers[0], y = b.numbers[0];
    return {constant(form == kind::sum ? x + y : x * y, a.column)};
  }
  signal_node node{.form = form, .column = a.column};
  if (a.form == form) {
    node.parts = a.parts;
  } else {
    node.parts = {left.node};
  }
  node.parts.push_back(right.node);
  return {finished(std::move(node))};
}

struct parameter {
  std::string_view name;
  double least = 0, most = 0;
  bool is_whole = false;
};

constexpr double any = 1e15;
constexpr parameter amplitude{"amplitude", -any, any};
constexpr parameter frequency{"frequency", -any, any};

struct function {
  std::string_view name;
  std::optional<kind> form;   ///< Empty for functions that are replaced by others.
  bool takes_signal = false;  ///< Before its numbers.
  std::vector<parameter> numbers;
};

const std::vector<function>& functions() {
  static const std::vector<function> known{
      {"cw", kind::cw, false, {amplitude, frequency}},
      {"multicw", {}, false, {{"count", 1, 4096, true}, amplitude, frequency, {"step", -any, any}}},
      {"comb", kind::comb, false, {amplitude, {"frequency", 0, any}}},
      {"wgn", kind::wgn, false, {{"std", 0, any}, {"seed", 0, max_seed, true}}},
      {"delay", kind::delay, true, {{"samples", -any, any, true}}},
      {"nodither", {}, true, {}}};
  return known;
}

/// The text and how far it has been read.
class cursor {
 public:
  explicit cursor(std::string_view text) : text_(text) {}

  /// Takes the number that begins here.
  node_pointer take_number(std::size_t column) {
    double number = 0;
    const char* const end = text_.data() + text_.size();
    const auto found = std::from_chars(text_.data() + at_, end, number);
    if (found.ec != std::errc{}) refuse_at(column, "a number is malformed or beyond a double");
    at_ = static_cast<std::size_t>(found.ptr - text_.data());
    if (is_letter(peek_now())) {
      refuse_at(column, "letters follow a number; write '*' between them, or 1e9 for 10^9");
    }
    return constant(number, column);
  }

  /// Takes a name; an empty one if none begins here.
  std::string take_name() {
    next();
    std::string name;
    if (!is_letter(peek_now())) return name;
    while (is_letter(peek_now()) || is_digit(peek_now())) name += text_[at_++];
    if (name.size() > 40) refuse_at(next(), "a name has {} letters; give at most 40", name.size());
    return name;
  }

  /// Skips blanks; returns the column of what follows.
  std::size_t next() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\t' || text_[at_] == '\n')) {
      ++at_;
    }
    return at_ + 1;
  }

  char peek() {
    next();
    return peek_now();
  }

  bool take(char wanted) {
    if (peek() != wanted) return false;
    ++at_;
    return true;
  }

  [[noreturn]] void refuse_here(std::string_view wanted) {
    const std::size_t column = next();
    const char c = peek_now();
    if (at_ >= text_.size()) refuse_at(column, "the text ends; {} is missing", wanted);
    const bool is_plain = c > ' ' && c <= '~';
    refuse_at(column, "'{}' stands where {} is expected", is_plain ? c : '?', wanted);
  }

 protected:
  std::string_view text_;
  std::size_t at_ = 0;

 private:
  char peek_now() const { return at_ < text_.size() ? text_[at_] : '\0'; }
};

class parser : private cursor {
 public:
  using cursor::cursor;

  signal_expression parse() {
    if (text_.size() > max_text) {
      refuse_at(max_text, "the text has {} characters; give at most {}", text_.size(), max_text);
    }
    while (true) {
      const std::size_t column = next();
      const std::size_t start = at_;
      const std::string name = take_name();
      if (!name.empty() && peek() == '=') {
        define(name, column);
        continue;
      }
      at_ = start;
      const value result = sum();
      take(';');
      if (peek() != '\0') refuse_here("the end, or ';' before it if this names a value");
      return {result.node, result.has_dither};
    }
  }

 private:
  void define(const std::string& name, std::size_t column) {
    take('=');
    for (const function& known : functions()) {
      if (known.name == name) refuse_at(column, "{} is a function; choose another name", name);
    }
    if (variables_.contains(name)) {
      refuse_at(column, "{} has a value already; choose another name", name);
    }
    const value given = sum();
    if (!take(';')) refuse_here("';'");
    variables_.emplace(name, given);
  }

  value sum() {
    value result = product();
    while (true) {
      const std::size_t column = next();
      if (take('+')) {
        result = combined(kind::sum, result, product(), column);
      } else if (take('-')) {
        const value minus = {constant(-1, column)};
        result =
            combined(kind::sum, result, combined(kind::product, minus, product(), column), column);
      } else {
        return result;
      }
    }
  }

  value product() {
    value result = factor();
    while (true) {
      const std::size_t column = next();
      if (!take('*')) return result;
      result = combined(kind::product, result, factor(), column);
    }
  }

  value factor() {
    const std::size_t column = next();
    if (++depth_ > max_depth) {
      refuse_at(column, "brackets and signs are nested {} deep; {} are allowed", depth_, max_depth);
    }
    const value result = nested_factor(column);
    --depth_;
    return result;
  }

  value nested_factor(std::size_t column) {
    if (take('-')) return combined(kind::product, {constant(-1, column)}, factor(), column);
    if (take('+')) return factor();
    if (take('(')) {
      const value result = sum();
      if (!take(')')) refuse_here("')'");
      return result;
    }
    if (is_digit(peek()) || peek() == '.') return {take_number(column)};
    const std::string name = take_name();
    if (name.empty()) refuse_here("a number, a name or '('");
    if (peek() == '(') return call(name, column);
    const auto found = variables_.find(name);
    if (found == variables_.end()) {
      refuse_at(column, "{} has no value; give it one before, as in '{} = 2;'", name, name);
    }
    return found->second;
  }

  value call(const std::string& name, std::size_t column) {
    for (const function& known : functions()) {
      if (known.name == name) return call(known, column);
    }
    refuse_at(column, "there is no function {}; use cw, multicw, comb, wgn, delay or nodither",
              name);
  }

  value call(const function& called, std::size_t column) {
    take('(');
    signal_node node{.column = column};
    const std::size_t n_arguments = called.numbers.size() + (called.takes_signal ? 1 : 0);
    for (std::size_t i = 0; i < n_arguments; ++i) {
      if (i > 0 && !take(',')) refuse_count(called);
      const std::size_t position = next();
      const value argument = sum();
      if (!argument.has_dither) {
        refuse_at(position, "nodither is within {}; put it outside", called.name);
      }
      if (called.takes_signal && i == 0) {
        node.parts.push_back(argument.node);
      } else {
        node.numbers.push_back(number_of(
            argument, called, called.numbers[i - (called.takes_signal ? 1 : 0)], position));
      }
    }
    if (!take(')')) refuse_count(called);
    return finished_call(called, std::move(node));
  }

  static double number_of(const value& argument, const function& called, const parameter& wanted,
                          std::size_t column) {
    if (argument.node->form != kind::constant) {
      refuse_at(column, "the {} of {} is a signal; give a number", wanted.name, called.name);
    }
    const double number = argument.node->numbers[0];
    const bool is_whole = number == std::floor(number);
    if (number < wanted.least || number > wanted.most || (wanted.is_whole && !is_whole)) {
      refuse_at(column, "the {} of {} is {}; give {} from {} to {}", wanted.name, called.name,
                number, wanted.is_whole ? "a whole number" : "a number", wanted.least, wanted.most);
    }
    return number;
  }

  static value finished_call(const function& called, signal_node node) {
    if (called.name == "nodither") return {node.parts[0], false};
    if (called.name == "multicw") return {several_tones(node)};
    node.form = *called.form;
    return {finished(std::move(node))};
  }

  static node_pointer several_tones(const signal_node& multicw) {
    signal_node tones{.form = kind::sum, .column = multicw.column};
    for (int i = 0; i < multicw.numbers[0]; ++i) {
      tones.parts.push_back(
          finished({.form = kind::cw,
                    .numbers = {multicw.numbers[1], multicw.numbers[2] + i * multicw.numbers[3]},
                    .column = multicw.column}));
    }
    return finished(std::move(tones));
  }

  [[noreturn]] void refuse_count(const function& called) {
    std::string names = called.takes_signal ? "signal" : "";
    for (const parameter& number : called.numbers) {
      names += (names.empty() ? "" : ", ") + std::string(number.name);
    }
    refuse_at(next(), "the arguments of {} end or go on here; give {}({})", called.name,
              called.name, names);
  }

  std::size_t depth_ = 0;
  std::map<std::string, value> variables_;
};

std::string text_of(const signal_node& node) {
  std::vector<std::string> words;
  for (const node_pointer& part : node.parts) {
    const bool is_bracketed = node.form == kind::product && part->form == kind::sum;
    words.push_back(is_bracketed ? formatted("({})", text_of(*part)) : text_of(*part));
  }
  for (const double number : node.numbers) words.push_back(formatted("{}", number));
  switch (node.form) {
    case kind::constant: break;
    case kind::sum: return joined(words, " + ");
    case kind::product: return joined(words, " * ");
    case kind::cw: return formatted("cw({})", joined(words, ", "));
    case kind::comb: return formatted("comb({})", joined(words, ", "));
    case kind::wgn: return formatted("wgn({})", joined(words, ", "));
    case kind::delay: return formatted("delay({})", joined(words, ", "));
  }
  return joined(words, ", ");
}

}  // namespace

signal_expression parse_signal(std::string_view text) {
  return parser(text).parse();
}

std::string text_of(const signal_expression& signal) {
  const std::string text = text_of(*signal.root);
  return signal.has_dither ? text : formatted("nodither({})", text);
}

}  // namespace wingbeat::signals
