// SPDX-License-Identifier: Apache-2.0
// Adds places to look for libraries that are opened while the program runs.
#pragma once

#include <string>

#include "wingbeat/cpp20.hpp"  // stops older C++

namespace wingbeat {

/// Makes the engine `cuda` look for NVRTC in `folder` before the loader's own places and CUDA's
/// toolkits, because Python packages bring NVRTC in folders of their own. Call it before the first
/// query of cuda's devices, for example by `devices`. The folder named last is tried first.
void add_library_folder(std::string folder);

}  // namespace wingbeat
