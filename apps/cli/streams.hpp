// SPDX-License-Identifier: Apache-2.0
// The standard streams, if the program was started without some of them.
#pragma once

namespace wingbeat::cli {

/// Opens /dev/null for each of stdin, stdout and stderr that is closed, because the next file
/// opened would otherwise take its number and receive messages. It is opened for the wrong
/// direction, so that writing data to a closed stdout remains an error.
void occupy_closed_streams() noexcept;

}  // namespace wingbeat::cli
