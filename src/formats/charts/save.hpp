// SPDX-License-Identifier: Apache-2.0
// A painted canvas as a PNG, SVG or PDF file.
#pragma once

#include <filesystem>

#include "formats/charts/canvas.hpp"  // canvas

namespace wingbeat::formats {

/// Writes the format of the file's extension; SVG and PDF keep lines and letters. Throws
/// `plan_error` for another extension, and `file_error` if the file cannot be written; it appears
/// whole or not at all.
void save_chart(const std::filesystem::path& file, const canvas& painted);

}  // namespace wingbeat::formats
