// SPDX-License-Identifier: Apache-2.0
#include "control/deferred_reply.hpp"

#include <utility>  // exchange, move

namespace wingbeat::control {

void reply_queue::push(entry next) {
  const std::scoped_lock lock(mutex_);
  if (wake_ == nullptr) return;
  entries_.push_back(std::move(next));
  wake_->set();
}

std::vector<reply_queue::entry> reply_queue::take() {
  const std::scoped_lock lock(mutex_);
  return std::exchange(entries_, {});
}

void reply_queue::close() {
  const std::scoped_lock lock(mutex_);
  wake_ = nullptr;
}

void deferred_reply::ok(std::vector<std::string> arguments) const {
  arguments.insert(arguments.begin(), "ok");
  to_->push({client_, {message_kind::reply, name_, id_, std::move(arguments)}});
}

void deferred_reply::fail(std::string reason) const {
  to_->push({client_, {message_kind::reply, name_, id_, {"fail", std::move(reason)}}});
}

}  // namespace wingbeat::control
