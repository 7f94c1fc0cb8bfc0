// SPDX-License-Identifier: Apache-2.0
// All samples of a recording of voltages.
#pragma once

#include <string>

#include "formats/voltages/guppi.hpp"     // open_guppi
#include "formats/voltages/voltages.hpp"  // voltages, voltage_file

namespace wingbeat::test {

inline formats::voltages read_all(const formats::voltage_file& file) {
  formats::voltages all = file.contents();
  const std::size_t row = all.n_samples * (all.is_complex ? 2 : 1);
  all.samples.resize(row * all.n_channels * all.n_polarisations);
  for (std::size_t c = 0; c < all.n_channels; ++c) {
    std::vector<std::span<std::int16_t>> rows;
    for (std::size_t p = 0; p < all.n_polarisations; ++p) {
      rows.push_back(std::span(all.samples).subspan((p * all.n_channels + c) * row, row));
    }
    file.read(c, 0, all.n_samples, rows);
  }
  return all;
}

inline formats::voltages read_guppi(std::span<const std::byte> content, std::string name) {
  const formats::byte_source from{content, std::move(name)};
  return read_all(*formats::open_guppi(from));
}

}  // namespace wingbeat::test
