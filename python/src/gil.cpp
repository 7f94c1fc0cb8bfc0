// SPDX-License-Identifier: Apache-2.0
#include "gil.hpp"

#include <pthread.h>  // pthread_atfork
#include <unistd.h>   // pause

#include <atomic>
#include <chrono>
#include <thread>

namespace wingbeat::python {
namespace {

std::atomic<bool> is_ending{false};
std::thread::id ending_thread;  // written before is_ending
std::atomic<int> n_taking{0};

/// Calls `take`, which takes the GIL; once the interpreter ends, only in the thread that ends it.
template <class Take>
auto taken(const Take& take) {
  ++n_taking;
  if (is_ending && std::this_thread::get_id() != ending_thread) {
    --n_taking;
    for (;;) pause();
  }
  struct guard {
    ~guard() { --n_taking; }
  } const counted;
  return take();
}

/// Python's atexit calls this while other threads may still take the GIL. Threads that wait for it
/// get it; later ones block for ever.
void keep_threads_out() {
  ending_thread = std::this_thread::get_id();
  is_ending = true;
  PyThreadState* const state = PyEval_SaveThread();
  while (n_taking != 0) std::this_thread::sleep_for(std::chrono::microseconds{100});
  PyEval_RestoreThread(state);
}

}  // namespace

released_gil::~released_gil() {
  taken([this] {
    PyEval_RestoreThread(state_);
    return 0;
  });
}

held_gil::held_gil() : state_(taken([] { return PyGILState_Ensure(); })) {}

void watch_end_of_interpreter() {
  // A child process has none of the waiting threads.
  pthread_atfork(nullptr, nullptr, [] { n_taking = 0; });
  namespace nb = nanobind;
  nb::module_::import_("atexit").attr("register")(nb::cpp_function(&keep_threads_out));
}

}  // namespace wingbeat::python
