// SPDX-License-Identifier: Apache-2.0
#include "control/monitor_server.hpp"

#include <httplib.h>

#include <atomic>
#include <chrono>
#include <stdexcept>
#include <thread>

#include "formatted.hpp"

namespace wingbeat::control {
namespace {

constexpr std::size_t n_threads = 16;
constexpr std::size_t max_request_bytes = 4096;

/// Only this page's own origin may be asked by what it shows, and nobody may frame it.
const httplib::Headers headers{
    {"Content-Security-Policy",
     "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; connect-src "
     "'self'; img-src 'self' data:; frame-ancestors 'none'"},
    {"X-Content-Type-Options", "nosniff"},
    {"Cache-Control", "no-store"}};

}  // namespace

struct monitor_server::impl {
  httplib::Server http{};
  std::uint16_t port = 0;
  std::atomic<bool> has_ended{false};
  std::thread thread{};
};

monitor_server::monitor_server(const monitor_options& options, const metric_registry& metrics,
                               const sensor_registry& sensors, const engine_monitor& engine)
    : impl_(std::make_unique<impl>()) {
  httplib::Server& http = impl_->http;
  http.new_task_queue = [] { return new httplib::ThreadPool(n_threads); };
  http.set_default_headers(headers);
  http.set_payload_max_length(max_request_bytes);
  // A client that sends nothing holds a thread no longer than this.
  http.set_read_timeout(1);
  http.set_write_timeout(2);
  http.set_keep_alive_timeout(1);
  http.set_tcp_nodelay(true);
  // Without SO_REUSEPORT, which is the library's default: it lets two programs share a port.
  http.set_socket_options([](socket_t socket) {
    const int yes = 1;
    ::setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
  });
  http.Get("/metrics", [&metrics](const httplib::Request&, httplib::Response& response) {
    response.set_content(metrics.text(), "text/plain; version=0.0.4; charset=utf-8");
  });
  http.Get("/monitor.json", [&](const httplib::Request&, httplib::Response& response) {
    response.set_content(monitor_json(engine.snapshot(), sensors), "application/json");
  });
  http.Get("/", [](const httplib::Request&, httplib::Response& response) {
    const std::string_view page = monitor_page();
    response.set_content(page.data(), page.size(), "text/html; charset=utf-8");
  });

  // Browsers ask for it unasked, and complain where it is refused.
  http.Get("/favicon.ico",
           [](const httplib::Request&, httplib::Response& response) { response.status = 204; });

  const std::string host = options.host.empty() ? "0.0.0.0" : options.host;
  const int bound = options.port == 0 ? http.bind_to_any_port(host)
                                      : (http.bind_to_port(host, options.port) ? options.port : -1);
  if (bound < 0) {
    throw std::runtime_error(
        formatted("cannot listen at '{}', port {}; give a host of this machine and a port that is "
                  "free",
                  options.host, options.port));
  }
  impl_->port = static_cast<std::uint16_t>(bound);
  impl_->thread = std::thread([&served = *impl_] {
    served.http.listen_after_bind();
    served.has_ended = true;
  });
  // `stop` does nothing before the thread listens.
  while (!http.is_running() && !impl_->has_ended)
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
}

monitor_server::~monitor_server() {
  impl_->http.stop();
  impl_->thread.join();
}

std::uint16_t monitor_server::port() const noexcept {
  return impl_->port;
}

}  // namespace wingbeat::control
