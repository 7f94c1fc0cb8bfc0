// SPDX-License-Identifier: Apache-2.0
// The GIL, released and taken so that threads may be in a call when the interpreter ends.
#pragma once

#include <nanobind/nanobind.h>

#include <mutex>

namespace wingbeat::python {

/// Releases the GIL while it lives. A thread that returns from its work once the interpreter ends
/// stays here for ever: CPython before 3.14 would end it by unwinding the stack through destructors
/// and handlers of C++, which aborts the process.
class released_gil {
 public:
  released_gil() noexcept : state_(PyEval_SaveThread()) {}
  released_gil(const released_gil&) = delete;
  released_gil& operator=(const released_gil&) = delete;
  ~released_gil();

 private:
  PyThreadState* state_;
};

/// Holds the GIL while it lives, in a thread that released it; with the same rule.
class held_gil {
 public:
  held_gil();
  held_gil(const held_gil&) = delete;
  held_gil& operator=(const held_gil&) = delete;
  ~held_gil() { PyGILState_Release(state_); }

 private:
  PyGILState_STATE state_;
};

/// Does `work`, without the GIL where it takes longer than letting others run.
template <class Work>
void run_released_if(bool is_long, const Work& work) {
  if (!is_long) return work();
  const released_gil released;
  work();
}

/// What threads call one after another.
class one_at_a_time {
 protected:
  /// Returns what `work` does, without the GIL.
  template <class Work>
  auto locked(const Work& work) {
    const released_gil released;
    const std::lock_guard held{mutex_};
    return work();
  }

  std::mutex mutex_;
};

/// Has Python call what keeps threads from taking the GIL once it ends.
void watch_end_of_interpreter();

}  // namespace wingbeat::python
