// SPDX-License-Identifier: Apache-2.0
// One period of test signals in a digitiser's format: packed, cut into packets, with the number of
// saturated samples of each packet.
#pragma once

#include <cstddef>  // byte, size_t
#include <cstdint>  // uint16_t, uint64_t
#include <span>
#include <string>
#include <vector>

namespace wingbeat::transmit {

/// The format of a digitiser's packets.
struct sample_format {
  unsigned sample_bits = 10;  ///< 2 to 16.
  std::size_t packet_samples = 4096;

  [[nodiscard]] std::size_t packet_bytes() const { return packet_samples * sample_bits / 8; }
};

/// Throws `plan_error` for other widths, for packets that are not whole bytes, and for packets of
/// more than 65,000 bytes.
void check(const sample_format& format);

struct period_spec {
  sample_format format = {};
  double adc_rate_hz = 0;
  std::size_t n_packets = 1024;  ///< Per polarisation.
  std::uint64_t seed = 0;        ///< Seed of the dither.

  [[nodiscard]] std::uint64_t n_samples() const { return n_packets * format.packet_samples; }
};

class sample_period {
 public:
  /// Makes the samples of each polarisation's signal, on all processors. Throws `plan_error` for
  /// texts that are not signals, and for a period that is too long.
  sample_period(const std::vector<std::string>& signals, const period_spec& spec);

  [[nodiscard]] const period_spec& spec() const { return spec_; }
  [[nodiscard]] std::size_t n_polarisations() const { return planes_.size(); }

  /// Returns the packed samples of a packet.
  [[nodiscard]] std::span<const std::byte> packet(std::size_t polarisation,
                                                  std::size_t index) const {
    const std::size_t n_bytes = spec_.format.packet_bytes();
    return std::span(planes_[polarisation].bytes).subspan(index * n_bytes, n_bytes);
  }

  /// Returns how many samples of a packet are at full scale, +-(2^(b-1) - 1); at most 65,535.
  [[nodiscard]] std::uint16_t saturated(std::size_t polarisation, std::size_t index) const {
    return planes_[polarisation].saturated[index];
  }

 private:
  struct plane {
    std::vector<std::byte> bytes;
    std::vector<std::uint16_t> saturated;  ///< [packet]
  };

  period_spec spec_;
  std::vector<plane> planes_;  ///< [polarisation]
};

}  // namespace wingbeat::transmit
