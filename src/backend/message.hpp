// SPDX-License-Identifier: Apache-2.0
// Messages to the user on stderr; failing to write one has no other effect.
#pragma once

#include <string_view>

namespace wingbeat::backend {

/// Writes as much of a text to stderr as it takes. If stderr is closed, its disk full or its reader
/// gone, the text is lost, no signal is raised, and the caller continues.
void write_message(std::string_view text) noexcept;

}  // namespace wingbeat::backend
