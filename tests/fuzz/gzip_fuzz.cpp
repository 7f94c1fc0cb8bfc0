// SPDX-License-Identifier: Apache-2.0
// Any bytes give a file of at most as many bytes as allowed, none, or a file_error.
#include "formats/files/gzip.hpp"
#include "fuzz/reader.hpp"  // check_message, require

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t n_bytes) {
  using namespace wingbeat;
  constexpr std::size_t limit_bytes = std::size_t{1} << 20;
  const formats::byte_source packed{{reinterpret_cast<const std::byte*>(data), n_bytes}, "fuzz"};
  try {
    const auto source = formats::inflated(packed, limit_bytes);
    fuzz::require(!source || source->size() <= limit_bytes);
  } catch (const file_error& refused) {
    fuzz::check_message(refused.what());
  }
  return 0;
}
