// SPDX-License-Identifier: Apache-2.0
// Documents for other programs: JSON on stdout, its first member always `schema`.
#pragma once

#include <nlohmann/json.hpp>  // ordered_json

#include "cli/messages.hpp"           // print
#include "measure/document_text.hpp"  // document_text

namespace wingbeat::cli {

/// Prints the document on stdout.
inline void print_json(const nlohmann::ordered_json& document) {
  print(measure::document_text(document));
}

}  // namespace wingbeat::cli
