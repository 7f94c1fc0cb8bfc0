// SPDX-License-Identifier: Apache-2.0
#include "control/service_log.hpp"

#include <spdlog/logger.h>
#include <spdlog/sinks/stdout_color_sinks.h>

#include <utility>  // move

#include "control/katcp_server.hpp"  // katcp_server

namespace wingbeat::control {
namespace {

spdlog::level::level_enum spdlog_level(log_level level) {
  switch (level) {
    case log_level::all:
    case log_level::trace: return spdlog::level::trace;
    case log_level::debug: return spdlog::level::debug;
    case log_level::info: return spdlog::level::info;
    case log_level::warn: return spdlog::level::warn;
    case log_level::error: return spdlog::level::err;
    case log_level::fatal: return spdlog::level::critical;
    case log_level::off: break;
  }
  return spdlog::level::off;
}

}  // namespace

service_log::service_log(std::string name, log_level level) : name_(std::move(name)) {
  lines_ = std::make_shared<spdlog::logger>(
      name_, std::make_shared<spdlog::sinks::stderr_color_sink_mt>());
  lines_->set_pattern("%Y-%m-%dT%H:%M:%S.%e%z %n %^%l%$: %v");
  lines_->flush_on(spdlog::level::trace);
  set_level(level);
}

service_log::~service_log() = default;

void service_log::write(log_level level, std::string_view text) {
  lines_->log(spdlog_level(level), spdlog::string_view_t{text.data(), text.size()});
  const std::lock_guard lock{mutex_};
  if (server_ != nullptr) server_->log(level, name_, text);
}

void service_log::set_level(log_level level) {
  lines_->set_level(spdlog_level(level));
}

void service_log::forward_to(katcp_server* server) {
  const std::lock_guard lock{mutex_};
  server_ = server;
}

}  // namespace wingbeat::control
