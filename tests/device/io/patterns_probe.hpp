// SPDX-License-Identifier: Apache-2.0
// Every load and store once, by any compiler: thread i of 8 takes element i through each pattern
// and leaves a complex number in each row of `out`. What the host leaves there, which the tests
// of each pattern vouch for, is what every other dialect must leave.
#pragma once

#include "wingbeat/device/complex.hpp"  // complex
#include "wingbeat/device/half.hpp"     // half_float, half_pair, narrow, widen
#include "wingbeat/device/io.hpp"
#include "wingbeat/device/port.hpp"  // WINGBEAT_FN, WINGBEAT_GLOBAL

namespace wingbeat::test {

namespace io = device::io;
using namespace device;

inline constexpr unsigned probe_threads = 8;
inline constexpr unsigned probe_input = 256;                              // floats
inline constexpr unsigned probe_rows = 26;                                // of complex
inline constexpr unsigned probe_output = probe_rows * 2 * probe_threads;  // floats
inline constexpr unsigned probe_halves = 4 * 2 * probe_threads;           // half_floats

/// Where fp16 products of up to 2 16.3^2 are added, once in each lane; an fp16 of that size is
/// right to 1/4, and its difference from what fused operations give is twice that at most.
inline constexpr unsigned product_row = 23;
inline constexpr float product_bound = 0.5f;

/// What a thread of the probe works with.
struct probe {
  WINGBEAT_GLOBAL const float* in;
  WINGBEAT_GLOBAL half_float* halves;  // [row][thread] of complex
  WINGBEAT_GLOBAL float* out;          // [row][thread] of complex
  unsigned thread;
  unsigned row = 0;

  /// Returns the next row of `out`, as reals.
  WINGBEAT_FN WINGBEAT_GLOBAL float* next() { return out + 2 * probe_threads * row++; }
  WINGBEAT_FN void take(complex<float> z) {
    const io::adjacent_pairs store{next()};
    store(thread, z);
  }
};

WINGBEAT_FN void probe_loads(probe& p) {
  const unsigned i = p.thread;
  const auto row = io::row_of(p.in, 40, io::member{2, true});  // of reals, as all here
  const io::packed pairs{row};
  p.take(io::real_part{io::contiguous{p.in}}(i));
  p.take(io::real_part{io::row_of(p.in, 40, io::member{7, false})}(i));
  p.take(pairs(i));
  p.take(io::packed{io::padded{io::column_of(p.in, 8, io::member{3, true}), 7}}(i));
  p.take(io::packed{io::column_of(p.in, io::matrices{3, 8, 128}, io::member{4, true})}(i));
  p.take(io::planar{row, io::column_of(p.in, 16, io::member{3, true})}(i));
  p.take(io::conjugated{io::adjacent_pairs{p.in + 4}}(i));
  p.take(io::conjugated{io::conjugated{pairs}}(i));
  p.take(io::scaled{io::planar{io::strided{p.in, 3}, io::strided{p.in + 1, 3}}, 0.5}(i));
  p.take(io::reversed{io::padded{pairs, 5}, probe_threads}(i));
  p.take(io::padded{io::flipped{pairs, 5}, 5, 2}(i));
}

WINGBEAT_FN void probe_stores(probe& p) {
  const unsigned i = p.thread;
  const io::adjacent_pairs pairs{p.in};
  const complex<float> z = pairs(i);
  io::packed{io::contiguous{p.next()}}(i, z);
  io::packed{io::cropped{io::contiguous{p.next()}, 3, 9}}(i, z);
  io::real_part{io::strided{p.next(), 2}}(i, z);
  io::planar{io::contiguous{p.next()}, io::contiguous{p.next()}}(i, z);
  io::conjugated{io::packed{io::row_of(p.next(), 16, io::member{0, true})}}(i, z);
  io::packed{io::row_of(p.next(), 16, io::member{9, false})}(i, z);
  io::scaled{io::adjacent_pairs{p.next()}, 0.25f}(i, z);
  io::reversed{io::adjacent_pairs{p.next()}, probe_threads}(i, z);
  io::flipped{io::adjacent_pairs{p.next()}, probe_threads}(i, z);
  // Two teams' worth of memory: thread i copies complex numbers 2i and 2i + 1.
  float four[4];
  io::load_adjacent(p.in, 4 * i, four);
  WINGBEAT_GLOBAL float* const two_rows = p.next();
  p.next();
  io::store_adjacent(two_rows, 4 * i, four);
}

WINGBEAT_FN void probe_halves_of(probe& p) {
  const unsigned i = p.thread;
  const io::adjacent_pairs pairs{p.in};
  const io::adjacent_pairs first{p.halves};
  const io::packed second{io::contiguous{p.halves + 2 * probe_threads}};
  first(i, device::narrow(pairs(i)));
  second(i, device::narrow(pairs(i + 8)));
  const complex<half_pair> both = io::paired{first, io::guarded{second, i < 5}}(i);
  const complex<half_pair> product = both * both - device::times_i(both);
  p.take({product.re.first(), product.im.first()});
  p.take({product.re.second(), product.im.second()});
  p.take(device::widen(io::scaled{first, 0.3f}(i)));
  io::paired{io::conjugated{io::adjacent_pairs{p.halves + 4 * probe_threads}},
             io::scaled{io::adjacent_pairs{p.halves + 6 * probe_threads}, 3}}(i, both);
}

WINGBEAT_FN void probe_all(WINGBEAT_GLOBAL const float* in, WINGBEAT_GLOBAL half_float* halves,
                           WINGBEAT_GLOBAL float* out, unsigned thread) {
  probe p{in, halves, out, thread};
  probe_loads(p);
  probe_stores(p);
  probe_halves_of(p);
}

}  // namespace wingbeat::test
