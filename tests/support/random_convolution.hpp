// SPDX-License-Identifier: Apache-2.0
// Convolutions drawn from a seed: any that an engine may be asked for.
#pragma once

#include <cstddef>  // size_t
#include <cstdint>  // uint64_t
#include <string>

#include "wingbeat/convolution.hpp"  // convolution_spec

namespace wingbeat::test {

/// What to draw from.
struct convolution_limits {
  std::size_t max_products = std::size_t{1} << 21;    ///< Of image values and kernel values.
  std::size_t longest_signal = std::size_t{1} << 17;  ///< Of a request of one axis, now and then.
  bool has_fp64 = true;
};

/// Values are offset + scale times noise in [-1, 1].
struct noise_range {
  double scale = 1, offset = 0;
};

/// A request and how to run it.
struct drawn_convolution {
  convolution_spec spec;
  noise_range images = {};
  bool reverses_images = false;    ///< A load functor reads each image from its last value on.
  bool reverses_kernels = false;   ///< The same for kernels,
  bool reverses_results = false;   ///< and a store functor writes results so.
  bool has_own_workspace = false;  ///< The caller's workspace, not the queue's.
  std::size_t shift = 0;           ///< Complex numbers that each buffer starts behind.
};

/// Returns a request that every convolution must accept; its functors, if any, are in the spec. The
/// same seed gives the same one everywhere.
[[nodiscard]] drawn_convolution random_convolution(std::uint64_t seed,
                                                   const convolution_limits& within = {});

/// Returns a request as C++ that makes it, on one line, without its functors.
[[nodiscard]] std::string as_initialiser(const convolution_spec& spec);

/// Gives a request the functors that its flags name.
void add_functors(drawn_convolution& drawn);

}  // namespace wingbeat::test
