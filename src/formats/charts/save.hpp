// SPDX-License-Identifier: Apache-2.0
// A painted canvas as a PNG, SVG or PDF file.
#pragma once

#include <filesystem>

#include "formats/charts/canvas.hpp"  // canvas

namespace wingbeat::formats {

/// Writes the format that the file's name ends in; in SVG and PDF, lines and letters stay such.
/// Throws `plan_error` for another name, and `file_error` if the file cannot be written; it appears
/// whole or not at all.
void save_chart(const std::filesystem::path& file, const canvas& painted);

}  // namespace wingbeat::formats
