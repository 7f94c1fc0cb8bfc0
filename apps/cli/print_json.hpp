// SPDX-License-Identifier: Apache-2.0
// Documents for other programs: JSON on stdout, its first member always `schema`.
#pragma once

#include <nlohmann/json.hpp>  // ordered_json

#include "report.hpp"  // print

namespace wingbeat::cli {

/// Prints the document on stdout. Names that are not UTF-8 get replacement characters.
inline void print_json(const nlohmann::ordered_json& document) {
  print(document.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n");
}

}  // namespace wingbeat::cli
