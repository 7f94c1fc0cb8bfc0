// SPDX-License-Identifier: Apache-2.0
// Any bytes are a capture whose datagrams lie within frames, or are refused in one sentence.
#include "net/capture.hpp"

#include <algorithm>  // copy_n, min

#include "fuzz/reader.hpp"  // check_message, require

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t n_bytes) {
  using namespace wingbeat;
  std::size_t position = 0;
  const auto read = [&](std::span<std::byte> target) {
    fuzz::require(target.size() <= net::capture_reader::memory_bytes);
    const std::size_t count = std::min(target.size(), n_bytes - position);
    std::copy_n(reinterpret_cast<const std::byte*>(data) + position, count, target.begin());
    position += count;
    return count;
  };
  try {
    net::capture_reader reader(read, "fuzz.pcap");
    std::size_t n_datagrams = 0;
    unsigned sum = 0;
    while (const auto found = reader.next()) {
      ++n_datagrams;
      for (const std::byte b : found->payload) sum += std::to_integer<unsigned>(b);
    }
    fuzz::require(reader.counts().datagrams == n_datagrams && sum <= 255 * n_bytes);
  } catch (const file_error& refused) {
    fuzz::check_message(refused.what());
  }
  return 0;
}
