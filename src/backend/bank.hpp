// SPDX-License-Identifier: Apache-2.0
// A filter bank as one step, for engines that run in this process:
//
//     y[j] = sum over m < taps of w[m step + j] x[first + m step + j],  step = transform
//     u[k] = (DFT of y)[k] exp(2 pi i (phase + (k - channels/2) slope)) gain[k] + dither
//
// limited, rounded and transposed to [channel][spectrum][polarisation]. A run reads samples
// [polarisation] and writes a heap. Its load takes three views:
//     spectrum_entry[polarisation][spectrum]
//     complex<float>[set][polarisation][channel], the gains
//     uint32_t[polarisation], set to how many values were limited
#pragma once

#include <cstddef>  // byte, size_t
#include <cstdint>  // uint64_t
#include <span>
#include <vector>

#include "wingbeat/device/channeliser/heap_sample.hpp"
#include "wingbeat/device/channeliser/spectrum_entry.hpp"

namespace wingbeat::backend {

using device::channeliser::heap_sample, device::channeliser::spectrum_entry;

struct bank_request {
  bool is_complex = false;    ///< Samples are pairs of floats and bins wrap round; else samples are
                              ///< floats.
  std::size_t transform = 0;  ///< Samples per transform.
  std::size_t channels = 0;   ///< Real: bins 0 to channels - 1. Complex: bin k - channels/2 is k.
  std::size_t polarisations = 1;
  std::size_t spectra = 1;
  std::size_t taps = 1;
  std::size_t plane_bytes = 0;      ///< From one polarisation's samples to the next one's.
  std::vector<float> weights = {};  ///< [tap][sample]
  heap_sample output = heap_sample::int8;
  float limit = 0;  ///< Largest magnitude of a part.
  bool has_dither = false;
  std::uint64_t seed = 0;
};

/// Samples of one polarisation on their way to a bank: packed, the most significant bit first, or
/// as integers within `bits`.
struct sample_run {
  std::span<const std::byte> packed = {};
  const std::int16_t* integers = nullptr;  ///< If `packed` is empty.
  unsigned bits = 0;                       ///< 2 to 16.
  std::size_t first = 0;  ///< Number of the first sample in `packed` or `integers`.
  std::size_t count = 0;
  float* out = nullptr;
  std::uint64_t* histogram = nullptr;       ///< Of values from -2^(bits - 1) on; added to.
  std::uint64_t* sum_of_squares = nullptr;  ///< Added to.
};

}  // namespace wingbeat::backend
