// SPDX-License-Identifier: Apache-2.0
// Any text gives options that are words of a command line, or one sentence; the words of an output
// give one whose numbers are within their ranges, or one sentence.
#include "cli/configuration.hpp"

#include <bit>  // has_single_bit

#include "cli/engine_outputs.hpp"  // parse_output
#include "fuzz/reader.hpp"         // require

namespace {

using namespace wingbeat;
using namespace wingbeat::cli;
using fuzz::require;

void check_output(const std::string& words) {
  for (const output_kind kind : {output_kind::wideband, output_kind::narrowband}) {
    try {
      const fengine::output_spec output = parse_output(kind, words, heap_sample::int8, 1);
      require(!output.name.empty() && !output.destinations.empty());
      require(output.bank.channels >= 2 && output.bank.channels <= 65536);
      require(output.bank.taps >= 1 && output.bank.taps <= 64);
      const std::size_t spectra = output.bank.spectra_per_heap;  // 0: as many as is usual
      require(spectra == 0 || (spectra >= 16 && std::has_single_bit(spectra)));
      require(output.bank.narrowband.has_value() == (kind == output_kind::narrowband));
    } catch (const plan_error& refused) {
      require(*refused.what() != '\0');
    }
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t n_bytes) {
  const std::string_view text{reinterpret_cast<const char*>(data), n_bytes};
  try {
    const configuration stated = parse_configuration(text, "file");
    for (const configuration::option& option : stated.options) {
      require(!option.name.empty() && option.name != "config");
      for (const std::string& value : option.values) check_output(value);
    }
    for (const std::string& word : stated.words({"left-out"}, "src")) {
      require(word.find_first_of("\n\r") == word.npos);
      require(word.substr(0, word.find('=')) != "--left-out");
    }
  } catch (const plan_error& refused) {
    require(std::string_view{refused.what()}.starts_with("src has '-"));
  } catch (const file_error& refused) {
    require(std::string_view{refused.what()}.starts_with("file: line "));
    require(std::string_view{refused.what()}.find('\n') == std::string_view::npos);
  }
  return 0;
}
