// SPDX-License-Identifier: Apache-2.0
// Any sequence of datagrams is counted datagram by datagram. The input: how to assemble (1 byte),
// then datagrams behind their lengths (2 bytes, little-endian).
#include <algorithm>  // min
#include <numeric>    // accumulate

#include "fuzz/reader.hpp"           // require
#include "spead/channel_heap.hpp"    // channel_heap_of
#include "spead/heap_assembler.hpp"  // heap_assembler

namespace {

using namespace wingbeat::spead;
using wingbeat::fuzz::require;

void check_heap(const heap& received) {
  require(received.is_valid());
  const auto payload = received.payload();
  for (const heap_item& next : received.items()) {
    require(next.is_immediate ? next.bytes.empty() : next.value == 0);
    require(next.bytes.empty() ||
            (next.bytes.data() >= payload.data() &&
             next.bytes.data() + next.bytes.size() <= payload.data() + payload.size()));
  }
  (void)channel_heap_of(received);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t n_bytes) {
  std::span rest{reinterpret_cast<const std::byte*>(data), n_bytes};
  if (rest.empty()) return 0;
  const auto how = std::to_integer<unsigned>(rest[0]);
  rest = rest.subspan(1);
  heap_assembler assembler({.max_heaps = 1 + how % 4,
                            .max_heap_bytes = std::size_t{1} << (how / 4 % 20),
                            .max_pointers = 20,
                            .max_parts = 5});
  std::uint64_t n_datagrams = 0, n_heaps = 0;
  while (rest.size() >= 2) {
    const std::size_t length =
        std::to_integer<std::size_t>(rest[0]) + 256 * std::to_integer<std::size_t>(rest[1]);
    rest = rest.subspan(2);
    const auto datagram = rest.first(std::min(length, rest.size()));
    rest = rest.subspan(datagram.size());
    ++n_datagrams;
    if (const auto received = assembler.add(datagram)) {
      check_heap(*received);
      ++n_heaps;
    }
  }
  const assembler_counts& counts = assembler.counts();
  require(counts.heaps == n_heaps);
  require(
      counts.packets + counts.too_long + counts.inconsistent + counts.duplicates +
          counts.too_many_pointers +
          std::accumulate(counts.undecodable.begin(), counts.undecodable.end(), std::uint64_t{0}) ==
      n_datagrams);
  require(counts.heaps + counts.incomplete + counts.invalid <= counts.packets);
  return 0;
}
