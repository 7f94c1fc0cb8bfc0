// SPDX-License-Identifier: Apache-2.0
// The device headers as text inside this library, so that compilers at plan time read the same
// headers as users' own kernels.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace wingbeat::backend {

struct device_source {
  std::string_view path;  ///< As an #include names it: "wingbeat/device/complex.hpp".
  std::string_view text;
};

/// Returns every header of include/wingbeat/device, and the entry points of backend/kernels.
[[nodiscard]] std::span<const device_source> device_sources();

/// Returns 64 hexadecimal digits that change with any of these sources.
[[nodiscard]] const std::string& device_sources_digest();

/// How a flattened text defines integral constants of classes in device headers.
enum class constants_as { variables, enumerators };

/// Replaces the first `#include "wingbeat/device/..."` of each header by its text, with #line
/// directives so that compilers' messages name the file and line of the source. Throws `plan_error`
/// for an include of another file.
[[nodiscard]] std::string flatten(std::string_view text, std::string_view path,
                                  constants_as constants = constants_as::variables);

/// Returns whether compilers may read files for a flattened text, because it spells a directive in
/// an unusual way: the result then depends on more than the text. Some comments count as such
/// directives.
[[nodiscard]] bool may_read_files(std::string_view text);

}  // namespace wingbeat::backend
