// SPDX-License-Identifier: Apache-2.0
// Processes that met, each connected with each: they exchange bytes, and nothing waits for ever.
#pragma once

#include <cstddef>  // byte, size_t
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "processes/stream_socket.hpp"  // deadline, host_port
#include "system/file_descriptor.hpp"   // file_descriptor
#include "wingbeat/process_rank.hpp"    // process_rank

namespace wingbeat::processes {

struct greeting;

/// Throws `plan_error` unless ranks can wait for each other for so many seconds.
void require_patience(double patience_s);

/// Functions are collective: every rank calls the same ones in the same order. They throw
/// `device_error`, on every rank, that names a rank which did not come, did not answer within
/// `patience_s`, has ended, or failed itself: in this call or in
/// the next one, and from then on again. Not for several threads at
/// once.
class group {
 public:
  /// Throws `plan_error` for a rank, a size or a patience that cannot be.
  group(process_rank place, double patience_s);

  [[nodiscard]] std::size_t rank() const { return place_.rank; }
  [[nodiscard]] std::size_t size() const { return place_.size; }
  /// Returns how long calls wait: the rest of the patience is for telling the others.
  [[nodiscard]] double waits_s() const { return patience_s_ * 7 / 8; }

  /// Returns whether it is of no use any more; the next call says why.
  [[nodiscard]] bool has_failed() const { return !failure_.empty(); }

  /// Tells all others why this rank cannot make a call; they throw it in theirs or in the next one.
  void fail(const std::string& reason);

  /// Returns whether a rank has ended or was lost, without waiting; the next call names it.
  [[nodiscard]] bool has_lost_one() const;

  /// Returns whether a rank has ended, was lost, or has sent something that is not received yet.
  [[nodiscard]] bool has_news() const;

  /// Returns memory for the bytes that a rank sends, as many as it sends.
  using receiver = std::function<std::span<std::byte>(std::size_t rank, std::size_t size_bytes)>;

  /// Sends bytes to each other rank and receives theirs; `sent` has an entry for each rank. What
  /// `memory_for` throws, all others are told of.
  void exchange(const std::vector<std::span<const std::byte>>& sent, const receiver& memory_for) {
    exchange(sent, memory_for, deadline{waits_s()});
  }

  /// The same where this rank knows how many bytes come; throws where others send more or fewer.
  void exchange(const std::vector<std::span<const std::byte>>& sent,
                const std::vector<std::span<std::byte>>& received);

  /// Returns the texts of all ranks, this one's among them.
  [[nodiscard]] std::vector<std::string> gather(const std::string& text) {
    return gather(text, deadline{waits_s()});
  }

  /// Asks who is there, of ranks that were waited for elsewhere: throws, naming who is not.
  void require_all(const deadline& until) { static_cast<void>(gather("", until)); }

 private:
  struct flow;

  void meet_as_first();
  void meet_as_other();
  /// Takes one process in; returns what it said, or nothing of a stranger.
  std::optional<greeting> welcome(const file_descriptor& listener, const deadline& until);
  void greet(std::size_t rank, file_descriptor socket, const host_port& own, const deadline& until);
  /// Tells processes that came when all ranks had that theirs came twice.
  static void refuse_others(const file_descriptor& listener);

  /// With the ranks that are connected.
  void exchange(const std::vector<std::span<const std::byte>>& sent, const receiver& memory_for,
                const deadline& until);
  std::vector<std::string> gather(const std::string& text, const deadline& until);
  void receive(flow& bytes, std::size_t rank, const receiver& memory_for);
  void send(flow& bytes, std::size_t rank);

  /// Returns the ranks that are not connected.
  [[nodiscard]] std::string missing() const;

  /// Fails, and throws.
  [[noreturn]] void give_up(const std::string& reason);

  /// Gives up because these ranks did not answer in time.
  [[noreturn]] void miss(const std::vector<std::size_t>& ranks);

  process_rank place_;
  double patience_s_;
  std::vector<file_descriptor> sockets_;  ///< By rank; this rank's is none.
  std::string failure_ = {};              ///< Why it is of no use any more.
  std::vector<flow>* flows_ = nullptr;    ///< Of the exchange that goes on, by rank.
};

}  // namespace wingbeat::processes
