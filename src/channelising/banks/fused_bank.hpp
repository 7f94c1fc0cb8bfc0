// SPDX-License-Identifier: Apache-2.0
// A filter bank in one launch, on engines that compile kernels: of real samples, where the rows of
// a tile fit the local memory of a workgroup. device/channeliser/bank.hpp has the kernel.
#pragma once

#include <optional>
#include <string>

#include "channelising/banks/views.hpp"          // bank_views
#include "wingbeat/buffer.hpp"                   // buffer
#include "wingbeat/channeliser.hpp"              // channeliser_spec
#include "wingbeat/device/channeliser/bank.hpp"  // bank_numbers
#include "wingbeat/kernel.hpp"                   // kernel

namespace wingbeat::channelising {

/// How the tiles of a bank are cut for a device.
struct bank_tiles {
  device::channeliser::bank_numbers numbers;
  unsigned resident = 1;  ///< Workgroups at once on a multiprocessor.
  unsigned scratch_bytes = 0;
};

/// Returns how to cut the tiles, or nothing where no tile fits.
[[nodiscard]] std::optional<bank_tiles> tiles_of(const channeliser_spec& spec,
                                                 const device_info& device);

/// Returns the local memory of a workgroup of such tiles.
[[nodiscard]] unsigned scratch_bytes_of(const device::channeliser::bank_numbers& numbers);

/// Returns the kernel of such tiles.
[[nodiscard]] kernel_spec bank_kernel(const channeliser_spec& spec, const bank_tiles& tiles);

class fused_bank {
 public:
  fused_bank(const queue& on, const channeliser_spec& spec, std::size_t plane_bytes,
             const bank_tiles& tiles);

  /// Queues the spectra of `n_heaps` heaps.
  void enqueue(queue& on, const bank_views& views, std::size_t n_heaps) const;

  [[nodiscard]] kernel_resources resources() const { return kernel_.resources(); }
  /// Returns the shape of a launch and what it moves for each heap.
  [[nodiscard]] std::string explain() const;

 private:
  bank_tiles tiles_;
  std::size_t plane_bytes_;
  kernel kernel_;
  buffer weights_, roots_;
};

}  // namespace wingbeat::channelising
