// SPDX-License-Identifier: Apache-2.0
// The device headers as text inside this library, so that compilers read at plan time what a
// user's own kernel includes.
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

/// Returns 64 hexadecimal digits that differ where any of these sources does.
[[nodiscard]] const std::string& device_sources_digest();

/// What integral constants of the device headers' classes are in a flattened text.
enum class constants_as { variables, enumerators };

/// Replaces each `#include "wingbeat/device/..."` by that header, once, with #line directives so
/// that a compiler's message still names the file and line of the source. Throws `plan_error` for
/// an include of another file.
[[nodiscard]] std::string flatten(std::string_view text, std::string_view path,
                                  constants_as constants = constants_as::variables);

/// Returns whether compilers may read files for a flattened text, because it spells a directive in
/// an unusual way: what is compiled then depends on more than the text. Some comments count too.
[[nodiscard]] bool may_read_files(std::string_view text);

}  // namespace wingbeat::backend
