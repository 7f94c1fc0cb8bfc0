// SPDX-License-Identifier: Apache-2.0
// The server's thread: polls, accepts, reads, answers, samples, writes. Requests: see *_requests.
#include "control/katcp_server.hpp"

#include <poll.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cmath>     // ceil
#include <iterator>  // back_inserter
#include <utility>

#include "control/complex_text.hpp"  // real_text
#include "control/session.hpp"
#include "text/formatted.hpp"

namespace wingbeat::control {
namespace {

constexpr std::size_t max_log_lines = 1000;
constexpr int lines_per_turn = 32;  // of one client, before the others get their turn
constexpr int clients_per_turn = 16;

message inform_message(std::string name, std::vector<std::string> arguments) {
  return {message_kind::inform, std::move(name), std::nullopt, std::move(arguments)};
}

message log_message(log_level level, std::string_view source, std::string_view text) {
  return inform_message("log", {std::string(name_of(level)), real_text(unix_time_s()),
                                std::string(source), std::string(text)});
}

}  // namespace

double steady_s() {
  const auto time = std::chrono::steady_clock::now().time_since_epoch();
  return std::chrono::duration<double>(time).count();
}

void request::inform(std::vector<std::string> arguments) {
  informs_ += line_of({message_kind::inform, message_.name, message_.id, std::move(arguments)});
  ++n_informs_;
}

std::vector<std::string> request::count() const {
  return {std::to_string(n_informs_)};
}

katcp_server::katcp_server(katcp_options options, const sensor_registry& sensors,
                           std::function<void()> halt)
    : options_(std::move(options)),
      sensors_(sensors),
      halt_(std::move(halt)),
      listener_(options_.host, options_.port) {
  add_standard_requests();
  add_sensor_requests();
  add_level_request();
  access_.check_reach(listener_.descriptor());
}

katcp_server::~katcp_server() {
  stop();
  replies_->close();
}

void katcp_server::add_request(const std::string& name, const std::string& description,
                               request_handler handler) {
  requests_[name] = {.description = description, .handler = std::move(handler)};
}

void katcp_server::add_deferred_request(const std::string& name, const std::string& description,
                                        deferred_handler handler) {
  requests_[name] = {.description = description, .defers = std::move(handler)};
}

void katcp_server::every(double period_s, std::function<void()> task) {
  tasks_.push_back({period_s, steady_s() + period_s, std::move(task)});
}

void katcp_server::observe_level(std::function<void(log_level)> observer) {
  level_observer_ = std::move(observer);
}

void katcp_server::start() {
  if (!thread_.joinable()) thread_ = std::thread([this] { serve(); });
}

void katcp_server::stop() {
  is_stopping_ = true;
  wake_.set();
  if (thread_.joinable()) thread_.join();
}

void katcp_server::log(log_level level, std::string_view source, std::string_view text) {
  if (level < level_.load() || level_.load() == log_level::off) return;
  {
    const std::lock_guard lock(log_mutex_);
    if (log_.size() == max_log_lines) {
      ++n_log_discarded_;
      return;
    }
    log_.push_back(log_message(level, source, text));
  }
  wake_.set();
}

void katcp_server::serve() {
  while (!is_stopping_) {
    wait();
    accept_clients();
    for (const auto& client : clients_) handle_lines(*client);
    take_updates();
    send_replies();
    send_due();
    send_log();
    for (const auto& client : clients_) client->link.flush();
    enforce_limits();
    remove_lost();
    if (std::exchange(is_halt_requested_, false)) halt_();
  }
  close_all();
}

void katcp_server::wait() {
  std::vector<pollfd> polled{{wake_.descriptor(), POLLIN, 0}};
  const bool accepts = steady_s() >= accepts_from_s_;
  polled.push_back({listener_.descriptor(), static_cast<short>(accepts ? POLLIN : 0), 0});
  for (const auto& client : clients_) {
    const bool reads =
        !client->is_blocked() && !client->has_more_lines && !client->link.has_ended();
    const bool writes = client->link.backlog_bytes() > 0;
    const int events = (reads ? POLLIN : 0) | (writes ? POLLOUT : 0);
    polled.push_back({client->link.descriptor(), static_cast<short>(events), 0});
  }
  ::poll(polled.data(), polled.size(), milliseconds_to_wait());
  wake_.clear();
  for (std::size_t i = 0; i < clients_.size(); ++i) {
    const int events = polled[i + 2].revents;
    if ((events & (POLLIN | POLLERR | POLLHUP)) != 0 && !clients_[i]->link.has_ended()) {
      clients_[i]->link.receive();
    }
    if (events != 0) clients_[i]->link.flush();
  }
}

int katcp_server::milliseconds_to_wait() const {
  constexpr double longest_s = 1.0;
  const double now_s = steady_s();
  double due_s = now_s + longest_s;
  for (const periodic_task& task : tasks_) due_s = std::min(due_s, task.due_s);
  for (const auto& client : clients_) {
    if (client->has_more_lines && !client->is_blocked()) return 0;
    for (const auto& [sensor, sampler] : client->samplers) {
      if (const auto deadline_s = sampler.deadline_s()) due_s = std::min(due_s, *deadline_s);
    }
  }
  return due_s <= now_s ? 0 : static_cast<int>(std::ceil((due_s - now_s) * 1e3));
}

void katcp_server::accept_clients() {
  if (steady_s() < accepts_from_s_) return;
  for (int i = 0; i < clients_per_turn; ++i) {
    std::optional<listener::accepted> newcomer = listener_.accept();
    if (!newcomer) {
      // Without free descriptors, poll would return at once, again and again.
      if (errno != EAGAIN && errno != EINTR) accepts_from_s_ = steady_s() + 0.1;
      return;
    }
    const bool is_admitted = access_.admits(newcomer->ip, newcomer->address);
    auto added = std::make_unique<session>(
        session{connection(std::move(*newcomer), options_.max_line_bytes), n_accepted_++});
    if (!is_admitted || !make_room()) {
      const char* const reason = is_admitted ? "too many clients" : "this address is not allowed";
      added->link.send(line_of(inform_message("disconnect", {reason})));
      added->link.flush();
      continue;
    }
    greet(*added);
    clients_.push_back(std::move(added));
  }
}

bool katcp_server::make_room() {
  if (clients_.size() < options_.max_clients) return true;
  // Clients that hold connections open without a request must not lock out others.
  const auto silent = std::find_if(clients_.begin(), clients_.end(),
                                   [](const auto& client) { return !client->has_requested; });
  if (silent == clients_.end()) return false;
  (*silent)->link.send(line_of(inform_message("disconnect", {"too many clients"})));
  (*silent)->link.flush();
  (*silent)->link.drop();
  remove_lost();
  return true;
}

void katcp_server::greet(session& client) {
  for (const std::vector<std::string>& version : versions()) {
    client.link.send(line_of(inform_message("version-connect", version)));
  }
  inform_all(inform_message("client-connected", {client.link.address()}));
}

void katcp_server::handle_lines(session& client) {
  client.has_more_lines = false;
  for (int i = 0; !client.link.is_lost(); ++i) {
    if (client.is_blocked() || i == lines_per_turn) {
      client.has_more_lines = client.link.lines().size_bytes() > 0;
      return;
    }
    const std::optional<line_buffer::line> line = client.link.lines().next();
    if (!line) return;
    handle(client, *line);
  }
}

void katcp_server::handle(session& client, const line_buffer::line& line) {
  message received;
  try {
    if (line.is_too_long) {
      throw message_error(
          formatted("a line has at most {} bytes; this one is longer", options_.max_line_bytes), "",
          std::nullopt);
    }
    received = parse_message(line.text);
  } catch (const message_error& error) {
    const message reply =
        error.name.empty()
            ? log_message(log_level::error, "katcp", error.what())
            : message{message_kind::reply, error.name, error.id, {"invalid", error.what()}};
    client.link.send(line_of(reply));
    return;
  }
  // Servers ignore replies and informs.
  if (received.kind == message_kind::request) client.link.send(answer(client, received));
}

std::string katcp_server::answer(session& client, const message& received) {
  message reply{message_kind::reply, received.name, received.id, {}};
  const auto found = requests_.find(received.name);
  if (found == requests_.end()) {
    reply.arguments = {"invalid", formatted("unknown request '{}'; see ?help", received.name)};
    return line_of(reply);
  }
  client.has_requested = true;
  request handled(received, client.number);
  try {
    if (found->second.defers) {
      found->second.defers(received.arguments, {replies_, client.number, received});
      return "";
    }
    reply.arguments = found->second.handler(handled);
  } catch (const std::exception& error) {
    reply.arguments = {"fail", error.what()};
    return line_of(reply);
  }
  // Clients that sample a sensor changed by the request are told before the reply.
  take_updates();
  reply.arguments.insert(reply.arguments.begin(), "ok");
  return handled.informs() + line_of(reply);
}

void katcp_server::take_updates() {
  const update_queue::updates updates = updates_.take();
  if (updates.empty()) return;
  const double now_s = steady_s();
  for (const auto& client : clients_) {
    for (auto& [sampled, sampler] : client->samplers) {
      const auto found = updates.find(sampled);
      if (found == updates.end()) continue;
      for (const reading& reading : found->second) {
        if (sampler.update(reading, now_s)) send_status(*client, *sampled, reading);
      }
    }
  }
}

void katcp_server::send_replies() {
  const std::vector<reply_queue::entry> ready = replies_->take();
  if (ready.empty()) return;
  // Takes sensor updates from before a reply was given.
  take_updates();
  for (const reply_queue::entry& next : ready) {
    for (const auto& client : clients_) {
      if (client->number == next.client) client->link.send(line_of(next.reply));
    }
  }
}

void katcp_server::send_due() {
  const double now_s = steady_s();
  for (const auto& client : clients_) {
    for (auto& [sampled, sampler] : client->samplers) {
      if (const auto due_s = sampler.deadline_s(); !due_s || *due_s > now_s) continue;
      const reading latest = sampled->latest();
      if (sampler.expire(latest, now_s)) send_status(*client, *sampled, latest);
    }
  }
  for (periodic_task& task : tasks_) {
    if (task.due_s > now_s) continue;
    task.due_s = now_s + task.period_s;
    try {
      task.run();
    } catch (const std::exception& error) {
      log(log_level::error, "katcp", error.what());
    }
  }
}

void katcp_server::send_status(session& client, const sensor& sensor, const reading& reading) {
  inform(client,
         line_of(inform_message("sensor-status",
                                {real_text(reading.timestamp_s), "1", sensor.spec().name,
                                 std::string(name_of(reading.status)), text_of(reading.value)})));
}

void katcp_server::send_log() {
  std::vector<message> lines;
  std::size_t n_discarded = 0;
  {
    const std::lock_guard lock(log_mutex_);
    lines.swap(log_);
    n_discarded = std::exchange(n_log_discarded_, 0);
  }
  if (n_discarded > 0) {
    lines.push_back(log_message(log_level::warn, "katcp",
                                formatted("{} lines of the log were discarded", n_discarded)));
  }
  for (const message& line : lines) inform_all(line);
}

void katcp_server::inform(session& client, const std::string& line) {
  if (client.link.backlog_bytes() > options_.max_backlog_bytes) client.link.drop();
  if (!client.link.is_lost()) client.link.send(line);
}

void katcp_server::inform_all(const message& message) {
  const std::string line = line_of(message);
  for (const auto& client : clients_) {
    inform(*client, line);
  }
}

void katcp_server::enforce_limits() {
  const auto bytes_of = [](const std::unique_ptr<session>& client) {
    const bool is_lost = client->link.is_lost();
    return is_lost ? 0 : client->link.lines().size_bytes() + client->link.backlog_bytes();
  };
  while (true) {
    std::size_t total_bytes = 0;
    for (const auto& client : clients_) total_bytes += bytes_of(client);
    if (total_bytes <= options_.max_buffered_bytes) return;
    const auto largest =
        std::max_element(clients_.begin(), clients_.end(),
                         [&](const auto& a, const auto& b) { return bytes_of(a) < bytes_of(b); });
    (*largest)->link.drop();
  }
}

void katcp_server::observe(sensor& sampled) {
  const bool is_sampled = std::any_of(clients_.begin(), clients_.end(), [&](const auto& client) {
    return client->samplers.count(&sampled) > 0;
  });
  if (is_sampled) {
    sampled.observe(
        [this](const sensor& updated, const reading& reading) { updates_.push(updated, reading); });
  } else {
    sampled.observe({});
  }
}

void katcp_server::remove_lost() {
  std::vector<std::unique_ptr<session>> lost;
  const auto end = std::stable_partition(clients_.begin(), clients_.end(),
                                         [](const auto& client) { return !client->is_finished(); });
  std::move(end, clients_.end(), std::back_inserter(lost));
  clients_.erase(end, clients_.end());
  for (const auto& client : lost) {
    for (const auto& [sensor, sampler] : client->samplers) observe(*sensor);
    inform_all(inform_message("client-disconnected", {client->link.address()}));
  }
}

void katcp_server::close_all() {
  inform_all(inform_message("disconnect", {"the server ends"}));
  for (const auto& client : clients_) {
    client->link.flush();
    client->link.drop();
  }
  remove_lost();
}

}  // namespace wingbeat::control
