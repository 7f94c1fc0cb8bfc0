// SPDX-License-Identifier: Apache-2.0
// Two fp16 transforms in one set of registers: the lanes of a half_pair.
#pragma once

#include "wingbeat/device/complex.hpp"  // complex
#include "wingbeat/device/half.hpp"     // half_float, half_pair
#include "wingbeat/device/port.hpp"     // WINGBEAT_FN

namespace wingbeat::device::io {

/// A load and a store around two of complex<half_float>: element i of the first transform is in the
/// first lane, that of the second transform in the second. In an odd batch the second of the last
/// pair is absent: make both `guarded`, with `pair_of` of batch.hpp.
///     re . im  of first,  re . im  of second   <->   re: first . second,  im: first . second
/// Memory and guard: those of both, for i.
template <class First, class Second>
struct paired {
  First first;
  Second second;

  WINGBEAT_FN complex<half_pair> operator()(unsigned i) const {
    const complex<half_float> a = first(i);
    const complex<half_float> b = second(i);
    return {half_pair(a.re, b.re), half_pair(a.im, b.im)};
  }
  WINGBEAT_FN void operator()(unsigned i, complex<half_pair> z) const {
    first(i, complex<half_float>{z.re.first(), z.im.first()});
    second(i, complex<half_float>{z.re.second(), z.im.second()});
  }
};
template <class First, class Second>
paired(First, Second) -> paired<First, Second>;

}  // namespace wingbeat::device::io
