// SPDX-License-Identifier: Apache-2.0
#include "cli/signals.hpp"

#include <cerrno>
#include <csignal>  // raise, sigaction

#include "formats/files/temporary_files.hpp"  // remove_temporary_files

namespace wingbeat::cli {
namespace {

extern "C" void remove_files_and_end(int signal_number) {
  const int interrupted_errno = errno;
  formats::remove_temporary_files();
  std::signal(signal_number, SIG_DFL);  // NVRTC puts handlers back without their SA_RESETHAND
  std::raise(signal_number);            // acts on return
  errno = interrupted_errno;
}

}  // namespace

void remove_temporary_files_on_signals() {
  struct sigaction action = {};
  action.sa_handler = remove_files_and_end;
  sigemptyset(&action.sa_mask);
  for (const int number : {SIGHUP, SIGINT, SIGQUIT, SIGPIPE, SIGTERM, SIGXCPU}) {
    struct sigaction old = {};
    if (sigaction(number, nullptr, &old) != 0 || old.sa_handler != SIG_DFL) continue;
    sigaction(number, &action, nullptr);
  }
  std::signal(SIGXFSZ, SIG_IGN);
}

}  // namespace wingbeat::cli
