// SPDX-License-Identifier: Apache-2.0
// Kernels around workgroup::fft, as a user writes them: load, transform, work on the spectrum,
// transform back, store. All have the signature of backend/kernel.hpp. The table has the roots,
// then the filter of one row in the order of the spectrum.
#pragma once

#include <fmt/format.h>

#include <string>

#include "wingbeat/workgroup_fft.hpp"  // workgroup_fft, scalar

namespace wingbeat::bench {

inline constexpr const char* entry_name = "inside_kernel";

/// The work of a kernel on each row.
enum class work {
  forward,
  inverse,
  convolve,  ///< inverse(forward(row) * filter) in one kernel; the filter has the scale.
  multiply   ///< row * filter, for a spectrum in memory.
};

/// Threads of a multiplying workgroup, and the numbers of each, whose loads are all in flight at
/// once.
inline constexpr unsigned multiply_threads = 256;
inline constexpr unsigned multiply_packs = 4;
inline constexpr unsigned pack_bytes = 16;

/// Returns the bytes of one complex number in memory.
[[nodiscard]] inline unsigned element_bytes(scalar real) {
  return real == scalar::fp64 ? 16 : real == scalar::fp32 ? 8 : 4;
}

/// Returns the rows in one transform's registers.
[[nodiscard]] inline unsigned rows_at_once(scalar real) {
  return real == scalar::fp16_pair ? 2 : 1;
}

/// Returns the text that moves numbers between memory and registers. `element` is one complex
/// number of one row; fp16 moves it as one word.
[[nodiscard]] inline std::string memory_text(scalar real) {
  if (real == scalar::fp32 || real == scalar::fp64) {
    return R"(
using element = forward::value_type;
constexpr unsigned rows_at_once = 1;
WINGBEAT_FN forward::value_type loaded(const element* place) { return *place; }
WINGBEAT_FN void stored(element* place, forward::value_type z) { *place = z; }
WINGBEAT_FN forward::register_type coefficient(const element* place) { return *place; }
WINGBEAT_FN element product(element z, element h) { return z * h; }
)";
  }
  const std::string words = R"(
using element = unsigned;
WINGBEAT_FN complex<half_float> two_halves(unsigned word) {
  return {half_float::of_bits(word & 0xffffu), half_float::of_bits(word >> 16)};
}
WINGBEAT_FN unsigned word_of(complex<half_float> z) {
  return z.re.bits | static_cast<unsigned>(z.im.bits) << 16;
}
WINGBEAT_FN element product(element z, element h) {
  return word_of(narrow(widen(two_halves(z)) * widen(two_halves(h))));
}
)";
  if (real == scalar::fp16) {
    return words + R"(
constexpr unsigned rows_at_once = 1;
WINGBEAT_FN forward::value_type loaded(const element* place) { return two_halves(*place); }
WINGBEAT_FN void stored(element* place, forward::value_type z) { *place = word_of(z); }
WINGBEAT_FN forward::register_type coefficient(const element* place) {
  return widen(two_halves(*place));
}
)";
  }
  return words + R"(
constexpr unsigned rows_at_once = 2;
// (im . re) of two rows  <->  (re' . re), (im' . im)
WINGBEAT_FN forward::value_type loaded(const element* place) {
  const unsigned a = place[0];
  const unsigned b = place[forward::length];
  return {half_pair::of_bits((a & 0xffffu) | b << 16),
          half_pair::of_bits(a >> 16 | (b & 0xffff0000u))};
}
WINGBEAT_FN void stored(element* place, forward::value_type z) {
  place[0] = (z.re.bits & 0xffffu) | z.im.bits << 16;
  place[forward::length] = z.re.bits >> 16 | (z.im.bits & 0xffff0000u);
}
WINGBEAT_FN forward::register_type coefficient(const element* place) {
  const unsigned h = *place;
  return {half_pair::of_bits((h & 0xffffu) * 0x10001u), half_pair::of_bits((h >> 16) * 0x10001u)};
}
)";
}

/// Returns the body of a kernel whose workgroups hold whole transforms.
[[nodiscard]] inline std::string transform_body(work does) {
  const std::string start = R"(
  const workgroup::team<forward::shape_type> team;
  const size row = (group::index() * forward::transforms + team.transform()) * rows_at_once;
  const element* from = in + in_first + row * forward::length;
  element* to = out + out_first + row * forward::length;
  const workgroup::scratch<forward::scratch_bytes, workgroup::reuse::after_barrier> last{
      WINGBEAT_SCRATCH};
)";
  if (does != work::convolve) {
    return start + fmt::format(R"(
  {}::execute(
      team, [&](unsigned i) {{ return loaded(from + i); }},
      [&](unsigned i, forward::value_type z) {{ stored(to + i, z); }}, last, table);
)",
                               does == work::forward ? "forward" : "backward");
  }
  return start + R"(
  const element* filter = reinterpret_cast<const element*>(table + forward::table_entries);
  forward::register_type x[forward::held];
  WINGBEAT_UNROLL
  for (unsigned l = 0; l < forward::held; ++l) {
    x[l] = widen(loaded(from + team.thread() + l * forward::stride));
  }
  // In place, the inverse begins with the slots that each thread has just read.
  constexpr bool is_in_place = forward::spectrum_order != order::natural;
  constexpr auto reused = is_in_place ? workgroup::reuse::after_barrier : workgroup::reuse::at_once;
  forward::execute(team, x, workgroup::scratch<forward::scratch_bytes, reused>{WINGBEAT_SCRATCH},
                   table);
  WINGBEAT_UNROLL
  for (unsigned l = 0; l < forward::held; ++l) {
    x[l] = x[l] * coefficient(filter + team.thread() + l * forward::stride);
  }
  backward::execute(team, x, last, table);
  WINGBEAT_UNROLL
  for (unsigned l = 0; l < forward::held; ++l) {
    stored(to + team.thread() + l * forward::stride, narrow<real>(x[l]));
  }
)";
}

[[nodiscard]] inline std::string multiply_body() {
  return fmt::format(R"(
  struct alignas({0}) pack {{ element at[{0} / sizeof(element)]; }};
  constexpr unsigned row_packs = forward::length * sizeof(element) / {0};
  const pack* from = reinterpret_cast<const pack*>(in + in_first);
  const pack* filter = reinterpret_cast<const pack*>(table + forward::table_entries);
  pack* to = reinterpret_cast<pack*>(out + out_first);
  const size first = group::index() * ({1} * {2}) + group::thread();
  pack z[{2}];
  WINGBEAT_UNROLL
  for (unsigned r = 0; r < {2}; ++r) z[r] = from[first + r * {1}];
  WINGBEAT_UNROLL
  for (unsigned r = 0; r < {2}; ++r) {{
    const pack h = filter[(first + r * {1}) % row_packs];
    for (unsigned i = 0; i < {0} / sizeof(element); ++i) z[r].at[i] = product(z[r].at[i], h.at[i]);
    to[first + r * {1}] = z[r];
  }}
)",
                     pack_bytes, multiply_threads, multiply_packs);
}

/// Returns the whole text with its includes replaced.
[[nodiscard]] inline std::string kernel_text(workgroup_fft shape, work does) {
  shape.dir = device::direction::forward;
  const std::string forward = shape.type_text();
  shape.dir = device::direction::inverse;
  const std::string text = fmt::format(
      R"(#include "wingbeat/device/workgroup/fft.hpp"
namespace wingbeat::device {{
using forward = {};
using backward = {};
using real = decltype(forward::value_type{{}}.re);
{}
WINGBEAT_KERNEL_RESIDENT(({}), ({}))
void {}(const element* in, element* out, const forward::register_type* table, size in_first,
        size out_first, size batch) {{
  if (batch == 0) return;  // a warm-up must not touch anything
{}
}}
}}  // namespace wingbeat::device
)",
      forward, shape.type_text(), memory_text(shape.real),
      does == work::multiply ? "256" : "forward::workgroup_threads",
      does == work::convolve ? "forward::fused_workgroups" : "1", entry_name,
      does == work::multiply ? multiply_body() : transform_body(does));
  return with_device_headers(text, "inside_kernel");
}

}  // namespace wingbeat::bench
