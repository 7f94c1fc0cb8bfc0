// SPDX-License-Identifier: Apache-2.0
// What readers of voltages promise, whatever they are given.
#pragma once

#include <algorithm>  // min

#include "formats/voltages/voltages.hpp"  // voltages
#include "fuzz/reader.hpp"                // check_message, require

namespace wingbeat::fuzz {

inline void check_voltages(const formats::voltages& read, std::size_t n_bytes) {
  const std::size_t n_rows = read.n_polarisations * read.n_channels;
  require(read.n_samples >= 1 && n_rows >= 1 && read.packet_samples >= 1);
  require(read.samples.size() == n_rows * read.n_samples * (read.is_complex ? 2 : 1));
  // Eight samples of one bit a byte, with four times as many lost beside one block or frame.
  require(read.samples.size() <= 128 * (n_bytes + 1));
  require(read.present.size() == read.n_polarisations);
  for (const auto& flags : read.present) {
    require(flags.size() == (read.n_samples + read.packet_samples - 1) / read.packet_samples);
  }
  const unsigned bits = std::min(read.sample_bits, 16u);
  for (const int x : read.samples) require(x >= -(1 << bits) && x < 1 << bits);
  require(!read.start || (read.start->second >= 0 && read.start->second < 86400));
}

template <class Read>
void check_voltage_reader(Read&& read, std::size_t n_bytes) {
  try {
    check_voltages(read(), n_bytes);
  } catch (const file_error& refused) {
    check_message(refused.what());
  }
}

}  // namespace wingbeat::fuzz
