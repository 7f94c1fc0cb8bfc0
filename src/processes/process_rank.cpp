// SPDX-License-Identifier: Apache-2.0
#include "wingbeat/process_rank.hpp"

#include <cstdlib>  // getenv
#include <optional>
#include <string_view>

#include "processes/stream_socket.hpp"  // last_port
#include "text/formatted.hpp"           // formatted
#include "text/number.hpp"              // number_from
#include "text/reject.hpp"              // reject

namespace wingbeat {
namespace {

constexpr std::size_t first_port = 20000, n_ports = 20000;

std::optional<std::string> variable(const char* name) {
  const char* const value = std::getenv(name);
  if (value == nullptr || *value == '\0') return std::nullopt;
  return value;
}

std::optional<std::size_t> number_of(const char* name) {
  const auto text = variable(name);
  if (!text) return std::nullopt;
  if (const auto number = number_from<std::size_t>(*text)) return number;
  reject("{} is '{}'; a launcher sets it to a whole number", name, *text);
}

std::size_t required(const char* name) {
  if (const auto number = number_of(name)) return *number;
  reject(
      "{} is not set; start processes by torchrun or srun, or give rank, size "
      "and address",
      name);
}

/// Returns the first host of Slurm's list: node03 of "node[03-07,9],other".
std::string first_host(std::string_view list) {
  const std::size_t bracket = list.find('['), comma = list.find(',');
  if (bracket == std::string_view::npos || comma < bracket) {
    return std::string{list.substr(0, comma)};
  }
  const std::size_t end = list.find_first_of("-,]", bracket + 1);
  const std::size_t close = list.find(']', bracket);
  std::string host{list.substr(0, bracket)};
  host += list.substr(bracket + 1, end - bracket - 1);
  if (close == std::string_view::npos) return host;
  const std::string_view rest = list.substr(close + 1);
  return host.append(rest.substr(0, rest.find(',')));
}

std::string slurm_host() {
  for (const char* name : {"SLURM_STEP_NODELIST", "SLURM_JOB_NODELIST"}) {
    if (const auto list = variable(name)) return first_host(*list);
  }
  return "127.0.0.1";
}

}  // namespace

process_rank process_rank_of_environment() {
  const auto host = variable("MASTER_ADDR");
  const auto port = number_of("MASTER_PORT");
  if (port && (*port < 1 || *port > processes::last_port)) {
    reject("MASTER_PORT is {}; ports are from 1 to {}", *port, processes::last_port);
  }
  const bool is_slurm = !variable("RANK") && variable("SLURM_PROCID");
  if (!is_slurm) {
    const std::size_t rank = required("RANK"), size = required("WORLD_SIZE");
    std::size_t at_port = port ? *port : required("MASTER_PORT");
    if (variable("TORCHELASTIC_RUN_ID")) {
      at_port = at_port < processes::last_port ? at_port + 1 : at_port - 1;
    }
    return {formatted("{}:{}", host.value_or("127.0.0.1"), at_port), rank, size,
            number_of("LOCAL_RANK").value_or(rank)};
  }
  const std::size_t job = number_of("SLURM_JOB_ID").value_or(0);
  const std::size_t step = number_of("SLURM_STEP_ID").value_or(0);
  const std::size_t rank = required("SLURM_PROCID");
  return {formatted("{}:{}", host ? *host : slurm_host(),
                    port.value_or(first_port + (job * 31 + step) % n_ports)),
          rank, required("SLURM_NTASKS"), number_of("SLURM_LOCALID").value_or(rank)};
}

}  // namespace wingbeat
