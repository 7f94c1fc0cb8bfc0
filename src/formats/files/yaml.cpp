// SPDX-License-Identifier: Apache-2.0
#include "formats/files/yaml.hpp"

#include <yaml-cpp/yaml.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "formats/files/refusal.hpp"     // refuse, printable
#include "formats/files/whole_file.hpp"  // read_whole_file
#include "text/number.hpp"               // number_from

namespace wingbeat::formats {
namespace {

using nlohmann::json;

constexpr std::size_t max_bytes = std::size_t{1} << 20;
/// Names of parts (anchors) make few bytes stand for many nodes.
constexpr std::size_t max_nodes = 100'000;

json scalar_of(const YAML::Node& node) {
  const std::string& text = node.Scalar();
  if (node.Tag() == "!") return text;  // quoted
  for (const char* const word : {"null", "Null", "NULL", "~", ""}) {
    if (text == word) return nullptr;
  }
  for (const char* const word : {"true", "True", "TRUE"}) {
    if (text == word) return true;
  }
  for (const char* const word : {"false", "False", "FALSE"}) {
    if (text == word) return false;
  }
  if (const auto whole = number_from<std::int64_t>(text)) return *whole;
  if (const auto number = number_from<double>(text)) return *number;
  return text;
}

json json_of(const YAML::Node& node, const std::string& file, std::size_t& n_nodes) {
  refuse_if(++n_nodes > max_nodes, file, "has more than {} values; shorten it", max_nodes);
  if (node.IsScalar()) return scalar_of(node);
  if (node.IsSequence()) {
    json result = json::array();
    for (const YAML::Node& each : node) result.push_back(json_of(each, file, n_nodes));
    return result;
  }
  if (!node.IsMap()) return nullptr;
  json result = json::object();
  for (const auto& each : node) {
    const int line = each.first.Mark().line + 1;
    refuse_if(!each.first.IsScalar(), file, "line {}: a key is no text; give one", line);
    const std::string& key = each.first.Scalar();
    refuse_if(result.contains(key), file, "line {}: '{}' is there twice; give it once", line,
              printable(key));
    result[key] = json_of(each.second, file, n_nodes);
  }
  return result;
}

}  // namespace

bool has_yaml_library() noexcept {
  return true;
}

json read_yaml(const std::filesystem::path& file) {
  const std::vector<std::byte> bytes = read_whole_file(file, max_bytes, "options");
  const std::string name = shown_name(file);
  try {
    std::size_t n_nodes = 0;
    return json_of(YAML::Load({reinterpret_cast<const char*>(bytes.data()), bytes.size()}), name,
                   n_nodes);
  } catch (const YAML::Exception& error) {
    constexpr std::size_t most = 200;
    refuse(name, "line {}: {}; see yaml.org", error.mark.line + 1, printable(error.msg, most));
  }
}

}  // namespace wingbeat::formats
