// SPDX-License-Identifier: Apache-2.0
// Numbers in requests: complex gains in Python's syntax, delays and times.
#pragma once

#include <complex>
#include <optional>
#include <string>
#include <string_view>

namespace wingbeat::control {

/// Returns the value of a text that Python's complex() accepts: "2", "-1.5e3", "1+2j", "(1-j)", "
/// .5j "; none for other texts. The parts may be infinite or NaN.
[[nodiscard]] std::optional<std::complex<double>> parse_complex(std::string_view text);

/// Returns the value of a text that Python's float() accepts, without digits grouped by '_'.
[[nodiscard]] std::optional<double> parse_real(std::string_view text);

/// Returns "1.0-2.5j"; both parts can be read back exactly.
[[nodiscard]] std::string complex_text(std::complex<float> value);

/// Returns the shortest text that reads back as the value; "1.0" for 1.
[[nodiscard]] std::string real_text(double value);

}  // namespace wingbeat::control
