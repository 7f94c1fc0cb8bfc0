// SPDX-License-Identifier: Apache-2.0
// ?sensor-list, ?sensor-value and ?sensor-sampling.
#include <algorithm>
#include <set>
#include <span>

#include "control/complex_text.hpp"  // real_text
#include "control/katcp_server.hpp"
#include "control/name_pattern.hpp"
#include "control/session.hpp"
#include "text/formatted.hpp"

namespace wingbeat::control {
namespace {

/// Clients search for the first two words.
[[noreturn]] void refuse_unknown(std::string_view name) {
  throw request_failure(formatted("Unknown sensor '{}'; ?sensor-list lists all", name));
}

std::vector<std::string> split_at_commas(std::string_view text) {
  std::vector<std::string> words;
  while (true) {
    const std::size_t comma = text.find(',');
    words.emplace_back(text.substr(0, comma));
    if (comma == std::string_view::npos) return words;
    text.remove_prefix(comma + 1);
  }
}

}  // namespace

std::vector<sensor*> katcp_server::sensors_named(const std::vector<std::string>& arguments) const {
  if (arguments.size() > 1) {
    throw request_failure(
        formatted("this request takes a name or /regular expression/; {} arguments were given",
                  arguments.size()));
  }
  if (arguments.empty()) return sensors_.all();
  const std::string_view name = arguments[0];
  if (name.size() >= 2 && name.front() == '/' && name.back() == '/') {
    const name_pattern pattern(name.substr(1, name.size() - 2));
    std::vector<sensor*> sensors = sensors_.all();
    std::erase_if(sensors,
                  [&](const sensor* sensor) { return !pattern.is_in(sensor->spec().name); });
    return sensors;
  }
  sensor* const found = sensors_.find(name);
  if (found == nullptr) refuse_unknown(name);
  return {found};
}

void katcp_server::add_sensor_requests() {
  add_request("sensor-list",
              "Lists sensors with description, units and type. Arguments: [name | /regular "
              "expression/]; an expression matches anywhere in a name.",
              [this](request& asked) {
                for (const sensor* sensor : sensors_named(asked.arguments())) {
                  const sensor_spec& spec = sensor->spec();
                  std::vector<std::string> columns{spec.name, spec.description, spec.units,
                                                   std::string(name_of(spec.kind))};
                  columns.insert(columns.end(), spec.choices.begin(), spec.choices.end());
                  asked.inform(std::move(columns));
                }
                return asked.count();
              });
  add_request("sensor-value",
              "Reports values of sensors. Arguments: [name | /regular expression/].",
              [this](request& asked) {
                for (const sensor* sensor : sensors_named(asked.arguments())) {
                  const reading latest = sensor->latest();
                  asked.inform({real_text(latest.timestamp_s), "1", sensor->spec().name,
                                std::string(name_of(latest.status)), text_of(latest.value)});
                }
                return asked.count();
              });
  add_request("sensor-sampling",
              "Sets or reports when #sensor-status informs are sent to this client. Arguments: "
              "name[,name...] [none | auto | period s | event | differential difference | "
              "event-rate shortest_s longest_s | differential-rate difference shortest_s "
              "longest_s].",
              [this](request& asked) { return sample(asked); });
}

std::vector<std::string> katcp_server::sample(request& asked) {
  const std::vector<std::string>& arguments = asked.arguments();
  if (arguments.empty()) throw request_failure("?sensor-sampling takes the name of a sensor");
  session& sampling_client =
      **std::find_if(clients_.begin(), clients_.end(),
                     [&](const auto& client) { return client->number == asked.client(); });
  const bool is_query = arguments.size() == 1;
  std::vector<sensor*> sensors;
  for (const std::string& name :
       is_query ? std::vector{arguments[0]} : split_at_commas(arguments[0])) {
    sensors.push_back(sensors_.find(name));
    if (sensors.back() == nullptr) refuse_unknown(name);
  }
  if (std::set<sensor*>(sensors.begin(), sensors.end()).size() != sensors.size()) {
    throw request_failure("a sensor is named twice; name each once");
  }

  std::vector<std::string> reply{arguments[0]};
  if (is_query) {
    const auto found = sampling_client.samplers.find(sensors[0]);
    const sampling current =
        found == sampling_client.samplers.end() ? sampling() : found->second.request();
    reply.insert(reply.end(), current.words().begin(), current.words().end());
    return reply;
  }

  // Nothing changes unless the strategy suits all sensors.
  std::vector<sampling> samplings;
  for (const sensor* sensor : sensors) {
    samplings.emplace_back(sensor->spec(), arguments[1], std::span(arguments).subspan(2));
  }
  for (std::size_t i = 0; i < sensors.size(); ++i) {
    sampling_client.samplers.erase(sensors[i]);
    if (samplings[i].kind() == strategy::none) {
      observe(*sensors[i]);
      continue;
    }
    const auto [sampler, is_new] = sampling_client.samplers.emplace(
        sensors[i], control::sampler(samplings[i], reading{}, steady_s()));
    // Observed before it is read, so that no update in between is missed.
    observe(*sensors[i]);
    const reading first = sensors[i]->latest();
    sampler->second = control::sampler(samplings[i], first, steady_s());
    send_status(sampling_client, *sensors[i], first);
  }
  reply.insert(reply.end(), arguments.begin() + 1, arguments.end());
  return reply;
}

}  // namespace wingbeat::control
