// SPDX-License-Identifier: Apache-2.0
// Messages to the user on stderr; failing to write one has no other effect.
#pragma once

#include <string_view>

namespace wingbeat::backend {

/// Writes a text to stderr, as much of it as stderr takes: where it is closed, its disk is full or
/// its reader is gone, the text is lost, no signal is raised, and the caller goes on.
void write_message(std::string_view text) noexcept;

}  // namespace wingbeat::backend
