// SPDX-License-Identifier: Apache-2.0
// Comma-separated values: one column of a table, or what `write_csv` (text.hpp) writes.
#pragma once

#include <string_view>

#include "formats/signals/signal.hpp"  // signal

namespace wingbeat::formats {

/// Returns whether the first line names several columns, none of which is a number.
[[nodiscard]] bool has_csv_heading(std::string_view content);

/// Returns the samples of a column, chosen by its name or its number from 0; without a choice the
/// only one, or both of `re,im`. Fields are separated by commas, semicolons or tabs, numbers are
/// real or complex as Python writes them. The signal is real if every imaginary part is 0.
/// Of the headings of `write_csv`, `index,re,im` and `row,index,re,im`, these are rows of samples:
/// indices count from 0 in every row, and rows from 0, without omissions.
/// Throws `file_error` naming `name` and the line at fault, and `plan_error` without a choice.
[[nodiscard]] signal read_csv(std::string_view content, std::string_view name,
                              std::string_view column = {});

}  // namespace wingbeat::formats
