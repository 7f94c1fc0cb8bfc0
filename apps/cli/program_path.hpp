// SPDX-License-Identifier: Apache-2.0
// Programs that this one runs.
#pragma once

#include <string>
#include <string_view>

namespace wingbeat::cli {

/// Returns the path of a program in the folder of this one, or in $PATH. Throws `absent_error` of
/// "SUBJECT is neither beside this program nor in $PATH; REMEDY".
[[nodiscard]] std::string program_path(const std::string& name, std::string_view subject,
                                       std::string_view remedy);

}  // namespace wingbeat::cli
