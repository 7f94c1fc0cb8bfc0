// SPDX-License-Identifier: Apache-2.0
// Any bytes give a signal of finite samples or a file_error; nothing else may come out.
#include "formats/signals/format.hpp"
#include "fuzz/reader.hpp"  // check_reader

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t n_bytes) {
  const std::string_view content{reinterpret_cast<const char*>(data), n_bytes};
  for (const char* const column : {"", "0", "re"}) {
    wingbeat::fuzz::check_reader(
        [&] { return wingbeat::formats::read_csv(content, "fuzz.csv", column); });
  }
  return 0;
}
