// SPDX-License-Identifier: Apache-2.0
// All samples of a recording of voltages.
#pragma once

#include <string>

#include "formats/voltages/dada.hpp"      // open_dada
#include "formats/voltages/guppi.hpp"     // open_guppi
#include "formats/voltages/mark5b.hpp"    // open_mark5b
#include "formats/voltages/vdif.hpp"      // open_vdif
#include "formats/voltages/voltages.hpp"  // voltages, voltage_file

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

inline formats::voltages read_guppi(std::span<const std::byte> content, std::string name) {
  const formats::byte_source source{content, std::move(name)};
  return read_all(*formats::open_guppi(source));
}

inline formats::voltages read_vdif(std::span<const std::byte> content, std::string name,
                                   const formats::voltage_options& options = {}) {
  const formats::byte_source source{content, std::move(name)};
  return read_all(*formats::open_vdif(source, options));
}

inline formats::voltages read_mark5b(std::span<const std::byte> content, std::string name,
                                     const formats::voltage_options& options) {
  const formats::byte_source source{content, std::move(name)};
  return read_all(*formats::open_mark5b(source, options));
}

inline formats::voltages read_dada(std::span<const std::byte> content, std::string name) {
  const formats::byte_source source{content, std::move(name)};
  return read_all(*formats::open_dada(source));
}

}  // namespace wingbeat::test
