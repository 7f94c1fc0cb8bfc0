// SPDX-License-Identifier: Apache-2.0
// The order in which a transform leaves its frequencies.
#pragma once

namespace wingbeat::device {

/// The order of frequencies after a workgroup's forward transform and before its inverse. The time
/// side is always in natural order.
///
///     natural    element g holds frequency g; costs the most exchanges between threads.
///     nabla      element g holds nabla::index_map::dft_index(g), the order of Nabla's FFT.
///     scrambled  element g holds scrambled::index_map::dft_index(g), or for lengths other than
///                powers of two scrambled::digit_map::dft_index(g): the order that costs the fewest
///                exchanges, because outputs of the last stage stay in their threads.
///
/// Two transforms in one order multiply element by element, and the inverse returns to natural
/// order, so a convolution can use the cheapest order.
enum class order { natural, nabla, scrambled };

}  // namespace wingbeat::device
