// SPDX-License-Identifier: Apache-2.0
// A katcp 5 server: answers requests of several clients, reports sensors that they sample, and
// logs.
#pragma once

#include <atomic>
#include <cstddef>  // size_t
#include <cstdint>  // uint16_t
#include <functional>
#include <map>
#include <memory>  // unique_ptr
#include <mutex>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "control/access_list.hpp"
#include "control/connection.hpp"
#include "control/deferred_reply.hpp"
#include "control/log_level.hpp"
#include "control/message.hpp"
#include "control/sampling.hpp"
#include "control/sensor.hpp"
#include "control/update_queue.hpp"

namespace wingbeat::control {

/// Thrown by handlers: the request is answered with `fail` and this sentence.
class request_failure : public std::runtime_error {
 public:
  using runtime_error::runtime_error;
};

struct katcp_options {
  std::string host = "127.0.0.1";     ///< Empty listens on all addresses.
  std::uint16_t port = 7147;          ///< 0 lets the system choose.
  std::string device = "device-1.0";  ///< The interface's name and version, as in `?version-list`.
  std::string device_build = "unknown";  ///< The version of the program.
  std::size_t max_clients = 64;
  std::size_t max_line_bytes = std::size_t{4} << 20;      ///< 65536 gains with all digits fit.
  std::size_t max_backlog_bytes = std::size_t{16} << 20;  ///< A client that leaves more unread is
                                                          ///< dropped.
  /// Unfinished and unread bytes of all clients; above the limit, the client with most is dropped.
  std::size_t max_buffered_bytes = std::size_t{128} << 20;
  access_options access = {};
};

/// One request during its handling: its arguments, and the informs to send before its reply.
class request {
 public:
  request(const message& message, std::size_t client) : message_(message), client_(client) {}

  [[nodiscard]] const std::vector<std::string>& arguments() const { return message_.arguments; }
  [[nodiscard]] std::size_t client() const noexcept { return client_; }

  /// Sends #name with these arguments if the request succeeds.
  void inform(std::vector<std::string> arguments);

  /// Returns the number of informs, as the reply states it.
  [[nodiscard]] std::vector<std::string> count() const;

  [[nodiscard]] const std::string& informs() const noexcept { return informs_; }

 private:
  const message& message_;
  std::size_t client_;
  std::size_t n_informs_ = 0;
  std::string informs_;  // lines
};

/// Returns the arguments after `ok`; throws to answer `fail`. Runs in the server's thread, one at a
/// time, so it must not wait. Sensors that it updates are reported before the reply.
using request_handler = std::function<std::vector<std::string>(request&)>;

/// Takes the arguments and arranges that the reply is given later. Runs in the server's thread, one
/// at a time, so it must not wait. Throws to answer `fail`; then the reply must not be given.
using deferred_handler =
    std::function<void(const std::vector<std::string>& arguments, deferred_reply reply)>;

/// Serves from `start` to `stop` in a thread of its own. It answers ?help, ?version-list,
/// ?sensor-list, ?sensor-value, ?sensor-sampling, ?log-level, ?halt, ?watchdog and ?client-list;
/// `add_request` adds to them.
class katcp_server {
 public:
  /// Listens at once; throws std::runtime_error if that is impossible. The registry outlives the
  /// server, and no other server samples it. ?halt calls `halt` in the server's thread; `halt` asks
  /// the program to end, and the program then calls `stop`.
  katcp_server(katcp_options options, const sensor_registry& sensors, std::function<void()> halt);
  ~katcp_server();
  katcp_server(const katcp_server&) = delete;
  katcp_server& operator=(const katcp_server&) = delete;

  /// Call before `start`. ?help lists the first sentence of the description.
  void add_request(const std::string& name, const std::string& description,
                   request_handler handler);

  /// The same for a request that takes long.
  void add_deferred_request(const std::string& name, const std::string& description,
                            deferred_handler handler);

  /// Call before `start`. Calls `task` every `period_s` in the server's thread.
  void every(double period_s, std::function<void()> task);

  void start();

  /// Tells clients that the server ends, and closes. Not from the server's own thread.
  void stop();

  [[nodiscard]] std::uint16_t port() const noexcept { return listener_.port(); }

  /// Sends a #log inform to all clients if its level is at least that of ?log-level. Any thread. At
  /// most 1000 lines wait; further ones are discarded, and a line states their number.
  void log(log_level level, std::string_view source, std::string_view text);

  [[nodiscard]] log_level level() const noexcept { return level_.load(); }

  /// Call before `start`. `observer` is called at ?log-level with a level, in the server's thread.
  void observe_level(std::function<void(log_level)> observer);

 private:
  struct session;
  struct handled_request {
    std::string description;
    request_handler handler = {};
    deferred_handler defers = {};  ///< One of the two handlers is set.
  };
  struct periodic_task {
    double period_s;
    double due_s;
    std::function<void()> run;
  };

  // The requests of every server.
  void add_standard_requests();
  void add_sensor_requests();
  void add_level_request();
  std::vector<std::string> sample(request& request);
  [[nodiscard]] std::vector<sensor*> sensors_named(const std::vector<std::string>& arguments) const;
  [[nodiscard]] std::vector<std::vector<std::string>> versions() const;

  // Functions of the server's thread.
  void serve();
  void wait();
  [[nodiscard]] int milliseconds_to_wait() const;
  void accept_clients();
  [[nodiscard]] bool make_room();
  void greet(session& client);
  void handle_lines(session& client);
  void handle(session& client, const line_buffer::line& line);
  [[nodiscard]] std::string answer(session& client, const message& request);
  void take_updates();
  void send_replies();
  void send_due();
  void send_status(session& client, const sensor& sensor, const reading& reading);
  void send_log();
  void inform(session& client, const std::string& line);
  void inform_all(const message& message);
  void observe(sensor& sampled);
  void enforce_limits();
  void remove_lost();
  void close_all();

  katcp_options options_;
  const sensor_registry& sensors_;
  std::function<void()> halt_;
  std::function<void(log_level)> level_observer_;
  access_list access_{"katcp", options_.access};
  listener listener_;
  wake_event wake_;
  update_queue updates_{wake_};
  std::shared_ptr<reply_queue> replies_ = std::make_shared<reply_queue>(wake_);
  std::map<std::string, handled_request> requests_;
  std::vector<periodic_task> tasks_;
  std::vector<std::unique_ptr<session>> clients_;  // in order of arrival
  std::size_t n_accepted_ = 0;
  double accepts_from_s_ = 0.0;  ///< After a failure to accept, a moment later.
  bool is_halt_requested_ = false;

  std::mutex log_mutex_;
  std::vector<message> log_;
  std::size_t n_log_discarded_ = 0;

  std::atomic<log_level> level_{log_level::warn};
  std::atomic<bool> is_stopping_{false};
  std::thread thread_;
};

}  // namespace wingbeat::control
