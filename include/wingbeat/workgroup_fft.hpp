// SPDX-License-Identifier: Apache-2.0
// Describes a device::workgroup::fft at run time, for hosts that choose a shape, write a kernel's
// text and compile it at run time: NVRTC, C++ for OpenCL.
#pragma once

#include <cstddef>  // size_t, byte
#include <string>
#include <string_view>
#include <vector>

#include "wingbeat/cpp20.hpp"                      // stops older C++
#include "wingbeat/device/direction.hpp"           // direction
#include "wingbeat/device/order.hpp"               // order
#include "wingbeat/device/workgroup/advise.hpp"    // limits
#include "wingbeat/device/workgroup/memory.hpp"    // trade
#include "wingbeat/device/workgroup/schedule.hpp"  // schedule
#include "wingbeat/devices.hpp"                    // device_info

namespace wingbeat {

/// The type of the numbers of a transform inside a kernel.
enum class scalar {
  fp16,       ///< device::half_float: stored in 16 bits, computed in fp32.
  fp16_pair,  ///< device::half_pair: two transforms at once, stored and computed in 16 bits.
  fp32,
  fp64
};

/// Returns "fp16", "fp16_pair", "fp32" or "fp64".
[[nodiscard]] std::string_view name_of(scalar real) noexcept;

/// Returns "natural", "nabla" or "scrambled".
[[nodiscard]] std::string_view name_of(device::order how) noexcept;

/// A collective transform, described at run time. An aggregate; its fields are the template's.
struct workgroup_fft {
  unsigned length = 1;
  unsigned elements_per_thread = 1;
  unsigned transforms = 1;  ///< Transforms of one workgroup.
  scalar real = scalar::fp32;
  device::direction dir = device::direction::forward;
  device::order spectrum_order = device::order::natural;
  device::workgroup::trade trades = device::workgroup::trade::whole;
  unsigned bank_bytes = 128;

  /// Returns the description with advised parameters for a device within `limits`.
  /// Throws `plan_error` if no workgroup of that device can make the transform.
  [[nodiscard]] static workgroup_fft advised(unsigned length, scalar real,
                                             device::workgroup::limits limits = {},
                                             device::order how = device::order::natural);

  /// Throws `plan_error`, naming the field at fault, if the template would not compile, or would
  /// not fit a device within `limits`.
  void validate(device::workgroup::limits limits = {}) const;

  [[nodiscard]] device::workgroup::schedule plan() const;
  [[nodiscard]] unsigned threads() const;            ///< Threads of one transform.
  [[nodiscard]] unsigned workgroup_threads() const;  ///< Threads to launch.
  [[nodiscard]] unsigned stride() const { return threads(); }
  [[nodiscard]] std::size_t scratch_bytes() const;
  [[nodiscard]] std::size_t table_entries() const;
  [[nodiscard]] unsigned exchanges() const;

  /// Returns the exchanges that cross from one subgroup of `subgroup` threads to another.
  [[nodiscard]] unsigned workgroup_exchanges(unsigned subgroup = 32) const;

  /// Returns the workgroup barriers that one transform passes, without the one that frees the
  /// scratch.
  [[nodiscard]] unsigned workgroup_barriers(unsigned subgroup = 32) const;

  /// Returns the bin that element g of a transform's spectrum holds, g < length.
  [[nodiscard]] unsigned dft_index(unsigned g) const;

  /// Returns the registers of 32 bits that a thread is likely to need.
  [[nodiscard]] unsigned registers() const;

  /// Returns the table of roots as the kernel reads it: `table_entries()` complex numbers in the
  /// precision of the arithmetic, rounded once. Never empty.
  [[nodiscard]] std::vector<std::byte> table() const;

  /// Returns the type in the device dialect, to be written into a kernel's text:
  /// "wingbeat::device::workgroup::fft<wingbeat::device::workgroup::shape<4096, 8, 1>, float, ...".
  [[nodiscard]] std::string type_text() const;
};

/// Returns a device's limits for one workgroup. A device without local memory (host) has none.
[[nodiscard]] device::workgroup::limits limits_of(const device_info& device);

/// Returns the text of a kernel with each `#include "wingbeat/device/..."` replaced by that header,
/// as this library holds it, so that NVRTC or an OpenCL compiler needs no include path. Line
/// numbers stay the same. `path` names the text in compilers' messages. Throws `plan_error` for an
/// include outside wingbeat/device.
[[nodiscard]] std::string with_device_headers(const std::string& text,
                                              const std::string& path = "kernel");

}  // namespace wingbeat
