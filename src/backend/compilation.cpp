// SPDX-License-Identifier: Apache-2.0
#include "backend/compilation.hpp"

#include <atomic>

namespace wingbeat::backend {
namespace {

constinit std::atomic<compile_observer*> current{nullptr};

}  // namespace

void observe_compilations(compile_observer* observer) noexcept {
  current = observer;
}

compilation::compilation() noexcept : observer_(current) {
  if (observer_ != nullptr) observer_->begin();
}

compilation::~compilation() {
  if (observer_ != nullptr) observer_->end();
}

}  // namespace wingbeat::backend
