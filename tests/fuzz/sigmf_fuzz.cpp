// SPDX-License-Identifier: Apache-2.0
// Any bytes, as a document or as an archive, give a recording or an error; nothing else may come
// out.
#include "formats/signals/sigmf.hpp"
#include "fuzz/reader.hpp"  // check_message, require

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t n_bytes) {
  using namespace wingbeat;
  const std::span content{reinterpret_cast<const std::byte*>(data), n_bytes};
  try {
    const std::string_view text{reinterpret_cast<const char*>(data), n_bytes};
    const formats::sigmf_recording read = formats::parse_sigmf(text, "fuzz");
    fuzz::require(read.shape.n_channels >= 1 && read.layout.type.sample_bytes() >= 1);
    static_cast<void>(formats::shifted_sigmf(read.shape.sigmf, -3, 7));
  } catch (const file_error& refused) {
    fuzz::check_message(refused.what());
  }
  try {
    const formats::sigmf_archive found = formats::find_sigmf(formats::byte_source{content, "fuzz"});
    fuzz::require(found.begin <= found.end && found.end <= n_bytes);
  } catch (const file_error& refused) {
    fuzz::check_message(refused.what());
  }
  return 0;
}
