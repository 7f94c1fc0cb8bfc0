// SPDX-License-Identifier: Apache-2.0
// In which order a transform leaves its frequencies.
#pragma once

namespace wingbeat::device {

/// Where the frequencies of a workgroup's transform lie: after a forward transform, and before an
/// inverse one. The time side is in natural order always.
///
///     natural    element g holds frequency g; costs the most exchanges between threads.
///     nabla      element g holds nabla::index_map::dft_index(g), the order of Nabla's FFT.
///     scrambled  element g holds scrambled::index_map::dft_index(g), or of lengths that are no
///                powers of two scrambled::digit_map::dft_index(g): the order that costs the fewest
///                exchanges, as what the last stage leaves in each thread stays there.
///
/// Two transforms in one order multiply element by element, and the inverse takes that order back
/// to natural: a convolution needs no other order than the cheapest.
enum class order { natural, nabla, scrambled };

}  // namespace wingbeat::device
