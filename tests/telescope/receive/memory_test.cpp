// SPDX-License-Identifier: Apache-2.0
// The memory bound holds, whatever packets say. Every allocation of this program is counted.
#include <gtest/gtest.h>
#include <malloc.h>  // malloc_usable_size

#include <atomic>
#include <cstdlib>  // free, malloc
#include <new>
#include <random>

#include "receive/traffic.hpp"  // loopback_sender, stop_after

namespace {

std::atomic<std::size_t> held_bytes{0}, max_bytes{0};

void* counted(std::size_t n_bytes) {
  void* result = std::malloc(n_bytes);
  if (result == nullptr) throw std::bad_alloc();
  const std::size_t current = held_bytes += malloc_usable_size(result);
  std::size_t most = max_bytes;
  while (current > most && !max_bytes.compare_exchange_weak(most, current)) continue;
  return result;
}

void discounted(void* memory) {
  held_bytes -= malloc_usable_size(memory);
  std::free(memory);
}

}  // namespace

void* operator new(std::size_t n_bytes) {
  return counted(n_bytes);
}
void* operator new[](std::size_t n_bytes) {
  return counted(n_bytes);
}
void operator delete(void* memory) noexcept {
  discounted(memory);
}
void operator delete[](void* memory) noexcept {
  discounted(memory);
}
void operator delete(void* memory, std::size_t) noexcept {
  discounted(memory);
}
void operator delete[](void* memory, std::size_t) noexcept {
  discounted(memory);
}

namespace {

using namespace wingbeat::receive;
using namespace wingbeat::test;

/// Returns a good packet with some bits of its preamble, and perhaps its length, changed.
std::vector<std::byte> damaged(std::int64_t packet, std::mt19937& random) {
  auto bytes = datagram_of(4096 * packet, packet % 2);
  for (unsigned i = 0; i < 1 + random() % 4; ++i) {
    bytes[random() % 72] ^= static_cast<std::byte>(1u << random() % 8);
  }
  if (random() % 4 == 0) bytes.resize(random() % bytes.size());
  return bytes;
}

TEST(receive_memory, stays_within_its_bound) {
  const receive_spec spec{.geometry = small_chunks, .source = loopback_source(2), .n_chunks = 5};
  const memory_bound bound = bound_of(spec);
  loopback_sender out;
  std::mt19937 random(7);
  const std::size_t before = held_bytes;
  max_bytes = before;
  receiver in(spec);
  in.start();
  std::uint64_t n_sent = 0;
  for (std::int64_t i = 0; i < 3000; ++i) {
    out.send(in.endpoints()[static_cast<std::size_t>(i % 2)],
             i % 3 == 0 ? damaged(i, random) : datagram_of(4096 * i, i % 2));
    ++n_sent;
    if (i % 100 != 99) continue;
    ASSERT_TRUE(wait_until([&] { return in.counts().datagrams == n_sent; }));
    const auto received = in.next(std::chrono::milliseconds(0));
  }
  stop_after(in, n_sent);
  expect_all_counted(in.counts());
  EXPECT_GT(in.counts().rejected(), 500u);
  // The packets that this test makes are small beside what the bound has to spare.
  EXPECT_LE(max_bytes - before, bound.chunks + bound.buffers);
  EXPECT_GE(2 * (max_bytes - before), bound.chunks + bound.buffers) << "a bound that says little";
  EXPECT_LE(in.buffers().granted_bytes, bound.sockets);
}

}  // namespace
