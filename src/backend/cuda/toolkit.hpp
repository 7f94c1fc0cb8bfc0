// SPDX-License-Identifier: Apache-2.0
// The places where the libraries of an installed CUDA toolkit may be.
#pragma once

#include <span>
#include <string>
#include <vector>

namespace wingbeat::backend::cuda {

/// Returns the paths to try, in order: the folders of `add_library_folder`, the loader's own
/// places, then the toolkits of $CUDA_HOME and $CUDA_PATH, then /usr/local/cuda.
[[nodiscard]] std::vector<std::string> toolkit_candidates(std::span<const std::string> names);

}  // namespace wingbeat::backend::cuda
