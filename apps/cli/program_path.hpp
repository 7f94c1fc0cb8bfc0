// SPDX-License-Identifier: Apache-2.0
// Programs that this one runs.
#pragma once

#include <string>
#include <string_view>

namespace wingbeat::cli {

/// Returns the path of a program in this program's folder or in $PATH. Throws `absent_error` with
/// "SUBJECT is neither beside this program nor in $PATH; REMEDY".
[[nodiscard]] std::string program_path(const std::string& name, std::string_view subject,
                                       std::string_view remedy);

}  // namespace wingbeat::cli
