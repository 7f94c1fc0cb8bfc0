// SPDX-License-Identifier: Apache-2.0
// A painted canvas as a PNG file.
#pragma once

#include <filesystem>

#include "formats/chart_canvas.hpp"  // canvas

namespace wingbeat::formats {

/// Throws `file_error` if the file cannot be written; it appears whole or not at all.
void save_png(const std::filesystem::path& file, const canvas& painted);

}  // namespace wingbeat::formats
