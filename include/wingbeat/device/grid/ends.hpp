// SPDX-License-Identifier: Apache-2.0
// The two ends of a pass, both in complex elements: a load whose rows are read as row[i], a store
// whose rows take put(i, z). These are plain memory; fused.hpp has those that call your functors.
#pragma once

#include "wingbeat/device/complex.hpp"  // complex
#include "wingbeat/device/port.hpp"     // WINGBEAT_FN, WINGBEAT_GLOBAL, size

namespace wingbeat::device::grid {

/// Reads complex numbers as memory holds them; rows are Pitch elements apart.
template <class Real, size Pitch>
class plain_load {
 public:
  using element = complex<Real>;
  WINGBEAT_FN plain_load(WINGBEAT_GLOBAL const element* in,
                         WINGBEAT_GLOBAL const char* /*blocks*/ = nullptr)
      : in_(in) {}
  WINGBEAT_FN WINGBEAT_GLOBAL const element* row(size r) const { return in_ + r * Pitch; }

 private:
  WINGBEAT_GLOBAL const element* in_;
};

/// Writes complex numbers as memory holds them; rows are Pitch elements apart.
template <class Real, size Pitch>
class plain_store {
 public:
  using element = complex<Real>;
  struct row_type {
    WINGBEAT_GLOBAL element* to;
    WINGBEAT_FN void put(size i, element z) const { to[i] = z; }

    /// Returns the row from element `first` on.
    WINGBEAT_FN row_type from(size first) const { return {to + first}; }
  };
  WINGBEAT_FN plain_store(WINGBEAT_GLOBAL element* out,
                          WINGBEAT_GLOBAL const char* /*blocks*/ = nullptr)
      : out_(out) {}
  WINGBEAT_FN row_type row(size r) const { return {out_ + r * Pitch}; }

  /// Does row(r).put(i, z) for at = r pitch + i. Staged stores want one sum: with the row apart,
  /// NVRTC 13.0 takes ten registers more, and spills.
  static constexpr size pitch = Pitch;
  WINGBEAT_FN void put(size at, element z) const { out_[at] = z; }

 private:
  WINGBEAT_GLOBAL element* out_;
};

}  // namespace wingbeat::device::grid
