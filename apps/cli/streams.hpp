// SPDX-License-Identifier: Apache-2.0
// The streams the program was started with, or without.
#pragma once

namespace wingbeat::cli {

/// Puts something in the place of each of stdin, stdout and stderr that is closed: the next file
/// opened would take its number, and messages would be written into it. What stands there can
/// neither be read nor written: data for a closed stdout remains an error.
void occupy_closed_streams() noexcept;

}  // namespace wingbeat::cli
