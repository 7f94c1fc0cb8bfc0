// SPDX-License-Identifier: Apache-2.0
// The comma-separated values that `write_csv` (text.hpp) writes, read back.
#pragma once

#include <string_view>

#include "formats/signals/signal.hpp"  // signal

namespace wingbeat::formats {

/// Returns whether the first line is one of the headings of `write_csv`: "index,re,im" or
/// "row,index,re,im".
[[nodiscard]] bool has_csv_heading(std::string_view content);

/// Returns the rows of samples. Indices count from 0 in every row, and rows from 0, without
/// omissions. With a column of rows the signal is a table. It is real if every imaginary part is 0.
/// Throws `file_error` naming `name` and the line at fault.
[[nodiscard]] signal read_csv(std::string_view content, std::string_view name);

}  // namespace wingbeat::formats
