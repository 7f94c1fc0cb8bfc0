// SPDX-License-Identifier: Apache-2.0
// Where else to look for libraries that are opened while the program runs.
#pragma once

#include <string>

#include "wingbeat/cpp20.hpp"  // stops older C++

namespace wingbeat {

/// Has NVRTC be looked for in `folder` before the loader's own places and CUDA's toolkits; Python's
/// packages bring it along in folders of theirs. To be called before the engine `cuda` is first
/// asked for its devices, by `devices` for example; the folder named last is tried first.
void add_library_folder(std::string folder);

}  // namespace wingbeat
