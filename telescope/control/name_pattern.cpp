// SPDX-License-Identifier: Apache-2.0
#include "control/name_pattern.hpp"

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

#include <array>
#include <stdexcept>

#include "text/formatted.hpp"

namespace wingbeat::control {
namespace {

template <auto Free>
struct freed_by {
  template <class Type>
  void operator()(Type* object) const {
    Free(object);
  }
};

PCRE2_SPTR bytes_of(std::string_view text) {
  return reinterpret_cast<PCRE2_SPTR>(text.data());
}

}  // namespace

struct name_pattern::compiled {
  std::unique_ptr<pcre2_code, freed_by<pcre2_code_free>> code;
  std::unique_ptr<pcre2_match_data, freed_by<pcre2_match_data_free>> match;
  std::unique_ptr<pcre2_match_context, freed_by<pcre2_match_context_free>> limits;
};

name_pattern::name_pattern(std::string_view expression) {
  constexpr std::size_t max_bytes = 1024;
  if (expression.size() > max_bytes) {
    throw std::invalid_argument(
        formatted("a regular expression has at most {} characters; {} were "
                  "given",
                  max_bytes, expression.size()));
  }
  int error = 0;
  PCRE2_SIZE place = 0;
  auto parts = std::make_shared<compiled>();
  parts->code.reset(pcre2_compile(bytes_of(expression), expression.size(), PCRE2_NEVER_BACKSLASH_C,
                                  &error, &place, nullptr));
  if (!parts->code) {
    std::array<PCRE2_UCHAR, 256> reason{};
    pcre2_get_error_message(error, reason.data(), reason.size());
    throw std::invalid_argument(formatted("the regular expression is wrong at character {}: {}",
                                          place, reinterpret_cast<const char*>(reason.data())));
  }
  parts->match.reset(pcre2_match_data_create_from_pattern(parts->code.get(), nullptr));
  parts->limits.reset(pcre2_match_context_create(nullptr));
  if (!parts->match || !parts->limits) throw std::bad_alloc();
  // Matching a name takes tens of steps; 100,000 take about a millisecond.
  pcre2_set_match_limit(parts->limits.get(), 100'000);
  pcre2_set_depth_limit(parts->limits.get(), 10'000);
  constexpr std::uint32_t heap_kib = 4096;
  pcre2_set_heap_limit(parts->limits.get(), heap_kib);
  compiled_ = parts;
}

bool name_pattern::is_in(std::string_view name) const {
  const int result = pcre2_match(compiled_->code.get(), bytes_of(name), name.size(), 0, 0,
                                 compiled_->match.get(), compiled_->limits.get());
  if (result >= 0) return true;
  if (result == PCRE2_ERROR_NOMATCH) return false;
  throw std::invalid_argument("the regular expression takes too many steps; give a simpler one");
}

}  // namespace wingbeat::control
