// SPDX-License-Identifier: Apache-2.0
// Ids of heaps, distinct for all engines and interfaces of an array at any time:
//     id[n] = interface 2^40 + engine + n array_size,  n modulo 2^40/array_size
#pragma once

#include <cstddef>  // size_t
#include <cstdint>  // uint64_t

namespace wingbeat::transmit {

class heap_ids {
 public:
  static constexpr std::uint64_t ids_per_interface = std::uint64_t{1} << 40;

  /// Starts with heap n = `first`.
  heap_ids(std::uint64_t engine, std::uint64_t array_size, std::size_t interface,
           std::uint64_t first = 0)
      : base_(interface * ids_per_interface + engine),
        array_size_(array_size),
        period_(ids_per_interface / array_size),
        n_(first % period_) {}

  [[nodiscard]] std::uint64_t next() {
    const std::uint64_t id = base_ + n_ * array_size_;
    n_ = (n_ + 1) % period_;
    return id;
  }

 private:
  std::uint64_t base_, array_size_, period_, n_;
};

}  // namespace wingbeat::transmit
