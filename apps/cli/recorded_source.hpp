// SPDX-License-Identifier: Apache-2.0
// The samples of one file, or of files one after another, as integers: packed ones of a digitiser,
// signals, voltages in packets.
#pragma once

#include <cstddef>  // size_t
#include <cstdint>  // int16_t
#include <memory>   // unique_ptr
#include <span>
#include <string>
#include <utility>  // move
#include <vector>

#include "cli/byte_source.hpp"                // byte_source
#include "cli/recording.hpp"                  // recording_options
#include "formats/signals/numbers.hpp"        // number_layout
#include "formats/signals/sample_reader.hpp"  // sample_reader
#include "formats/voltages/format.hpp"        // voltage_format
#include "formats/voltages/voltages.hpp"      // voltages

namespace wingbeat::cli {

/// Two integers whose ratio is 3.316505 within 2e-5: that of the levels that are best of 2 bits.
inline constexpr std::int16_t low_level = 139, high_level = 461;

class recorded_source {
 public:
  recorded_source(std::string file, formats::voltages stated)
      : name(std::move(file)), held(std::move(stated)) {}
  virtual ~recorded_source() = default;

  /// Reads samples `first` to `first + count` of channels, or fewer at the end of a pipe, as
  /// integers [channel][polarisation][sample][part]; returns how many.
  virtual std::size_t read(std::span<const std::size_t> channels, std::size_t first,
                           std::size_t count) = 0;

  std::string name;
  /// Of the files, without samples; packets of 0 samples: there are none; 0 samples: not known.
  formats::voltages held;
  double full_scale = 0;  ///< The integer of a sample that is 1; 0: the file has integers itself.
  std::vector<std::int16_t> integers = {};
};

/// Returns packed samples of one polarisation.
[[nodiscard]] std::unique_ptr<recorded_source> packed_source_of(std::unique_ptr<byte_source> file,
                                                                unsigned sample_bits);

/// Return samples that become integers of 16 bits: of a file, and raw ones of a pipe in pieces.
[[nodiscard]] std::unique_ptr<recorded_source> signal_source_of(
    std::unique_ptr<formats::sample_reader> reader);
[[nodiscard]] std::unique_ptr<recorded_source> signal_source_of(
    std::unique_ptr<byte_source> pipe, const formats::number_layout& layout);

/// Returns voltages in packets. Remarks of the files are refused if `is_strict`, otherwise printed.
[[nodiscard]] std::unique_ptr<recorded_source> voltage_source_of(
    const std::vector<std::string>& files, const formats::voltage_format& format,
    const recording_options& options);

}  // namespace wingbeat::cli
