// SPDX-License-Identifier: Apache-2.0
// Overlap-save as a program. Rows are complex: real values go as pairs of blocks, one in the real
// parts and one in the imaginary parts, because a real kernel acts on both parts alike.
#pragma once

#include <memory>  // shared_ptr

#include "convolving/program.hpp"  // program_request

namespace wingbeat::convolving {

/// Returns the program that makes the spectra of `count` kernels. A correlation is the convolution
/// with the conjugate, reversed kernels; the spectra are then theirs.
[[nodiscard]] programs::program preparing_block_program(const std::shared_ptr<backend::queue>& on,
                                                        const program_request& request);

/// Returns the program that convolves `count` images.
[[nodiscard]] programs::program running_block_program(const std::shared_ptr<backend::queue>& on,
                                                      const program_request& request);

}  // namespace wingbeat::convolving
