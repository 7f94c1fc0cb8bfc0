// SPDX-License-Identifier: Apache-2.0
// Any text gives a signal whose samples are the same in pieces as at once, or one sentence.
#include <array>
#include <cmath>  // isnan

#include "fuzz/reader.hpp"  // check_message, require
#include "signals/source.hpp"

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t n_bytes) {
  const std::string_view text{reinterpret_cast<const char*>(data), n_bytes};
  try {
    const wingbeat::signals::signal_source source(text, {1e6, 48});
    std::array<double, 48> whole{}, pieces{};
    source.evaluate(0, whole);
    source.evaluate(7, std::span(pieces).subspan(7));
    source.evaluate(0, std::span(pieces).first(7));
    for (std::size_t i = 0; i < whole.size(); ++i) {
      // A product of huge numbers is infinite, and the difference of two of them no number.
      const bool are_equal = whole[i] == pieces[i];
      wingbeat::fuzz::require(are_equal || (std::isnan(whole[i]) && std::isnan(pieces[i])));
    }
  } catch (const wingbeat::plan_error& refused) {
    wingbeat::fuzz::check_message(refused.what());
  }
  return 0;
}
