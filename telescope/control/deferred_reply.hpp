// SPDX-License-Identifier: Apache-2.0
// Replies that other threads give after the server's thread has continued with other requests.
#pragma once

#include <cstddef>  // size_t
#include <memory>   // shared_ptr
#include <mutex>
#include <string>
#include <vector>

#include "control/message.hpp"
#include "control/update_queue.hpp"  // wake_event

namespace wingbeat::control {

/// Replies on their way to the server's thread.
class reply_queue {
 public:
  struct entry {
    std::size_t client = 0;
    message reply = {};
  };

  explicit reply_queue(const wake_event& wake) : wake_(&wake) {}

  void push(entry next);

  /// Returns everything pushed since the last call, oldest first.
  [[nodiscard]] std::vector<entry> take();

  /// Discards what is pushed from now on, and no longer uses the event.
  void close();

 private:
  std::mutex mutex_;
  const wake_event* wake_;
  std::vector<entry> entries_;
};

/// The reply to one request. Call exactly one of its functions, once, from any thread; the server
/// and the client may be gone by then.
class deferred_reply {
 public:
  deferred_reply(std::shared_ptr<reply_queue> replies, std::size_t client, const message& request)
      : to_(std::move(replies)), client_(client), name_(request.name), id_(request.id) {}

  /// Replies `ok` with these arguments. Sensors that were updated earlier are reported first.
  void ok(std::vector<std::string> arguments) const;

  /// Replies `fail` with this sentence.
  void fail(std::string reason) const;

 private:
  std::shared_ptr<reply_queue> to_;
  std::size_t client_;
  std::string name_;
  std::optional<std::uint32_t> id_;
};

}  // namespace wingbeat::control
