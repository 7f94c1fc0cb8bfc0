// SPDX-License-Identifier: Apache-2.0
// The local memory a transform borrows.
#pragma once

#include "wingbeat/device/port.hpp"  // WINGBEAT_FN, WINGBEAT_LOCAL

namespace wingbeat::device::workgroup {

/// The part of complex numbers that crosses local memory at once.
enum class trade {
  whole,  ///< Complex numbers: one barrier an exchange, full footprint.
  halves  ///< Real parts, then imaginary parts: three barriers, half the footprint.
};

/// How a transform uses local memory. `BankBytes` is the width of all its banks together: 128 on
/// NVIDIA GPUs and most others, 0 if there are none (a CPU). `Pad`: unused entries behind the
/// entries of all banks, for threads across transforms.
template <trade Trade = trade::whole, unsigned BankBytes = 128, unsigned Pad = 1>
struct memory {
  static constexpr trade trades = Trade;
  static constexpr unsigned bank_bytes = BankBytes;
  static constexpr unsigned pad = Pad;
};

/// The moment from which borrowed local memory may be written again.
enum class reuse {
  at_once,       ///< As soon as `execute` returns, which costs it one more barrier.
  after_barrier  ///< After a barrier of the caller; saves one if scratch is not used again. The
                 ///< inverse of an in-place transform of the same shape may follow without a
                 ///< barrier, because each thread begins by writing slots that only it has read.
};

/// Local memory to borrow: `Bytes` from `address`, aligned to 16, free on entry; maybe part of a
/// larger array.
template <unsigned Bytes, reuse Reuse = reuse::at_once>
struct scratch {
  static constexpr unsigned size_bytes = Bytes;
  static constexpr reuse reused = Reuse;
  WINGBEAT_LOCAL char* address;
};

/// Scratch in memory that the kernel itself declares, so a launch need not provide it.
template <unsigned Bytes, reuse Reuse = reuse::at_once>
struct declared_scratch {
  static constexpr unsigned size_bytes = Bytes;
  static constexpr reuse reused = Reuse;
  static constexpr bool is_declared = true;
  WINGBEAT_LOCAL char* address;

  WINGBEAT_FN operator scratch<Bytes, Reuse>() const { return {address}; }
};

template <class Scratch, reuse Reuse>
struct scratch_reused {
  using type = scratch<Scratch::size_bytes, Reuse>;
};
template <unsigned Bytes, reuse Before, reuse Reuse>
struct scratch_reused<declared_scratch<Bytes, Before>, Reuse> {
  using type = declared_scratch<Bytes, Reuse>;
};
/// The same scratch with another `reuse`.
template <class Scratch, reuse Reuse>
using reused_as = typename scratch_reused<Scratch, Reuse>::type;

/// Memory of the right size and alignment, for dialects that declare local memory in the kernel:
///     __shared__ fft::storage_type memory;  // CUDA; on the host, a plain variable
template <unsigned Bytes>
struct storage {
  alignas(16) char bytes[Bytes == 0 ? 1 : Bytes];

  /// Returns all of it as scratch.
  WINGBEAT_FN declared_scratch<Bytes> lent() { return {bytes}; }
  /// Returns all of it as scratch that the caller frees by a barrier.
  WINGBEAT_FN declared_scratch<Bytes, reuse::after_barrier> lent_until_barrier() { return {bytes}; }
};

}  // namespace wingbeat::device::workgroup
