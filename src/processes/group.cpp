// SPDX-License-Identifier: Apache-2.0
#include "processes/group.hpp"

#include <poll.h>

#include <algorithm>  // any_of, clamp, min
#include <array>
#include <cstdint>  // uint64_t
#include <cstring>  // memcpy
#include <optional>
#include <utility>  // move

#include "text/formatted.hpp"  // formatted, joined
#include "text/reject.hpp"     // reject
#include "wingbeat/error.hpp"  // device_error, plan_error

namespace wingbeat::processes {
namespace {

/// The header of all messages. Both ends must be the same kind of machine.
struct frame {
  static constexpr std::uint64_t usual_sign = 0x3172'676e'6957'4246;
  enum kind : std::uint64_t { data, failure };

  std::uint64_t sign = usual_sign, holds = data, size_bytes = 0;
};

}  // namespace

/// The first message of a process.
struct greeting {
  static constexpr std::uint64_t usual_sign = 0x3174'6565'6d77'4246;

  std::uint64_t sign = usual_sign, rank = 0, size = 0;
  std::uint64_t left_ms = 0;  ///< How long it still waits.
  std::array<char, 56> host = {};
  std::array<char, 8> port = {};  ///< The port that it listens at.
};

namespace {

template <class Message>
std::span<const std::byte> bytes_of(const Message& message) {
  return std::as_bytes(std::span{&message, 1});
}
template <class Message>
std::span<std::byte> memory_of(Message& message) {
  return std::as_writable_bytes(std::span{&message, 1});
}

std::span<const std::byte> bytes_of(const std::string& text) {
  return std::as_bytes(std::span{text.data(), text.size()});
}

/// Connections that have not greeted after this time are dropped.
constexpr double greeting_s = 2;
/// Rank 0 must be the first to miss a rank, so that the others learn which one, even if a stranger
/// kept it waiting.
double head_start_s(double left_s) {
  return std::clamp(left_s / 4, 0.25, greeting_s + 0.5);
}
constexpr std::size_t max_text_bytes = std::size_t{1} << 20;

std::optional<greeting> greeting_from(const file_descriptor& socket, const deadline& until) {
  greeting heard;
  const deadline soon{std::min(greeting_s, until.left_s())};
  if (!receive_all(socket, memory_of(heard), soon)) return std::nullopt;
  if (heard.sign != greeting::usual_sign) return std::nullopt;
  heard.host.back() = heard.port.back() = '\0';
  return heard;
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    lines.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return lines;
}

void copy_text(std::span<char> into, const std::string& text) {
  std::memcpy(into.data(), text.data(), std::min(text.size(), into.size() - 1));
}

std::string came_twice(std::size_t rank) {
  return formatted("two processes came as rank {}; give each its own", rank);
}

std::string ranks_text(const std::vector<std::size_t>& ranks) {
  return formatted("{} {}", ranks.size() == 1 ? "rank" : "ranks", joined(ranks, ", "));
}

}  // namespace

/// Bytes on their way to and from a rank: a frame, and the payload after it.
struct group::flow {
  frame sent = {}, received = {};
  std::span<const std::byte> out = {};
  std::span<std::byte> in = {};
  std::size_t head_out_bytes = 0, out_bytes = 0, head_in_bytes = 0, in_bytes = 0;  ///< Already
                                                                                   ///< transferred.
  bool has_sent = true, has_received = true;
  std::string failure = {};  ///< Set instead of data.

  [[nodiscard]] bool is_amid() const { return !has_sent && head_out_bytes > 0; }
  [[nodiscard]] short events() const {
    return static_cast<short>((has_sent ? 0 : POLLOUT) | (has_received ? 0 : POLLIN));
  }
};

void require_patience(double patience_s) {
  constexpr double max_s = 1e6;                       // milliseconds are an int
  if (patience_s > 0 && patience_s <= max_s) return;  // excludes NaN
  reject("a patience of {:g} s was given; give more than 0 and at most {:g} s", patience_s, max_s);
}

group::group(process_rank place, double patience_s)
    : place_(std::move(place)), patience_s_(patience_s) {
  require_patience(patience_s);
  reject_if(place_.rank >= place_.size, "rank {} of {} was given; ranks count from 0 to size - 1",
            place_.rank, place_.size);
  sockets_.resize(place_.size);
  if (place_.size > 1) place_.rank == 0 ? meet_as_first() : meet_as_other();
}

bool group::has_lost_one() const {
  return !failure_.empty() || std::any_of(sockets_.begin(), sockets_.end(), [](const auto& each) {
    return each.is_open() && is_at_end(each);
  });
}

bool group::has_news() const {
  std::vector<pollfd> watched;
  for (const file_descriptor& each : sockets_) {
    if (each.is_open()) watched.push_back({each.get(), POLLIN, 0});
  }
  return !failure_.empty() || ::poll(watched.data(), watched.size(), 0) > 0;
}

void group::give_up(const std::string& reason) {
  fail(reason);
  throw device_error(reason);
}

void group::fail(const std::string& reason) {
  if (has_failed()) return;
  failure_ = reason;
  const frame head{.holds = frame::failure, .size_bytes = reason.size()};
  constexpr double short_s = 2;  // others may not listen
  for (std::size_t rank = 0; rank < sockets_.size(); ++rank) {
    const file_descriptor& socket = sockets_[rank];
    if (!socket.is_open()) continue;
    const deadline soon{short_s};
    // Finishes a message that has begun, or the reason would be taken for the rest of it.
    bool is_heard = true;
    if (flows_ != nullptr && rank < flows_->size() && (*flows_)[rank].is_amid()) {
      const flow& begun = (*flows_)[rank];
      is_heard = send_all(socket, bytes_of(begun.sent).subspan(begun.head_out_bytes), soon) &&
                 send_all(socket, begun.out.subspan(begun.out_bytes), soon);
    }
    if (is_heard && send_all(socket, bytes_of(head), soon)) {
      static_cast<void>(send_all(socket, bytes_of(reason), soon));
    }
  }
  const deadline soon{short_s};
  for (const file_descriptor& socket : sockets_) {
    if (socket.is_open()) finish(socket, soon);
  }
  sockets_.clear();
  flows_ = nullptr;
}

void group::miss(const std::vector<std::size_t>& ranks) {
  give_up(formatted("{} did not answer within {:g} s", ranks_text(ranks), patience_s_));
}

std::string group::missing() const {
  std::vector<std::size_t> ranks;
  for (std::size_t rank = 0; rank < place_.size; ++rank) {
    if (rank != place_.rank && !sockets_[rank].is_open()) ranks.push_back(rank);
  }
  return ranks_text(ranks);
}

std::optional<greeting> group::welcome(const file_descriptor& listener, const deadline& until) {
  auto socket = accepted(listener, until);
  if (!socket) {
    const std::string at_address = place_.rank == 0 ? " at " + place_.address : "";
    give_up(formatted("{} did not come to rank {}{} within {:g} s", missing(), place_.rank,
                      at_address, patience_s_));
  }
  auto heard = greeting_from(*socket, until);
  if (!heard) return std::nullopt;
  const bool is_known = heard->rank < place_.size && heard->rank != place_.rank;
  if (is_known && heard->size == place_.size && !sockets_[heard->rank].is_open()) {
    sockets_[heard->rank] = std::move(*socket);
    return heard;
  }
  sockets_.push_back(std::move(*socket));  // so that it learns the reason, too
  give_up(heard->size == place_.size
              ? came_twice(heard->rank)
              : formatted("rank {} counts {} ranks, and rank {} counts {}; give all the same size",
                          heard->rank, heard->size, place_.rank, place_.size));
}

void group::greet(std::size_t rank, file_descriptor socket, const host_port& own,
                  const deadline& until) {
  greeting said{.rank = place_.rank, .size = place_.size};
  said.left_ms = static_cast<std::uint64_t>(until.left_ms());
  copy_text(said.host, own.host);
  copy_text(said.port, own.port);
  sockets_[rank] = std::move(socket);
  if (!send_all(sockets_[rank], bytes_of(said), until)) {
    give_up(formatted("rank {} has ended or was lost", rank));
  }
}

void group::meet_as_first() {
  const file_descriptor listener = listening_at(parsed(place_.address));
  std::vector<std::string> table(place_.size);
  deadline until{patience_s_};
  for (std::size_t n_came = 1; n_came < place_.size;) {
    const auto heard = welcome(listener, until);
    if (!heard) continue;
    table[heard->rank] = formatted("{} {}", heard->host.data(), heard->port.data());
    ++n_came;
    const double left_s = static_cast<double>(heard->left_ms) / 1e3;
    until = deadline{std::min(until.left_s(), left_s - head_start_s(left_s))};
  }
  refuse_others(listener);
  const std::string text = joined(table, "\n");
  const std::vector<std::span<const std::byte>> sent(place_.size, bytes_of(text));
  exchange(sent, [](std::size_t, std::size_t) { return std::span<std::byte>{}; });
}

void group::refuse_others(const file_descriptor& listener) {
  while (const auto socket = accepted(listener, deadline{0})) {
    const auto heard = greeting_from(*socket, deadline{head_start_s(0)});
    if (!heard) continue;
    const std::string reason = came_twice(heard->rank);
    const frame head{.holds = frame::failure, .size_bytes = reason.size()};
    const deadline soon{head_start_s(0)};
    if (send_all(*socket, bytes_of(head), soon) && send_all(*socket, bytes_of(reason), soon)) {
      finish(*socket, soon);
    }
  }
}

void group::meet_as_other() {
  const deadline until{patience_s_};
  auto first = connected_to(parsed(place_.address), until);
  if (!first) {
    throw device_error(formatted(
        "rank 0 did not listen at {} within {:g} s; it does until each rank has come once",
        place_.address, patience_s_));
  }
  const file_descriptor listener = listening_at({own_end(*first).host, "0"});
  const host_port own = own_end(listener);
  greet(0, std::move(*first), own, until);
  std::string text;
  exchange(
      std::vector<std::span<const std::byte>>(place_.size),
      [&](std::size_t, std::size_t size_bytes) {
        text.resize(std::min(size_bytes, max_text_bytes));
        return std::as_writable_bytes(std::span{text.data(), text.size()});
      },
      until);
  const std::vector<std::string> table = lines_of(text);
  for (std::size_t rank = 1; rank < place_.rank; ++rank) {
    const std::size_t blank = table.at(rank).find(' ');
    const host_port place{table[rank].substr(0, blank), table[rank].substr(blank + 1)};
    auto socket = connected_to(place, until);
    if (!socket) give_up(formatted("rank {} does not answer at {}", rank, table[rank]));
    greet(rank, std::move(*socket), own, until);
  }
  for (std::size_t n_left = place_.size - 1 - place_.rank; n_left > 0;) {
    if (welcome(listener, until)) --n_left;
  }
}

void group::send(flow& bytes, std::size_t rank) {
  progress so_far = send_some(sockets_[rank], bytes_of(bytes.sent), bytes.head_out_bytes);
  if (so_far == progress::done) so_far = send_some(sockets_[rank], bytes.out, bytes.out_bytes);
  // The last message of a lost rank may still be received.
  bytes.has_sent = so_far != progress::going_on;
}

void group::receive(flow& bytes, std::size_t rank, const receiver& memory_for) {
  const auto require = [&](progress so_far) {
    if (so_far == progress::lost) give_up(formatted("rank {} has ended or was lost", rank));
    return so_far == progress::done;
  };
  if (bytes.head_in_bytes < sizeof(frame)) {
    if (!require(receive_some(sockets_[rank], memory_of(bytes.received), bytes.head_in_bytes))) {
      return;
    }
    const frame& head = bytes.received;
    if (head.sign != frame::usual_sign) give_up(formatted("rank {} is no rank of ours", rank));
    if (head.holds == frame::failure) {
      bytes.failure.resize(std::min<std::size_t>(head.size_bytes, max_text_bytes));
      bytes.in = std::as_writable_bytes(std::span{bytes.failure.data(), bytes.failure.size()});
    } else {
      bytes.in = memory_for(rank, head.size_bytes);
      if (bytes.in.size() != head.size_bytes) {
        give_up(
            formatted("rank {} sent {} bytes to rank {}, which expected {}; have all ranks "
                      "make the same calls",
                      rank, head.size_bytes, place_.rank, bytes.in.size()));
      }
    }
  }
  bytes.has_received = require(receive_some(sockets_[rank], bytes.in, bytes.in_bytes));
  if (bytes.has_received && !bytes.failure.empty()) give_up(bytes.failure);
}

void group::exchange(const std::vector<std::span<const std::byte>>& sent,
                     const receiver& memory_for, const deadline& until) {
  if (!failure_.empty()) throw device_error(failure_);
  std::vector<flow> flows(place_.size);
  flows_ = &flows;
  for (std::size_t rank = 0; rank < flows.size(); ++rank) {
    if (!sockets_[rank].is_open()) continue;
    flows[rank].has_sent = flows[rank].has_received = false;
    flows[rank].out = sent[rank];
    flows[rank].sent.size_bytes = sent[rank].size();
  }
  for (;;) {
    std::vector<pollfd> watched;
    std::vector<std::size_t> ranks;
    for (std::size_t rank = 0; rank < flows.size(); ++rank) {
      if (flows[rank].events() == 0) continue;
      watched.push_back({sockets_[rank].get(), flows[rank].events(), 0});
      ranks.push_back(rank);
    }
    if (watched.empty()) {
      flows_ = nullptr;
      return;
    }
    if (::poll(watched.data(), watched.size(), until.left_ms()) == 0) miss(ranks);
    for (std::size_t i = 0; i < watched.size(); ++i) {
      flow& bytes = flows[ranks[i]];
      constexpr int ended = POLLHUP | POLLERR;
      if (!bytes.has_received && (watched[i].revents & (POLLIN | ended)) != 0) {
        receive(bytes, ranks[i], memory_for);
      }
      if (!bytes.has_sent && (watched[i].revents & (POLLOUT | ended)) != 0) send(bytes, ranks[i]);
    }
  }
}

void group::exchange(const std::vector<std::span<const std::byte>>& sent,
                     const std::vector<std::span<std::byte>>& received) {
  exchange(sent, [&](std::size_t rank, std::size_t) { return received[rank]; });
}

std::vector<std::string> group::gather(const std::string& text, const deadline& until) {
  std::vector<std::string> texts(place_.size);
  texts[place_.rank] = text;
  exchange(
      std::vector<std::span<const std::byte>>(place_.size, bytes_of(text)),
      [&](std::size_t rank, std::size_t size_bytes) {
        texts[rank].resize(std::min(size_bytes, max_text_bytes));
        return std::as_writable_bytes(std::span{texts[rank].data(), texts[rank].size()});
      },
      until);
  return texts;
}

}  // namespace wingbeat::processes
