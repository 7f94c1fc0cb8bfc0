// SPDX-License-Identifier: Apache-2.0
// Any bytes give a signal of finite samples or a file_error; nothing else may come out.
#include "formats/signals/format.hpp"
#include "fuzz/reader.hpp"  // check_reader

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t n_bytes) {
  const std::span content{reinterpret_cast<const std::byte*>(data), n_bytes};
  wingbeat::fuzz::check_reader([&] {
    return wingbeat::formats::open_npy(
               std::make_shared<wingbeat::formats::byte_source>(content, "fuzz.npy"))
        ->read_all({});
  });
  return 0;
}
