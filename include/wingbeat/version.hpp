// SPDX-License-Identifier: Apache-2.0
// The version of wingbeat. CMake reads these three lines: the version is written nowhere else.
#pragma once

#define WINGBEAT_VERSION_MAJOR 0
#define WINGBEAT_VERSION_MINOR 2
#define WINGBEAT_VERSION_PATCH 0
