// SPDX-License-Identifier: Apache-2.0
// Any bytes give finite places or a file_error; nothing else may come out.
#include "formats/images/places.hpp"
#include "fuzz/reader.hpp"  // check_message, require

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t n_bytes) {
  using namespace wingbeat;
  try {
    const auto places =
        formats::parse_places({reinterpret_cast<const char*>(data), n_bytes}, "fuzz.star");
    for (const auto& place : places) {
      fuzz::require(std::isfinite(place.x) && std::isfinite(place.y));
    }
  } catch (const file_error& refused) {
    fuzz::check_message(refused.what());
  }
  return 0;
}
