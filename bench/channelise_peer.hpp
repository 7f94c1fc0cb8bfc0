// SPDX-License-Identifier: Apache-2.0
// The unfused chain of a filter bank, written as well as its three steps allow: a filter that
// leaves floats in memory, cuFFT's real transforms in batches, and a kernel that turns, weighs,
// dithers, quantises and transposes through local memory; the kernels are those of chained_bank.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "channelising/banks/views.hpp"   // sample_planes
#include "peers/cufft.hpp"                // cufft
#include "programs/prepared_program.hpp"  // prepared_program
#include "wingbeat/channeliser.hpp"       // channeliser_spec

namespace wingbeat {

/// The memory of a run.
struct bank_views {
  buffer_view samples;    ///< Packed; polarisations `plane_bytes` apart.
  buffer_view entries;    ///< spectrum_entry[polarisation][spectrum]
  buffer_view gains;      ///< [set][polarisation][channel]
  buffer_view heaps;      ///< [heap][channel][spectrum][polarisation]
  buffer_view saturated;  ///< uint32_t[heap][polarisation][counter], added to.
};

/// A program of a filter bank, or of a part of it, with its workspace.
class bank {
 public:
  bank(const queue& on, const programs::program& steps);

  void enqueue(queue& on, const bank_views& views) const;

 private:
  programs::prepared_program steps_;
  buffer workspace_;
};

class unfused_bank {
 public:
  unfused_bank(const queue& on, const channeliser_spec& spec,
               const channelising::sample_planes& planes, std::size_t n_heaps);

  void enqueue(queue& on, const bank_views& views) const;

  struct step {
    std::string name;
    std::function<void()> enqueue;
  };
  /// Returns the three steps, each over all spectra. They refer to this, `on` and `views`.
  [[nodiscard]] std::vector<step> steps(queue& on, const bank_views& views) const;

 private:
  bank filter_, finish_;
  peers::cufft rows_;
  buffer filtered_, bins_;
};

/// Returns the part of the bytes of two heaps that differ.
[[nodiscard]] double differing_part(queue& on, const buffer& a, const buffer& b);

}  // namespace wingbeat
