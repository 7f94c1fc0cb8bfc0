// SPDX-License-Identifier: Apache-2.0
#include "control/monitor_server.hpp"

#include <httplib.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <functional>
#include <list>
#include <mutex>
#include <stdexcept>
#include <system_error>
#include <thread>

#include "control/monitor_feed.hpp"
#include "text/formatted.hpp"
#include "text/number.hpp"  // number_from

namespace wingbeat::control {
namespace {

constexpr std::size_t min_threads = 4, max_threads = 1024;
constexpr std::chrono::seconds idle_time{5};  // after which a thread beyond the minimum ends
constexpr std::size_t max_request_bytes = 4096;

/// The page's content may only access its own origin, and no page may frame it.
const httplib::Headers headers{
    {"Content-Security-Policy",
     "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; connect-src "
     "'self'; img-src 'self' data:; frame-ancestors 'none'"},
    {"X-Content-Type-Options", "nosniff"},
    {"Cache-Control", "no-store"}};

/// Gives each client a thread, because the thread waits for what its client sends: a client that
/// sends nothing, or half a request, then blocks no other. Beyond the maximum, clients wait.
class client_threads : public httplib::TaskQueue {
 public:
  client_threads() {
    const std::lock_guard lock{mutex_};
    for (std::size_t i = 0; i < min_threads; ++i) add_thread();
  }

  void enqueue(std::function<void()> serve) override {
    const std::lock_guard lock{mutex_};
    for (std::thread& each : ended_) each.join();
    ended_.clear();
    waiting_.push_back(std::move(serve));
    if (n_idle_ < waiting_.size() && threads_.size() < max_threads) try_to_add_thread();
    changed_.notify_one();
  }

  void shutdown() override {
    std::unique_lock lock{mutex_};
    is_ending_ = true;
    changed_.notify_all();
    all_ended_.wait(lock, [&] { return threads_.empty(); });
    for (std::thread& each : ended_) each.join();
    ended_.clear();
  }

 private:
  using place = std::list<std::thread>::iterator;

  void add_thread() {
    const place own = threads_.emplace(threads_.end());
    try {
      *own = std::thread{[this, own] { run(own); }};
    } catch (...) {
      threads_.erase(own);
      throw;
    }
  }
  void try_to_add_thread() {
    try {
      add_thread();
    } catch (const std::system_error&) {
      // The system has no more threads; the client waits for one of the existing ones.
    }
  }

  void run(place own) {
    std::unique_lock lock{mutex_};
    while (true) {
      ++n_idle_;
      const bool is_called =
          changed_.wait_for(lock, idle_time, [&] { return is_ending_ || !waiting_.empty(); });
      --n_idle_;
      if (!waiting_.empty()) {
        const std::function<void()> serve = std::move(waiting_.front());
        waiting_.pop_front();
        lock.unlock();
        serve();
        lock.lock();
      } else if (is_called || threads_.size() > min_threads) {
        break;
      }
    }
    ended_.splice(ended_.end(), threads_, own);
    all_ended_.notify_all();
  }

  std::mutex mutex_;
  std::condition_variable changed_, all_ended_;
  std::deque<std::function<void()>> waiting_;
  std::list<std::thread> threads_, ended_;
  std::size_t n_idle_ = 0;
  bool is_ending_ = false;
};

}  // namespace

namespace {

/// Sends a text that all clients share, so that slow clients hold no copies.
void send_shared(const monitor_feed::text& text, httplib::Response& response) {
  response.set_content_provider(
      text->size(), "application/json",
      [text](std::size_t offset, std::size_t n_bytes, httplib::DataSink& sink) {
        return sink.write(text->data() + offset, n_bytes);
      });
}

}  // namespace

struct monitor_server::impl {
  impl(const access_options& options, const engine_monitor& engine, const sensor_registry& sensors)
      : access("HTTP", options), feed(engine, sensors) {
    set_limits();
  }

  void set_limits();
  void add_access_check();
  void add_documents(const metric_registry& metrics);
  void listen(const monitor_options& options);

  access_list access;
  monitor_feed feed;
  httplib::Server http{};
  socket_t listening = -1;
  std::uint16_t port = 0;
  std::atomic<bool> has_ended{false};
  std::thread thread{};
};

void monitor_server::impl::set_limits() {
  http.new_task_queue = [] { return new client_threads; };
  http.set_default_headers(headers);
  http.set_payload_max_length(max_request_bytes);
  // Limits how long a client that sends nothing holds a thread.
  http.set_read_timeout(1);
  http.set_write_timeout(2);
  http.set_keep_alive_timeout(1);
  http.set_tcp_nodelay(true);
  // Without SO_REUSEPORT, the library's default, which lets two programs share a port.
  http.set_socket_options([this](socket_t socket) {
    listening = socket;
    const int yes = 1;
    ::setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
  });
}

void monitor_server::impl::add_access_check() {
  using result = httplib::Server::HandlerResponse;
  http.set_pre_routing_handler(
      [this](const httplib::Request& request, httplib::Response& response) {
        const ip_address client = parse_ip_address(request.remote_addr).value_or(ip_address{});
        if (access.admits(client, request.remote_addr)) return result::Unhandled;
        response.status = 403;
        response.set_content("this address is not allowed\n", "text/plain");
        return result::Handled;
      });
}

void monitor_server::impl::add_documents(const metric_registry& metrics) {
  http.Get("/metrics", [&metrics](const httplib::Request&, httplib::Response& response) {
    response.set_content(metrics.text(), "text/plain; version=0.0.4; charset=utf-8");
  });
  http.Get("/monitor.json", [this](const httplib::Request&, httplib::Response& response) {
    send_shared(feed.document(), response);
  });
  http.Get("/waterfall.json", [this](const httplib::Request& request, httplib::Response& response) {
    const std::string after = request.get_param_value("after");
    const auto number = number_from<std::uint64_t>(after.empty() ? "0" : after);
    if (!number) {
      response.status = 400;
      response.set_content("after is no count; give the last one received\n", "text/plain");
      return;
    }
    send_shared(feed.waterfall(*number), response);
  });
  http.Get("/", [](const httplib::Request&, httplib::Response& response) {
    const std::string_view page = monitor_page();
    response.set_content(page.data(), page.size(), "text/html; charset=utf-8");
  });
  // Browsers request it unasked, and complain if it is refused.
  http.Get("/favicon.ico",
           [](const httplib::Request&, httplib::Response& response) { response.status = 204; });
}

void monitor_server::impl::listen(const monitor_options& options) {
  const std::string host = options.host.empty() ? "0.0.0.0" : options.host;
  const int bound = options.port == 0 ? http.bind_to_any_port(host)
                                      : (http.bind_to_port(host, options.port) ? options.port : -1);
  if (bound < 0) {
    throw std::runtime_error(
        formatted("cannot listen at '{}', port {}; give a host of this machine and a port that is "
                  "free",
                  options.host, options.port));
  }
  // The library lets only 5 clients wait for acceptance; others would retry after a second.
  ::listen(listening, SOMAXCONN);
  access.check_reach(listening);
  port = static_cast<std::uint16_t>(bound);
  thread = std::thread([this] {
    http.listen_after_bind();
    has_ended = true;
  });
  // `stop` has no effect before the thread listens.
  while (!http.is_running() && !has_ended)
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
}

monitor_server::monitor_server(const monitor_options& options, const metric_registry& metrics,
                               const sensor_registry& sensors, const engine_monitor& engine)
    : impl_(std::make_unique<impl>(options.access, engine, sensors)) {
  impl_->add_access_check();
  impl_->add_documents(metrics);
  impl_->listen(options);
}

monitor_server::~monitor_server() {
  impl_->http.stop();
  impl_->thread.join();
}

std::uint16_t monitor_server::port() const noexcept {
  return impl_->port;
}

}  // namespace wingbeat::control
