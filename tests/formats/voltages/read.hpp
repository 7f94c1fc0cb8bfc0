// SPDX-License-Identifier: Apache-2.0
// All samples of a recording of voltages.
#pragma once

#include <string>

#include "formats/voltages/format.hpp"  // open_dada ..

namespace wingbeat::test {

inline formats::voltages read_all(const formats::voltage_file& file) {
  formats::voltages recording = file.contents();
  const std::size_t row = recording.n_samples * (recording.is_complex ? 2 : 1);
  recording.samples.resize(row * recording.n_channels * recording.n_polarisations);
  for (std::size_t c = 0; c < recording.n_channels; ++c) {
    std::vector<std::span<std::int16_t>> rows;
    for (std::size_t p = 0; p < recording.n_polarisations; ++p) {
      rows.push_back(
          std::span(recording.samples).subspan((p * recording.n_channels + c) * row, row));
    }
    file.read(c, 0, recording.n_samples, rows);
  }
  return recording;
}

/// Returns all samples of a file of these bytes.
template <formats::voltage_opener* Open>
struct whole_reader {
  formats::voltages operator()(std::span<const std::byte> content, std::string name,
                               const formats::voltage_options& options = {}) const {
    const formats::byte_source source{content, std::move(name)};
    return read_all(*Open(source, options));
  }
};

inline constexpr whole_reader<formats::open_guppi> read_guppi;
inline constexpr whole_reader<formats::open_vdif> read_vdif;
inline constexpr whole_reader<formats::open_mark5b> read_mark5b;
inline constexpr whole_reader<formats::open_dada> read_dada;

}  // namespace wingbeat::test
