// SPDX-License-Identifier: Apache-2.0
// Documents for other programs: JSON on stdout, its first member always `schema`.
#pragma once

#include <nlohmann/json.hpp>  // ordered_json
#include <string>

#include "cli/messages.hpp"  // print

namespace wingbeat::cli {

/// Returns the document as text. Names that are not UTF-8 get replacement characters.
[[nodiscard]] inline std::string text_of(const nlohmann::ordered_json& document) {
  return document.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

/// Prints the document on stdout.
inline void print_json(const nlohmann::ordered_json& document) {
  print(text_of(document));
}

}  // namespace wingbeat::cli
