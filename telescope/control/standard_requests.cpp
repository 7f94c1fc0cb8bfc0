// SPDX-License-Identifier: Apache-2.0
// The requests that every katcp server answers, except those of sensors.
#include <algorithm>
#include <iterator>

#include "control/katcp_server.hpp"
#include "control/session.hpp"
#include "text/formatted.hpp"
#include "wingbeat/version.hpp"

namespace wingbeat::control {
namespace {

void expect_at_most(const request& request, std::size_t n) {
  if (request.arguments().size() > n) {
    throw request_failure(formatted("this request takes at most {} arguments; {} were given", n,
                                    request.arguments().size()));
  }
}

std::string first_sentence(const std::string& text) {
  const std::size_t end = text.find(". ");
  return end == std::string::npos ? text : text.substr(0, end + 1);
}

}  // namespace

std::vector<std::vector<std::string>> katcp_server::versions() const {
  const std::string library =
      formatted("{}.{}.{}", WINGBEAT_VERSION_MAJOR, WINGBEAT_VERSION_MINOR, WINGBEAT_VERSION_PATCH);
  // B: lists of sensors in ?sensor-sampling; I: message identifiers; M: several clients.
  return {{"katcp-protocol", "5.1-BIM"},
          {"katcp-library", "wingbeat-" + library, "wingbeat-" + library},
          {"katcp-device", options_.device, options_.device_build}};
}

void katcp_server::add_standard_requests() {
  add_request("help", "Lists requests, or describes one. Arguments: [name].",
              [this](request& asked) {
                expect_at_most(asked, 1);
                if (asked.arguments().empty()) {
                  for (const auto& [name, known] : requests_) {
                    asked.inform({name, first_sentence(known.description)});
                  }
                  return asked.count();
                }
                const auto found = requests_.find(asked.arguments()[0]);
                if (found == requests_.end()) {
                  throw request_failure(
                      formatted("unknown request '{}'; ?help lists all", asked.arguments()[0]));
                }
                asked.inform({found->first, found->second.description});
                return asked.count();
              });
  add_request("version-list", "Lists the versions of protocol, library and device.",
              [this](request& asked) {
                expect_at_most(asked, 0);
                for (const std::vector<std::string>& version : versions()) asked.inform(version);
                return asked.count();
              });
  add_request("watchdog", "Shows that the server is alive.", [](request& asked) {
    expect_at_most(asked, 0);
    return std::vector<std::string>{};
  });
  add_request("client-list", "Lists the addresses of the clients.", [this](request& asked) {
    expect_at_most(asked, 0);
    for (const auto& client : clients_) asked.inform({client->link.address()});
    return asked.count();
  });
  add_request("halt", "Ends the program.", [this](request& asked) {
    expect_at_most(asked, 0);
    is_halt_requested_ = true;
    return std::vector<std::string>{};
  });
}

void katcp_server::add_level_request() {
  add_request("log-level",
              "Sets or reports the least severe level of #log informs. Arguments: [all | trace | "
              "debug | info | warn | error | fatal | off].",
              [this](request& asked) -> std::vector<std::string> {
                expect_at_most(asked, 1);
                if (!asked.arguments().empty()) {
                  level_ = parse_log_level(asked.arguments()[0]);
                  if (level_observer_) level_observer_(level_);
                }
                return {std::string(name_of(level_))};
              });
}

}  // namespace wingbeat::control
