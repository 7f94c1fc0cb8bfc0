// SPDX-License-Identifier: Apache-2.0
// Connects processes, each with each, to exchange bytes with time limits.
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

/// Throws `plan_error` unless `patience_s` is a time that ranks can wait.
void require_patience(double patience_s);

/// Functions are collective: every rank calls the same ones in the same order. They throw a
/// `device_error`, on every rank, that names a rank which did not come, did not answer within
/// `patience_s`, has ended, or failed itself: in this call or in the next one, and in all later
/// ones. Not for several threads at once.
class group {
 public:
  /// Throws `plan_error` for an impossible rank, size or patience.
  group(process_rank place, double patience_s);

  [[nodiscard]] std::size_t rank() const { return place_.rank; }
  [[nodiscard]] std::size_t size() const { return place_.size; }
  /// Returns how long calls wait: the rest of the patience is for telling the others.
  [[nodiscard]] double waits_s() const { return patience_s_ * 7 / 8; }

  /// Returns whether the group is unusable; the next call says why.
  [[nodiscard]] bool has_failed() const { return !failure_.empty(); }

  /// Tells all others why this rank cannot make a call; they throw it in this call or in the next
  /// one.
  void fail(const std::string& reason);

  /// Returns whether a rank has ended or was lost, without waiting; the next call names it.
  [[nodiscard]] bool has_lost_one() const;

  /// Returns whether a rank has ended, was lost, or has sent something that is not received yet.
  [[nodiscard]] bool has_news() const;

  /// Returns memory for the bytes of a rank, `size_bytes` of them.
  using receiver = std::function<std::span<std::byte>(std::size_t rank, std::size_t size_bytes)>;

  /// Sends bytes to each other rank and receives theirs; `sent` has an entry for each rank. If
  /// `memory_for` throws, all others are told.
  void exchange(const std::vector<std::span<const std::byte>>& sent, const receiver& memory_for) {
    exchange(sent, memory_for, deadline{waits_s()});
  }

  /// The same if this rank knows how many bytes arrive; throws if others send more or fewer.
  void exchange(const std::vector<std::span<const std::byte>>& sent,
                const std::vector<std::span<std::byte>>& received);

  /// Returns the texts of all ranks, including this one's.
  [[nodiscard]] std::vector<std::string> gather(const std::string& text) {
    return gather(text, deadline{waits_s()});
  }

  /// Checks that all ranks answer after a wait elsewhere; throws, naming those that do not.
  void require_all(const deadline& until) { static_cast<void>(gather("", until)); }

 private:
  struct flow;

  void meet_as_first();
  void meet_as_other();
  /// Accepts one process; returns its greeting, or nothing from a stranger.
  std::optional<greeting> welcome(const file_descriptor& listener, const deadline& until);
  void greet(std::size_t rank, file_descriptor socket, const host_port& own, const deadline& until);
  /// Tells processes that come after all ranks have connected that their rank came twice.
  static void refuse_others(const file_descriptor& listener);

  /// Exchanges with the ranks that are connected.
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
  std::vector<file_descriptor> sockets_;  ///< By rank; empty for this rank.
  std::string failure_ = {};              ///< Why the group is unusable.
  std::vector<flow>* flows_ = nullptr;    ///< Of the current exchange, by rank.
};

}  // namespace wingbeat::processes
