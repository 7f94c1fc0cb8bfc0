// SPDX-License-Identifier: Apache-2.0
// Overlap-save as a chain of plans. Rows are complex: real values go as pairs of blocks, one in the
// real parts and one in the imaginary parts, because a real kernel acts on both alike.
#pragma once

#include <memory>  // shared_ptr

#include "convolving/chain.hpp"  // chain, chain_request

namespace wingbeat::convolving {

/// Returns the chain that makes the spectra of `count` kernels. Of a correlation they are those of
/// the conjugate kernels reversed, whose convolution it is.
[[nodiscard]] chain preparing_block_chain(const std::shared_ptr<backend::queue>& on,
                                          const chain_request& request);

/// Returns the chain that convolves `count` images.
[[nodiscard]] chain running_block_chain(const std::shared_ptr<backend::queue>& on,
                                        const chain_request& request);

}  // namespace wingbeat::convolving
