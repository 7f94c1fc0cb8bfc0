// SPDX-License-Identifier: Apache-2.0
// A filter bank in one crossing of memory, of engines that run in this process:
//
//     y[j] = sum over m < taps of w[m step + j] x[first + m step + j],  step = transform
//     u[k] = (DFT of y)[k] exp(2 pi i (phase + (k - channels/2) slope)) gain[k] + dither
//
// limited, rounded and transposed to [channel][spectrum][polarisation].
#pragma once

#include <complex>
#include <cstddef>  // byte, size_t
#include <cstdint>  // uint32_t, uint64_t
#include <span>
#include <string>
#include <vector>

#include "wingbeat/device/channeliser/heap_sample.hpp"
#include "wingbeat/device/channeliser/spectrum_entry.hpp"

namespace wingbeat::backend {

using device::channeliser::heap_sample, device::channeliser::spectrum_entry;

struct bank_request {
  bool is_complex = false;    ///< Samples are pairs of floats and bins go around; else floats.
  std::size_t transform = 0;  ///< Samples of one transform.
  std::size_t channels = 0;   ///< Real: bins 0 to channels - 1. Complex: bin k - channels/2 is k.
  std::size_t polarisations = 1;
  std::size_t spectra = 1;
  std::size_t taps = 1;
  std::size_t plane_bytes = 0;      ///< From one polarisation's samples to the next one's.
  std::vector<float> weights = {};  ///< [tap][sample]
  heap_sample output = heap_sample::int8;
  float limit = 0;  ///< Of the magnitude of a part.
  bool has_dither = false;
  std::uint64_t seed = 0;
};

struct bank_run {
  const std::byte* samples = nullptr;          // [polarisation]
  std::span<const spectrum_entry> rows = {};   // [polarisation][spectrum]
  const std::complex<float>* gains = nullptr;  // [set][polarisation][channel]
  std::byte* out = nullptr;                    // [channel][spectrum][polarisation]
  std::span<std::uint32_t> saturated = {};     // [polarisation] set to how many values were limited
};

/// Samples of one polarisation on their way to a bank: packed, the most significant bit first, or
/// as integers within `bits`.
struct sample_run {
  std::span<const std::byte> packed = {};
  const std::int16_t* integers = nullptr;  ///< Where `packed` is empty.
  unsigned bits = 0;                       ///< 2 to 16.
  std::size_t first = 0;  ///< Number of the first one in `packed` or from `integers` on.
  std::size_t count = 0;
  float* out = nullptr;
  std::uint64_t* histogram = nullptr;       ///< Of values from -2^(bits - 1) on; added to.
  std::uint64_t* sum_of_squares = nullptr;  ///< Added to.
};

class bank {
 public:
  virtual ~bank() = default;
  /// Returns when all is done. One run at a time.
  virtual void run(const bank_run& given) = 0;
  [[nodiscard]] virtual std::string explain() const = 0;
};

}  // namespace wingbeat::backend
