// SPDX-License-Identifier: Apache-2.0
// The channeliser in double precision, formula by formula: the oracle of the engines. Its spectrum
// at output time t, with o the first input sample of its window, is
//
//     y[j] = sum over m < T of x[o + m step + j] w[m step + j]        j = 0 .. step - 1
//     X[k] = sum over j of y[j] exp(-2 pi i j (k - c)/step)
//     Q[k] = X[k] exp(i phi[k]) g[k]
//
// Q, with dither added, is then limited and rounded. For real samples c = 0; for complex samples
// and for a narrowband, where x is the mixed and decimated signal, c is half the channels.
#pragma once

#include <complex>
#include <cstddef>  // byte, size_t
#include <cstdint>  // int16_t, int64_t, uint64_t
#include <vector>

#include "channelising/spec.hpp"  // channeliser_spec

namespace wingbeat::reference {

/// A digitiser's recording. Polarisations have equally many samples.
struct recording {
  std::int64_t first_sample = 0;  ///< Since the ADC's sample 0; earlier samples are missing.
  /// [polarisation][sample], or for complex samples [polarisation][sample][re, im].
  std::vector<std::vector<std::int16_t>> samples = {};
  std::size_t packet_samples = 4096;
  /// [polarisation][packet]: which packets of samples arrived, the last perhaps shorter; empty:
  /// all.
  std::vector<std::vector<bool>> present = {};
};

/// One heap.
struct heap {
  std::int64_t timestamp = 0;  ///< Output time of its first spectrum.
  /// Q as above.
  std::vector<std::complex<double>> spectra = {};  // [channel][spectrum][polarisation]
  std::vector<std::byte> bytes = {};               // [channel][spectrum][polarisation][re, im]
  std::vector<std::uint64_t> saturated = {};       ///< [polarisation] saturated complex values.
  std::vector<bool> is_complete = {};  ///< [polarisation] false: missing samples count as 0.
};

/// All heaps for which the recording has the samples.
struct channelised {
  std::vector<heap> heaps;
  std::vector<std::int64_t> withheld;    ///< Timestamps of heaps that missing samples touch.
  std::uint64_t n_skipped = 0;           ///< Heaps within the result whose windows start too early.
  std::vector<input_level> levels = {};  ///< [polarisation]
};

/// Channelises a recording. The first heap is the first one, from output time 0 on, whose windows
/// start within the recording. If a delay grows so much that a window starts before the recording,
/// the next heap is found in the same way. Throws `plan_error` for an invalid spec, for a recording
/// with other polarisations or lengths, and for a sample beyond `sample_bits`.
[[nodiscard]] channelised channelise(const channeliser_spec& spec, const recording& input);

}  // namespace wingbeat::reference
