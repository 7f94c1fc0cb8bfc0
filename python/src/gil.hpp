// SPDX-License-Identifier: Apache-2.0
// Releases and takes the GIL so that threads may be in a call when the interpreter ends.
#pragma once

#include <nanobind/nanobind.h>

#include <mutex>

namespace wingbeat::python {

/// Releases the GIL during its lifetime. Once the interpreter ends, a thread that wants it back
/// blocks for ever in the destructor: CPython before 3.14 would unwind that thread's stack through
/// C++ destructors and handlers, which aborts the process.
class released_gil {
 public:
  released_gil() noexcept : state_(PyEval_SaveThread()) {}
  released_gil(const released_gil&) = delete;
  released_gil& operator=(const released_gil&) = delete;
  ~released_gil();

 private:
  PyThreadState* state_;
};

/// Holds the GIL during its lifetime, in a thread that released it; blocks likewise.
class held_gil {
 public:
  held_gil();
  held_gil(const held_gil&) = delete;
  held_gil& operator=(const held_gil&) = delete;
  ~held_gil() { PyGILState_Release(state_); }

 private:
  PyGILState_STATE state_;
};

/// Calls `work`, without the GIL if `is_long`, because releasing it takes longer than a short call.
template <class Work>
void run_released_if(bool is_long, const Work& work) {
  if (!is_long) return work();
  const released_gil released;
  work();
}

/// Base of objects that threads call in turn.
class one_at_a_time {
 protected:
  /// Returns the result of `work`, which runs without the GIL.
  template <class Work>
  auto locked(const Work& work) {
    const released_gil released;
    const std::lock_guard held{mutex_};
    return work();
  }

  std::mutex mutex_;
};

/// Registers a function that keeps threads from taking the GIL once Python ends.
void watch_end_of_interpreter();

}  // namespace wingbeat::python
