// SPDX-License-Identifier: Apache-2.0
#include "cli/streams.hpp"

#include <fcntl.h>   // fcntl, open
#include <unistd.h>  // STDIN_FILENO

namespace wingbeat::cli {

void occupy_closed_streams() noexcept {
  for (const int number : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (::fcntl(number, F_GETFD) >= 0) continue;
    // open() takes the lowest free number, which is this one.
    ::open("/dev/null", number == STDIN_FILENO ? O_WRONLY : O_RDONLY);
  }
}

}  // namespace wingbeat::cli
