// SPDX-License-Identifier: Apache-2.0
#include "fengine/saved_state.hpp"

#include <algorithm>   // all_of
#include <cmath>       // abs, isfinite, remainder
#include <filesystem>  // exists
#include <nlohmann/json.hpp>
#include <numbers>    // pi
#include <stdexcept>  // out_of_range
#include <utility>    // move

#include "formats/files/atomic_file.hpp"  // remove_leftovers, write_whole_file
#include "formats/files/whole_file.hpp"   // read_whole_file
#include "text/formatted.hpp"             // formatted
#include "wingbeat/error.hpp"             // file_error

namespace wingbeat::fengine {
namespace {

using json = nlohmann::ordered_json;

constexpr std::size_t max_bytes = std::size_t{1} << 30;
constexpr const char* schema = "wingbeat.fengine.state/1";

/// Returns a 64-bit FNV-1a hash in hexadecimal digits.
std::string checksum_of(std::string_view text) {
  std::uint64_t hash = 0xcbf29ce484222325;
  for (const char each : text) hash = (hash ^ static_cast<unsigned char>(each)) * 0x100000001b3;
  return formatted("{:016x}", hash);
}

json json_of(const std::vector<std::complex<float>>& gains) {
  const bool is_uniform =
      std::all_of(gains.begin(), gains.end(), [&](auto gain) { return gain == gains.front(); });
  json list = json::array();
  for (const std::complex<float> gain : gains) {
    list.push_back({gain.real(), gain.imag()});
    if (is_uniform) break;
  }
  return list;
}

json json_of(const timed_delays& delays) {
  json polarisations = json::array();
  for (const control::delay_setting& setting : delays.settings) {
    polarisations.push_back(
        {setting.delay_s, setting.delay_rate, setting.phase_rad, setting.phase_rate_rad_per_s});
  }
  return {{"start_s", delays.start_s}, {"polarisations", std::move(polarisations)}};
}

json json_of(const output_state& output) {
  json gains = json::array(), delays = json::array();
  for (const auto& each : output.gains) gains.push_back(json_of(each));
  for (const timed_delays& each : output.delays) delays.push_back(json_of(each));
  return {{"name", output.name},
          {"channels", output.channels},
          {"gains", std::move(gains)},
          {"delays", std::move(delays)}};
}

double finite(const json& number) {
  const double value = number.get<double>();
  if (!std::isfinite(value)) throw std::out_of_range("a number is not finite");
  return value;
}

std::vector<std::complex<float>> gains_of(const json& list, std::size_t channels) {
  std::vector<std::complex<float>> gains;
  for (const json& each : list) {
    gains.emplace_back(static_cast<float>(finite(each.at(0))),
                       static_cast<float>(finite(each.at(1))));
  }
  if (gains.size() == 1) gains.resize(channels, gains.front());
  if (gains.size() != channels || channels == 0) throw std::out_of_range("gains are missing");
  return gains;
}

timed_delays delays_of(const json& document) {
  timed_delays delays{.start_s = finite(document.at("start_s"))};
  for (const json& each : document.at("polarisations")) {
    delays.settings.push_back(
        {finite(each.at(0)), finite(each.at(1)), finite(each.at(2)), finite(each.at(3))});
    if (std::abs(delays.settings.back().delay_rate) >= 1) throw std::out_of_range("a delay rate");
  }
  return delays;
}

output_state output_of(const json& document) {
  output_state output{.name = document.at("name").get<std::string>(),
                      .channels = document.at("channels").get<std::size_t>()};
  for (const json& each : document.at("gains"))
    output.gains.push_back(gains_of(each, output.channels));
  for (const json& each : document.at("delays")) {
    output.delays.push_back(delays_of(each));
    if (output.delays.back().settings.size() != output.gains.size()) {
      throw std::out_of_range("a delay is missing");
    }
  }
  return output;
}

[[noreturn]] void refuse(const std::string& file, const std::string& why) {
  throw file_error(formatted(
      "the state {} {}; remove the file to begin with the initial gains and no delays, or name "
      "another one",
      file, why));
}

}  // namespace

timed_delays stated_from(double start_s, const timed_delays& delays) {
  const double elapsed_s = start_s - delays.start_s;
  timed_delays moved{start_s, delays.settings};
  for (control::delay_setting& setting : moved.settings) {
    setting.delay_s += elapsed_s * setting.delay_rate;
    setting.phase_rad = std::remainder(setting.phase_rad + elapsed_s * setting.phase_rate_rad_per_s,
                                       2 * std::numbers::pi);
  }
  return moved;
}

std::string text_of(const saved_state& state) {
  json outputs = json::array();
  for (const output_state& each : state.outputs) outputs.push_back(json_of(each));
  const json content{{"engine", state.engine}, {"outputs", std::move(outputs)}};
  const std::string text = content.dump();
  return formatted("{{\"schema\": \"{}\", \"checksum\": \"{}\",\n\"state\": {}}}\n", schema,
                   checksum_of(text), text);
}

saved_state parse_state(std::string_view text, const std::string& file) {
  try {
    const json document = json::parse(text);
    const std::string version = document.at("schema").get<std::string>();
    if (version != schema) {
      refuse(file, formatted("has the form {}, and this version of wingbeat reads {}",
                             version.substr(0, 60), schema));
    }
    const json& content = document.at("state");
    if (checksum_of(content.dump()) != document.at("checksum").get<std::string>()) {
      refuse(file, "is damaged, because its checksum is another");
    }
    saved_state state{.engine = content.at("engine").get<std::uint64_t>()};
    for (const json& each : content.at("outputs")) state.outputs.push_back(output_of(each));
    return state;
  } catch (const json::exception&) {
    refuse(file, "is damaged, or is no state of an F-engine");
  } catch (const std::out_of_range& error) {
    refuse(file, formatted("is damaged, because {}", error.what()));
  }
}

std::optional<saved_state> read_state(const std::string& file) {
  formats::remove_leftovers(file);
  if (!std::filesystem::exists(file)) return std::nullopt;
  const auto bytes = formats::read_whole_file(file, max_bytes, "gains and delays");
  return parse_state({reinterpret_cast<const char*>(bytes.data()), bytes.size()}, file);
}

void write_state(const std::string& file, const saved_state& state) {
  formats::write_whole_file(file, text_of(state));
}

void require_same_shape(const saved_state& state, const saved_state& own, const std::string& file) {
  const auto require = [&](const std::string& noun, const auto& stated, const auto& wanted) {
    if (stated == wanted) return;
    refuse(file,
           formatted("is of another configuration: {} {}, and here {}", noun, stated, wanted));
  };
  require("--feng-id is", state.engine, own.engine);
  require("the outputs are", state.outputs.size(), own.outputs.size());
  for (std::size_t i = 0; i < own.outputs.size(); ++i) {
    const output_state &stated = state.outputs[i], &wanted = own.outputs[i];
    require("the name of an output is", stated.name, wanted.name);
    require(formatted("the channels of '{}' are", wanted.name), stated.channels, wanted.channels);
    require(formatted("the polarisations of '{}' are", wanted.name), stated.gains.size(),
            wanted.gains.size());
  }
}

}  // namespace wingbeat::fengine
