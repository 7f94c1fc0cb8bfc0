// SPDX-License-Identifier: Apache-2.0
// Overlap-save: a long image f of one axis, of H values, is cut into blocks of P that overlap by
// h - 1, the kernel's length less one. In the circular convolution of a block, the values at h - 1
// and later are values of the full result; the block before makes the others. With L = h - 1, the
// values m = L .. H - 1 of the full result come from whole blocks. The L values before them and the
// L behind come from the image's first and last L values alone, as one pair of rows:
//     f[0 .. L) gives m = 0 .. L - 1 at the indices 0 .. L - 1,
//     f[H - L .. H) gives m = H .. H + L - 1 at the indices L .. 2L - 1.
// Blocks overwrite whatever else those two rows write. Blocks may give up a few more than h - 1
// values and begin a few values later, so that each is stored from a cache line boundary; L is then
// that many values.
#pragma once

#include <cstddef>  // size_t
#include <string>
#include <vector>

#include "convolving/geometry.hpp"   // axis_geometry
#include "wingbeat/convolution.hpp"  // convolution_spec
#include "wingbeat/devices.hpp"      // device_info, engine

namespace wingbeat::convolving {

/// Rows of one launch. A row of real values is two rows of the image, as real and imaginary parts.
/// Offsets and distances count values.
struct block_rows {
  std::size_t image_at = 0;   ///< Offset of the first value that the first row reads.
  std::size_t result_at = 0;  ///< Offset of the first value that the first row writes.
  std::size_t count = 1;
  std::size_t distance = 0;        ///< From one row to the next, in image and result.
  std::size_t parts_distance = 0;  ///< From the values of real parts to those of imaginary parts.
  index_range in, out;             ///< Indices of a row that are read and written.
};

/// Returns how many values each block makes: P - (h - 1), or fewer so that blocks are stored from
/// cache line boundaries.
[[nodiscard]] std::size_t hop_of(std::size_t image, std::size_t kernel, std::size_t block);

/// Returns the launches of one image, in order; later ones overwrite what earlier ones left.
[[nodiscard]] std::vector<block_rows> block_rows_of(const axis_geometry& axis, bool is_real);

/// Returns the length of the blocks that a valid spec's image is cut into on a device; 0 if a
/// single transform of length `padded` costs less. A power of two unless the spec gives another
/// length, because powers of two take the least time per point.
[[nodiscard]] std::size_t block_length(const convolution_spec& spec, std::size_t padded,
                                       const device_info& device);

/// Returns the block length that is fastest for an endless image: a power of two.
[[nodiscard]] std::size_t best_block_length(std::size_t kernel, precision real, engine runs_on);

/// Returns why an image cannot be cut into blocks of that length, in one sentence; empty if it can.
[[nodiscard]] std::string why_no_blocks(const convolution_spec& spec, std::size_t block);

}  // namespace wingbeat::convolving
