// SPDX-License-Identifier: Apache-2.0
// What every reader promises, whatever it is given.
#pragma once

#include <cmath>    // isfinite
#include <cstdlib>  // abort
#include <string_view>

#include "formats/signals/signal.hpp"  // signal
#include "wingbeat/error.hpp"          // file_error, plan_error

namespace wingbeat::fuzz {

inline void require(bool holds) {
  if (!holds) std::abort();
}

/// A refusal is one line of printable text.
inline void check_message(std::string_view message) {
  require(!message.empty());
  for (const char c : message) require(c >= ' ' && c <= '~');
}

inline bool is_float(double value) {
  return static_cast<double>(static_cast<float>(value)) == value;
}

inline void check_signal(const formats::signal& read) {
  require(read.n_rows >= 1 && read.row_length >= 1);
  require(read.samples.size() == read.n_rows * read.row_length);
  for (const auto z : read.samples) {
    require(std::isfinite(z.real()) && std::isfinite(z.imag()));
    require(!read.is_real || z.imag() == 0);
    require(!read.is_single_precision || (is_float(z.real()) && is_float(z.imag())));
  }
}

template <class Read>
void check_reader(Read&& read) {
  try {
    check_signal(read());
  } catch (const file_error& refused) {
    check_message(refused.what());
  } catch (const plan_error& refused) {
    check_message(refused.what());
  }
}

}  // namespace wingbeat::fuzz
