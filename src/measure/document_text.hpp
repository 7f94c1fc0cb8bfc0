// SPDX-License-Identifier: Apache-2.0
// Writes documents of results as JSON with one line for each member, or for each object of a list
// of objects, so that a difference shows a result as one line.
#pragma once

#include <algorithm>  // all_of
#include <fstream>    // ofstream
#include <nlohmann/json.hpp>
#include <string>

#include "text/formatted.hpp"  // formatted
#include "wingbeat/error.hpp"  // file_error

namespace wingbeat::measure {

/// Returns the document as text. Names that are not UTF-8 get replacement characters.
template <class Json>
[[nodiscard]] std::string document_text(const Json& document) {
  const auto line = [](const Json& value) {
    return value.dump(-1, ' ', false, Json::error_handler_t::replace);
  };
  std::string text;
  for (const auto& [name, value] : document.items()) {
    text += (text.empty() ? "{\n" : ",\n") + line(name) + ": ";
    const bool is_list =
        value.is_array() && !value.empty() &&
        std::all_of(value.begin(), value.end(), [](const Json& each) { return each.is_object(); });
    if (!is_list) {
      text += line(value);
      continue;
    }
    const char* separator = "[\n";
    for (const Json& element : value) {
      text += separator + line(element);
      separator = ",\n";
    }
    text += "\n]";
  }
  return text + "\n}\n";
}

/// Writes the document to a file. Throws `file_error` if that fails.
template <class Json>
void write_document(const std::string& name, const Json& document) {
  std::ofstream file{name};
  file << document_text(document);
  if (!file.flush()) throw file_error(formatted("{} could not be written", name));
}

}  // namespace wingbeat::measure
