// SPDX-License-Identifier: Apache-2.0
// Any bytes give as many samples as the shape says, or a file_error; nothing else may come out.
#include "formats/images/format.hpp"
#include "fuzz/image_reader.hpp"  // check_image_reader

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t n_bytes) {
  const std::span content{reinterpret_cast<const std::byte*>(data), n_bytes};
  wingbeat::fuzz::check_image_reader(wingbeat::formats::open_mrc, content);
  return 0;
}
